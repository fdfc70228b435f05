import type { ChannelStats } from '@sightline/contract'
import { type MetricId, recentHours, type UsecaseKey, usecases } from '@sightline/domain'
import { type SqlBool, sql } from 'kysely'
import type { Trx } from '../db/database.ts'
import { within } from '../reach.ts'
import type { Scope } from '../scope.ts'

/** One series of one channel over the period; sums are in thousandths, as stored. */
type Series = { sum: number; max: number | null; observed_ms: number }
/** By `metric face`, e.g. `total level`. */
type Figures = Map<string, Series>

const periodMs = recentHours * 3_600_000

/** Figures of channels over the last 24 hours, in the order asked for; channels out of reach are left out. */
export async function channelFigures(trx: Trx, scope: Scope, uids: readonly string[]): Promise<ChannelStats[]> {
  const channels = await trx
    .selectFrom('channel')
    .innerJoin('usecase', 'usecase.id', 'channel.usecase_id')
    .select(['channel.tenant_id', 'channel.id', 'channel.uid', 'channel.threshold', 'usecase.key'])
    .where(within(scope, 'channel'))
    .where(sql<SqlBool>`channel.uid = any(${[...uids]}::uuid[])`)
    .execute()
  const figures = await readFigures(trx, channels)
  const byUid = new Map(channels.map((channel) => [channel.uid, channel]))
  return uids.flatMap((uid) => {
    const channel = byUid.get(uid)
    return channel ? statsOf(channel, figures.get(channel.id) ?? new Map()) : []
  })
}

async function readFigures(
  trx: Trx,
  channels: readonly { tenant_id: number; id: number }[],
): Promise<Map<number, Figures>> {
  const found = new Map<number, Figures>()
  if (channels.length === 0) return found
  const rows = await trx
    .selectFrom('event_1m')
    .innerJoin('series', 'series.id', 'event_1m.series')
    .select(['channel_id', 'metric', 'face'])
    .select([
      sql<number>`sum(sum)::float8`.as('sum'),
      sql<number | null>`max(max)`.as('max'),
      sql<number>`sum(observed_ms)::float8`.as('observed_ms'),
    ])
    .where(sql<SqlBool>`tenant_id = any(${[...new Set(channels.map((one) => one.tenant_id))]}::int[])`)
    .where(sql<SqlBool>`channel_id = any(${channels.map((one) => one.id)}::int[])`)
    .where('bucket', '>=', new Date(Date.now() - periodMs))
    .groupBy(['channel_id', 'metric', 'face'])
    .execute()
  for (const { channel_id, metric, face, ...series } of rows) {
    const figures = found.get(channel_id) ?? new Map()
    found.set(channel_id, figures.set(`${metric} ${face}`, series))
  }
  return found
}

function statsOf(channel: { uid: string; threshold: number; key: UsecaseKey }, figures: Figures): ChannelStats {
  const observedMs = figures.get('observed level')?.observed_ms ?? 0
  const number = (metrics: readonly MetricId[]) => (observedMs > 0 ? cardValue(channel.key, metrics, figures) : null)
  return {
    channel_id: channel.uid,
    channel_threshold: channel.threshold,
    channel_total_detection: number(['total']),
    channel_violation: number(violationMetrics[channel.key] ?? ['violation']),
    channel_nonviolation: number(['non_violation']),
    // Alerts are counted with the notifications they send.
    channel_total_alerts: 0,
    observed_ms: observedMs,
    coverage_ratio: Math.min(1, observedMs / periodMs),
  }
}

/** What counts as a violation where no metric of that name does. */
const violationMetrics: Partial<Record<UsecaseKey, readonly MetricId[]>> = {
  frdtec: ['fire', 'high_smoke', 'intermediate_smoke', 'low_smoke'],
  coldtec: ['total'],
}

/** The large number of the card, summed over metrics; null when the use case has none of them. */
function cardValue(usecase: UsecaseKey, metrics: readonly MetricId[], figures: Figures): number | null {
  const rules = metrics.flatMap((metric) => {
    const rule = usecases[usecase].metrics[metric]
    return rule ? [{ metric, rule }] : []
  })
  if (rules.length === 0) return null
  return rules.reduce((sum, { metric, rule }) => {
    const series = figures.get(`${metric} ${rule.face === 'flow' ? 'flow' : 'level'}`)
    if (!series) return sum
    if (rule.face === 'flow') return sum + series.sum / 1000
    // Of people present and doing nothing wrong the mean tells more than the peak.
    if (metric === 'non_violation')
      return sum + (series.observed_ms > 0 ? Math.round(series.sum / 10 / series.observed_ms) / 100 : 0)
    return sum + (series.max ?? 0)
  }, 0)
}
