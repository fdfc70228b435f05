import type { Channel, Device } from '@sightline/contract'
import { cameraHealth, gravity, type HealthGrade, type Judged, sourceHealth, type UsecaseKey } from '@sightline/domain'
import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import type { Opener } from '../camera-address.ts'
import { listChannelsOfDevices } from '../channel/store.ts'
import type { Database, Trx } from '../db/database.ts'
import { once } from '../db/once.ts'
import { mediaUrl } from '../media/store.ts'
import { heardNimbles, isHeard, type Links } from '../nimble/store.ts'
import { mostCounted, mostRows, type Paging } from '../page.ts'
import { numbersOf, within, withinChannels } from '../reach.ts'
import { notFound } from '../refusal.ts'
import type { Reach, Scope } from '../scope.ts'
import type { SecretPlace } from '../secrets.ts'
import type { Services } from '../services.ts'
import { deviceSource, type StreamRow, sourceReport, sourcesOfDevices } from '../source/store.ts'
import { isDemo } from './create.ts'
import { ofHealth } from './health.ts'

export { siteStandings } from './health.ts'
export { homeOf, isHome, passwordToStore } from './home.ts'
export { moveDevice } from './move.ts'

/** By name, so that a prepared statement still fits when another portal has added one. */
const ownColumns = [
  'device.tenant_id',
  'device.id',
  'device.uid',
  'device.site_id',
  'device.nimble_id',
  'device.name',
  'device.endpoint_uuid',
  'device.stream_address',
  'device.stream_type',
  'device.username',
  'device.password',
  'device.onvif_port',
  'device.resolution',
  'device.codec',
  'device.fps',
  'device.tags',
  'device.snapshot_uid',
  'device.is_demo',
  'device.version',
  'device.created_at',
  'device.updated_at',
] as const

/** In the order of lists. */
const ordered = <O>(query: SelectQueryBuilder<Database, 'device', O>) =>
  query.orderBy(sql`device.name collate "und-x-icu"`).orderBy('device.tenant_id').orderBy('device.id')

/** Cameras in reach, in the order of lists. */
const inOrder = (trx: Trx, reach: Pick<Scope, 'tenantId' | 'siteIds'>) =>
  ordered(trx.selectFrom('device').select(ownColumns).where(within(reach, 'device')))

/** The same cameras, with where they are and who reads them. */
const withParents = (trx: Trx, own: ReturnType<typeof inOrder>) =>
  trx
    .selectFrom(own.as('device'))
    .innerJoin('organization', 'organization.tenant_id', 'device.tenant_id')
    .innerJoin('site', (on) =>
      on.onRef('site.tenant_id', '=', 'device.tenant_id').onRef('site.id', '=', 'device.site_id'),
    )
    .innerJoin('nimble', (on) =>
      on.onRef('nimble.tenant_id', '=', 'device.tenant_id').onRef('nimble.id', '=', 'device.nimble_id'),
    )
    .leftJoin('nimble_state', (on) =>
      on
        .onRef('nimble_state.tenant_id', '=', 'device.tenant_id')
        .onRef('nimble_state.nimble_id', '=', 'device.nimble_id'),
    )
    .selectAll('device')
    .select([
      'organization.uid as organization_uid',
      'site.uid as site_uid',
      'site.timezone',
      'nimble.uid as nimble_uid',
      'nimble.name as nimble_name',
      'nimble.address as nimble_address',
      'nimble.is_local as nimble_is_local',
      'nimble_state.state as link_state',
      'nimble_state.cause as link_cause',
    ])
    .orderBy(sql`device.name collate "und-x-icu"`)
    .orderBy('device.tenant_id')
    .orderBy('device.id')
export type DeviceRow = Awaited<ReturnType<ReturnType<typeof withParents>['execute']>>[number]

/** Who opens its streams. */
export const openerOf = ({ nimble_is_local, nimble_address }: DeviceRow): Opener => ({
  is_local: nimble_is_local,
  address: nimble_address,
})

