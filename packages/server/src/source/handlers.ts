import { mostStreams } from '@sightline/domain'
import { changed } from '../bus.ts'
import { addressFault, streamSchemes } from '../camera-address.ts'
import type { Trx } from '../db/database.ts'
import {
  type DeviceRow,
  followDefaultSource,
  homeOf,
  lockDevice,
  openerOf,
  passwordToStore,
  updateDevice,
} from '../device/store.ts'
import type { Ctx, Handlers } from '../mount.ts'
import { raiseDesired } from '../nimble/store.ts'
import { invalid, Refusal } from '../refusal.ts'
import type { Services } from '../services.ts'
import { changeOf } from '../trace.ts'
import {
  channelsOfSources,
  clearDefault,
  deleteSource,
  insertSources,
  listSources,
  nextStreamNumber,
  readSource,
  type SourceRow,
  type StreamRow,
  sourceEntity,
  sourcesOfDevices,
  touchSources,
  updateSource,
} from './store.ts'

export const source: Handlers<'source'> = {
  async create({ device_id, nimble_id, password, ...draft }, ctx) {
    const { app, scope } = ctx
    const row = await app.db.as(scope, async (trx) => {
      const device = await lockDevice(trx, scope, device_id)
      checkAddress(app, draft.source_address, device)
      if (nimble_id !== undefined && nimble_id !== device.nimble_uid) throw invalid({ nimble_id: ['not_found'] })
      const others = (await sourcesOfDevices(trx, scope, [device])).get(device.id) ?? []
      if (others.length >= mostStreams) throw invalid({ device_id: [`at_most:${mostStreams}`] })
      checkRole(draft.role, others)
      await storePassword(trx, app, device, others, password, draft.source_address)
      const isDefault = draft.is_default || others.length === 0
      if (isDefault) await clearDefault(trx, device)
      const number = nextStreamNumber(device, others)
      const [uid] = await insertSources(trx, device, [{ ...draft, is_default: isDefault }], number)
      if (isDefault) await followDefaultSource(trx, app, device)
      await raiseDesired(trx, device)
      return readSource(trx, scope, uid as string)
    })
    tell(ctx, row)
    return sourceEntity(row)
  },

  async update({ source_id, source_name, source_address, password, version, ...change }, ctx) {
    const { app, scope } = ctx
    const { before, row } = await app.db.as(scope, async (trx) => {
      // Two who choose a default at once: the second waits, and takes the mark from where the first put it.
      const device = await lockDevice(trx, scope, (await readSource(trx, scope, source_id)).device_uid)
      if (source_address !== undefined) checkAddress(app, source_address, device)
      const before = await readSource(trx, scope, source_id)
      const streams = (await sourcesOfDevices(trx, scope, [{ tenant_id: before.tenant_id, id: before.device_id }])).get(
        before.device_id,
      )
      checkRole(
        change.role,
        (streams ?? []).filter((one) => one.id !== before.id),
      )
      await storePassword(trx, app, device, streams ?? [], password, source_address ?? before.address)
      if (change.is_default === false && before.is_default) throw invalid({ is_default: ['default_required'] })
      if (change.is_default) await clearDefault(trx, { tenant_id: before.tenant_id, id: before.device_id })
      await updateSource(trx, before, { ...change, name: source_name, address: source_address }, version)
      await followDefaultSource(trx, app, device)
      await raiseDesired(trx, before)
      return { before, row: await readSource(trx, scope, source_id) }
    })
    tell(ctx, row)
    ctx.note(changeOf(sourceEntity(before), sourceEntity(row)))
    return sourceEntity(row)
  },

  async delete({ source_id }, ctx) {
    const { app, scope } = ctx
    const row = await app.db.as(scope, async (trx) => {
      await lockDevice(trx, scope, (await readSource(trx, scope, source_id)).device_uid)
      const before = await readSource(trx, scope, source_id)
      const used =
        (await channelsOfSources(trx, { usecaseIds: null, channelUids: null }, [before])).get(before.id) ?? []
      if (used.length > 0)
        throw new Refusal(409, 'Analytics run on this stream.', { code: 'source_in_use', args: { count: used.length } })
      if (before.is_default) throw new Refusal(409, 'The default stream of a camera stays.', { code: 'default_source' })
      await deleteSource(trx, before)
      await raiseDesired(trx, before)
      return before
    })
    tell(ctx, row)
    return { source_id }
  },

  mapping({ site_id, nimble_id, is_default }, { app, scope }) {
    return app.db.as(scope, async (trx) => {
      const rows = await listSources(trx, scope, { siteUid: site_id, nimbleUid: nimble_id, isDefault: is_default })
      const channels = await channelsOfSources(trx, scope, rows)
      return rows.map((row) => ({
        site_id: row.site_uid,
        device_id: row.device_uid,
        device_name: row.device_name,
        source_id: row.uid,
        source_name: row.name,
        stream_id: row.stream_id,
        nimble_id: row.nimble_uid,
        is_default: row.is_default,
        channel_ids: channels.get(row.id) ?? [],
      }))
    })
  },
}

/** Of a camera's streams one alone is for looking at, and one alone for analytics. @throws 400 */
function checkRole(role: SourceRow['role'] | undefined, others: readonly Pick<SourceRow, 'role'>[]): void {
  if (role !== undefined && role !== 'both' && others.some((other) => other.role === role))
    throw invalid({ role: ['role_taken'] })
}

/** A camera has one password for all its streams. @throws 400 where the stored one would go to another host */
async function storePassword(
  trx: Trx,
  app: Services,
  device: DeviceRow,
  streams: readonly StreamRow[],
  typed: string | null | undefined,
  address: string,
): Promise<void> {
  const password = passwordToStore(app, device, typed, homeOf(device, streams), [address])
  if (password === undefined) return
  await updateDevice(trx, device, { password })
  // Its other streams are opened with it too.
  await touchSources(trx, device)
}

function checkAddress(app: Services, address: string, device: DeviceRow): void {
  const fault = addressFault(address, streamSchemes, app.demo.isDemo, openerOf(device))
  if (fault) throw invalid({ source_address: [fault] })
}

function tell({ app, note }: Ctx, row: SourceRow): void {
  app.links.reconfigure(row.nimble_uid)
  app.bus.publish(changed(row, 'source', row.uid))
  app.bus.publish(changed(row, 'device', row.device_uid))
  note({ object_id: row.uid, object_name: row.name })
}
