import type { EventHistogram, Frequency } from '@sightline/contract'
import { type MetricId, metricIds, openedBy, violationMetrics } from '@sightline/domain'
import type { Trx } from '../db/database.ts'
import { standingOf } from './hours.ts'
import { readTogether } from './read.ts'
import { hourMs } from './rollup.ts'
import type { SelectedChannel } from './select.ts'
import { observedSeries, seriesOf } from './series.ts'
import { bucketBorders, type Period } from './time.ts'

/** About a hundred bars. */
function frequencyOf({ start, end }: Period): Frequency {
  const hours = (end - start) / hourMs
  if (hours <= 2) return '1m'
  if (hours <= 12) return '5m'
  if (hours <= 36) return '15m'
  return hours <= 8 * 24 ? '1h' : '1d'
}

type HistogramQuery = {
  channels: readonly SelectedChannel[]
  period: Period
  timezone: string
  /** Only occasions of these; absent: of all. */
  metrics: readonly MetricId[] | undefined
}

/** How many occasions began in each part of a period; from roll-ups, so that it costs the same however many there were. */
export async function readHistogram(trx: Trx, query: HistogramQuery): Promise<EventHistogram['buckets']> {
  const { channels, period, timezone } = query
  const borders = bucketBorders(period, frequencyOf(period), timezone)
  const metrics = query.metrics ?? metricIds
  const opening = new Set(openedBy(metrics))
  const flows = new Map(metrics.map((metric) => [seriesOf(metric, 'flow'), metric]))
  const standing = await standingOf(trx, channels, borders)
  const slots = await readTogether(trx, { channels, borders, series: [observedSeries, ...flows.keys()], standing })
  const buckets = borders.slice(1).map((end, slot) => ({
    start: borders[slot] as number,
    end,
    opened: 0,
    violations: 0,
    observedMs: 0,
  }))
  for (const [slot, bucket] of buckets.entries())
    for (const [series, { n, observedMs }] of slots[slot] ?? []) {
      const metric = flows.get(series)
      if (series === observedSeries) bucket.observedMs += observedMs
      if (metric && opening.has(metric)) bucket.opened += n
      if (metric && violationMetrics.has(metric)) bucket.violations += n
    }
  return buckets.map(({ start, end, observedMs, opened, violations }) => ({
    start: new Date(start).toISOString(),
    end: new Date(end).toISOString(),
    opened,
    violations,
    coverage_ratio: channels.length === 0 ? 0 : Math.min(1, observedMs / ((end - start) * channels.length)),
  }))
}