/** @throws 404 when it does not exist or is out of reach */
export async function readDevice(trx: Trx, scope: Scope, uid: string): Promise<DeviceRow> {
  const row = await withParents(trx, inOrder(trx, scope).where('device.uid', '=', uid)).executeTakeFirst()
  if (!row) throw notFound()
  return row
}

/** As `readDevice`; nobody else changes the device until the transaction ends. */
export async function lockDevice(trx: Trx, scope: Scope, uid: string): Promise<DeviceRow> {
  await lockDevices(trx, scope, [uid])
  return readDevice(trx, scope, uid)
}

/**
 * Apart from the reading: a joined row would be the one from before the waiting, and not fit a device that was moved.
 * In one order, so that two who lock the same devices wait for each other and do not block each other for ever.
 */
export const lockDevices = (trx: Trx, scope: Scope, uids: readonly string[]) =>
  sql`select from device where uid = any(${[...uids]}::uuid[]) and ${within(scope, 'device')}
    order by tenant_id, id for update`.execute(trx)

export function deviceRows(
  trx: Trx,
  scope: Scope,
  filter: { siteUids?: readonly string[]; uids?: readonly string[] } = {},
): Promise<DeviceRow[]> {
  let query = inOrder(trx, scope)
  if (filter.siteUids)
    query = query.where(
      sql<SqlBool>`device.site_id in (select id from site where uid = any(${[...filter.siteUids]}::uuid[]))`,
    )
  if (filter.uids) query = query.where(sql<SqlBool>`device.uid = any(${[...filter.uids]}::uuid[])`)
  return withParents(trx, query).execute()
}

/** What a list may be narrowed to; all that is given holds. Public ids. */
export type DeviceFilter = {
  customer_id?: string | undefined
  site_id?: string | undefined
  nimble_id?: string | undefined
  /** Part of the name, of a tag, or of the host of the address. */
  q?: string | undefined
  health?: readonly HealthGrade[] | undefined
  /** With a channel of this use case. */
  usecase_key?: UsecaseKey | undefined
  /** With one of these channels. */
  channel_id?: readonly string[] | undefined
}

/** A filter with whose tenant and reach it is asked, as queries hold it: null where it says nothing. */
type Wanted = Reach & {
  customer: string | null
  site: string | null
  nimble: string | null
  q: string | null
  /** Numbers of the edge servers that are there, and how grave what is looked for is. */
  heard: readonly number[] | null
  graves: readonly number[] | null
  usecase: UsecaseKey | null
  channels: readonly string[] | null
}

/** Cameras that a filter lets through, in no order. */
function wanted(trx: Trx, { customer, site, nimble, q, heard, graves, usecase, channels, ...reach }: Wanted) {
  let query = trx.selectFrom('device').where(within(reach, 'device'))
  // Looked up first and by number, whatever stands around: so the index of names serves whoever has many cameras.
  if (customer !== null)
    query = query.where(
      sql<SqlBool>`(device.site_id in (select s.id from site s join customer c on c.tenant_id = s.tenant_id
        and c.id = s.customer_id where c.uid = ${customer})) is true`,
    )
  if (site !== null)
    query = query.where(
      sql<SqlBool>`(device.tenant_id, device.site_id) = (select tenant_id, id from site where uid = ${site})`,
    )
  if (nimble !== null)
    query = query.where(
      sql<SqlBool>`(device.tenant_id, device.nimble_id) = (select tenant_id, id from nimble where uid = ${nimble})`,
    )
  if (usecase !== null)
    query = query.where(hasChannel(reach, sql`channel.usecase_id = (select id from usecase where key = ${usecase})`))
  if (channels !== null) query = query.where(hasChannel(reach, sql`channel.uid = any(${channels}::uuid[])`))
  if (q !== null) query = query.where(holds(q))
  return heard === null || graves === null ? query : ofHealth(query, heard, graves)
}

type Page = { limit: number; offset: number }

