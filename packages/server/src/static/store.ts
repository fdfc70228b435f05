import type { Zone } from '@sightline/contract'
import { nameShapes, type ShapeNumbers, type ZoneKind } from '@sightline/domain'
import { type SqlBool, sql } from 'kysely'
import type { Trx } from '../db/database.ts'
import { once } from '../db/once.ts'
import { numbersOf, ofChannels, within } from '../reach.ts'
import { invalid, notFound, Refusal, stale } from '../refusal.ts'
import type { Reach, Scope } from '../scope.ts'
import { newUid } from '../uid.ts'

/** By name, so that a prepared statement still fits when another portal has added one. */
const ownColumns = [
  'static_zone.tenant_id',
  'static_zone.id',
  'static_zone.uid',
  'static_zone.source_id',
  'static_zone.channel_id',
  'static_zone.kind',
  'static_zone.name',
  'static_zone.label',
  'static_zone.points',
  'static_zone.direction',
  'static_zone.side_a',
  'static_zone.side_b',
  'static_zone.aspect_ratio',
  'static_zone.is_active',
  'static_zone.dwell_s',
  'static_zone.version',
  'static_zone.created_at',
  'static_zone.updated_at',
] as const

/** Zones, with what decides who sees them and where they go. */
const zones = (trx: Trx, scope: Reach) =>
  trx
    .selectFrom('static_zone')
    .innerJoin('organization', 'organization.tenant_id', 'static_zone.tenant_id')
    .innerJoin('source', (on) =>
      on.onRef('source.tenant_id', '=', 'static_zone.tenant_id').onRef('source.id', '=', 'static_zone.source_id'),
    )
    .innerJoin('device', (on) =>
      on.onRef('device.tenant_id', '=', 'source.tenant_id').onRef('device.id', '=', 'source.device_id'),
    )
    .innerJoin('nimble', (on) =>
      on.onRef('nimble.tenant_id', '=', 'source.tenant_id').onRef('nimble.id', '=', 'source.nimble_id'),
    )
    .leftJoin('channel', (on) =>
      on.onRef('channel.tenant_id', '=', 'static_zone.tenant_id').onRef('channel.id', '=', 'static_zone.channel_id'),
    )
    .select(ownColumns)
    .select([
      'organization.uid as organization_uid',
      'source.uid as source_uid',
      'source.nimble_id',
      'source.device_id',
      'nimble.uid as nimble_uid',
      'device.site_id',
      'device.uid as device_uid',
      'channel.uid as channel_uid',
      'channel.usecase_id',
    ])
    .where(within(scope, 'static_zone', 'device.site_id'))
    .where(sql<SqlBool>`(static_zone.channel_id is null or ${ofChannels(scope)})`)
    // In the order in which they were drawn: zone2 before zone10.
    .orderBy('static_zone.id')
export type ZoneRow = Awaited<ReturnType<ReturnType<typeof zones>['execute']>>[number]

/** @throws 404 when it does not exist or is out of reach */
export async function readZone(trx: Trx, scope: Scope, uid: string): Promise<ZoneRow> {
  const row = await zones(trx, scope).where('static_zone.uid', '=', uid).executeTakeFirst()
  if (!row) throw notFound()
  return row
}

/** Zones of channels, by the channel's number; a channel without zones is missing. */
export const zonesOfChannels = async (trx: Trx, scope: Scope, ids: readonly number[]): Promise<Map<number, Zone[]>> =>
  ids.length === 0
    ? new Map()
    : byChannel(
        await zones(trx, scope)
          .where(sql<SqlBool>`static_zone.channel_id = any(${[...ids]}::int[])`)
          .execute(),
      )

const ofDevices = once((trx, { tenants, ids, ...reach }: Reach & { tenants: number[]; ids: number[] }) =>
  zones(trx, reach).where(sql<SqlBool>`static_zone.channel_id = any(array(
    select id from channel where tenant_id = any(${tenants}::int4[]) and device_id = any(${ids}::int4[])))`),
)

