import { addressPlace } from '@sightline/contract'
import { isLoopbackHost } from '@sightline/domain'
import { changed } from '../bus.ts'
import { channelRows, deleteChannel } from '../channel/store.ts'
import type { Trx } from '../db/database.ts'
import { deleteDevice, deviceRows, lockDevices } from '../device/store.ts'
import type { Handlers } from '../mount.ts'
import { raiseDesired } from '../nimble/store.ts'
import { dropWithChannel } from '../pipeline/store.ts'
import { within } from '../reach.ts'
import { notFound } from '../refusal.ts'
import type { Scope } from '../scope.ts'
import { sourcesOfDevices } from '../source/store.ts'

export const demo: Handlers<'demo'> = {
  start: ({ count }, { app }) => app.demo.start(count),
  list: (_, { app }) => app.demo.list(),

  async stop({ dry_run }, { app, scope }) {
    const { devices, channels } = await app.db.as(scope, async (trx) => {
      const added = await demoDevices(trx, scope)
      if (!dry_run) await remove(trx, added)
      return added
    })
    const running = (await app.demo.list()).length
    if (!dry_run) {
      // Edge servers hear of it first: they would report cameras that went silent.
      for (const uid of new Set(devices.map((row) => row.nimble_uid))) app.links.reconfigure(uid)
      for (const row of channels) app.bus.publish(changed(row, 'channel', row.uid))
      for (const row of devices) app.bus.publish(changed(row, 'device', row.uid))
      if (running > 0) await app.demo.stop()
    }
    return {
      devices: devices.map((row) => ({ device_id: row.uid, device_name: row.name })),
      channels: channels.map((row) => ({ channel_id: row.uid, channel_name: row.name })),
      running,
    }
  },

  async fault({ UUID, fault }, { app }) {
    const cameras = await app.demo.fault(UUID, fault)
    const camera = cameras.find((one) => one.UUID === UUID)
    if (!camera) throw notFound()
    return camera
  },
}

type Added = Awaited<ReturnType<typeof demoDevices>>

/** The simulated cameras that were added, with what runs on them; nobody else changes them until the transaction ends. */
async function demoDevices(trx: Trx, scope: Scope) {
  const rows = await trx
    .selectFrom('device')
    .select('uid')
    .where('is_demo', '=', true)
    .where(within(scope, 'device'))
    .execute()
  await lockDevices(
    trx,
    scope,
    rows.map(({ uid }) => uid),
  )
  const locked = await deviceRows(trx, scope, { uids: rows.map(({ uid }) => uid) })
  const streams = await sourcesOfDevices(trx, scope, locked)
  // One may have been swapped for a real camera meanwhile, or have a real one's stream beside.
  const devices = locked.filter(
    (row) => row.is_demo && streams.get(row.id)?.every(({ address }) => isSimulated(address)),
  )
  return { devices, channels: await channelRows(trx, scope, { deviceUids: devices.map(({ uid }) => uid) }) }
}

/** Nothing else at this machine may be a camera. */
const isSimulated = (address: string) => isLoopbackHost(addressPlace(address)?.host ?? '')

async function remove(trx: Trx, { devices, channels }: Added): Promise<void> {
  const nimbles = new Map(devices.map(({ tenant_id, nimble_id }) => [nimble_id, { tenant_id, nimble_id }]))
  for (const nimble of [...nimbles.values()].toSorted((a, b) => a.nimble_id - b.nimble_id))
    await raiseDesired(trx, nimble)
  for (const channel of channels) {
    await deleteChannel(trx, channel)
    await dropWithChannel(trx, channel)
  }
  for (const device of devices) await deleteDevice(trx, device)
}
