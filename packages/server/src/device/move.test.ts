/** Many cameras to another edge server: asked of all together first, then each by itself; and one to another site. */
import type { LiveMessage, StreamMessage } from '@sightline/contract'
import type { EventRecord } from '@sightline/contract/edge'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { usecaseUid } from '../db/seed.ts'
import { type Client, type TestApp, testApp } from '../testing/app.ts'
import { eventRecord } from '../testing/events.ts'
import { openSocket, openStream } from '../testing/socket.ts'
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

describe('to another site', () => {
  type Place = Awaited<ReturnType<TestApp['make']['site']>>
  const moveTo = (device: { uid: string }, site: { uid: string }, more: object = {}, caller = admin) =>
    caller.call('device.update', { device_id: device.uid, site_id: site.uid, ...more })
  const record = (channel: { tenant_id: number; nimble_id: number; uid: string }, given: Partial<EventRecord> = {}) =>
    t.services.events.write({
      tenantId: channel.tenant_id,
      nimbleId: channel.nimble_id,
      records: [eventRecord({ channel_id: channel.uid, observed_at: Date.now(), metrics: { total: 1 }, ...given })],
      receivedAt: new Date(),
    })
  const onlooker = async (site: Place) => {
    const person = await t.make.user('viewer')
    await t.make.assign(person, { site })
    return t.signIn(person)
  }
  /** A camera with an analytic and an event with a picture, at the first of two sites, each with somebody who reaches it. */
  async function standing() {
    const [from, to] = [await t.make.site(), await t.make.site()]
    const device = await t.make.device({}, from)
    const channel = await t.make.channel({}, device)
    const snapshot_id = newUid()
    const { observed_at, event_uuid: event } = eventRecord({ channel_id: channel.uid, observed_at: Date.now() })
    await record(channel, { observed_at, event_uuid: event, snapshot_id })
    return { from, to, device, channel, event, snapshot_id, former: await onlooker(from), later: await onlooker(to) }
  }

  test('a camera takes its analytics, events and pictures along: seen there from the next call on, and no longer where it was', async () => {
    const { from, to, device, channel, event, snapshot_id, former, later } = await standing()
    const pictured = async () =>
      (
        await t.services.db.owner((trx) =>
          trx.selectFrom('media').select('site_id').where('uid', '=', snapshot_id).executeTakeFirstOrThrow(),
        )
      ).site_id
    const seen = async (who: Client, site: Place) => ({
      event: (await who.call('event.id', { event_uuid: event })).status,
      device: (await who.call('device.get', { device_id: device.uid })).status,
      channel: (await who.call('channel.id', { channel_id: channel.uid })).status,
      listed: (await who.call('event.range', { type: 1, site_id: site.uid })).body.response.length,
    })
    const [all, nothing] = [
      { event: 200, device: 200, channel: 200, listed: 1 },
      { event: 404, device: 404, channel: 404, listed: 0 },
    ]
    expect([await seen(former, from), await seen(later, to), await pictured()]).toEqual([all, nothing, from.id])
    const { status, body } = await moveTo(device, to)
    expect([status, body.response.site_id, body.response.nimble_id]).toEqual([
      200,
      to.uid,
      (await admin.call('channel.id', { channel_id: channel.uid })).body.response.nimble_id,
    ])
    expect([await seen(former, from), await seen(later, to), await pictured()]).toEqual([nothing, all, to.id])
  })

  test('what it counts from then on is told to those who reach the new site alone, and its pictures are theirs', async () => {
    const { to, device, channel, former, later } = await standing()
    const [was, is] = [await openStream(t, former), await openStream(t, later)]
    await moveTo(device, to)
    const snapshot_id = newUid()
    await record(channel, { snapshot_id })
    const isEvent = (message: StreamMessage) => message.type === 'event' && message.site_id === to.uid
    await is.message(isEvent)
    t.services.bus.publish({
      tenantId: to.tenant_id,
      siteId: null,
      message: { type: 'changed', feature: 'role', id: null },
    })
    await was.message((message) => message.type === 'changed' && message.feature === 'role')
    expect(was.messages.filter(({ type }) => type === 'event')).toEqual([])
    // That it went is told to both.
    expect(was.messages).toContainEqual({ type: 'changed', feature: 'device', id: device.uid })
    const row = await t.services.db.owner((trx) =>
      trx.selectFrom('media').select('site_id').where('uid', '=', snapshot_id).executeTakeFirstOrThrow(),
    )
    expect(row.site_id).toBe(to.id)
    await Promise.all([was.close(), is.close()])
  })

  test('who looks at its live picture goes on where they reach the new site, and is cut off at once where they do not', async () => {
    const { from, device, channel, former } = await standing()
    const owner = await t.make.customer()
    const to = await t.make.site({}, owner)
    const [both, byCustomer] = [await t.make.user('viewer'), await t.make.user('viewer')]
    for (const site of [from, to]) await t.make.assign(both, { site })
    await t.make.assign(byCustomer, { customer: owner })
    const paths = [`/live?device_id=${device.uid}&mode=fmp4`, `/live?channel_id=${channel.uid}&mode=mjpeg`]
    const open = async (who: Client) => {
      const sockets = await Promise.all(paths.map((path) => openSocket<LiveMessage>(t, who, path)))
      await Promise.all(sockets.map((socket) => socket.message(({ type }) => type === 'waiting')))
      return { sockets, ends: Promise.all(sockets.map(({ closed }) => closed)) }
    }
    const outOfReach = paths.map(() => ({ code: 4404, reason: 'out of reach' }))
    const [lost, kept] = [await open(former), await open(await t.signIn(both))]
    await moveTo(device, to)
    expect(await lost.ends).toEqual(outOfReach)
    // Whoever reaches the site by its customer, when it gets another one.
    const lostToo = await open(await t.signIn(byCustomer))
    const { uid: customer_id } = await t.make.customer()
    expect((await admin.call('customer.siteAssign', { customer_id, site_id: [to.uid] })).status).toBe(200)
    expect(await lostToo.ends).toEqual(outOfReach)
    for (const { close } of kept.sockets) await close()
    // By the browser itself, and by nobody before.
    expect((await kept.ends).map(({ code }) => code)).toEqual([1005, 1005])
  })

  test('the edge server is told, and the licence holds as much as before', async () => {
    const { to, device, channel } = await standing()
    const nimble = () =>
      t.services.db.owner((trx) =>
        trx
          .selectFrom('nimble')
          .select(['desired_version', 'license_id', 'id'])
          .where('id', '=', channel.nimble_id)
          .executeTakeFirstOrThrow(),
      )
    const before = await nimble()
    expect((await moveTo(device, to)).status).toBe(200)
    const after = await nimble()
    expect(after.desired_version).toBeGreaterThan(before.desired_version)
    expect(after).toMatchObject({ license_id: before.license_id, id: before.id })
  })

  test('names are a site’s: one that is taken there is refused by name and nothing moves; a free one goes along in the same call', async () => {
    const { from, to, device } = await standing()
    await t.make.device({ name: device.name.toUpperCase() }, to)
    await t.make.device({ name: 'Only here' }, from)
    const { status, body } = await moveTo(device, to)
    expect([status, body.errors]).toEqual([400, { device_name: ['name_taken'] }])
    expect((await admin.call('device.get', { device_id: device.uid })).body.response.site_id).toBe(from.uid)
    // Taken where it stands is no matter.
    const renamed = await moveTo(device, to, { device_name: 'Only here' })
    expect([renamed.status, renamed.body.response.site_id]).toEqual([200, to.uid])
  })

  test.each(['super_admin', 'admin'] as const)('of another organization there is none: a %s gets 404', async (role) => {
    const caller = await t.signIn(role)
    const { from, to, device } = await standing()
    const abroad = await t.make.site({}, await t.make.customer({}, await t.make.organization()))
    expect((await moveTo(device, abroad, {}, caller)).status).toBe(404)
    expect((await moveTo(await t.make.device({}, abroad), to, {}, await t.signIn('admin'))).status).toBe(404)
    expect((await admin.call('device.get', { device_id: device.uid })).body.response.site_id).toBe(from.uid)
  })

  test('an analytic that the customer of the site may not attach comes with no camera either', async () => {
    const { from, to, device } = await standing()
    const { customer_id } = (await admin.call('site.get', { site_id: to.uid })).body.response
    await admin.call('usecase.assign', { customer_id, usecase_id: [usecaseUid('intrdtec')] })
    const { status, body } = await moveTo(device, to)
    expect([status, body.error_code, body.args]).toEqual([409, 'usecase_not_assigned', { usecases: 'pplcnt' }])
    expect((await admin.call('device.get', { device_id: device.uid })).body.response.site_id).toBe(from.uid)
  })

  test('what runs goes on at another site of the same customer, whatever that may attach by now', async () => {
    const customer = await t.make.customer()
    const [from, to] = [await t.make.site({}, customer), await t.make.site({}, customer)]
    const device = await t.make.device({}, from)
    await t.make.channel({ usecase_key: 'pplcnt' }, device)
    await admin.call('usecase.assign', { customer_id: customer.uid, usecase_id: [usecaseUid('intrdtec')] })
    expect((await moveTo(device, to)).status).toBe(200)
  })

  test('and another edge server in the same call, many at once in opposite directions: each goes', async () => {
    const nimbles = [await t.make.nimble(), await t.make.nimble()] as const
    const [from, to] = [await t.make.site(), await t.make.site()]
    const cameras = []
    for (let i = 0; i < 8; i++) {
      const device = await t.make.device({}, from, nimbles[i % 2])
      await t.make.channel({}, device)
      cameras.push(device)
    }
    const there = (i: number) => (nimbles[(i + 1) % 2] as (typeof nimbles)[0]).uid
    const moved = await Promise.all(cameras.map((one, i) => moveTo(one, to, { nimble_id: there(i) })))
    expect(moved.map(({ status }) => status)).toEqual(cameras.map(() => 200))
    expect(moved.map(({ body }) => [body.response.site_id, body.response.nimble_id])).toEqual(
      cameras.map((_, i) => [to.uid, there(i)]),
    )
  })

  test('by somebody with an older version of the camera nothing moves', async () => {
    const { from, to, device, channel } = await standing()
    expect((await moveTo(device, to, { version: 99 })).status).toBe(412)
    expect((await admin.call('channel.bySite', { site_id: from.uid })).body.response).toMatchObject([
      { channel_id: channel.uid },
    ])
  })

  test('who was recognised is named by the site that knows them, and not where the camera went', async () => {
    const [from, to] = [await t.make.site({ faces_allowed: true }), await t.make.site({ faces_allowed: true })]
    const device = await t.make.device({}, from)
    const channel = await t.make.channel({ usecase_key: 'fcrecog' }, device)
    const identity = newUid()
    await t.services.db.owner((trx) =>
      trx
        .insertInto('face')
        .values({ tenant_id: from.tenant_id, uid: identity, site_id: from.id, name: 'Ada' })
        .execute(),
    )
    await record(channel, { kind: 'open', details: { instant: true, identity, likeness: 0.9, track_id: 1 } })
    const named = async (site: Place) =>
      (await admin.call('event.range', { type: 1, site_id: site.uid, view: 'occasions' })).body.response.map(
        (one: { occasion: { person: string | null } }) => one.occasion.person,
      )
    expect(await named(from)).toEqual(['Ada'])
    await moveTo(device, to)
    expect(await named(to)).toEqual([null])
  })

  test('times of day that were the site’s follow the clock of the new one; those somebody chose stay', async () => {
    const [from, to] = [
      await t.make.site(),
      await t.make.site({ address: JSON.stringify({ site_timezone: 'Europe/Paris' }) }),
    ]
    const device = await t.make.device({}, from)
    const zoneOf = async (zone: string) => {
      const channel = await t.make.channel({ usecase_key: 'pplocc' }, device)
      const set = (elements: object) =>
        t.services.db.owner((trx) =>
          trx
            .updateTable('pipeline')
            .set({ elements: JSON.stringify(elements) })
            .where('id', '=', channel.pipeline_id)
            .execute(),
        )
      await set({ 'analytic.timezone': zone })
      return async () =>
        (
          await t.services.db.owner((trx) =>
            trx
              .selectFrom('pipeline')
              .select('elements')
              .where('id', '=', channel.pipeline_id)
              .executeTakeFirstOrThrow(),
          )
        ).elements['analytic.timezone']
    }
    const [local, chosen] = [await zoneOf('America/Toronto'), await zoneOf('Asia/Tokyo')]
    expect((await moveTo(device, to)).status).toBe(200)
    expect([await local(), await chosen()]).toEqual(['Europe/Paris', 'Asia/Tokyo'])
  })
})
