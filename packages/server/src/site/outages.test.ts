/** What people are told of cameras that go and come back, by the rule of their site. */
import type { HealthGrade } from '@sightline/domain'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Client, type TestApp, testApp } from '../testing/app.ts'
import { tellOutages } from './outages.ts'

let t: TestApp
let admin: Client
let device: Awaited<ReturnType<TestApp['make']['device']>>
let siteUid: string

beforeAll(async () => {
  t = await testApp()
  admin = await t.signIn('admin')
})
afterAll(() => t.close())
beforeEach(async () => {
  await t.services.db.owner((trx) => trx.deleteFrom('device_health').execute())
  const site = await t.make.site()
  siteUid = site.uid
  device = await t.make.device({}, site)
})

const minutes = 60
const hours = 60 * minutes
/** Time passes: all that is noted was so much earlier. */
const pass = (seconds: number) =>
  t.services.db.owner(async (trx) => {
    const earlier = (at: Date | null) => at && new Date(at.getTime() - seconds * 1000)
    for (const { id, started_at, ended_at, told_at } of await trx.selectFrom('device_health').selectAll().execute())
      await trx
        .updateTable('device_health')
        .set({ started_at: earlier(started_at) as Date, ended_at: earlier(ended_at), told_at: earlier(told_at) })
        .where('id', '=', id)
        .execute()
  })
/** As the reports of edge servers note it (`nimble/health.ts`). */
const becomes = (state: HealthGrade, cause: string | null = null) =>
  t.services.db.owner(async (trx) => {
    const open = await trx
      .updateTable('device_health')
      .set({ ended_at: new Date() })
      .where('ended_at', 'is', null)
      .where('device_id', '=', device.id)
      .returning('told_at')
      .executeTakeFirst()
    await trx
      .insertInto('device_health')
      .values({
        tenant_id: device.tenant_id,
        device_id: device.id,
        ...{ state, cause, ended_at: null, told_at: open?.told_at ?? null },
      })
      .execute()
  })
const told = async () =>
  (await tellOutages(t.services.db)).map(({ message }) =>
    message.type === 'outage' ? [message.step, Math.round(message.seconds / 60)] : message,
  )
const rule = async (change: { grace_minutes?: number; is_active?: boolean }) => {
  const { body } = await admin.call('site.health', { site_id: siteUid })
  const { status } = await admin.call('site.healthRule', {
    site_id: siteUid,
    version: body.response.rule.version,
    ...change,
  })
  expect(status).toBe(200)
}

test('a camera that was offline for a minute is not spoken of; after five it is told of once, and once that it is back', async () => {
  await becomes('healthy')
  await pass(10 * minutes)
  await becomes('offline', 'timeout')
  await pass(1 * minutes)
  expect(await told()).toEqual([])
  await becomes('healthy')
  await pass(2 * minutes)
  expect(await told()).toEqual([])

  await becomes('offline', 'timeout')
  await pass(3 * minutes)
  // Another cause is the same outage.
  await becomes('offline', 'unreachable')
  await pass(2 * minutes + 1)
  const [message] = await tellOutages(t.services.db)
  expect(message).toMatchObject({
    tenantId: device.tenant_id,
    message: { type: 'outage', step: 'offline', device_id: device.uid, site_id: siteUid, cause: 'unreachable' },
  })
  expect(await told()).toEqual([])
  await pass(5 * minutes)
  await becomes('needs attention', 'cut')
  await becomes('healthy')
  await pass(30)
  expect(await told()).toEqual([])
  await pass(31)
  expect(await told()).toEqual([['back', 10]])
  expect(await told()).toEqual([])
})

test('of an outage that lasts people are told after an hour again, and then each day', async () => {
  await becomes('offline', 'timeout')
  await pass(6 * minutes)
  expect(await told()).toEqual([['offline', 6]])
  await pass(59 * minutes)
  expect(await told()).toEqual([])
  await pass(1 * minutes)
  expect(await told()).toEqual([['lasting', 66]])
  await pass(23 * hours)
  expect(await told()).toEqual([])
  await pass(1 * hours)
  expect(await told()).toEqual([['lasting', 25 * 60 + 6]])
})

test('each site has its own patience, and one that wants to hear nothing hears nothing, not even the end', async () => {
  await rule({ grace_minutes: 20 })
  await becomes('offline', 'timeout')
  await pass(19 * minutes)
  expect(await told()).toEqual([])
  await pass(1 * minutes)
  expect(await told()).toEqual([['offline', 20]])
  await rule({ is_active: false })
  await pass(2 * hours)
  expect(await told()).toEqual([])
  await becomes('healthy')
  await pass(2 * minutes)
  expect(await told()).toEqual([])
  await rule({ is_active: true })
  expect(await told()).toEqual([])
})

test('two portals tell it once', async () => {
  await becomes('offline', 'timeout')
  await pass(6 * minutes)
  const both = await Promise.all([tellOutages(t.services.db), tellOutages(t.services.db)])
  expect(both.flat()).toHaveLength(1)
})

test('a camera behind an edge server that is away is unknown, and not told of', async () => {
  await becomes('healthy')
  await becomes('unknown', 'nimble_unreachable')
  await pass(1 * hours)
  expect(await told()).toEqual([])
  await becomes('healthy')
  await pass(2 * minutes)
  expect(await told()).toEqual([])
})
