/** How cameras fare over time, from what an edge server reports to what a person reads. */
import type { SourceState } from '@sightline/contract/edge'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BusMessage } from '../bus.ts'
import { type Client, type TestApp, testApp } from '../testing/app.ts'
import { until } from '../testing/until.ts'
import { createReports } from './reports.ts'

let t: TestApp
let admin: Client
let heard: BusMessage[]
let reports: ReturnType<typeof createReports>
let device: Awaited<ReturnType<TestApp['make']['device']>>
let siteUid: string
let source: string

beforeAll(async () => {
  t = await testApp()
  admin = await t.signIn('admin')
  const site = await t.make.site()
  const nimble = await t.make.nimble()
  device = await t.make.device({}, site, nimble)
  source = (await t.make.sourceOf(device))?.uid as string
  siteUid = site.uid
  heard = []
  t.services.bus.subscribe((message) => heard.push(message))
  const target = {
    ...{ id: nimble.id, uid: nimble.uid, tenantId: nimble.tenant_id, address: nimble.address, port: nimble.port },
    ...{ connectionTimeoutSeconds: 60, waitBetweenRetrySeconds: 1, retryTimes: -1, isLocal: false, publicKey: null },
  }
  reports = createReports(target as Parameters<typeof createReports>[0], t.services, t.app.log)
})
afterAll(async () => {
  await reports.stop(true)
  await t.close()
})

const say = (state: SourceState['state'], given: Partial<SourceState> = {}) =>
  reports.hear({
    type: 'source.state',
    source_id: source,
    state,
    ...{ cause: null, codec: 'h264', width: 640, height: 480, fps: 5, reconnects: 0, drops: 0 },
    ...{ last_frame_at: null, failed_at: null, ...given },
  })
const history = async () =>
  (await admin.call('device.view', { device_id: device.uid })).body.response.health as {
    state: string
    cause: string | null
    end: string | null
  }[]
const states = async () => (await history()).map(({ state }) => state)
const told = () => heard.flatMap(({ message }) => (message.type === 'health' ? message : []))
/** People hear of it after it is stored. */
const isTold = (health: string) => until(() => told().at(-1)?.health === health, `people hear that it is ${health}`)
/** As if all that was noted had been so much earlier. */
const age = (seconds: number) =>
  t.services.db.owner(async (trx) => {
    for (const row of await trx.selectFrom('device_health').selectAll().execute())
      await trx
        .updateTable('device_health')
        .set({
          started_at: new Date(row.started_at.getTime() - seconds * 1000),
          ended_at: row.ended_at && new Date(row.ended_at.getTime() - seconds * 1000),
        })
        .where('id', '=', row.id)
        .execute()
  })
const signs = async () => {
  const { body } = await admin.call('site.health', { site_id: siteUid })
  return body.response.devices[0]
}

