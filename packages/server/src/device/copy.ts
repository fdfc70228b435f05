import type { deviceOps, Receive } from '@sightline/contract'
import { changed } from '../bus.ts'
import type { Trx } from '../db/database.ts'
import type { Ctx } from '../mount.ts'
import { raiseDesired, readNimble } from '../nimble/store.ts'
import { notFound, Refusal } from '../refusal.ts'
import { touchSources } from '../source/store.ts'
import { moveDevice } from './move.ts'
import { type DeviceRow, lockDevice, passwordPlace, readDevice, updateDevice } from './store.ts'

type Wish = Receive<typeof deviceOps.copy>

/** Gives settings of one camera to others, each in a transaction of its own: what fails for one is done for the rest. */
export async function copyDevice({ device_id, to, settings }: Wish, ctx: Ctx) {
  const { app, scope, note } = ctx
  const from = await app.db.as(scope, (trx) => readDevice(trx, scope, device_id))
  const nimbles = new Set<string>()
  const devices: { device_id: string; outcome: 'copied' | 'failed'; error_code: string | null }[] = []
  for (const uid of new Set(to)) {
    try {
      const { before, after } = await app.db.as(scope, (trx) => give(trx, ctx, from, uid, settings))
      for (const row of [before, after]) nimbles.add(row.nimble_uid)
      app.bus.publish(changed(after, 'device', uid))
      devices.push({ device_id: uid, outcome: 'copied', error_code: null })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      devices.push({ device_id: uid, outcome: 'failed', error_code: error.code ?? 'invalid' })
    }
  }
  for (const uid of nimbles) app.links.reconfigure(uid)
  note({ object_id: from.uid, object_name: from.name })
  return { devices }
}

/** @throws 404 for a camera of another organization, and what moving it is refused for */
async function give(trx: Trx, { app, scope }: Ctx, from: DeviceRow, uid: string, settings: Wish['settings']) {
  const before = await lockDevice(trx, scope, uid)
  if (before.tenant_id !== from.tenant_id) throw notFound()
  const has = (setting: Wish['settings'][number]) => settings.includes(setting)
  await updateDevice(trx, before, {
    ...(has('credentials') && { username: from.username, password: resealed(from, before, app) }),
    ...(has('tags') && { tags: JSON.stringify(from.tags) }),
    ...(has('onvif_port') && { onvif_port: from.onvif_port }),
  })
  if (has('nimble')) await moveDevice(trx, before, await readNimble(trx, scope, from.nimble_uid))
  await touchSources(trx, before)
  const after = await readDevice(trx, scope, uid)
  await raiseDesired(trx, after)
  return { before, after }
}

/** A password is sealed to its own camera: it is opened here and sealed to the other. */
const resealed = (from: DeviceRow, to: DeviceRow, { secrets }: Ctx['app']): string | null =>
  from.password === null
    ? null
    : secrets.seal(secrets.open(from.password, passwordPlace(from.uid)), passwordPlace(to.uid))
