import type { EventStats, MetricStat } from '@sightline/contract'
import { freshMs, isViolation, type MetricId, metricRule, metricsOf, type UsecaseKey } from '@sightline/domain'
import { sql } from 'kysely'
import type { Trx } from '../db/database.ts'
import { carryLast, peakSeries, seriesOfMetrics } from './chart.ts'
import {
  type Amounts,
  amountsTogether,
  cardFigures,
  type Figures,
  faceValue,
  figuresOf,
  round,
  showsLast,
} from './figures.ts'
import { type Standing, standingOf } from './hours.ts'
import { peakKey, readPeaks } from './peaks.ts'
import { readSlots } from './read.ts'
import { hourMs, minuteMs } from './rollup.ts'
import type { SelectedChannel } from './select.ts'
import { observedSeries, seriesOf } from './series.ts'
import { equalBorders, frequencyMs, type Period } from './time.ts'

const sparkPoints = 24
/** A comparison says nothing when one side was hardly watched. */
const leastCoverage = 0.5

export type StatsQuery = {
  usecase: UsecaseKey
  metrics: readonly MetricId[]
  channels: readonly SelectedChannel[]
  period: Period
  /** Where the caller has read the points of the small curve already; each is a full hour or more. */
  course?: Course
  /** Where the caller has read it already, of the period and the one before. */
  standing?: Standing | null
}
/** The period before and then the buckets of a period. */
export type Course = { borders: readonly number[]; slots: ReadonlyMap<number, readonly Amounts[]> }
/** Where a course is cut: the period before, then the points. */
export const courseBorders = (period: Period, parts: readonly number[]): number[] => [
  2 * period.start - period.end,
  ...parts,
]

/** One reading for the period before and for each bucket of the period. */
export async function readCourse(
  trx: Trx,
  { usecase, metrics, channels }: StatsQuery,
  borders: readonly number[],
  standing: Standing | null,
): Promise<Course> {
  const last = metrics.some((metric) => showsLast(usecase, metric))
  return {
    borders,
    slots: await readSlots(trx, { channels, borders, series: seriesOfMetrics(metrics), standing }, { last }),
  }
}