/** As `zonesOfChannels`, of all channels on devices. */
export const zonesOfDevices = async (
  trx: Trx,
  { principal: _, ...reach }: Scope,
  devices: readonly { tenant_id: number; id: number }[],
): Promise<Map<number, Zone[]>> =>
  devices.length === 0 ? new Map() : byChannel(await ofDevices(trx, { ...reach, ...numbersOf(devices) }))

function byChannel(rows: readonly ZoneRow[]): Map<number, Zone[]> {
  const found = new Map<number, Zone[]>()
  for (const row of rows) {
    const id = row.channel_id as number
    found.set(id, [...(found.get(id) ?? []), zoneEntity(row)])
  }
  return found
}

/** Zones of a stream, or of all streams of a camera: all of them, or those of one channel with those that are offered to every channel. */
export async function listZones(
  trx: Trx,
  scope: Scope,
  of: { source_id: number } | { device_id: number },
  channelId?: number,
): Promise<Zone[]> {
  const query =
    'source_id' in of
      ? zones(trx, scope).where('static_zone.source_id', '=', of.source_id)
      : zones(trx, scope).where('source.device_id', '=', of.device_id)
  const rows = await (channelId === undefined
    ? query
    : query.where((eb) =>
        eb.or([eb('static_zone.channel_id', '=', channelId), eb('static_zone.channel_id', 'is', null)]),
      )
  ).execute()
  return rows.map(zoneEntity)
}

/** Where a zone belongs: a channel, or with `channel_id` null every channel of the stream. */
export type ZoneOwner = { tenant_id: number; source_id: number; channel_id: number | null }
/** What a person decides about a zone. */
export type ZoneShape = Pick<
  Zone,
  'label' | 'kind' | 'points' | 'direction' | 'side_a' | 'side_b' | 'aspect_ratio' | 'is_active'
> &
  Partial<Pick<Zone, 'dwell_s'>>

/** Stores zones under their next names, in the order given. Answers their public ids. */
export async function insertZones(trx: Trx, owner: ZoneOwner, shapes: readonly ZoneShape[]): Promise<string[]> {
  if (shapes.length === 0) return []
  const kinds = shapes.map((shape) => shape.kind)
  const { names } = nameShapes(kinds, await takeNumbers(trx, owner, kinds))
  const rows = shapes.map((shape, i) => ({ ...owner, uid: newUid(), name: names[i] as string, ...columns(shape) }))
  await trx.insertInto('static_zone').values(rows).execute()
  if (kinds.includes('mask')) await refuseManyMasks(trx, owner)
  return rows.map((row) => row.uid)
}

/** Of all channels of a camera: what looks at its picture goes through all of them. */
const mostMasks = 64

/** @throws 400 when the camera has more masks than it may */
async function refuseManyMasks(trx: Trx, { tenant_id, source_id }: ZoneOwner): Promise<void> {
  const { device_id } = await trx
    .selectFrom('source')
    .select('device_id')
    .where('tenant_id', '=', tenant_id)
    .where('id', '=', source_id)
    .executeTakeFirstOrThrow()
  const masks = await masksOfDevice(trx, { tenant_id, device_id })
  if (masks.length > mostMasks) throw new Refusal(400, 'Too many masks on this camera', { code: 'too_many' })
}

/** @throws 412 when a version is given and no longer the newest, 400 when it hides again and the camera has as many masks as it may */
export async function updateZone(
  trx: Trx,
  zone: Pick<ZoneRow, 'tenant_id' | 'id' | 'source_id' | 'channel_id' | 'kind' | 'is_active'>,
  change: Partial<ZoneShape>,
  version?: number,
): Promise<void> {
  await writeZone(trx, zone, change, version)
  if (zone.kind === 'mask' && change.is_active && !zone.is_active) await refuseManyMasks(trx, zone)
}

async function writeZone(
  trx: Trx,
  zone: Pick<ZoneRow, 'tenant_id' | 'id'>,
  change: Partial<ZoneShape>,
  version?: number,
): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('static_zone')
    .set({ updated_at: sql`now()`, ...change, points: change.points && JSON.stringify(change.points) })
    .where('tenant_id', '=', zone.tenant_id)
    .where('id', '=', zone.id)
    .$if(version !== undefined, (query) => query.where('version', '=', version as number))
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw stale()
}