test('a camera is offline by two signs only, and when people were told of it is known until it is back', async () => {
  reports.set({ state: 'online', cause: null })
  say('streaming', { last_frame_at: Date.now() })
  await until(async () => (await states()).join() === 'healthy', 'the first stretch')
  await isTold('healthy')
  expect(told()).toMatchObject([{ device_id: device.uid, health: 'healthy', before: null }])

  // It broke off: one sign.
  const lastFrame = Date.now() - 30_000
  say('offline', { cause: 'cut', last_frame_at: lastFrame })
  await until(async () => (await states()).length === 2, 'the second stretch')
  expect((await history())[1]).toMatchObject({ state: 'needs attention', cause: 'cut', end: null })
  expect(await signs()).toMatchObject({
    device_health: 'needs attention',
    signs: [
      { sign: 'picture', is_bad: true },
      { sign: 'connection', is_bad: false, at: null },
    ],
  })

  // A fresh connection brought nothing either: two.
  const failed = Date.now()
  say('offline', { cause: 'unreachable', last_frame_at: lastFrame, failed_at: failed })
  await until(async () => (await states()).includes('offline'), 'it is offline')
  expect(await signs()).toMatchObject({
    device_health: 'offline',
    health_cause: 'unreachable',
    since: expect.any(String),
    signs: [
      { sign: 'picture', is_bad: true, at: new Date(lastFrame).toISOString() },
      { sign: 'connection', is_bad: true, at: new Date(failed).toISOString() },
    ],
  })
  const toldAt = new Date(Date.now() - 5000)
  await t.services.db.owner((trx) =>
    trx.updateTable('device_health').set({ told_at: toldAt }).where('ended_at', 'is', null).execute(),
  )
  await age(90)
  say('streaming', { last_frame_at: Date.now() })
  await until(async () => (await states()).at(-1) === 'healthy', 'it is back')
  await isTold('healthy')
  expect(told().at(-1)).toMatchObject({ health: 'healthy', before: 'offline', site_id: siteUid })
  const open = await t.services.db.owner((trx) =>
    trx.selectFrom('device_health').select('told_at').where('ended_at', 'is', null).executeTakeFirstOrThrow(),
  )
  expect(open.told_at).toEqual(toldAt)
  expect((await history()).slice(0, -1).every(({ end }) => end !== null)).toBe(true)
})

test('an edge server that lost its link changes nothing, one that does not answer either makes its cameras unknown', async () => {
  const before = await states()
  reports.set({ state: 'connecting', cause: 'connection_lost' })
  await until(
    async () => (await signs()).signs[0].sign === 'picture' && reports.status().state === 'connecting',
    'the loss is stored',
  )
  expect(await states()).toEqual(before)
  expect(await signs()).toMatchObject({ device_health: 'healthy' })

  reports.set({ state: 'unreachable', cause: 'no_answer' })
  await until(async () => (await states()).at(-1) === 'unknown', 'they are unknown')
  expect((await history()).at(-1)).toMatchObject({ state: 'unknown', cause: 'nimble_unreachable' })
  expect(await signs()).toMatchObject({
    device_health: 'unknown',
    health_cause: 'nimble_unreachable',
    signs: [
      { sign: 'link', is_bad: true },
      { sign: 'call', is_bad: true, at: expect.any(String) },
    ],
  })
  await age(60)
  reports.set({ state: 'online', cause: null })
  await until(async () => (await states()).at(-1) === 'healthy', 'they are back')
  await isTold('healthy')
  expect(told().at(-1)).toMatchObject({ health: 'healthy', before: 'unknown' })
})

test('what began before the last day begins with it, and what ended before is left out', async () => {
  await age(86_400)
  const [only, ...others] = await history()
  expect(others).toEqual([])
  expect(only).toMatchObject({ state: 'healthy', end: null })
})

test('each new site has a health rule, that admins change and cannot delete', async () => {
  const customer = await t.make.customer()
  const created = await admin.call('site.create', {
    site_name: 'Mill',
    customer_id: customer.uid,
    site_address: { site_timezone: 'America/Toronto' },
  })
  const { site_id } = created.body.response
  const rule = async () => (await admin.call('site.health', { site_id })).body.response.rule
  expect(await rule()).toEqual({ site_id, grace_minutes: 5, is_active: true, version: 1 })
  const changed = await admin.call('site.healthRule', { site_id, grace_minutes: 60, is_active: false, version: 1 })
  expect(changed.body.response).toEqual({ site_id, grace_minutes: 60, is_active: false, version: 2 })
  expect(await rule()).toEqual(changed.body.response)
  expect((await admin.call('site.healthRule', { site_id, grace_minutes: 5, version: 1 })).status).toBe(412)
  for (const grace_minutes of [0, 61])
    expect((await admin.call('site.healthRule', { site_id, grace_minutes })).body.errors).toEqual({
      grace_minutes: ['range_1_60'],
    })
  expect((await admin.call('site.delete', { site_id })).status).toBe(200)
})
