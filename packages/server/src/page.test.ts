/** Lists that grow: pages, totals, searches, and the health of many cameras in one statement. */
import { type HealthGrade, healths } from '@sightline/domain'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, type TestApp, testApp } from './testing/app.ts'
import { states } from './testing/states.ts'
import { newUid } from './uid.ts'

let t: TestApp
let admin: Client
let customerUid: string
let siteUid: string
let nimbleUid: string

/** What each camera's edge server said, and what that makes it. */
const cameras: [string, Parameters<ReturnType<typeof states>['source']>[1] | null, object, HealthGrade][] = [
  ['Alley', 'streaming', {}, 'healthy'],
  ['Bay', 'offline', { cause: 'unreachable' }, 'offline'],
  ['Court', 'offline', { cause: 'cut', failed_at: null, last_frame_at: new Date() }, 'needs attention'],
  ['Dock', 'offline', { cause: 'cut', failed_at: new Date(14_999), last_frame_at: new Date(0) }, 'needs attention'],
  ['École', 'offline', { cause: 'cut', failed_at: new Date(15_000), last_frame_at: new Date(0) }, 'offline'],
  ['Foyer', 'refused', { cause: 'bad_credentials' }, 'needs attention'],
  ['Gate', 'connecting', {}, 'unknown'],
  ['Hall', 'connecting', { cause: 'stalled' }, 'needs attention'],
  ['Inn', 'streaming', { cause: 'frozen' }, 'needs attention'],
  ['Jetty', null, {}, 'unknown'],
]

beforeAll(async () => {
  t = await testApp()
  admin = await t.signIn('admin')
  const customer = await t.make.customer()
  const site = await t.make.site({ name: 'Harbour' }, customer)
  await t.make.site({ name: 'Annexe' }, customer)
  const nimble = await t.make.nimble()
  const say = states(t.services.db)
  await say.nimble(nimble, 'online')
  for (const [name, state, given] of cameras.toReversed()) {
    const tags = JSON.stringify(name === 'Gate' ? { floor: 'Ground' } : {})
    const device = await t.make.device({ name, tags, stream_address: `rtsp://cam-${name[0]}.example/x` }, site, nimble)
    const source = await t.make.sourceOf(device)
    if (source && state) await say.source(source, state, given)
  }
  ;[customerUid, siteUid, nimbleUid] = [customer.uid, site.uid, nimble.uid]
})
afterAll(() => t.close())

const list = async (input: object) => {
  const { status, body } = await admin.call('device.list', { customer_id: customerUid, ...input })
  expect(status).toBe(200)
  const rows = body.response as { device_name: string; device_health: HealthGrade }[]
  return { names: rows.map((row) => row.device_name), rows, page: body.page }
}

test('a page of cameras comes in the order of their names, with how many there are in all', async () => {
  const names = cameras.map(([name]) => name)
  expect(await list({})).toMatchObject({ names, page: { limit: 500, offset: 0, total: 10 } })
  expect(await list({ limit: 3 })).toMatchObject({ names: names.slice(0, 3), page: { limit: 3, offset: 0, total: 10 } })
  expect(await list({ limit: 3, offset: 9 })).toMatchObject({ names: ['Jetty'], page: { total: 10 } })
  expect(await list({ limit: 3, offset: 30 })).toMatchObject({ names: [], page: { total: 10 } })
  for (const wrong of [{ limit: 501 }, { limit: 0 }, { offset: 10_001 }])
    expect((await admin.call('device.list', wrong)).status).toBe(400)
})

test.each([
  ['part of a name, whatever its case', { q: 'ÉCO' }, ['École']],
  ['part of a tag', { q: 'floor ground' }, ['Gate']],
  ['part of the host of the address', { q: 'CAM-J.exam' }, ['Jetty']],
  ['characters that mean something in patterns', { q: '%' }, []],
] as const)('a search finds %s', async (_, input, names) => {
  expect((await list(input)).names).toEqual(names)
})

