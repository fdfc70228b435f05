import { usecaseKeys } from '@sightline/domain'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, type TestApp, testApp } from '../testing/app.ts'

let t: TestApp
let viewer: Client
let person: Awaited<ReturnType<TestApp['make']['user']>>
beforeAll(async () => {
  t = await testApp()
  person = await t.make.user('viewer')
  viewer = await t.signIn(person)
})
afterAll(() => t.close())

const keysOf = (list: { usecase_key: string }[]) => list.map((one) => one.usecase_key)

test('all thirteen are there, by name, and say what they need', async () => {
  const { body } = await viewer.call('usecase.list')
  expect(keysOf(body.response).sort()).toEqual([...usecaseKeys].sort())
  const names = body.response.map((one: { usecase_name: string }) => one.usecase_name.toLowerCase())
  expect(names).toEqual([...names].sort())
  const byKey = Object.fromEntries(body.response.map((one: { usecase_key: string }) => [one.usecase_key, one]))
  expect(byKey.pplocc).toMatchObject({
    usecase_meta_key: ['up', 'occupancy', 'down'],
    needs_line: true,
    built_in: true,
  })
  expect(byKey.ppedtec).toMatchObject({ needs_model: true, built_in: false })
  expect(byKey.emptyframecheck).toMatchObject({ built_in: true })
  expect(byKey.frdtec).toMatchObject({ experimental: true, built_in: false })
})

test('bundles hold their use cases by name, without regard to case', async () => {
  const all = (await viewer.call('bundle.list')).body.response
  expect(all.map((one: { type: string }) => one.type).sort()).toEqual(['face', 'health', 'people', 'safety', 'vehicle'])
  const [people] = (await viewer.call('bundle.list', { type: 'people' })).body.response
  expect(keysOf(people.bundle_usecases)).toEqual(['pplcntavg', 'loiterdtec', 'pplocc', 'pplcnt', 'phydist', 'ppltrk'])
})

test('each use case has its defaults, which a new channel takes', async () => {
  const admin = await t.signIn('admin')
  for (const bundle_usecase of usecaseKeys) {
    const { status, body } = await admin.call('bundle.defaultsGet', { bundle_usecase })
    expect([status, body.response.bundle_usecase]).toEqual([200, bundle_usecase])
    expect(body.response.defaults).toMatchObject({ thresholds: [], window_s: 5, cooldown_s: 300, auto_recovery: true })
    const { pipeline_elements } = (await admin.call('pipeline.defaults', { usecase_key: bundle_usecase })).body.response
    expect(body.response.defaults.pipeline_elements).toEqual(pipeline_elements)
    expect(Object.keys(pipeline_elements)).not.toEqual([])
  }
  expect((await admin.call('bundle.defaultsGet', { bundle_usecase: 'pplnone' })).body.errors).toEqual({
    bundle_usecase: ['one_of'],
  })
})

test('one by id; an unknown id is 404', async () => {
  const [first] = (await viewer.call('usecase.list')).body.response
  expect((await viewer.call('usecase.get', { usecase_id: first.usecase_id })).body.response).toEqual(first)
  const missing = await viewer.call('usecase.get', { usecase_id: '01890000-0000-7000-8000-000000000000' })
  expect(missing.status).toBe(404)
})

test('a customer with assigned use cases narrows the list, and so does a channel', async () => {
  const customer = await t.make.customer()
  const site = await t.make.site({}, customer)
  await t.make.assign(person, { site })
  await t.services.db.owner((trx) =>
    trx
      .insertInto('customer_usecase')
      .values({
        tenant_id: customer.tenant_id,
        customer_id: customer.id,
        usecase_id: usecaseKeys.indexOf('pplocc') + 1,
      })
      .execute(),
  )
  for (const input of [{ customer_id: customer.uid }, { site_id: site.uid }])
    expect(keysOf((await viewer.call('usecase.list', input)).body.response)).toEqual(['pplocc'])
  const channel = await t.make.channel({ usecase_key: 'intrdtec' }, await t.make.device({}, site))
  expect(keysOf((await viewer.call('usecase.list', { channel_id: channel.uid })).body.response)).toEqual(['intrdtec'])
})

test('a customer, site or channel out of reach is 404', async () => {
  const site = await t.make.site()
  const channel = await t.make.channel()
  for (const input of [{ site_id: site.uid }, { channel_id: channel.uid }])
    expect((await viewer.call('usecase.list', input)).status).toBe(404)
})
