import { defaultOrganizationId } from '@sightline/domain'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, type TestApp, testApp } from '../testing/app.ts'

let t: TestApp
let admin: Client
beforeAll(async () => {
  t = await testApp()
  admin = await t.signIn('admin')
})
afterAll(() => t.close())

let count = 0
const created = async (more: object = {}) =>
  (await admin.call('customer.create', { customer_name: `Customer of a test ${++count}`, ...more })).body.response

test('is created in the caller’s organization, with its address', async () => {
  const customer_address = { customer_street: '12 rue Ste-Catherine', customer_country: 'CA', customer_zip: 'H2X 1K4' }
  const { status, body } = await admin.call('customer.create', { customer_name: 'Café Été', customer_address })
  expect(status).toBe(201)
  expect(body.response).toMatchObject({
    customer_name: 'Café Été',
    name: 'Café Été',
    is_default: false,
    customer_address: { ...customer_address, customer_city: '' },
    customer_total_sites: 0,
    customer_total_devices: 0,
    customer_total_channels: 0,
    customer_total_users: 0,
    organization_id: defaultOrganizationId,
    version: 1,
  })
})

test('says how many sites, cameras, analytics and people it has', async () => {
  const customer = await t.make.customer()
  const site = await t.make.site({}, customer)
  const device = await t.make.device({}, site)
  await t.make.channel({}, device)
  await t.make.channel({ usecase_key: 'intrdtec' }, device)
  const viewer = await t.make.user('viewer')
  await admin.call('customer.assign', { user_id: viewer.uid, customer_id: [customer.uid] })
  const { body } = await admin.call('customer.get', { customer_id: customer.uid })
  expect(body.response).toMatchObject({
    customer_total_sites: 1,
    customer_total_devices: 1,
    customer_total_channels: 2,
    customer_total_users: 1,
  })
})

describe('refuses', () => {
  test.each([
    ['no name', {}, { customer_name: ['required'] }],
    ['a name of one letter', { customer_name: 'x' }, { customer_name: ['min_length_2'] }],
    ['a leading space', { customer_name: ' Shop' }, { customer_name: ['no_leading_space'] }],
    ['special characters', { customer_name: 'Shop <b>' }, { customer_name: ['name_characters'] }],
    [
      'a zip code that is none',
      { customer_name: 'Shop', customer_address: { customer_zip: '#1' } },
      { 'customer_address.customer_zip': ['zip_invalid'] },
    ],
    [
      'another’s id as its own',
      { customer_name: 'Shop', customer_id: defaultOrganizationId },
      { customer_id: ['unknown_property'] },
    ],
  ])('%s', async (_, draft, errors) => {
    const { status, body } = await admin.call('customer.create', draft)
    expect([status, body.errors]).toEqual([400, errors])
  })

  test('a name that its organization has, whatever the case; another organization may have it', async () => {
    await created({ customer_name: 'Twice' })
    const { status, body } = await admin.call('customer.create', { customer_name: 'TWICE' })
    expect([status, body.errors]).toEqual([400, { customer_name: ['name_taken'] }])
    const elsewhere = await t.signIn(await t.make.user('admin', {}, await t.make.organization()))
    expect((await elsewhere.call('customer.create', { customer_name: 'Twice' })).status).toBe(201)
  })
})

test('of an organization one is the default: making it another takes it from the first', async () => {
  const first = await created({ is_default: true })
  const second = await created({ is_default: true })
  const defaults = async () =>
    (await admin.call('customer.list', { is_default: true })).body.response.map(
      (one: { customer_id: string }) => one.customer_id,
    )
  expect(await defaults()).toEqual([second.customer_id])
  await admin.call('customer.update', { customer_id: first.customer_id, is_default: true })
  expect(await defaults()).toEqual([first.customer_id])
  // Another organization keeps its own.
  const elsewhere = await t.signIn(await t.make.user('admin', {}, await t.make.organization()))
  await elsewhere.call('customer.create', { customer_name: 'Theirs', is_default: true })
  expect(await defaults()).toEqual([first.customer_id])
})

test('many made the default at once: each is made, one of them is it', async () => {
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, i) =>
      admin.call('customer.create', { customer_name: `At once ${i}`, is_default: true }),
    ),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
  expect((await admin.call('customer.list', { is_default: true })).body.response).toHaveLength(1)
})