test('a search does not look into paths, and stays within the site and the edge server that are named', async () => {
  expect((await list({ q: '/x' })).names).toEqual([])
  expect((await list({ site_id: siteUid, nimble_id: nimbleUid, q: 'a', limit: 1 })).page.total).toBeGreaterThan(1)
  for (const field of ['site_id', 'nimble_id', 'customer_id'])
    expect((await admin.call('device.list', { [field]: crypto.randomUUID() })).status).toBe(404)
})

test('what a filter by health finds is what each camera says of itself, for every state there is', async () => {
  expect((await list({})).rows.map((row) => row.device_health)).toEqual(cameras.map(([, , , health]) => health))
  for (const health of healths) {
    const found = await list({ health })
    expect(found.names).toEqual(cameras.filter(([, , , is]) => is === health).map(([name]) => name))
    expect(found.page.total).toBe(found.names.length)
  }
  expect((await list({ health: 'offline,unknown', limit: 2 })).page.total).toBe(4)
  expect(await list({ health: 'offline,unknown', limit: 2, offset: 9 })).toMatchObject({
    names: [],
    page: { total: 4 },
  })
})

test('a camera with several streams counts once, and is not offline while it sends pictures by one', async () => {
  const site = await t.make.site({}, await t.make.customer())
  const nimble = await t.make.nimble()
  const say = states(t.services.db)
  await say.nimble(nimble, 'online')
  const device = await t.make.device({}, site, nimble)
  const more = { tenant_id: device.tenant_id, device_id: device.id, nimble_id: nimble.id, name: 'Second' }
  const second = await t.services.db.owner((trx) =>
    trx
      .insertInto('source')
      .values({ ...more, uid: newUid(), stream_id: `${device.uid}/2`, address: 'rtsp://198.51.100.1/2' })
      .returningAll()
      .executeTakeFirstOrThrow(),
  )
  const first = (await t.make.sourceOf(device)) as never
  await say.source(first, 'streaming')
  await say.source(second, 'offline', { cause: 'unreachable' })
  const found = async (health: HealthGrade) =>
    (await admin.call('device.list', { site_id: site.uid, health })).body.page.total
  const told = async () => [
    ...(await admin.call('site.list', { q: site.name })).body.response,
    (await admin.call('device.get', { device_id: device.uid })).body.response,
  ]
  expect([await found('offline'), await found('needs attention'), await found('healthy')]).toEqual([0, 1, 0])
  expect(await told()).toMatchObject([
    { site_health: 'needs attention', site_total_devices: 1 },
    { device_health: 'needs attention', health_cause: 'stream_offline' },
  ])
  await say.source(first, 'offline', { cause: 'unreachable' })
  expect([await found('offline'), await found('needs attention'), await found('healthy')]).toEqual([1, 0, 0])
  expect(await told()).toMatchObject([
    { site_health: 'offline', site_total_devices: 1 },
    { device_health: 'offline', health_cause: 'unreachable' },
  ])
})

test('a site is what all its cameras are, needs attention where they differ, and is unknown without any', async () => {
  const { body } = await admin.call('site.list', { customer_id: customerUid })
  expect(body.response).toMatchObject([
    { site_name: 'Annexe', site_health: 'unknown', site_total_devices: 0 },
    { site_name: 'Harbour', site_health: 'needs attention', site_total_devices: 10 },
  ])
  expect(body.page).toMatchObject({ total: 2 })
})