const page = once((trx, { limit, offset, ...filter }: Wanted & Page) =>
  withParents(trx, ordered(wanted(trx, filter).select(ownColumns)).limit(limit).offset(offset)),
)
const count = once((trx, filter: Wanted) =>
  trx
    .selectFrom(
      wanted(trx, filter)
        .select('device.id')
        .limit(mostCounted + 1)
        .as('all'),
    )
    .select((eb) => eb.fn.countAll<number>().as('counted')),
)
const found = once((trx, { limit, offset, ...filter }: Wanted & Page) =>
  ordered(wanted(trx, filter).select(['device.tenant_id', 'device.id', sql<number>`count(*) over ()`.as('counted')]))
    .limit(limit)
    .offset(offset),
)
const byNumber = once((trx, { tenants, ids, ...reach }: Reach & ReturnType<typeof numbersOf>) =>
  withParents(
    trx,
    inOrder(trx, reach).where(
      sql<SqlBool>`device.tenant_id = any(${tenants}::int4[]) and device.id = any(${ids}::int4[])`,
    ),
  ),
)

/**
 * A page of devices by name. `count` says how many there are in all, up to one more than `mostCounted`: to be asked after
 * what the page needs, so that the database counts while the page is described.
 */
export async function pageOfDevices(
  trx: Trx,
  { principal, ...reach }: Scope,
  links: Links,
  { customer_id, site_id, nimble_id, q, health, usecase_key, channel_id }: DeviceFilter,
  { limit = mostRows, offset = 0 }: Paging,
): Promise<{ rows: DeviceRow[]; count(): Promise<number> }> {
  const filter: Wanted = {
    ...reach,
    customer: customer_id ?? null,
    site: site_id ?? null,
    nimble: nimble_id ?? null,
    q: q || null,
    ...(health?.length
      ? { heard: await heardNimbles(trx, { principal, ...reach }, links), graves: health.map((one) => gravity[one]) }
      : { heard: null, graves: null }),
    usecase: usecase_key ?? null,
    channels: channel_id ?? null,
  }
  const counting = async () => (await count(trx, filter))[0]?.counted ?? 0
  // What must look at each camera, or at most of them, looks once, for the page and the count.
  const { graves, usecase, channels } = filter
  const isNear = offset <= mostRows && filter.q === null && graves === null && usecase === null && channels === null
  if (isNear) return { rows: await page(trx, { ...filter, limit, offset }), count: counting }
  const numbers = await found(trx, { ...filter, limit, offset })
  const [first] = numbers
  if (!first) return { rows: [], count: offset === 0 ? async () => 0 : counting }
  return { rows: await byNumber(trx, { ...reach, ...numbersOf(numbers) }), count: async () => first.counted }
}

const hasChannel = (reach: Reach, such: RawBuilder<unknown>) => sql<SqlBool>`exists (select from channel
  where channel.tenant_id = device.tenant_id and channel.device_id = device.id and ${withinChannels(reach)} and ${such})`

/** Whether a text stands in the name, a tag or the host of the address, upper and lower case alike. */
function holds(q: string) {
  // Folded once and not for each row.
  const folded = sql`(select folded(${q}))`
  return sql<SqlBool>`(
    position(${folded} in folded(device.name)) > 0
    or position(${folded} in lower(split_part(device.stream_address, '/', 3))) > 0
    or (device.tags <> '{}' and exists (select from jsonb_each_text(device.tags) t
      where position(${folded} in folded(t.key || ' ' || t.value)) > 0)))`
}

/** Health of devices, by the device's number. */
export async function deviceHealths(
  trx: Trx,
  scope: Scope,
  links: Links,
  rows: readonly DeviceRow[],
): Promise<Map<number, Judged>> {
  const sources = await sourcesOfDevices(trx, scope, rows)
  return new Map(rows.map((row) => [row.id, healthOf(row, sources.get(row.id) ?? [], links)]))
}

function healthOf(row: DeviceRow, sources: readonly StreamRow[], links: Links): Judged {
  const heard = isHeard(links, row)
  return cameraHealth(sources.map((source) => sourceHealth(sourceReport(source), heard)))
}

/** Key and value of each tag, as a person reads them. */
export const tagName = (tags: Record<string, string>) =>
  Object.entries(tags)
    .map(([key, value]) => `${key} ${value}`)
    .join(', ')

