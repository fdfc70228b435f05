import type { deviceOps, Receive, Reply } from '@sightline/contract'
import { changed } from '../bus.ts'
import type { Trx } from '../db/database.ts'
import type { Ctx } from '../mount.ts'
import { raiseDesired, readNimble } from '../nimble/store.ts'
import { eachByItself, notFound, Refusal } from '../refusal.ts'
import { sourcesOfDevices, touchSources } from '../source/store.ts'
import { moveDevice } from './move.ts'
import { type DeviceRow, homeOf, isHome, lockDevice, passwordPlace, readDevice, updateDevice } from './store.ts'

type Wish = Receive<typeof deviceOps.copy>

/** Gives settings of one camera to others, each in a transaction of its own: what fails for one is done for the rest. */
export async function copyDevice({ device_id, to, settings, password }: Wish, ctx: Ctx) {
  const { app, scope, note } = ctx
  const from = await app.db.as(scope, async (trx) => {
    const device = await readDevice(trx, scope, device_id)
    return {
      device,
      addresses: await addressesOf(trx, ctx, device),
      typed: password === '****' ? null : password || null,
    }
  })
  const nimbles = new Set<string>()
  const devices = await eachByItself<string, Reply<typeof deviceOps.copy>['devices'][number]>(
    new Set(to),
    async (uid) => {
      const { before, after } = await app.db.as(scope, (trx) => give(trx, ctx, from, uid, settings))
      for (const row of [before, after]) nimbles.add(row.nimble_uid)
      app.bus.publish(changed(after, 'device', uid))
      return { device_id: uid, outcome: 'copied', error_code: null }
    },
    (uid, { code = 'invalid' }) => ({ device_id: uid, outcome: 'failed', error_code: code }),
  )
  for (const uid of nimbles) app.links.reconfigure(uid)
  note({ object_id: from.device.uid, object_name: from.device.name })
  return { devices }
}

/** @throws 404 for a camera of another organization, and what moving it is refused for */
async function give(trx: Trx, ctx: Ctx, from: From, uid: string, settings: Wish['settings']) {
  const { scope } = ctx
  const { device } = from
  const before = await lockDevice(trx, scope, uid)
  if (before.tenant_id !== device.tenant_id) throw notFound()
  const has = (setting: Wish['settings'][number]) => settings.includes(setting)
  await updateDevice(trx, before, {
    ...(has('credentials') && {
      username: device.username,
      password: resealed(from, before, await addressesOf(trx, ctx, before), ctx),
    }),
    ...(has('tags') && { tags: JSON.stringify(device.tags) }),
    ...(has('onvif_port') && { onvif_port: device.onvif_port }),
  })
  if (has('nimble')) await moveDevice(trx, before, await readNimble(trx, scope, device.nimble_uid))
  await touchSources(trx, before)
  const after = await readDevice(trx, scope, uid)
  await raiseDesired(trx, after)
  return { before, after }
}

/** The camera that gives, where it is, and its password if it was typed again. */
type From = { device: DeviceRow; addresses: readonly string[]; typed: string | null }

const addressesOf = async (trx: Trx, { scope }: Ctx, device: DeviceRow) =>
  homeOf(device, (await sourcesOfDevices(trx, scope, [device])).get(device.id) ?? [])

/**
 * The typed password, or the stored one where the other camera is at the same host. A password is sealed to its own
 * camera: it is opened here and sealed to the other.
 * @throws 400 where the stored one would go to another host
 */
function resealed(from: From, to: DeviceRow, addresses: readonly string[], { app: { secrets } }: Ctx): string | null {
  const { device, typed } = from
  if (typed !== null) return secrets.seal(typed, passwordPlace(to.uid))
  if (device.password === null) return null
  if (!isHome(addresses, from.addresses))
    throw new Refusal(400, 'Error in inputs', { code: 'password_again', errors: { password: ['password_again'] } })
  return secrets.seal(secrets.open(device.password, passwordPlace(device.uid)), passwordPlace(to.uid))
}