export async function deleteZones(trx: Trx, tenantId: number, ids: readonly number[]): Promise<void> {
  await trx
    .deleteFrom('static_zone')
    .where('tenant_id', '=', tenantId)
    .where(sql<SqlBool>`id = any(${[...ids]}::int[])`)
    .execute()
}

/** What is hidden in pictures of cameras, in 0…1: masks that are on, whichever stream of the camera they were drawn on. */
const masks = (trx: Trx, tenantId: number) =>
  trx
    .selectFrom('static_zone')
    .innerJoin('source', (on) =>
      on.onRef('source.tenant_id', '=', 'static_zone.tenant_id').onRef('source.id', '=', 'static_zone.source_id'),
    )
    .select(['source.device_id', 'static_zone.points'])
    .where('source.tenant_id', '=', tenantId)
    .where('static_zone.kind', '=', 'mask')
    .where('static_zone.is_active', '=', true)
    .orderBy('static_zone.id')

/** The outlines of what is hidden in pictures of a camera, in 0…1. */
export async function masksOfDevice(
  trx: Trx,
  { tenant_id, device_id }: { tenant_id: number; device_id: number },
): Promise<[number, number][][]> {
  const rows = await masks(trx, tenant_id).where('source.device_id', '=', device_id).execute()
  return rows.map(({ points }) => points)
}

/** As `masksOfDevice`, of all cameras of an edge server, with the camera of each. */
export const masksOfNimble = (trx: Trx, { tenant_id, id }: { tenant_id: number; id: number }) =>
  masks(trx, tenant_id).where('source.nimble_id', '=', id).execute()

/** Gives the masks of a stream that goes to the default one of its camera: what is hidden stays hidden. */
export async function keepMasks(trx: Trx, source: { tenant_id: number; id: number; device_id: number }): Promise<void> {
  const { tenant_id } = source
  const row = trx.selectFrom('source').select('id').where('tenant_id', '=', tenant_id)
  // Nobody draws another one on it meanwhile.
  await row.where('id', '=', source.id).forUpdate().execute()
  const to = await row
    .where('device_id', '=', source.device_id)
    .where('is_default', '=', true)
    .executeTakeFirstOrThrow()
  await giveMasks(trx, tenant_id, { source_id: source.id }, to.id)
}

/** Leaves the masks that were drawn for a channel to its stream: it goes, or goes to another camera. */
export const leaveMasks = (trx: Trx, channel: { tenant_id: number; id: number; source_id: number }): Promise<void> =>
  giveMasks(trx, channel.tenant_id, { channel_id: channel.id }, channel.source_id)

/** Makes masks those of a stream, and of no channel, under the next names there. */
async function giveMasks(
  trx: Trx,
  tenant_id: number,
  from: { source_id: number } | { channel_id: number },
  to: number,
): Promise<void> {
  const masks = await trx
    .selectFrom('static_zone')
    .select(['tenant_id', 'id', 'kind'])
    .where('tenant_id', '=', tenant_id)
    .where('kind', '=', 'mask')
    .where((eb) =>
      'source_id' in from ? eb('source_id', '=', from.source_id) : eb('channel_id', '=', from.channel_id),
    )
    .orderBy('id')
    .execute()
  if (masks.length === 0) return
  const kinds = masks.map(({ kind }) => kind)
  const { names } = nameShapes(kinds, await takeNumbers(trx, { tenant_id, source_id: to, channel_id: null }, kinds))
  for (const [i, mask] of masks.entries())
    await trx
      .updateTable('static_zone')
      .set({ source_id: to, channel_id: null, name: names[i] as string })
      .where('tenant_id', '=', tenant_id)
      .where('id', '=', mask.id)
      .execute()
}

