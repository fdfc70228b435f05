import type { Channel, Zone } from '@sightline/contract'
import { activeHours, type UsecaseKey } from '@sightline/domain'
import { type SqlBool, sql } from 'kysely'
import type { Trx } from '../db/database.ts'
import { once } from '../db/once.ts'
import { heardNimbles, type Links } from '../nimble/store.ts'
import { mostCounted, mostRows, type Paging } from '../page.ts'
import { numbersOf, withinChannels } from '../reach.ts'
import { Refusal, stale } from '../refusal.ts'
import type { Reach, Scope } from '../scope.ts'
import { leaveMasks, zonesOfChannels, zonesOfDevices } from '../static/store.ts'
import { joinReports, needsAttention } from './health.ts'
import { channelEntity } from './standing.ts'

/** Which channels: all conditions that are given hold. Public ids. */
export type ChannelFilter = {
  channelUids?: readonly string[]
  deviceUids?: readonly string[] | undefined
  siteUid?: string | undefined
  usecaseUid?: string | undefined
  nimbleUid?: string
}

/** By name, so that a prepared statement still fits when another portal has added one. */
const ownColumns = [
  'channel.tenant_id',
  'channel.id',
  'channel.uid',
  'channel.site_id',
  'channel.device_id',
  'channel.source_id',
  'channel.nimble_id',
  'channel.pipeline_id',
  'channel.usecase_id',
  'channel.name',
  'channel.sid',
  'channel.threshold',
  'channel.auto_recovery',
  'channel.version',
  'channel.created_at',
  'channel.updated_at',
  'channel.reference_uid',
] as const

/** Channels as they are wanted and as their edge servers say that they run, with the last record. */
const running = (trx: Trx, scope: Reach) =>
  trx
    .selectFrom('channel')
    .innerJoin('source', (on) =>
      on.onRef('source.tenant_id', '=', 'channel.tenant_id').onRef('source.id', '=', 'channel.source_id'),
    )
    .innerJoin('pipeline', (on) =>
      on.onRef('pipeline.tenant_id', '=', 'channel.tenant_id').onRef('pipeline.id', '=', 'channel.pipeline_id'),
    )
    .innerJoin('usecase', 'usecase.id', 'channel.usecase_id')
    .leftJoin('channel_state', (on) =>
      on
        .onRef('channel_state.tenant_id', '=', 'channel.tenant_id')
        .onRef('channel_state.channel_id', '=', 'channel.id'),
    )
    .leftJoin('source_state', (on) =>
      on
        .onRef('source_state.tenant_id', '=', 'channel.tenant_id')
        .onRef('source_state.source_id', '=', 'channel.source_id'),
    )
    .leftJoin('channel_heard', (on) =>
      on
        .onRef('channel_heard.tenant_id', '=', 'channel.tenant_id')
        .onRef('channel_heard.channel_id', '=', 'channel.id'),
    )
    .select(ownColumns)
    .select([
      'source.uid as source_uid',
      'pipeline.uid as pipeline_uid',
      'pipeline.elements',
      'usecase.uid as usecase_uid',
      'usecase.key as usecase_key',
      'channel_state.version as applied_version',
      'channel_state.pipeline_version',
      'channel_state.state as reported_state',
      'channel_state.detector_state',
      'channel_state.cause as channel_cause',
      'channel_state.since as state_since',
      'channel_state.view',
      'source_state.state as source_state',
      'source_state.cause as source_cause',
      'source_state.last_frame_at',
      'source_state.failed_at',
    ])
    .select((eb) =>
      eb
        .selectFrom('event_1m')
        .select('last_at')
        .whereRef('event_1m.tenant_id', '=', 'channel.tenant_id')
        .whereRef('event_1m.channel_id', '=', 'channel.id')
        // The newest minute is known: looking for it in each channel's own takes most of the time of a list.
        .whereRef('bucket', '=', 'channel_heard.at')
        // Series 0 is the observed time: a row for every minute in which anything was sent.
        .where('series', '=', 0)
        // Not a day: taking one off asks the calendar again for each channel, which costs more than all the rest.
        .where('bucket', '>', sql<Date>`now() - interval '24 hours'`)
        .as('last_record_at'),
    )
    .where(withinChannels(scope))
    .orderBy(sql`channel.name collate "und-x-icu"`)