/** Card figures of channels together: the period, its change against the one before, and a small curve. */
export async function readStats(trx: Trx, query: StatsQuery): Promise<Pick<EventStats, 'metrics' | 'channels'>> {
  const { usecase, metrics, channels, period } = query
  const length = period.end - period.start
  const before: Period = { start: period.start - length, end: period.start }
  const step = !query.course && length < sparkPoints * hourMs ? '1m' : '1h'
  const borders = query.course?.borders ?? courseBorders(period, equalBorders(period, sparkPoints, frequencyMs[step]))
  const standing = query.standing === undefined ? await standingOf(trx, channels, borders) : query.standing
  const [{ slots }, peaks, levels] = await Promise.all([
    query.course ?? readCourse(trx, query, borders, standing),
    channels.length > 1
      ? readPeaks(trx, { channels, borders, series: peakSeries(usecase, metrics), standing })
      : new Map<string, number>(),
    currentLevels(trx, channels, period.end),
  ])
  const parts = borders.slice(1)
  const sides = new Map(
    [...slots].map(([id, [earlier, ...own]]) => [id, [earlier as Amounts, amountsTogether(own)] as const]),
  )
  const peaksOf = (metric: MetricId) =>
    borders.slice(1).map((_, slot) => peaks.get(peakKey(seriesOf(metric, 'level'), slot)) ?? null)
  const peakOf = (metric: MetricId, side: 0 | 1): number | null => {
    const [earlier = null, ...own] = peaksOf(metric)
    return side === 0
      ? earlier
      : own.reduce((most, peak) => (peak === null ? most : Math.max(most ?? peak, peak)), null)
  }
  /** The chart of the period in few points. Their borders keep to full hours where a point is an hour. */
  const sparkOf = (metric: MetricId) => {
    const own = channels.map(({ id }) => carryLast(slots.get(id)?.slice(1) ?? [], usecase, metric))
    // As in a chart, hours do not know their peak.
    const known = step === '1m' ? peaksOf(metric).slice(1) : []
    return parts.slice(1).map((end, i) => {
      const amounts = own.map((list) => list[i] as Amounts)
      const part = { start: parts[i] as number, end }
      return faceValue(usecase, metric, figuresOf(usecase, metric, amounts, part, known[i] ?? null))
    })
  }

  /** @param side 0 the period before, 1 the period */
  const figures = (metric: MetricId, side: 0 | 1): Figures =>
    figuresOf(
      usecase,
      metric,
      channels.map(({ id }) => sides.get(id)?.[side] as Amounts),
      side === 0 ? before : period,
      peakOf(metric, side),
    )

  const isLastShown = metrics.some((metric) => showsLast(usecase, metric))
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
      faces: { level: { ...level, last: isLastShown ? level.last : null }, flow: { sum: now.flow.sum } },
      previous,
      delta_ratio: isComparable ? round((value - previous) / previous) : null,
      observed_ms: now.observedMs,
      coverage_ratio: now.coverage,
      previous_coverage_ratio: earlier.coverage,
      spark: sparkOf(metric),
    }
  }

  const headline = headlineOf(usecase)
  const channelStat = (channel: SelectedChannel): EventStats['channels'][number] => {
    const amounts = sides.get(channel.id)?.[1] as Amounts
    const own = (metric: MetricId) =>
      metrics.includes(metric)
        ? cardFigures(usecase, metric, figuresOf(usecase, metric, [amounts], period, null)).value
        : null
    const current = levels.get(channel.id)
    const isActive = current?.has(observedSeries) === true && channel.state === 'running'
    const newest = metricsOf(usecase).map((metric) => {
      // What happens in a moment has no level: it counts for as long as its minute is looked at.
      const face = metricRule(usecase, metric).level ? 'level' : 'flow'
      return [metric, current?.get(seriesOf(metric, face)) ?? 0] as const
    })
    const level = current?.get(seriesOf(headline, 'level'))
    const isReached = channel.threshold > 0 && level !== undefined && level >= channel.threshold
    return {
      channel_id: channel.uid,
      value: own(headline),
      violation: own('violation'),
      is_active: isActive,
      in_violation: isActive && (isReached || isViolation(Object.fromEntries(newest))),
    }
  }
  return { metrics: metrics.map(stat), channels: channels.map(channelStat) }
}

/** The metric that speaks for a channel in lists. */
const headlineOf = (usecase: UsecaseKey): MetricId => {
  const metrics = metricsOf(usecase)
  return (['total', 'occupancy', 'violation'] as const).find((metric) => metrics.includes(metric)) ?? metrics[0]!
}

/**
 * By channel and series: levels that are as fresh as the channel's own windows let them be, and what happened in this
 * minute and the one before, of which no time is known.
 */
async function currentLevels(
  trx: Trx,
  channels: readonly SelectedChannel[],
  now: number,
): Promise<Map<number, Map<number, number>>> {
  const ids = channels.map(({ id }) => id)
  const since = channels.map(({ window_s }) => new Date(now - freshMs(window_s)).toISOString())
  // A level stands in the minute in which it was heard, which began before.
  const first = Math.min(now - 2 * minuteMs, ...channels.map(({ window_s }) => now - freshMs(window_s) - minuteMs))
  const { rows } = await sql<{ channel_id: number; series: number; newest: number | null }>`
    select distinct on (channel_id, series) channel_id, series, coalesce(last, sum) as newest
    from event_1m join unnest(${ids}::int4[], ${since}::timestamptz[]) as fresh (id, since) on fresh.id = channel_id
    where tenant_id = any(${[...new Set(channels.map((channel) => channel.tenant_id))]}::int4[])
      and channel_id = any(${ids}::int4[]) and bucket > ${new Date(first)}
      and case when last_at is null then bucket > ${new Date(now - 2 * minuteMs)} else last_at > fresh.since end
    order by channel_id, series, bucket desc`.execute(trx)
  const found = new Map<number, Map<number, number>>()
  for (const { channel_id, series, newest } of rows) {
    const own = found.get(channel_id) ?? new Map()
    found.set(channel_id, own.set(series, Number(newest)))
  }
  return found
}