test('changes what is sent and leaves the rest; an older version is refused', async () => {
  const { customer_id, customer_name, version } = await created({ description: 'first' })
  const { body } = await admin.call('customer.update', {
    customer_id,
    customer_address: { customer_city: 'Laval' },
    version,
  })
  expect(body.response).toMatchObject({
    customer_name,
    description: 'first',
    customer_address: { customer_city: 'Laval' },
  })
  const { status, body: stale } = await admin.call('customer.update', { customer_id, description: 'x', version })
  expect([status, stale.error_code]).toEqual([412, 'stale_version'])
})

test('is deleted only without sites', async () => {
  const { customer_id } = await created()
  const site = { site_name: 'Front', customer_id, site_address: { site_timezone: 'America/Toronto' } }
  const { body } = await admin.call('site.create', site)
  const refused = await admin.call('customer.destroy', { customer_id })
  expect([refused.status, refused.body.error_code]).toEqual([409, 'customer_has_sites'])
  await admin.call('site.delete', { site_id: body.response.site_id })
  expect((await admin.call('customer.destroy', { customer_id })).status).toBe(200)
  expect((await admin.call('customer.get', { customer_id })).status).toBe(404)
})

describe('a user or viewer reaches', () => {
  test('assigned customers with all their sites, and the customers of assigned sites with those alone', async () => {
    const [whole, part, none] = [await t.make.customer(), await t.make.customer(), await t.make.customer()]
    const [a, b] = [await t.make.site({}, whole), await t.make.site({}, whole)]
    const [c] = [await t.make.site({}, part), await t.make.site({}, part)]
    await t.make.site({}, none)
    const person = await t.make.user('viewer')
    await t.make.assign(person, { customer: whole })
    await t.make.assign(person, { site: c })
    const viewer = await t.signIn(person)

    const customers = (await viewer.call('customer.list')).body.response
    expect(customers.map((one: { customer_id: string }) => one.customer_id).sort()).toEqual(
      [whole.uid, part.uid].sort(),
    )
    const total = (uid: string) =>
      customers.find((one: { customer_id: string }) => one.customer_id === uid).customer_total_sites
    expect([total(whole.uid), total(part.uid)]).toEqual([2, 1])
    const sites = (await viewer.call('site.list')).body.response.map((one: { site_id: string }) => one.site_id)
    expect(sites.sort()).toEqual([a.uid, b.uid, c.uid].sort())
    expect((await viewer.call('customer.get', { customer_id: none.uid })).status).toBe(404)
  })

  test('an assigned customer that has no site yet', async () => {
    const customer = await t.make.customer()
    const person = await t.make.user('user')
    await t.make.assign(person, { customer })
    const client = await t.signIn(person)
    expect((await client.call('customer.get', { customer_id: customer.uid })).status).toBe(200)
  })
})

test('the view holds sites, devices with their tags, channels, and totals', async () => {
  const customer = await t.make.customer()
  const site = await t.make.site({}, customer)
  const device = await t.make.device({ tags: JSON.stringify({ Floor: 'Two' }) }, site)
  const channel = await t.make.channel({}, device)
  await t.make.site({}, customer)
  const { status, body } = await admin.call('customer.view', { customer_id: customer.uid, type: 1 })
  expect(status).toBe(200)
  expect(body.response.totals).toEqual({
    sites: 2,
    devices: 1,
    channels: 1,
    active_channels: 0,
    attention_channels: 0,
    notifications: null,
    usecases: [{ usecase_key: 'pplcnt', channels: 1 }],
  })
  const [first] = body.response.sites.filter((one: { site_id: string }) => one.site_id === site.uid)
  expect(first).toMatchObject({
    site_total_devices: 1,
    site_health: 'unknown',
    devices: [
      {
        device_id: device.uid,
        tag_name: 'Floor Two',
        device_health: 'unknown',
        snapshot_url: null,
        channels: [{ channel_id: channel.uid, usecase_key: 'pplcnt', is_active: false }],
      },
    ],
  })
  expect((await admin.call('customer.view', { customer_id: customer.uid, type: 2 })).body.errors).toEqual({
    type: ['one_of'],
  })
})