/** Everything about channels that a screen shows: also what stands around them, and what else their edge server says. */
const channels = (trx: Trx, scope: Reach) =>
  running(trx, scope)
    .innerJoin('organization', 'organization.tenant_id', 'channel.tenant_id')
    .innerJoin('site', (on) =>
      on.onRef('site.tenant_id', '=', 'channel.tenant_id').onRef('site.id', '=', 'channel.site_id'),
    )
    .innerJoin('device', (on) =>
      on.onRef('device.tenant_id', '=', 'channel.tenant_id').onRef('device.id', '=', 'channel.device_id'),
    )
    .innerJoin('nimble', (on) =>
      on.onRef('nimble.tenant_id', '=', 'channel.tenant_id').onRef('nimble.id', '=', 'channel.nimble_id'),
    )
    .leftJoin('nimble_state', (on) =>
      on
        .onRef('nimble_state.tenant_id', '=', 'channel.tenant_id')
        .onRef('nimble_state.nimble_id', '=', 'channel.nimble_id'),
    )
    .select([
      'organization.uid as organization_uid',
      'site.uid as site_uid',
      'device.uid as device_uid',
      'device.snapshot_uid',
      'nimble.uid as nimble_uid',
      'nimble_state.state as link_state',
      'nimble_state.cause as link_cause',
      'channel_state.fps',
      'channel_state.expected_fps',
      'channel_state.drops as channel_drops',
      'source_state.reconnects',
      'source_state.drops as source_drops',
      'nimble_state.clock_offset_ms',
      'nimble_state.journal_events',
    ])
    .select((eb) =>
      eb
        .selectFrom('nimble_stat')
        .select('inference_ms')
        .whereRef('nimble_stat.tenant_id', '=', 'channel.tenant_id')
        .whereRef('nimble_stat.nimble_id', '=', 'channel.nimble_id')
        .where('at', '>', sql<Date>`now() - interval '1 minute'`)
        .orderBy('at', 'desc')
        .limit(1)
        .as('inference_ms'),
    )

export type ChannelRow = Awaited<ReturnType<ReturnType<typeof channels>['execute']>>[number]

/** What a camera knows of its channels: they are where it is, and read by the same edge server. */
type Around = Pick<ChannelRow, 'organization_uid' | 'site_uid' | 'nimble_uid' | 'link_state' | 'link_cause'>
type Camera = Around & { tenant_id: number; id: number; uid: string }
/** What it takes to show a channel and how it stands. */
export type StandingRow = Awaited<ReturnType<ReturnType<typeof running>['execute']>>[number] &
  Around & { device_uid: string }

/** Looked up first: over so many joins the planner would not begin with a condition on one of them. */
const ofParent = (table: 'device' | 'site', uids: readonly string[]) => sql<boolean>`(
  channel.tenant_id = any(array(select tenant_id from ${sql.table(table)} where uid = any(${[...uids]}::uuid[])))
  and ${sql.ref(`channel.${table}_id`)} = any(array(select id from ${sql.table(table)} where uid = any(${[...uids]}::uuid[]))))`

export function channelRows(trx: Trx, scope: Scope, filter: ChannelFilter = {}): Promise<ChannelRow[]> {
  let query = channels(trx, scope)
  if (filter.channelUids) query = query.where(sql<boolean>`channel.uid = any(${[...filter.channelUids]}::uuid[])`)
  if (filter.deviceUids) query = query.where(ofParent('device', filter.deviceUids))
  if (filter.siteUid) query = query.where(ofParent('site', [filter.siteUid]))
  if (filter.usecaseUid) query = query.where('usecase.uid', '=', filter.usecaseUid)
  if (filter.nimbleUid) query = query.where('nimble.uid', '=', filter.nimbleUid)
  return query.execute()
}

/** What a list of channels may be narrowed to; public ids. */
export type PageFilter = {
  device_id?: string | undefined
  usecase_id?: string | undefined
  usecase_key?: readonly UsecaseKey[] | undefined
  q?: string | undefined
  customer_id?: string | undefined
  site_id?: string | undefined
  needs_attention?: boolean | undefined
}

