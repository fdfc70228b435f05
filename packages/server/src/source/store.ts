import type { Device, Source } from '@sightline/contract'
import type { SourceReport } from '@sightline/domain'
import { type SqlBool, sql } from 'kysely'
import type { Trx } from '../db/database.ts'
import { once } from '../db/once.ts'
import { numbersOf, ofChannels, within } from '../reach.ts'
import { notFound, stale } from '../refusal.ts'
import type { Scope } from '../scope.ts'
import { keepMasks } from '../static/store.ts'
import { newUid } from '../uid.ts'

/** By name, so that a prepared statement still fits when another portal has added one. */
const ownColumns = [
  'source.tenant_id',
  'source.id',
  'source.uid',
  'source.device_id',
  'source.nimble_id',
  'source.name',
  'source.stream_id',
  'source.address',
  'source.proxy',
  'source.rate',
  'source.type',
  'source.role',
  'source.is_default',
  'source.version',
  'source.created_at',
  'source.updated_at',
] as const

/** What the edge server says of a stream. */
const stateColumns = [
  'source_state.state',
  'source_state.cause',
  'source_state.codec',
  'source_state.width',
  'source_state.height',
  'source_state.fps',
  'source_state.last_frame_at',
  'source_state.since as state_since',
  'source_state.failed_at',
  'source_state.version as applied_version',
] as const

/** Streams of devices, with what decides who sees them. */
const sources = (trx: Trx, scope: Scope) =>
  trx
    .selectFrom('source')
    .innerJoin('organization', 'organization.tenant_id', 'source.tenant_id')
    .innerJoin('device', (on) =>
      on.onRef('device.tenant_id', '=', 'source.tenant_id').onRef('device.id', '=', 'source.device_id'),
    )
    .innerJoin('site', (on) =>
      on.onRef('site.tenant_id', '=', 'device.tenant_id').onRef('site.id', '=', 'device.site_id'),
    )
    .innerJoin('nimble', (on) =>
      on.onRef('nimble.tenant_id', '=', 'source.tenant_id').onRef('nimble.id', '=', 'source.nimble_id'),
    )
    .leftJoin('source_state', (on) =>
      on.onRef('source_state.tenant_id', '=', 'source.tenant_id').onRef('source_state.source_id', '=', 'source.id'),
    )
    .select(ownColumns)
    .select([
      'organization.uid as organization_uid',
      'device.uid as device_uid',
      'device.name as device_name',
      'device.site_id',
      'site.uid as site_uid',
      'nimble.uid as nimble_uid',
    ])
    .select(stateColumns)
    .where(within(scope, 'source', 'device.site_id'))
    // The default first, then as they were added.
    .orderBy('source.is_default', 'desc')
    .orderBy('source.id')
export type SourceRow = Awaited<ReturnType<ReturnType<typeof sources>['execute']>>[number]

/** What the edge server said of a stream, for its health. */
export const sourceReport = (
  row: Pick<SourceRow, 'state' | 'cause' | 'last_frame_at' | 'failed_at'>,
): SourceReport | null =>
  row.state && {
    state: row.state,
    cause: row.cause,
    lastFrameAt: row.last_frame_at?.getTime() ?? null,
    failedAt: row.failed_at?.getTime() ?? null,
  }

export function listSources(
  trx: Trx,
  scope: Scope,
  filter: { siteUid?: string | undefined; nimbleUid?: string | undefined; isDefault?: boolean | undefined },
): Promise<SourceRow[]> {
  let query = sources(trx, scope)
  if (filter.siteUid !== undefined) query = query.where('site.uid', '=', filter.siteUid)
  if (filter.nimbleUid !== undefined) query = query.where('nimble.uid', '=', filter.nimbleUid)
  if (filter.isDefault !== undefined) query = query.where('source.is_default', '=', filter.isDefault)
  return query.execute()
}

/** Streams of devices that are known to be in reach: of these alone, without what stands around them. */
const streams = once((trx, { tenantId, tenants, ids }: { tenantId: number | null; tenants: number[]; ids: number[] }) =>
  trx
    .selectFrom('source')
    .leftJoin('source_state', (on) =>
      on.onRef('source_state.tenant_id', '=', 'source.tenant_id').onRef('source_state.source_id', '=', 'source.id'),
    )
    .select(ownColumns)
    .select(stateColumns)
    .where(within({ tenantId, siteIds: null }, 'source', null))
    // The tenants too: the index begins with them.
    .where(sql<SqlBool>`source.tenant_id = any(${tenants}::int4[])`)
    .where(sql<SqlBool>`source.device_id = any(${ids}::int4[])`)
    .orderBy('source.is_default', 'desc')
    .orderBy('source.id'),
)
export type StreamRow = Awaited<ReturnType<typeof streams>>[number]

/** Streams of devices in reach, by the device's number. */
export async function sourcesOfDevices(
  trx: Trx,
  scope: Scope,
  devices: readonly { tenant_id: number; id: number }[],
): Promise<Map<number, StreamRow[]>> {
  const found = new Map<number, StreamRow[]>(devices.map(({ id }) => [id, []]))
  if (devices.length === 0) return found
  const { tenants, ids } = numbersOf(devices)
  for (const row of await streams(trx, { tenantId: scope.tenantId, tenants, ids })) found.get(row.device_id)?.push(row)
  return found
}

/** Streams that an edge server reads. */
export const sourcesOfNimble = (trx: Trx, scope: Scope, nimble: { tenant_id: number; id: number }) =>
  sources(trx, scope)
    .where('source.tenant_id', '=', nimble.tenant_id)
    .where('source.nimble_id', '=', nimble.id)
    .execute()

