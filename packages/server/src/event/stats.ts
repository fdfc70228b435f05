import type { EventStats, MetricStat } from '@sightline/contract'
import { type MetricId, metricRule, metricsOf, onlineSeconds, type UsecaseKey } from '@sightline/domain'
import { sql } from 'kysely'
import type { Trx } from '../db/database.ts'
import { peakSeries, seriesOfMetrics, slotsByChannel } from './chart.ts'
import {
  type Amount,
  type Amounts,
  cardFigures,
  type Figures,
  faceValue,
  figuresOf,
  merge,
  round,
  showsLast,
} from './figures.ts'
import { peakKey, readMinutePeaks, readSlots } from './read.ts'
import type { SelectedChannel } from './select.ts'
import { seriesOf } from './series.ts'
import { equalBorders, type Period } from './time.ts'

export const sparkPoints = 24
/** A comparison says nothing when one side was hardly watched. */
const leastCoverage = 0.5

export type StatsQuery = {
  usecase: UsecaseKey
  metrics: readonly MetricId[]
  channels: readonly SelectedChannel[]
  period: Period
}

/** Card figures of channels together: the period, its change against the one before, and a small curve. */
export async function readStats(trx: Trx, query: StatsQuery): Promise<Pick<EventStats, 'metrics' | 'channels'>> {
  const { usecase, metrics, channels, period } = query
  const length = period.end - period.start
  const before: Period = { start: period.start - length, end: period.start }
  const borders = [...equalBorders(before, sparkPoints).slice(0, -1), ...equalBorders(period, sparkPoints)]
  const wanted = { channels, borders, series: seriesOfMetrics(metrics) }
  const rows = await readSlots(
    trx,
    wanted,
    metrics.some((metric) => showsLast(usecase, metric)),
  )
  const peaks =
    channels.length > 1
      ? await readMinutePeaks(trx, { ...wanted, series: peakSeries(usecase, metrics) })
      : new Map<string, number>()
  const slots = slotsByChannel(rows, channels, borders.length - 1)
  const sides = { before: [0, sparkPoints], now: [sparkPoints, 2 * sparkPoints] } as const

  /** Everything from slot `from` up to `to`, not included. */
  const figures = (metric: MetricId, from: number, to: number, only?: number): Figures => {
    const chosen = only === undefined ? channels : channels.filter(({ id }) => id === only)
    const peak = only === undefined ? greatestPeak(peaks, seriesOf(metric, 'level'), from, to) : null
    return figuresOf(
      usecase,
      metric,
      chosen.map(({ id }) => mergeSlots(slots.get(id) as Amounts[], from, to)),
      { start: borders[from] as number, end: borders[to] as number },
      peak,
    )
  }

  const stat = (metric: MetricId): MetricStat => {
    const now = figures(metric, ...sides.now)
    const earlier = figures(metric, ...sides.before)
    const { value, beside } = cardFigures(usecase, metric, now)
    const previous = earlier.coverage >= leastCoverage ? cardFigures(usecase, metric, earlier).value : null
    const isComparable = value !== null && previous !== null && previous !== 0 && now.coverage >= leastCoverage
    const { n: _, ...level } = now.level
    return {
      metric,
      face: metricRule(usecase, metric).face,
      value,
      beside,
      faces: { level, flow: { sum: now.flow.sum } },
      previous,
      delta_ratio: isComparable ? round((value - previous) / previous) : null,
      observed_ms: now.observedMs,
      coverage_ratio: now.coverage,
      spark: Array.from({ length: sparkPoints }, (_, i) =>
        faceValue(usecase, metric, figures(metric, sparkPoints + i, sparkPoints + i + 1)),
      ),
    }
  }

  const levels = await currentLevels(trx, channels, period.end)
  const headline = headlineOf(usecase)
  const channelStat = (channel: SelectedChannel): EventStats['channels'][number] => {
    const own = (metric: MetricId) =>
      metrics.includes(metric) ? cardFigures(usecase, metric, figures(metric, ...sides.now, channel.id)).value : null
    const current = levels.get(channel.id)
    const level = current?.get(seriesOf(headline, 'level'))?.last ?? null
    return {
      channel_id: channel.uid,
      value: own(headline),
      violation: own('violation'),
      is_active: current !== undefined && channel.state === 'running',
      in_violation: channel.threshold > 0 && level !== null && level >= channel.threshold,
    }
  }
  return { metrics: metrics.map(stat), channels: channels.map(channelStat) }
}

/** The metric that speaks for a channel in lists. */
export const headlineOf = (usecase: UsecaseKey): MetricId => {
  const metrics = metricsOf(usecase)
  return (['total', 'occupancy', 'violation'] as const).find((metric) => metrics.includes(metric)) ?? metrics[0]!
}

function mergeSlots(slots: readonly Amounts[], from: number, to: number): Amounts {
  if (to - from === 1) return slots[from] as Amounts
  const merged = new Map<number, Amount>()
  for (const amounts of slots.slice(from, to))
    for (const [series, amount] of amounts) merged.set(series, merge(merged.get(series), amount))
  return merged
}

function greatestPeak(peaks: ReadonlyMap<string, number>, series: number, from: number, to: number): number | null {
  let greatest: number | null = null
  for (let slot = from; slot < to; slot++) {
    const peak = peaks.get(peakKey(series, slot))
    if (peak !== undefined) greatest = Math.max(greatest ?? peak, peak)
  }
  return greatest
}

/** Newest values of channels that sent something in the last half minute, by channel and series. */
async function currentLevels(
  trx: Trx,
  channels: readonly SelectedChannel[],
  now: number,
): Promise<Map<number, Map<number, { last: number | null }>>> {
  const { rows } = await sql<{ channel_id: number; series: number; last: number | null }>`
    select distinct on (channel_id, series) channel_id, series, last from event_1m
    where tenant_id = any(${[...new Set(channels.map((channel) => channel.tenant_id))]}::int4[])
      and channel_id = any(${channels.map((channel) => channel.id)}::int4[])
      and bucket > ${new Date(now - 120_000)} and last_at > ${new Date(now - onlineSeconds * 1000)}
    order by channel_id, series, bucket desc`.execute(trx)
  const found = new Map<number, Map<number, { last: number | null }>>()
  for (const { channel_id, series, last } of rows) {
    const own = found.get(channel_id) ?? new Map()
    found.set(channel_id, own.set(series, { last }))
  }
  return found
}
