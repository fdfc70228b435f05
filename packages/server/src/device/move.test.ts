/** Many cameras to another edge server: asked of all together first, then each by itself. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, type TestApp, testApp } from '../testing/app.ts'
import { newUid } from '../uid.ts'

let t: TestApp
let admin: Client
beforeAll(async () => {
  t = await testApp()
  admin = await t.signIn('admin')
})
afterAll(() => t.close())

type Outcome = { device_id: string; outcome: string; error_code: string | null; restarts: { channel_id: string }[] }
const move = async (
  devices: readonly { uid: string }[],
  nimble: { uid: string },
  dry_run: boolean,
): Promise<Outcome[]> => {
  const wish = { device_id: devices.map(({ uid }) => uid), nimble_id: nimble.uid, dry_run }
  return (await admin.call('device.move', wish)).body.response.devices
}
const nimbleOf = async ({ uid }: { uid: string }) =>
  (await admin.call('device.get', { device_id: uid })).body.response.nimble_id

/** An edge server with cameras of 2, 2 and 1 channels, and another whose licence takes three. */
async function scene() {
  const [site, from, to] = [await t.make.site(), await t.make.nimble(), await t.make.nimble()]
  const license = { tenant_id: to.tenant_id, uid: newUid(), name: `For three ${to.uid}`, channel_limit: 3 }
  await t.services.db.owner(async (trx) => {
    const { id } = await trx.insertInto('license').values(license).returning('id').executeTakeFirstOrThrow()
    await trx.updateTable('nimble').set({ license_id: id }).where('id', '=', to.id).execute()
  })
  const camera = () => t.make.device({}, site, from)
  const devices = [await camera(), await camera(), await camera()] as const
  for (const [index, device] of devices.entries()) {
    await t.make.channel({}, device)
    if (index < 2) await t.make.channel({ usecase_key: 'intrdtec' }, device)
  }
  return { from, to, devices }
}
const told = (list: Outcome[]) =>
  list.map(({ outcome, error_code, restarts }) => [outcome, error_code, restarts.length])

test('a drain counts the licence for all cameras together: which do not fit is said before anything moves', async () => {
  const { from, to, devices } = await scene()
  expect(told(await move(devices, to, true))).toEqual([
    ['ready', null, 2],
    ['failed', 'license_limit', 0],
    ['ready', null, 1],
  ])
  for (const device of devices) expect(await nimbleOf(device)).toBe(from.uid)
  // And so it comes.
  expect(told(await move(devices, to, false))).toEqual([
    ['moved', null, 2],
    ['failed', 'license_limit', 0],
    ['moved', null, 1],
  ])
  expect(await Promise.all(devices.map(nimbleOf))).toEqual([to.uid, from.uid, to.uid])
})

test('what is there already starts nothing anew, and what cannot be reached is not there', async () => {
  const { to, devices } = await scene()
  const [, , small] = devices
  await move([small], to, false)
  const foreign = await t.make.device({}, await t.make.site({}, await t.make.customer({}, await t.make.organization())))
  for (const dry of [true, false])
    expect(told(await move([small, foreign], to, dry))).toEqual([
      [dry ? 'ready' : 'moved', null, 0],
      ['failed', 'not_found', 0],
    ])
})