/**
 * Makes the zones of a channel what is given: those with an id are changed and keep name and id, others are new, and
 * what is missing goes. A shape cannot become another kind: its name says what it is.
 * @returns whether masks hide now what they did not
 */
export async function replaceZones(
  trx: Trx,
  owner: ZoneOwner & { channel_id: number },
  drafts: readonly (ZoneShape & { static_id?: string | undefined })[],
): Promise<boolean> {
  const stored = await trx
    .selectFrom('static_zone')
    .select(['tenant_id', 'id', 'uid', 'kind', 'points', 'is_active'])
    .where('tenant_id', '=', owner.tenant_id)
    .where('channel_id', '=', owner.channel_id)
    .execute()
  const byUid = new Map(stored.map((zone) => [zone.uid, zone]))
  const errors: Record<string, string[]> = {}
  const kept = new Set<number>()
  for (const [i, draft] of drafts.entries()) {
    if (draft.static_id === undefined) continue
    const zone = byUid.get(draft.static_id)
    if (!zone || kept.has(zone.id)) errors[`zones.${i}.static_id`] = ['not_found']
    else if (zone.kind !== draft.kind) errors[`zones.${i}.kind`] = ['unchangeable']
    else kept.add(zone.id)
  }
  if (Object.keys(errors).length > 0) throw invalid(errors)

  const gone = stored.filter((zone) => !kept.has(zone.id)).map((zone) => zone.id)
  if (gone.length > 0) await deleteZones(trx, owner.tenant_id, gone)
  for (const { static_id, ...shape } of drafts) {
    const zone = static_id === undefined ? undefined : byUid.get(static_id)
    if (zone) await writeZone(trx, zone, shape)
  }
  const fresh = drafts.filter((draft) => draft.static_id === undefined)
  await insertZones(
    trx,
    owner,
    fresh.map(({ static_id: _, ...shape }) => shape),
  )
  const hiding = drafts.flatMap(({ static_id, kind, is_active, points }) => {
    const before = static_id === undefined ? undefined : byUid.get(static_id)
    return kind === 'mask' && is_active ? { points, before: before?.is_active ? before.points : null } : []
  })
  // Only now: one that hides again may come before one that hides no more.
  if (hiding.some(({ before }) => before === null)) await refuseManyMasks(trx, owner)
  return hiding.some(({ points, before }) => JSON.stringify(before) !== JSON.stringify(points))
}

/** Takes the next numbers for these kinds, for good; answers the numbers that were given before. */
async function takeNumbers(trx: Trx, owner: ZoneOwner, kinds: readonly ZoneKind[]): Promise<ShapeNumbers> {
  const before: ShapeNumbers = {}
  for (const kind of new Set(kinds)) {
    const count = kinds.filter((one) => one === kind).length
    const { last } = await trx
      .insertInto('static_number')
      .values({
        tenant_id: owner.tenant_id,
        source_id: owner.source_id,
        channel_id: owner.channel_id ?? 0,
        kind,
        last: count,
      })
      .onConflict((conflict) =>
        conflict
          .columns(['tenant_id', 'source_id', 'channel_id', 'kind'])
          .doUpdateSet({ last: sql`static_number.last + excluded.last` }),
      )
      .returning('last')
      .executeTakeFirstOrThrow()
    before[kind] = last - count
  }
  return before
}

const columns = ({ label, kind, points, direction, side_a, side_b, aspect_ratio, is_active, dwell_s }: ZoneShape) => ({
  label,
  kind,
  points: JSON.stringify(points),
  direction,
  side_a,
  side_b,
  aspect_ratio,
  is_active,
  dwell_s,
})

export const zoneEntity = (row: ZoneRow): Zone => ({
  static_id: row.uid,
  source_id: row.source_uid,
  channel_id: row.channel_uid,
  name: row.name,
  label: row.label,
  kind: row.kind,
  points: row.points,
  direction: row.direction,
  side_a: row.side_a,
  side_b: row.side_b,
  aspect_ratio: row.aspect_ratio,
  is_active: row.is_active,
  dwell_s: row.dwell_s,
  organization_id: row.organization_uid,
  version: row.version,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})
