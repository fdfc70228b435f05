import { eventWindowSeconds, type MetricId, metricsOf, type UsecaseKey, usecases } from '@sightline/domain'
import { type SqlBool, sql } from 'kysely'
import { findCustomer } from '../customer/store.ts'
import { prepared, type Trx } from '../db/database.ts'
import { once } from '../db/once.ts'
import { withinChannels } from '../reach.ts'
import { invalid, notFound } from '../refusal.ts'
import type { Reach, Scope } from '../scope.ts'
import { findSite } from '../site/store.ts'

/** What a caller may narrow an answer to. */
export type Selection = {
  usecase_key?: UsecaseKey | undefined
  usecase_meta_key?: MetricId[] | undefined
  channel_id?: string[] | undefined
  site_id?: string | undefined
  customer_id?: string | undefined
}

const channels = (trx: Trx, reach: Reach) =>
  trx
    .selectFrom('channel')
    .innerJoin('usecase', 'usecase.id', 'channel.usecase_id')
    .innerJoin('site', (on) =>
      on.onRef('site.tenant_id', '=', 'channel.tenant_id').onRef('site.id', '=', 'channel.site_id'),
    )
    .leftJoin('pipeline', (on) =>
      on.onRef('pipeline.tenant_id', '=', 'channel.tenant_id').onRef('pipeline.id', '=', 'channel.pipeline_id'),
    )
    .leftJoin('channel_state', (on) =>
      on
        .onRef('channel_state.tenant_id', '=', 'channel.tenant_id')
        .onRef('channel_state.channel_id', '=', 'channel.id'),
    )
    .select(['channel.tenant_id', 'channel.id', 'channel.uid', 'channel.name', 'channel.threshold'])
    .select('usecase.key as usecase_key')
    .select(['site.timezone', 'channel_state.state'])
    .select(
      sql<number>`coalesce((pipeline.elements->>'analytic.window_s')::float8, ${sql.lit(eventWindowSeconds)})`.as(
        'window_s',
      ),
    )
    .where(withinChannels(reach))
    .orderBy('channel.id')
export type SelectedChannel = Awaited<ReturnType<ReturnType<typeof channels>['execute']>>[number]

const ofSite = once((trx, { site, ...reach }: Reach & { site: string }) =>
  channels(trx, reach).modifyFront(prepared('event.channels')).where('site.uid', '=', site),
)

/** Channels within the caller's reach of a site that is known to be in it. */
export const channelsOfSite = (trx: Trx, { principal: _, ...reach }: Scope, site: string): Promise<SelectedChannel[]> =>
  ofSite(trx, { ...reach, site })

/** Channels within the caller's reach that match; with none named, all of them. @throws 404 for one out of reach */
export async function selectChannels(trx: Trx, scope: Scope, selection: Selection): Promise<SelectedChannel[]> {
  let query = channels(trx, scope)
  if (selection.usecase_key) query = query.where('usecase.key', '=', selection.usecase_key)
  const named = selection.channel_id && [...new Set(selection.channel_id)]
  if (named) query = query.where(sql<SqlBool>`channel.uid = any(${named}::uuid[])`)
  if (selection.site_id) {
    await findSite(trx, scope, selection.site_id)
    query = query.where('site.uid', '=', selection.site_id)
  }
  if (selection.customer_id) {
    await findCustomer(trx, scope, selection.customer_id)
    query = query.where(({ exists, selectFrom }) =>
      exists(
        selectFrom('customer')
          .select('customer.id')
          .whereRef('customer.tenant_id', '=', 'site.tenant_id')
          .whereRef('customer.id', '=', 'site.customer_id')
          .where('customer.uid', '=', selection.customer_id as string),
      ),
    )
  }
  const selected = await query.execute()
  // One that exists but does not match another filter is no error, so the named ones are looked for without these.
  if (named && selected.length < named.length) {
    const reachable = await trx
      .selectFrom('channel')
      .select('uid')
      .where(withinChannels(scope))
      .where(sql<SqlBool>`channel.uid = any(${named}::uuid[])`)
      .execute()
    if (reachable.length < named.length) throw notFound()
  }
  return selected
}

/** The one use case that an answer in numbers is about: the one named, else the one all channels have. */
export function oneUsecase(selection: Selection, channels: readonly SelectedChannel[]): UsecaseKey {
  const [first, ...others] = new Set(channels.map((channel) => channel.usecase_key))
  const key = selection.usecase_key ?? (others.length === 0 ? first : undefined)
  if (!key) throw invalid({ usecase_key: ['required'] })
  return key
}

/** The metrics asked for, or all of the use case. @throws 400 for one that it does not have */
export function metricsAsked(usecase: UsecaseKey, asked: readonly MetricId[] | undefined): MetricId[] {
  if (!asked || asked.length === 0) return metricsOf(usecase)
  const known = [...metricsOf(usecase), ...usecases[usecase].lineMetrics]
  if (asked.some((metric) => !known.includes(metric))) throw invalid({ usecase_meta_key: ['one_of'] })
  return [...new Set(asked)]
}