test('a site whose cameras send is not healthy while one of its analytics needs attention, and says how many do', async () => {
  const customer = await t.make.customer()
  const site = await t.make.site({}, customer)
  const nimble = await t.make.nimble()
  const say = states(t.services.db)
  await say.nimble(nimble, 'online')
  const device = await t.make.device({}, site, nimble)
  await say.source((await t.make.sourceOf(device)) as never, 'streaming')
  const channel = await t.make.channel({}, device)
  const told = async () => [
    (await admin.call('site.list', { customer_id: customer.uid })).body.response[0],
    (await admin.call('site.map', { customer_id: customer.uid })).body.response[0],
    (await admin.call('customer.view', { customer_id: customer.uid, type: 1 })).body.response.sites[0],
  ]
  const grades = [
    ['running', {}, 'healthy', 0],
    ['applied', { detector_state: 'needs_model', cause: 'needs_model' }, 'needs attention', 1],
    ['running', { detector_state: 'degraded', cause: 'analysis_behind:60' }, 'needs attention', 1],
    ['running', { view: 'moved' }, 'needs attention', 1],
  ] as const
  for (const [state, about, site_health, site_attention_channels] of grades) {
    await say.channel(channel, state, { since: new Date(), detector_state: 'ok', cause: null, view: null, ...about })
    const shown = { site_health, site_attention_channels }
    expect(await told()).toMatchObject([shown, shown, shown])
  }
  await say.source((await t.make.sourceOf(device)) as never, 'offline', { cause: 'unreachable' })
  expect(await told()).toMatchObject(Array(3).fill({ site_health: 'offline', site_attention_channels: 1 }))
})

test('while an edge server only lost its link, its cameras are what they were; away, they are unknown', async () => {
  const site = await t.make.site({}, await t.make.customer())
  const nimble = await t.make.nimble()
  const say = states(t.services.db)
  const device = await t.make.device({}, site, nimble)
  await say.source((await t.make.sourceOf(device)) as never, 'streaming')
  const health = async () => (await admin.call('device.get', { device_id: device.uid })).body.response
  await say.nimble(nimble, 'connecting', { cause: 'connection_lost' })
  expect(await health()).toMatchObject({ device_health: 'healthy' })
  await say.nimble(nimble, 'unreachable', { cause: 'no_answer' })
  expect(await health()).toMatchObject({ device_health: 'unknown', health_cause: 'nimble_unreachable' })
  const sites = await admin.call('site.list', { q: site.name })
  expect(sites.body.response[0]).toMatchObject({ site_health: 'unknown' })
})

test('the view of a customer answers a page of cameras, of one site or health, and totals of all', async () => {
  const view = async (input: object) =>
    (await admin.call('customer.view', { customer_id: customerUid, type: 1, ...input })).body
  const page = await view({ limit: 2, health: 'offline' })
  const [annexe, harbour] = page.response.sites
  expect(annexe.devices).toEqual([])
  expect(harbour.devices).toMatchObject([
    { device_name: 'Bay', device_health: 'offline', health_cause: 'unreachable' },
    { device_name: 'École', device_health: 'offline', health_cause: 'cut' },
  ])
  expect(page).toMatchObject({ page: { limit: 2, total: 2 }, response: { totals: { sites: 2, devices: 10 } } })
  const one = await view({ site_id: siteUid, q: 'jetty' })
  expect(one.response.sites).toMatchObject([{ site_id: siteUid, devices: [{ device_name: 'Jetty' }] }])
})

test('customers and sites are searched and paged alike', async () => {
  const names = ['Zebra North', 'Zebra South', 'Zebra West']
  for (const name of names.toReversed()) await t.make.customer({ name })
  const { body } = await admin.call('customer.list', { q: 'zebra', limit: 2, offset: 1 })
  expect(body.response.map((row: { name: string }) => row.name)).toEqual(names.slice(1))
  expect(body.page).toEqual({ limit: 2, offset: 1, total: 3, next_page_token: null })
  const sites = await admin.call('site.list', { q: 'HARB' })
  expect(sites.body.response).toMatchObject([{ site_name: 'Harbour' }])
  const customer = await t.make.customer({ name: 'Lighthouse Trust' })
  await t.make.site({ name: 'Pier' }, customer)
  const theirs = await admin.call('site.list', { q: 'house tr' })
  expect(theirs.body.response).toMatchObject([{ site_name: 'Pier' }])
})