/** A page of the channels in reach by name, and how many there are in all, counted up to one more than `mostCounted`. */
export async function pageOfChannels(
  trx: Trx,
  scope: Scope,
  links: Links,
  { device_id, usecase_id, usecase_key, q, customer_id, site_id, needs_attention }: PageFilter,
  { limit = mostRows, offset = 0 }: Paging,
): Promise<{ rows: ChannelRow[]; counted: number }> {
  let all = trx.selectFrom('channel').where(withinChannels(scope))
  if (usecase_key)
    all = all.where(
      sql<SqlBool>`channel.usecase_id in (select id from usecase where key = any(${[...usecase_key]}::text[]))`,
    )
  if (usecase_id) all = all.where(sql<SqlBool>`channel.usecase_id = (select id from usecase where uid = ${usecase_id})`)
  if (device_id) all = all.where(ofParent('device', [device_id]))
  if (site_id) all = all.where(ofParent('site', [site_id]))
  if (customer_id)
    all = all.where(
      sql<SqlBool>`(channel.tenant_id, channel.site_id) in (select site.tenant_id, site.id from site join customer
        on customer.tenant_id = site.tenant_id and customer.id = site.customer_id where customer.uid = ${customer_id})`,
    )
  if (needs_attention) {
    const heard = await heardNimbles(trx, scope, links)
    all = all.where(
      sql<SqlBool>`(channel.tenant_id, channel.id) in (select channel.tenant_id, channel.id from channel
        ${joinActive} ${joinReports} where ${withinChannels(scope)} and ${needsAttention(heard)})`,
    )
  }
  // Folded once and not for each row.
  const folded = sql`(select folded(${q}))`
  if (q)
    all = all.where(sql<SqlBool>`(position(${folded} in folded(channel.name)) > 0
      or (channel.tenant_id, channel.device_id) in
        (select tenant_id, id from device where position(${folded} in folded(name)) > 0))`)
  const [page, { counted }] = await Promise.all([
    all
      .select('channel.uid')
      .orderBy(sql`channel.name collate "und-x-icu"`)
      .orderBy('channel.tenant_id')
      .orderBy('channel.id')
      .limit(limit)
      .offset(offset)
      .execute(),
    trx
      .selectFrom(
        all
          .select('channel.id')
          .limit(mostCounted + 1)
          .as('all'),
      )
      .select((eb) => eb.fn.countAll<number>().as('counted'))
      .executeTakeFirstOrThrow(),
  ])
  return { rows: await channelRows(trx, scope, { channelUids: page.map(({ uid }) => uid) }), counted }
}

const ofDevices = once((trx, { tenants, ids, ...reach }: Reach & { tenants: number[]; ids: number[] }) =>
  running(trx, reach).where(
    sql<SqlBool>`channel.tenant_id = any(${tenants}::int4[]) and channel.device_id = any(${ids}::int4[])`,
  ),
)

/** Channels of devices that are known to be in reach: of these alone, without what stands around them. */
export async function channelRowsOfDevices(
  trx: Trx,
  { principal: _, ...reach }: Scope,
  devices: readonly Camera[],
): Promise<StandingRow[]> {
  const byId = new Map(devices.map((device) => [device.id, device]))
  return (await ofDevices(trx, { ...reach, ...numbersOf(devices) })).map((row) => {
    const { uid, organization_uid, site_uid, nimble_uid, link_state, link_cause } = byId.get(row.device_id) as Camera
    return { ...row, device_uid: uid, organization_uid, site_uid, nimble_uid, link_state, link_cause }
  })
}

/** Joins to rows of `channel` when they were heard last, as `h.at`: null where that was not in the last hours. */
export const joinActive = sql`left join channel_heard h on h.tenant_id = channel.tenant_id and h.channel_id = channel.id
  and h.at > now() - make_interval(hours => ${sql.lit(activeHours)})`

export { joinReports, needsAttention } from './health.ts'
export { channelStatus, judgeChannel } from './standing.ts'

export const channelGone = () =>
  new Refusal(404, 'Either the channel was deleted or the user lacks access.', { code: 'channel_gone' })

