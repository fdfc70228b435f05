import type { EventSeries, Frequency } from '@sightline/contract'
import { type MetricId, metricRule, type UsecaseKey } from '@sightline/domain'
import type { Trx } from '../db/database.ts'
import { type Amount, type Amounts, faceValue, figuresOf, showsLast } from './figures.ts'
import { peakKey, readPeaks } from './peaks.ts'
import { readSlots, type SlotRow } from './read.ts'
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
  const known = query.slots
  // Who is inside is known channel by channel, and each is carried on by itself.
  const single = metrics.filter((metric) => known || !several || showsLast(usecase, metric))
  const together = metrics.filter((metric) => !single.includes(metric))
  const count = borders.length - 1
  const last = single.some((metric) => showsLast(usecase, metric))
  const own =
    single.length > 0 && !known
      ? await readSlots(trx, { channels, borders, series: seriesOfMetrics(single) }, { last })
      : []
  const byChannel = known ?? slotsByChannel(own, channels, count)
  const all = together.length > 0 ? await readTogether(trx, { channels, borders, metrics: together }) : []
  // Hours do not know which channels were busy in the same minute.
  const peaks =
    several && frequencyMs[frequency] < hourMs
      ? await readPeaks(trx, { channels, borders, series: peakSeries(usecase, metrics) })
      : new Map<string, number>()

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
        last: figures.level.last,
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

/** Amounts of several channels together, bucket by bucket. */
async function readTogether(
  trx: Trx,
  query: { channels: readonly SelectedChannel[]; borders: readonly number[]; metrics: readonly MetricId[] },
): Promise<Amounts[]> {
  const { channels, borders, metrics } = query
  const rows = await readSlots(trx, { channels, borders, series: seriesOfMetrics(metrics) }, { together: true })
  return slotsByChannel(rows, [{ id: 0 }], borders.length - 1).get(0) as Amounts[]
}

const amountOf = (row: SlotRow): Amount => ({
  n: row.n,
  sum: row.sum,
  min: row.min,
  max: row.max,
  last: row.last,
  lastAt: row.last_at?.getTime() ?? null,
  observedMs: row.observed_ms,
  means: row.means,
})

/** Per channel its amounts, bucket by bucket; empty where it sent nothing. */
export function slotsByChannel(
  rows: readonly SlotRow[],
  channels: readonly Pick<SelectedChannel, 'id'>[],
  count: number,
): Map<number, Map<number, Amount>[]> {
  const byChannel = new Map(
    channels.map(({ id }) => [id, Array.from({ length: count }, () => new Map<number, Amount>())]),
  )
  for (const row of rows) byChannel.get(row.channel_id)?.[row.slot]?.set(row.series, amountOf(row))
  return byChannel
}

/** Amounts of buckets that follow each other as those of one bucket. */
export function amountsTogether(slots: readonly Amounts[]): Amounts {
  const all = new Map<number, Amount>()
  for (const slot of slots)
    for (const [series, own] of slot) {
      const known = all.get(series)
      all.set(series, known ? added(known, own) : own)
    }
  return all
}

const extreme = (of: (...values: number[]) => number, a: number | null, b: number | null) =>
  a === null ? b : b === null ? a : of(a, b)

function added(a: Amount, b: Amount): Amount {
  // Of two at the same moment the greater counts.
  const isNewer = (b.lastAt ?? 0) - (a.lastAt ?? 0) || (b.last ?? 0) - (a.last ?? 0)
  const { last, lastAt } = isNewer > 0 ? b : a
  return {
    n: a.n + b.n,
    sum: a.sum + b.sum,
    min: extreme(Math.min, a.min, b.min),
    max: extreme(Math.max, a.max, b.max),
    last,
    lastAt,
    observedMs: a.observedMs + b.observedMs,
  }
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
