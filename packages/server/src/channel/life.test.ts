/** What is done with a channel after it was made, and what it starts from. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, type TestApp, testApp } from '../testing/app.ts'
import { states } from '../testing/states.ts'
import { until } from '../testing/until.ts'

let t: TestApp
let admin: Client
let root: Client
beforeAll(async () => {
  t = await testApp()
  root = await t.signIn('super_admin')
  admin = await t.signIn('admin')
  const { id } = await t.make.license(await t.make.home())
  await t.services.db.owner((trx) =>
    trx.updateTable('license').set({ channel_limit: 1000 }).where('id', '=', id).execute(),
  )
})
afterAll(() => t.close())

const whole = {
  points: [
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 1],
  ],
  aspect_ratio: 16 / 9,
}
const elementsOf = async (pipeline_id: string) =>
  (await admin.call('pipeline.get', { pipeline_id })).body.response.pipeline_elements

describe('what a use case starts with', () => {
  const set = (defaults: object | null) => root.call('bundle.defaultsSet', { bundle_usecase: 'pplcnt', defaults })
  const attach = async (more: object = {}) => {
    const device = await t.make.device()
    const { status, body } = await admin.call('channel.create', {
      channel_name: 'Entrance',
      device_id: device.uid,
      usecase_key: 'pplcnt',
      zones: [whole],
      ...more,
    })
    expect(status, JSON.stringify(body)).toBe(201)
    return body.response
  }

  test('an organization’s own are taken by new channels alone, under what is given with them; null brings the factory’s back', async () => {
    const before = await attach()
    const { body } = await set({ pipeline_elements: { 'decode.fps': 3 }, window_s: 10, auto_recovery: false })
    expect(body.response).toMatchObject({
      is_own: true,
      factory: { pipeline_elements: { 'decode.fps': 5 }, auto_recovery: true },
      defaults: { pipeline_elements: { 'decode.fps': 3, 'tracker.min_hits': 2 }, window_s: 10, auto_recovery: false },
    })
    const plain = await attach()
    expect(plain.auto_recovery).toBe(false)
    expect(await elementsOf(plain.pipeline_id)).toMatchObject({ 'decode.fps': 3, 'analytic.window_s': 10 })
    const given = await attach({ auto_recovery: true, pipeline: { pipeline_elements: { 'decode.fps': 8 } } })
    expect(given.auto_recovery).toBe(true)
    expect(await elementsOf(given.pipeline_id)).toMatchObject({ 'decode.fps': 8, 'analytic.window_s': 10 })
    expect(await elementsOf(before.pipeline_id)).toMatchObject({ 'decode.fps': 5 })
    expect((await set(null)).body.response).toMatchObject({ is_own: false, defaults: { window_s: 5 } })
    expect((await attach()).auto_recovery).toBe(true)
  })

  test('an element that is unknown or out of range is named, and nothing is kept', async () => {
    const { status, body } = await set({ pipeline_elements: { 'decode.fps': 99, 'decode.speed': 1 } })
    expect(status).toBe(400)
    expect(body.errors).toEqual({
      'defaults.pipeline_elements.decode.fps': ['range:0.5:25'],
      'defaults.pipeline_elements.decode.speed': ['unknown_property'],
    })
    expect((await admin.call('bundle.defaultsGet', { bundle_usecase: 'pplcnt' })).body.response.is_own).toBe(false)
  })

  test('administrators read them, super admins set them, each for one organization', async () => {
    expect((await admin.call('bundle.defaultsSet', { bundle_usecase: 'pplcnt', defaults: null })).status).toBe(403)
    const other = await t.make.organization()
    const wish = { bundle_usecase: 'ppltrk', organization_id: other.uid }
    const given = await root.call('bundle.defaultsSet', {
      ...wish,
      defaults: { pipeline_elements: { 'decode.fps': 2 } },
    })
    expect(given.body.response.defaults.pipeline_elements['decode.fps']).toBe(2)
    const mine = await admin.call('bundle.defaultsGet', { bundle_usecase: 'ppltrk' })
    expect(mine.body.response.defaults.pipeline_elements['decode.fps']).toBe(5)
    expect((await admin.call('bundle.defaultsGet', wish)).status).toBe(404)
  })
})

describe('starting anew and looking for faults', () => {
  test('an edge server that is away is said at once, in the specification’s words', async () => {
    const channel = await t.make.channel()
    const user = await t.signIn('user')
    await t.make.assign(user.user as never, { site: { id: channel.site_id, tenant_id: channel.tenant_id } as never })
    const { status, body } = await user.call('channel.revive', { channel_id: channel.uid })
    expect(status).toBe(503)
    expect(body.message).toContain('nimble ingestion service restarting')
    expect((await (await t.signIn('viewer')).call('channel.revive', { channel_id: channel.uid })).status).toBe(403)
  })

  test('troubleshooting ends with every step judged, also while the edge server is away', async () => {
    const channel = await t.make.channel()
    const { body } = await admin.call('channel.troubleshoot', { channel_id: channel.uid })
    const read = async () => (await admin.call('job.get', { job_id: body.response.job_id })).body.response
    await until(async () => (await read()).state === 'completed', 'the job ends')
    const job = await read()
    expect(job.result.checks.map((check: { step: string; level: string }) => `${check.step} ${check.level}`)).toEqual([
      'source error',
      'decode unknown',
      'inference unknown',
      'event unknown',
      'rule off',
      'storage warning',
      'notify off',
    ])
    expect(job.result.snapshot_url).toBeNull()
  })

  test('the state of a channel says each step with its figures', async () => {
    const channel = await t.make.channel()
    const { nimble, source } = await t.services.db.owner(async (trx) => ({
      nimble: await trx.selectFrom('nimble').selectAll().where('id', '=', channel.nimble_id).executeTakeFirstOrThrow(),
      source: await trx.selectFrom('source').selectAll().where('id', '=', channel.source_id).executeTakeFirstOrThrow(),
    }))
    const report = states(t.services.db)
    await report.nimble(nimble, 'online', { journal_events: 0 })
    await report.source(source, 'streaming')
    await report.channel(channel, 'running', { fps: 4.9, expected_fps: 5 })
    await t.make.event(channel, { observed_at: Date.now(), kind: 'window', observed_ms: 5000 })
    const { checks, journal_events } = (await admin.call('channel.status', { channel_id: channel.uid })).body.response
    expect(journal_events).toBe(0)
    expect(checks.map(({ level }: { level: string }) => level)).toEqual([
      ...['good', 'good', 'good', 'good', 'off', 'good', 'off'],
    ])
    expect(checks[1]).toMatchObject({ step: 'decode', args: { fps: 4.9, expected_fps: 5 } })
  })
})

describe('channels that go to a person', () => {
  test('narrow what they see, by every door, until the last is taken away', async () => {
    const device = await t.make.device()
    const [one, two] = [await t.make.channel({}, device), await t.make.channel({ usecase_key: 'ppltrk' }, device)]
    const person = await t.signIn('user')
    const site = { id: device.site_id, tenant_id: device.tenant_id } as never
    await t.make.assign(person.user as never, { site })
    const seen = async () =>
      (await person.call('channel.list', { device_id: device.uid })).body.response
        .map((row: { channel_id: string }) => row.channel_id)
        .toSorted()
    const given = { user_id: person.user?.uid, channel_id: [one.uid] }
    expect(await seen()).toEqual([one.uid, two.uid].toSorted())
    expect((await admin.call('channel.assign', given)).body.response).toEqual({ assigned: 1, skipped: 0 })
    expect((await admin.call('channel.assign', given)).body.response).toEqual({ assigned: 0, skipped: 1 })
    expect(await seen()).toEqual([one.uid])
    const event = await t.make.event(two)
    expect((await person.call('event.id', { event_uuid: event.event_uuid })).status).toBe(404)
    expect((await person.call('channel.id', { channel_id: two.uid })).status).toBe(404)
    const camera = (await person.call('device.get', { device_id: device.uid })).body.response
    expect(camera.source_channels).toHaveLength(1)
    expect((await admin.call('channel.unassign', given)).body.response).toEqual({ unassigned: 1, skipped: 0 })
    expect(await seen()).toEqual([one.uid, two.uid].toSorted())
  })

  test('leave them nothing, not everything, once the last is deleted, until an admin takes the narrowing away', async () => {
    const device = await t.make.device()
    const [one, two] = [await t.make.channel({}, device), await t.make.channel({}, device)]
    const person = await t.signIn('viewer')
    await t.make.assign(person.user as never, { site: { id: device.site_id, tenant_id: device.tenant_id } as never })
    const seen = async () =>
      (await person.call('channel.list', { device_id: device.uid })).body.response.map(
        (row: { channel_id: string }) => row.channel_id,
      )
    await admin.call('channel.assign', { user_id: person.user?.uid, channel_id: [one.uid] })
    await t.services.db.owner((trx) => trx.deleteFrom('channel').where('uid', '=', one.uid).execute())
    expect(await seen()).toEqual([])
    const rest = { user_id: person.user?.uid, channel_id: [two.uid] }
    await admin.call('channel.assign', rest)
    expect(await seen()).toEqual([two.uid])
    await admin.call('channel.unassign', rest)
    expect(await seen()).toEqual([two.uid])
    await t.make.channel({}, device)
    expect(await seen()).toHaveLength(2)
  })

  test('at least one is named, all of the named use case and in reach', async () => {
    const channel = await t.make.channel({ usecase_key: 'ppltrk' })
    const person = await t.make.user('user')
    const none = await admin.call('channel.assign', { user_id: person.uid, channel_id: [] })
    expect(none.body.errors).toEqual({ channel_id: ['channel_required'] })
    const { usecase_id } = (await admin.call('usecase.list')).body.response.find(
      (one: { usecase_key: string }) => one.usecase_key === 'pplcnt',
    )
    const wrong = { user_id: person.uid, usecase_id, channel_id: [channel.uid] }
    expect((await admin.call('channel.assign', wrong)).status).toBe(404)
    const elsewhere = await t.make.channel({}, await t.make.device({}, await t.make.site({}, await foreign())))
    expect((await admin.call('channel.assign', { user_id: person.uid, channel_id: [elsewhere.uid] })).status).toBe(404)
  })

  const foreign = async () => t.make.customer({}, await t.make.organization())
})