/** @throws 404 when it does not exist or is out of reach */
export async function readSource(trx: Trx, scope: Scope, uid: string): Promise<SourceRow> {
  const row = await sources(trx, scope).where('source.uid', '=', uid).executeTakeFirst()
  if (!row) throw notFound()
  return row
}

export type SourceDraft = Pick<Source, 'source_name' | 'source_address' | 'role'> &
  Partial<Pick<Source, 'stream_id' | 'proxy' | 'rate' | 'is_default' | 'type'>>

/** Adds streams to a device. Without a stream id of its own, one is named after the device and counted. */
export async function insertSources(
  trx: Trx,
  device: { tenant_id: number; id: number; uid: string; nimble_id: number },
  drafts: readonly SourceDraft[],
  firstNumber = 1,
): Promise<string[]> {
  const rows = drafts.map((draft, i) => ({
    tenant_id: device.tenant_id,
    uid: newUid(),
    device_id: device.id,
    nimble_id: device.nimble_id,
    name: draft.source_name,
    stream_id: draft.stream_id ?? `${device.uid}/${firstNumber + i}`,
    address: draft.source_address,
    role: draft.role,
    ...(draft.proxy !== undefined && { proxy: draft.proxy }),
    ...(draft.rate !== undefined && { rate: draft.rate }),
    ...(draft.type !== undefined && { type: draft.type }),
    is_default: draft.is_default ?? false,
  }))
  await trx.insertInto('source').values(rows).execute()
  return rows.map((row) => row.uid)
}

/** The first number that no stream of the device is counted with, from behind the last. */
export function nextStreamNumber(device: { uid: string }, others: readonly Pick<SourceRow, 'stream_id'>[]): number {
  const taken = new Set(others.map((other) => other.stream_id))
  let number = others.length + 1
  while (taken.has(`${device.uid}/${number}`)) number++
  return number
}

/** @throws 412 when a version is given and no longer the newest */
export async function updateSource(
  trx: Trx,
  source: Pick<SourceRow, 'tenant_id' | 'id'>,
  change: Partial<Pick<SourceRow, 'name' | 'address' | 'stream_id' | 'proxy' | 'rate' | 'role' | 'is_default'>>,
  version?: number,
): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('source')
    .set({ updated_at: sql`now()`, ...change })
    .where('tenant_id', '=', source.tenant_id)
    .where('id', '=', source.id)
    .$if(version !== undefined, (query) => query.where('version', '=', version as number))
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw stale()
}

/** Takes the mark of the default from the stream that has it. */
export const clearDefault = (trx: Trx, device: { tenant_id: number; id: number }) =>
  trx
    .updateTable('source')
    .set({ is_default: false })
    .where('tenant_id', '=', device.tenant_id)
    .where('device_id', '=', device.id)
    .where('is_default', '=', true)
    .execute()

/** Says to the edge server that something of the device which is part of its streams changed: credentials, names. */
export const touchSources = (trx: Trx, device: { tenant_id: number; id: number }) =>
  trx
    .updateTable('source')
    .set({ updated_at: sql`now()` })
    .where('tenant_id', '=', device.tenant_id)
    .where('device_id', '=', device.id)
    .execute()

export const sourceEntity = (row: SourceRow): Source => ({
  source_id: row.uid,
  source_name: row.name,
  stream_id: row.stream_id,
  nimble_id: row.nimble_uid,
  device_id: row.device_uid,
  source_address: row.address,
  proxy: row.proxy,
  rate: row.rate,
  type: row.type,
  role: row.role,
  is_default: row.is_default,
  organization_id: row.organization_uid,
  version: row.version,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})

/** As a device lists its streams. */
export const deviceSource = (row: StreamRow): Device['device_source'][number] => ({
  source_id: row.uid,
  source_name: row.name,
  source_address: row.address,
  role: row.role,
  rate: row.rate,
})

/** Public ids of the channels that run on streams, by the stream's number. */
export async function channelsOfSources(
  trx: Trx,
  scope: Pick<Scope, 'usecaseIds' | 'channelUids'>,
  rows: readonly Pick<SourceRow, 'tenant_id' | 'id'>[],
): Promise<Map<number, string[]>> {
  const found = new Map<number, string[]>()
  if (rows.length === 0) return found
  const channels = await trx
    .selectFrom('channel')
    .select(['source_id', 'uid'])
    .where(sql<SqlBool>`tenant_id = any(${[...new Set(rows.map((row) => row.tenant_id))]}::int[])`)
    .where(ofChannels(scope))
    .where(sql<SqlBool>`source_id = any(${rows.map((row) => row.id)}::int[])`)
    .orderBy('id')
    .execute()
  for (const { source_id, uid } of channels) found.set(source_id, [...(found.get(source_id) ?? []), uid])
  return found
}

/** Takes a stream other than the default one from its device, which keeps its masks. */
export async function deleteSource(trx: Trx, source: Pick<SourceRow, 'tenant_id' | 'id' | 'device_id'>): Promise<void> {
  await keepMasks(trx, source)
  await trx.deleteFrom('source').where('tenant_id', '=', source.tenant_id).where('id', '=', source.id).execute()
}

/** Hands all streams of a device to another edge server. */
export const moveSources = (trx: Trx, device: { tenant_id: number; id: number }, nimbleId: number) =>
  trx
    .updateTable('source')
    .set({ nimble_id: nimbleId })
    .where('tenant_id', '=', device.tenant_id)
    .where('device_id', '=', device.id)
    .execute()
