/** What other features need of events. */
import type { ChannelStats } from '@sightline/contract'
import {
  type MetricId,
  metricIds,
  metricsOf,
  recentHours,
  type UsecaseKey,
  usecases,
  violationMetrics,
} from '@sightline/domain'
import { type SqlBool, sql } from 'kysely'
import type { Trx } from '../db/database.ts'
import { withinChannels } from '../reach.ts'
import type { Scope } from '../scope.ts'
import { seriesOfMetrics } from './chart.ts'
import { type Amounts, cardFigures, figuresOf } from './figures.ts'
import { standingOf } from './hours.ts'
import { readSlots } from './read.ts'
import { hourMs } from './rollup.ts'
import { selectChannels } from './select.ts'
import { observedSeries } from './series.ts'
import { readStats } from './stats.ts'
import type { Period } from './time.ts'

export type { EventWriter } from './ingest.ts'
export { type ReportQuery, readSiteReport, reportDetail, reportSites } from './report.ts'
export { eventBytes, storedOf } from './stored.ts'
export { readPeriod } from './time.ts'

const periodMs = recentHours * hourMs

/** Figures of channels over the last 24 hours, in the order asked for; channels out of reach are left out. */
export async function channelFigures(trx: Trx, scope: Scope, uids: readonly string[]): Promise<ChannelStats[]> {
  const channels = await trx
    .selectFrom('channel')
    .innerJoin('usecase', 'usecase.id', 'channel.usecase_id')
    .select(['channel.tenant_id', 'channel.id', 'channel.uid', 'channel.threshold', 'usecase.key as usecase_key'])
    .where(withinChannels(scope))
    .where(sql<SqlBool>`channel.uid = any(${[...uids]}::uuid[])`)
    .execute()
  const end = Date.now()
  const period = { start: end - periodMs, end }
  const amounts = await readAmounts(trx, channels, period)
  const byUid = new Map(channels.map((channel) => [channel.uid, channel]))
  return uids.flatMap((uid) => {
    const channel = byUid.get(uid)
    return channel ? [statsOf(channel, amounts.get(channel.id) ?? new Map(), period)] : []
  })
}

/** Card figures of a site over the last 24 hours: one entry for each use case that watches there. */
export async function siteFigures(trx: Trx, scope: Scope, siteUid: string) {
  const end = Date.now()
  const period = { start: end - periodMs, end }
  const channels = await selectChannels(trx, scope, { site_id: siteUid })
  const byUsecase = Map.groupBy(channels, (channel) => channel.usecase_key)
  const figures = []
  for (const [usecase, watching] of byUsecase) {
    const { metrics } = await readStats(trx, { usecase, metrics: metricsOf(usecase), channels: watching, period })
    figures.push({ usecase_key: usecase, metrics })
  }
  return figures
}

async function readAmounts(
  trx: Trx,
  channels: readonly { tenant_id: number; id: number }[],
  { start, end }: Period,
): Promise<Map<number, Amounts>> {
  const borders = [start, end]
  const standing = await standingOf(trx, channels, borders)
  const slots = await readSlots(trx, { channels, borders, series: seriesOfMetrics(metricIds), standing })
  return new Map([...slots].map(([id, [amounts]]) => [id, amounts as Amounts]))
}

function statsOf(
  channel: { uid: string; threshold: number; usecase_key: UsecaseKey },
  amounts: Amounts,
  period: Period,
): ChannelStats {
  const { usecase_key } = channel
  /** The large number of the card, summed over metrics; null without any of them, and when nothing was watched. */
  const card = (metrics: readonly MetricId[]): number | null => {
    const values = metrics
      .filter((metric) => metric in usecases[usecase_key].metrics)
      .map((metric) => cardFigures(usecase_key, metric, figuresOf(usecase_key, metric, [amounts], period, null)).value)
    return values.reduce((sum, value) => (value === null ? sum : (sum ?? 0) + value), null)
  }
  const observedMs = amounts.get(observedSeries)?.observedMs ?? 0
  return {
    channel_id: channel.uid,
    channel_threshold: channel.threshold,
    channel_total_detection: card(['total']),
    channel_violation: card(metricsOf(usecase_key).filter((metric) => violationMetrics.has(metric))),
    channel_nonviolation: card(['non_violation']),
    // Alerts are counted with the notifications they send.
    channel_total_alerts: 0,
    observed_ms: observedMs,
    coverage_ratio: Math.min(1, observedMs / periodMs),
  }
}