/** @throws 404 when it does not exist or is out of reach */
export async function readChannel(trx: Trx, scope: Scope, uid: string): Promise<ChannelRow> {
  const [row] = await channelRows(trx, scope, { channelUids: [uid] })
  if (!row) throw channelGone()
  return row
}

export const listChannels = async (
  trx: Trx,
  scope: Scope,
  links: Links,
  filter: ChannelFilter = {},
): Promise<Channel[]> => describeChannels(trx, scope, links, await channelRows(trx, scope, filter))

/** Channels of devices that are known to be in reach; asked for at once with their zones. */
export async function listChannelsOfDevices(
  trx: Trx,
  scope: Scope,
  links: Links,
  devices: readonly Camera[],
): Promise<Channel[]> {
  const [rows, zones] = await Promise.all([
    channelRowsOfDevices(trx, scope, devices),
    zonesOfDevices(trx, scope, devices),
  ])
  return channelEntities(rows, zones, links)
}

/** Channels as the API shows them, with their zones and how they stand now. */
export async function describeChannels(
  trx: Trx,
  scope: Scope,
  links: Links,
  rows: readonly ChannelRow[],
): Promise<Channel[]> {
  const ids = rows.map((row) => row.id)
  return channelEntities(rows, await zonesOfChannels(trx, scope, ids), links)
}

function channelEntities(rows: readonly StandingRow[], zones: ReadonlyMap<number, Zone[]>, links: Links): Channel[] {
  const now = Date.now()
  return rows.map((row) => channelEntity(row, zones.get(row.id) ?? [], links, now))
}

/** Says to the edge server that something which is part of these channels changed: zones, pipeline. */
export async function touchChannels(
  trx: Trx,
  tenantId: number,
  which: { channelId: number } | { sourceId: number } | { pipelineId: number },
): Promise<void> {
  const query = trx.updateTable('channel').set({ updated_at: sql`now()` }).where('tenant_id', '=', tenantId)
  if ('channelId' in which) await query.where('id', '=', which.channelId).execute()
  else if ('sourceId' in which) await query.where('source_id', '=', which.sourceId).execute()
  else await query.where('pipeline_id', '=', which.pipelineId).execute()
}

/** @throws 412 when a version is given and no longer the newest */
export async function updateChannel(
  trx: Trx,
  channel: Pick<ChannelRow, 'tenant_id' | 'id'>,
  change: {
    name?: string | undefined
    sid?: string | undefined
    threshold?: number | undefined
    auto_recovery?: boolean | undefined
    reference_uid?: string | null | undefined
  },
  version?: number,
): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('channel')
    .set({ updated_at: sql`now()`, ...change })
    .where('tenant_id', '=', channel.tenant_id)
    .where('id', '=', channel.id)
    .$if(version !== undefined, (query) => query.where('version', '=', version as number))
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw stale()
}

/** What was seen against another picture than the one that the zones are drawn on from now on says nothing. */
export const forgetView = (trx: Trx, channel: Pick<ChannelRow, 'tenant_id' | 'id'>) =>
  trx
    .updateTable('channel_state')
    .set({ view: null, viewed_at: null })
    .where('tenant_id', '=', channel.tenant_id)
    .where('channel_id', '=', channel.id)
    .execute()

/** Takes from a person what is left of the assignment of channels that were deleted since. */
export const forgetDeleted = (trx: Trx, user: { tenant_id: number; id: number }) =>
  trx
    .deleteFrom('user_channel')
    .where('tenant_id', '=', user.tenant_id)
    .where('user_id', '=', user.id)
    .where(
      sql<SqlBool>`not exists (select from channel
        where channel.tenant_id = user_channel.tenant_id and channel.id = user_channel.channel_id)`,
    )
    .execute()

/** Its masks stay: they hide a part of the camera, whoever drew them. */
export async function deleteChannel(trx: Trx, channel: Pick<ChannelRow, 'tenant_id' | 'id' | 'source_id'>) {
  await leaveMasks(trx, channel)
  await trx.deleteFrom('channel').where('tenant_id', '=', channel.tenant_id).where('id', '=', channel.id).execute()
}
