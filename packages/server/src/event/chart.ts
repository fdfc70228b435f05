import type { EventSeries, Frequency } from '@sightline/contract'
import { type MetricId, metricRule, type UsecaseKey } from '@sightline/domain'
import type { Trx } from '../db/database.ts'
import { type Amount, type Amounts, faceValue, figuresOf, showsLast } from './figures.ts'
import { isKept, type Standing, standingOf } from './hours.ts'
import { peakKey, readPeaks } from './peaks.ts'
import { readSlots, readTogether } from './read.ts'
import { hourMs } from './rollup.ts'
import type { SelectedChannel } from './select.ts'
import { observedSeries, seriesOf } from './series.ts'
import { frequencyMs } from './time.ts'

type Points = EventSeries['series'][number]['points']

export type ChartQuery = {
  usecase: UsecaseKey
  metrics: readonly MetricId[]
  channels: readonly SelectedChannel[]
  frequency: Frequency
  /** From `bucketBorders`. */
  borders: readonly number[]
  /** Whether several channels answer one by one and not together. */
  apart: boolean
  /** By channel, where the caller has read the buckets already. */
  slots?: ReadonlyMap<number, readonly Amounts[]>
  /** Where the caller has read it already. */
  standing?: Standing | null
}

/** The series that tell about metrics, and the observed time. */
export const seriesOfMetrics = (metrics: readonly MetricId[]): number[] => [
  observedSeries,
  ...metrics.flatMap((metric) => [seriesOf(metric, 'level'), seriesOf(metric, 'flow')]),
]
/** Levels of which several channels together have a peak. */
export const peakSeries = (usecase: UsecaseKey, metrics: readonly MetricId[]): number[] =>
  metrics
    .filter((metric) => ['gauge', 'last'].includes(metricRule(usecase, metric).level ?? ''))
    .map((metric) => seriesOf(metric, 'level'))

/** Series of a chart: one a metric, or one a metric and channel. */
export async function readChart(trx: Trx, query: ChartQuery): Promise<EventSeries['series']> {
  const { usecase, metrics, channels, frequency, borders, apart } = query
  const several = channels.length > 1 && !apart
  const standing = query.standing === undefined ? await standingOf(trx, channels, borders) : query.standing
  // Who is inside is known channel by channel, and each is carried on by itself.
  const isSingle = query.slots !== undefined || !several || isKept(channels, borders)
  const single = metrics.filter((metric) => isSingle || showsLast(usecase, metric))
  const together = metrics.filter((metric) => !single.includes(metric))
  const count = borders.length - 1
  const last = single.some((metric) => showsLast(usecase, metric))
  const about = { channels, borders, standing }
  const none = new Map<number, readonly Amounts[]>()
  const [own, all, peaks] = await Promise.all([
    single.length > 0 && !query.slots ? readSlots(trx, { ...about, series: seriesOfMetrics(single) }, { last }) : none,
    together.length > 0 ? readTogether(trx, { ...about, series: seriesOfMetrics(together) }) : [],
    // Hours do not know which channels were busy in the same minute.
    several && frequencyMs[frequency] < hourMs
      ? readPeaks(trx, { ...about, series: peakSeries(usecase, metrics) })
      : new Map<string, number>(),
  ])
  const byChannel = query.slots ?? own

  const points = (metric: MetricId, slots: readonly (readonly Amounts[])[], of: number): Points =>
    Array.from({ length: count }, (_, slot) => {
      const [start, end] = [borders[slot] as number, borders[slot + 1] as number]
      const figures = figuresOf(
        usecase,
        metric,
        slots.map((list) => list[slot] as Amounts),
        { start, end },
        peaks.get(peakKey(seriesOf(metric, 'level'), slot)) ?? null,
        of,
      )
      return {
        start: new Date(start).toISOString(),
        end: new Date(end).toISOString(),
        value: faceValue(usecase, metric, figures),
        mean: figures.level.mean,
        min: figures.level.min,
        max: figures.level.max,
        last: last ? figures.level.last : null,
        sum: figures.flow.sum,
        n: metricRule(usecase, metric).face === 'flow' ? figures.flow.n : figures.level.n,
        observed_ms: figures.observedMs,
        coverage_ratio: figures.coverage,
      }
    })
  const slotsOf = (metric: MetricId, { id }: SelectedChannel) =>
    carryLast(byChannel.get(id) as Amounts[], usecase, metric)
  const face = (metric: MetricId) => metricRule(usecase, metric).face
  if (apart)
    return metrics.flatMap((metric) =>
      channels.map((channel) => ({
        metric,
        face: face(metric),
        channel_id: channel.uid,
        points: points(metric, [slotsOf(metric, channel)], 1),
      })),
    )
  return metrics.map((metric) => {
    const slots = together.includes(metric) ? [all] : channels.map((channel) => slotsOf(metric, channel))
    return { metric, face: face(metric), channel_id: null, points: points(metric, slots, channels.length) }
  })
}

/** A value that is sent only when it changes goes on through buckets that were watched, never over a gap. */
export function carryLast(slots: readonly Amounts[], usecase: UsecaseKey, metric: MetricId): readonly Amounts[] {
  if (metricRule(usecase, metric).level !== 'last') return slots
  const series = seriesOf(metric, 'level')
  let carried: Amount | null = null
  return slots.map((amounts) => {
    const own = amounts.get(series)
    const isWatched = (amounts.get(observedSeries)?.observedMs ?? 0) > 0
    if (own) carried = own
    else if (!isWatched) carried = null
    if (own || !carried) return amounts
    const { last, lastAt }: Amount = carried
    return new Map(amounts).set(series, { n: 0, sum: 0, min: null, max: null, last, lastAt, observedMs: 0 })
  })
}