test('the view narrows cameras to those of a use case or with a channel, and goes on behind its first page', async () => {
  const customer = await t.make.customer()
  const site = await t.make.site({}, customer)
  const nimble = await t.make.nimble()
  const [ann, bea, cid] = [
    await t.make.device({ name: 'Ann' }, site, nimble),
    await t.make.device({ name: 'Bea' }, site, nimble),
    await t.make.device({ name: 'Cid' }, site, nimble),
  ]
  await t.make.channel({}, ann)
  const watching = await t.make.channel({ usecase_key: 'intrdtec' }, bea)
  await t.make.channel({ usecase_key: 'intrdtec' }, cid)
  const view = async (input: object) => {
    const { body } = await admin.call('customer.view', { customer_id: customer.uid, type: 1, ...input })
    const { sites, totals } = body.response as { sites: { devices: { device_name: string }[] }[]; totals: object }
    return { names: sites.flatMap(({ devices }) => devices.map((one) => one.device_name)), totals, page: body.page }
  }
  const totals = { sites: 1, devices: 3, channels: 3 }
  expect(await view({ usecase_key: 'intrdtec' })).toMatchObject({ names: ['Bea', 'Cid'], totals, page: { total: 2 } })
  expect(await view({ channel_id: watching.uid })).toMatchObject({ names: ['Bea'], totals, page: { total: 1 } })
  expect(await view({ usecase_key: 'pplcnt', channel_id: watching.uid })).toMatchObject({ names: [], totals })
  expect(await view({ limit: 1, offset: 1 })).toMatchObject({ names: ['Bea'], totals, page: { offset: 1, total: 3 } })
  expect(await view({ limit: 2, offset: 2 })).toMatchObject({ names: ['Cid'], totals, page: { offset: 2, total: 3 } })
})

test('of more than 500 sites the view counts all, and a page further on holds only the sites of its cameras', async () => {
  const customer = await t.make.customer()
  const nimble = await t.make.nimble()
  await t.services.db.owner(async (trx) => {
    await sql`insert into site (tenant_id, uid, customer_id, name, address)
      select ${customer.tenant_id}, gen_random_uuid(), ${customer.id}, 'Kiosk ' || n, '{"site_timezone": "UTC"}'
      from generate_series(1001, 1510) n`.execute(trx)
    await sql`insert into device (tenant_id, uid, site_id, nimble_id, name, stream_address)
      select tenant_id, gen_random_uuid(), id, ${nimble.id}, 'Lens ' || substr(name, 7), 'rtsp://198.51.100.1/' || id
      from site where customer_id = ${customer.id} and tenant_id = ${customer.tenant_id}`.execute(trx)
  })
  const { body } = await admin.call('customer.view', { customer_id: customer.uid, type: 1, limit: 500, offset: 500 })
  expect(body.response.totals).toMatchObject({ sites: 510, devices: 510, channels: 0 })
  expect(body.page).toMatchObject({ limit: 500, offset: 500, total: 510 })
  const held = body.response.sites.map((site: { site_name: string; devices: { device_name: string }[] }) => [
    site.site_name,
    site.devices.map(({ device_name }) => device_name),
  ])
  expect(held).toEqual(Array.from({ length: 10 }, (_, i) => [`Kiosk ${1501 + i}`, [`Lens ${1501 + i}`]]))
  const far = await admin.call('device.list', { customer_id: customer.uid, limit: 2, offset: 507 })
  expect(far.body.response.map((row: { device_name: string }) => row.device_name)).toEqual(['Lens 1508', 'Lens 1509'])
  expect(far.body.page).toMatchObject({ offset: 507, total: 510 })
  const past = await admin.call('device.list', { customer_id: customer.uid, offset: 510 })
  expect(past.body).toMatchObject({ response: [], page: { total: 510 } })
})