/** Devices as the API shows them, with their streams, channels and health. */
export async function describeDevices(
  trx: Trx,
  scope: Scope,
  app: Pick<Services, 'links' | 'env'>,
  rows: readonly DeviceRow[],
): Promise<Device[]> {
  const [sources, channels] = await Promise.all([
    sourcesOfDevices(trx, scope, rows),
    listChannelsOfDevices(trx, scope, app.links, rows),
  ])
  const byDevice = Map.groupBy(channels, (channel) => channel.device_id)
  return rows.map((row) => deviceEntity(row, sources.get(row.id) ?? [], byDevice.get(row.uid) ?? [], app))
}

export async function updateDevice(
  trx: Trx,
  device: Pick<DeviceRow, 'tenant_id' | 'id'>,
  change: {
    name?: string | undefined
    site_id?: number | undefined
    endpoint_uuid?: string | null | undefined
    stream_address?: string | undefined
    stream_type?: DeviceRow['stream_type'] | undefined
    username?: string | null | undefined
    password?: string | null | undefined
    onvif_port?: number | null | undefined
    tags?: string | undefined
    is_demo?: boolean | undefined
  },
): Promise<void> {
  await trx
    .updateTable('device')
    // The name stands there in any case, so that the version rises with every change.
    .set({ name: sql`name`, ...change })
    .where('tenant_id', '=', device.tenant_id)
    .where('id', '=', device.id)
    .execute()
}

export const deleteDevice = (trx: Trx, device: Pick<DeviceRow, 'tenant_id' | 'id'>) =>
  trx.deleteFrom('device').where('tenant_id', '=', device.tenant_id).where('id', '=', device.id).execute()

/** The address of a device is that of its default stream, and says whether the device is a simulated one. */
export async function followDefaultSource(
  trx: Trx,
  app: Pick<Services, 'demo'>,
  device: Pick<DeviceRow, 'tenant_id' | 'id' | 'stream_address'>,
): Promise<void> {
  const { address } = await trx
    .selectFrom('source')
    .select('address')
    .where('tenant_id', '=', device.tenant_id)
    .where('device_id', '=', device.id)
    .where('is_default', '=', true)
    .executeTakeFirstOrThrow()
  if (address !== device.stream_address)
    await updateDevice(trx, device, { stream_address: address, is_demo: isDemo(app, address) })
}

/** Remembers the newest still of a camera. */
export const setStill = (trx: Trx, device: { tenant_id: number; id: number }, mediaUid: string) =>
  trx
    .updateTable('device')
    .set({ snapshot_uid: mediaUid })
    .where('tenant_id', '=', device.tenant_id)
    .where('id', '=', device.id)
    .execute()

/** Where a camera's password is sealed to. */
export const passwordPlace = (deviceUid: string): SecretPlace => ({
  table: 'device',
  column: 'password',
  row: deviceUid,
})

function deviceEntity(
  row: DeviceRow,
  sources: StreamRow[],
  channels: Channel[],
  { links, env }: Pick<Services, 'links' | 'env'>,
): Device {
  const { health, cause } = healthOf(row, sources, links)
  const [first] = sources
  const frames = sources.flatMap((source) => source.last_frame_at ?? [])
  return {
    device_id: row.uid,
    device_name: row.name,
    site_id: row.site_uid,
    nimble_id: row.nimble_uid,
    UUID: row.endpoint_uuid,
    stream_address: row.stream_address,
    stream_type: row.stream_type,
    username: row.username,
    password: row.password === null ? '' : '****',
    onvif_port: row.onvif_port,
    resolution: first?.width && first.height ? `${first.width}x${first.height}` : row.resolution,
    codec: first?.codec ?? row.codec,
    fps: first?.fps ?? row.fps,
    device_tags: row.tags,
    tag_name: tagName(row.tags),
    device_source: sources.map(deviceSource),
    source_channels: channels,
    device_health: health,
    health_cause: cause,
    last_frame_at: frames.length > 0 ? new Date(Math.max(...frames.map(Number))).toISOString() : null,
    snapshot_url: row.snapshot_uid === null ? null : mediaUrl(env, row.snapshot_uid),
    is_demo: row.is_demo,
    organization_id: row.organization_uid,
    version: row.version,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}
