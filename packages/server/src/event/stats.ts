import type { EventStats, MetricStat } from '@sightline/contract'
import { type MetricId, metricRule, metricsOf, onlineSeconds, type UsecaseKey } from '@sightline/domain'
import { sql } from 'kysely'
import type { Trx } from '../db/database.ts'
import { peakSeries, readChart, seriesOfMetrics, slotsByChannel } from './chart.ts'
import { type Amounts, cardFigures, type Figures, figuresOf, round, showsLast } from './figures.ts'
import { peakKey, readMinutePeaks, readSlots } from './read.ts'
import { hourMs } from './rollup.ts'
import type { SelectedChannel } from './select.ts'
import { seriesOf } from './series.ts'
import { equalBorders, frequencyMs, type Period } from './time.ts'

const sparkPoints = 24
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
  const wanted = { channels, borders: [before.start, period.start, period.end], series: seriesOfMetrics(metrics) }
  const last = metrics.some((metric) => showsLast(usecase, metric))
  const slots = slotsByChannel(await readSlots(trx, wanted, { last }), channels, 2)
  const several = channels.length > 1
  const peaks = several
    ? await readMinutePeaks(trx, { ...wanted, series: peakSeries(usecase, metrics) })
    : new Map<string, number>()
  const spark = await readSparks(trx, query)

  /** @param side 0 the period before, 1 the period */
  const figures = (metric: MetricId, side: 0 | 1): Figures =>
    figuresOf(
      usecase,
      metric,
      channels.map(({ id }) => slots.get(id)?.[side] as Amounts),
      side === 0 ? before : period,
      peaks.get(peakKey(seriesOf(metric, 'level'), side)) ?? null,
    )

  const stat = (metric: MetricId): MetricStat => {
    const now = figures(metric, 1)
    const earlier = figures(metric, 0)
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
      spark: spark.get(metric) ?? [],
    }
  }

  const levels = await currentLevels(trx, channels, period.end)
  const headline = headlineOf(usecase)
  const channelStat = (channel: SelectedChannel): EventStats['channels'][number] => {
    const amounts = slots.get(channel.id)?.[1] as Amounts
    const own = (metric: MetricId) =>
      metrics.includes(metric)
        ? cardFigures(usecase, metric, figuresOf(usecase, metric, [amounts], period, null)).value
        : null
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

/** The small curves: the chart of the period in 24 points. Their borders keep to full hours where a point is an hour. */
async function readSparks(trx: Trx, query: StatsQuery): Promise<Map<MetricId, (number | null)[]>> {
  const { period, ...of } = query
  const frequency = period.end - period.start < sparkPoints * hourMs ? '1m' : '1h'
  const borders = equalBorders(period, sparkPoints, frequencyMs[frequency])
  const series = await readChart(trx, { ...of, frequency, borders, apart: false })
  return new Map(series.map(({ metric, points }) => [metric, points.map((point) => point.value)]))
}

/** The metric that speaks for a channel in lists. */
const headlineOf = (usecase: UsecaseKey): MetricId => {
  const metrics = metricsOf(usecase)
  return (['total', 'occupancy', 'violation'] as const).find((metric) => metrics.includes(metric)) ?? metrics[0]!
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
