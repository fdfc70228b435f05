import { dwellFault, missingShape, shapeFault } from '@sightline/domain'
import { changed } from '../bus.ts'
import { type ChannelRow, readChannel, touchChannels } from '../channel/store.ts'
import type { Trx } from '../db/database.ts'
import { lockDevices, readDevice } from '../device/store.ts'
import type { Ctx, Handlers } from '../mount.ts'
import { raiseDesired } from '../nimble/store.ts'
import { invalid, stale } from '../refusal.ts'
import type { Scope } from '../scope.ts'
import { readSource } from '../source/store.ts'
import { forgetStills, paintMasks } from '../still.ts'
import {
  deleteZones,
  insertZones,
  listZones,
  readZone,
  updateZone,
  type ZoneRow,
  zoneEntity,
  zonesOfChannels,
} from './store.ts'

export const zones: Handlers<'static'> = {
  async create({ source_id, channel_id, ...shape }, ctx) {
    const { app, scope } = ctx
    const { zone, taken } = await app.db.as(scope, async (trx) => {
      const source = await readSource(trx, scope, source_id)
      await lockDevices(trx, scope, [source.device_uid])
      const channel = channel_id === null ? null : await readChannel(trx, scope, channel_id)
      if (channel && channel.source_id !== source.id) throw invalid({ channel_id: ['not_found'] })
      refuseDwell(channel, shape)
      const owner = { tenant_id: source.tenant_id, source_id: source.id, channel_id: channel?.id ?? null }
      const [uid] = await insertZones(trx, owner, [shape])
      const zone = await readZone(trx, scope, uid as string)
      await raise(trx, zone)
      return { zone, taken: zone.kind === 'mask' ? await forgetStills(trx, app, zone) : [] }
    })
    tell(ctx, zone)
    await paintMasks(app, zone, taken)
    return zoneEntity(zone)
  },

  list({ source_id, device_id, channel_id }, { app, scope }) {
    return app.db.as(scope, async (trx) => {
      const of =
        source_id === undefined
          ? { device_id: (await readDevice(trx, scope, device_id as string)).id }
          : { source_id: (await readSource(trx, scope, source_id)).id }
      const channel = channel_id === undefined ? undefined : await readChannel(trx, scope, channel_id)
      return listZones(trx, scope, of, channel?.id)
    })
  },

  async update({ static_id, version, ...change }, ctx) {
    const { app, scope } = ctx
    const { zone, taken } = await app.db.as(scope, async (trx) => {
      const before = await lockZone(trx, scope, static_id)
      const fault = shapeFault(before.kind, change.points ?? before.points)
      if (fault) throw invalid({ points: [fault] })
      const channel = before.channel_uid === null ? null : await readChannel(trx, scope, before.channel_uid)
      refuseDwell(channel, { kind: before.kind, dwell_s: change.dwell_s ?? null })
      await updateZone(trx, before, change, version)
      await raise(trx, before)
      const hides = before.kind === 'mask' && (change.points || change.is_active)
      const taken = hides ? await forgetStills(trx, app, before) : []
      return { zone: await readZone(trx, scope, static_id), taken }
    })
    tell(ctx, zone)
    await paintMasks(app, zone, taken)
    return zoneEntity(zone)
  },

  async delete({ static_id }, ctx) {
    const { app, scope } = ctx
    const zone = await app.db.as(scope, async (trx) => {
      // First, because it locks the device: of several deletions at once, one finds that its zone is the last.
      const row = await lockZone(trx, scope, static_id)
      await raise(trx, row)
      await refuseLast(trx, scope, row)
      await deleteZones(trx, row.tenant_id, [row.id])
      return row
    })
    tell(ctx, zone)
    return { static_id }
  },
}

/** A zone that is about to change: until the transaction ends, nobody else changes what is drawn for its camera. @throws 404 */
async function lockZone(trx: Trx, scope: Scope, uid: string): Promise<ZoneRow> {
  const seen = await readZone(trx, scope, uid)
  await lockDevices(trx, scope, [seen.device_uid])
  const row = await readZone(trx, scope, uid)
  if (row.device_uid !== seen.device_uid) throw stale()
  return row
}

function refuseDwell(channel: ChannelRow | null, zone: Parameters<typeof dwellFault>[1]): void {
  const fault = dwellFault(channel?.usecase_key ?? null, zone)
  if (fault) throw invalid({ dwell_s: [fault] })
}

/** A channel keeps at least one zone or line, and one that counts crossings a line. */
async function refuseLast(trx: Trx, scope: Scope, zone: ZoneRow): Promise<void> {
  if (zone.channel_id === null || zone.channel_uid === null || zone.kind === 'mask') return
  const channel = await readChannel(trx, scope, zone.channel_uid)
  const all = (await zonesOfChannels(trx, scope, [zone.channel_id])).get(zone.channel_id) ?? []
  const missing = missingShape(
    channel.usecase_key,
    all.filter((other) => other.static_id !== zone.uid),
  )
  if (missing) throw invalid({ static_id: [missing] })
}

/** A zone is part of what its channel runs; one of the stream, of what each of its channels runs. */
async function raise(trx: Trx, zone: ZoneRow): Promise<void> {
  const { tenant_id, channel_id, source_id } = zone
  await touchChannels(trx, tenant_id, channel_id === null ? { sourceId: source_id } : { channelId: channel_id })
  await raiseDesired(trx, zone)
}

function tell({ app, note }: Ctx, zone: ZoneRow): void {
  app.links.reconfigure(zone.nimble_uid)
  app.bus.publish(changed(zone, 'static', zone.uid))
  app.bus.publish(changed(zone, 'channel', zone.channel_uid))
  note({ object_id: zone.uid, object_name: zone.name })
}
