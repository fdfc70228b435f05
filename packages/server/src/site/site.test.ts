import { defaultOrganizationId } from '@sightline/domain'
import { sql } from 'kysely'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, type TestApp, testApp } from '../testing/app.ts'
import { multipart } from '../testing/multipart.ts'

let t: TestApp
let admin: Client
let customer_id: string
beforeAll(async () => {
  t = await testApp()
  admin = await t.signIn('admin')
  customer_id = (await t.make.customer()).uid
})
afterAll(() => t.close())

let count = 0
const draft = (more: object = {}) => ({
  site_name: `Site of a test ${++count}`,
  customer_id,
  site_address: { site_timezone: 'America/Toronto' },
  ...more,
})
const created = async (more: object = {}) => (await admin.call('site.create', draft(more))).body.response
const picture = async (client: Client) => {
  const png = await sharp({ create: { width: 40, height: 30, channels: 3, background: 'teal' } })
    .png()
    .toBuffer()
  const { body } = await client.send({ method: 'POST', url: '/api/v1/upload', ...multipart({ file: png }) })
  return body.response.path as string
}

test('is created with its zone, place and picture', async () => {
  const site_address = { site_timezone: 'Europe/Paris', site_city: 'Lyon', site_country: 'FR', lat: 45.76, long: 4.83 }
  const site_image = await picture(admin)
  const { status, body } = await admin.call('site.create', draft({ site_address, site_image }))
  expect(status).toBe(201)
  expect(body.response).toMatchObject({
    customer_id,
    site_address,
    site_image,
    faces_allowed: false,
    site_total_devices: 0,
    site_notifications: null,
    site_active_channels: 0,
    site_tags: [],
    site_health: 'unknown',
  })
})

test('names the tags of its cameras, each once', async () => {
  const site = await t.make.site()
  for (const tags of [{ floor: 'one' }, { floor: 'one', zone: 'east' }, {}])
    await t.make.device({ tags: JSON.stringify(tags) }, site)
  const { body } = await admin.call('site.get', { site_id: site.uid })
  expect(body.response.site_tags).toEqual(['floor one', 'zone east'])
})

test('are listed by a use case that runs on their cameras', async () => {
  const [watched, other] = [await t.make.site(), await t.make.site()]
  await t.make.channel({ usecase_key: 'intrdtec' }, await t.make.device({}, watched))
  await t.make.channel({ usecase_key: 'pplcnt' }, await t.make.device({}, other))
  const listed = async (usecase_key?: string) =>
    (await admin.call('site.list', { usecase_key })).body.response.map(({ site_id }: { site_id: string }) => site_id)
  expect(await listed('intrdtec')).toEqual([watched.uid])
  expect(await listed()).toEqual(expect.arrayContaining([watched.uid, other.uid]))
})

test('are listed by the organization they are of', async () => {
  const elsewhere = await t.make.organization()
  const [here, there] = [await t.make.site(), await t.make.site({}, await t.make.customer({}, elsewhere))]
  const listed = async (client: Client, organization_id: string) =>
    (await client.call('site.list', { organization_id })).body.response.map(
      ({ site_id }: { site_id: string }) => site_id,
    )
  const root = await t.signIn('super_admin')
  expect(await listed(root, elsewhere.uid)).toEqual([there.uid])
  expect(await listed(root, defaultOrganizationId)).toContain(here.uid)
  // It widens nobody's reach.
  expect(await listed(admin, elsewhere.uid)).toEqual([])
})

describe('refuses', () => {
  const errorsOf = async (more: object) => (await admin.call('site.create', draft(more))).body.errors
  test.each([
    ['no zone', { site_address: {} }, { 'site_address.site_timezone': ['required'] }],
    [
      'a zone that is none',
      { site_address: { site_timezone: 'Mars/Base' } },
      { 'site_address.site_timezone': ['timezone_invalid'] },
    ],
    [
      'latitude without longitude',
      { site_address: { site_timezone: 'Europe/Paris', lat: 1 } },
      { 'site_address.long': ['lat_long_both'] },
    ],
    [
      'a latitude beyond the pole',
      { site_address: { site_timezone: 'Europe/Paris', lat: 91, long: 0 } },
      { 'site_address.lat': ['lat_invalid'] },
    ],
    ['a picture from elsewhere', { site_image: 'https://evil.example/x.png' }, { site_image: ['upload_unknown'] }],
    [
      'a picture that nobody uploaded',
      { site_image: '/api/v1/media/01900000-0000-7000-8000-00000000dead' },
      { site_image: ['upload_unknown'] },
    ],
  ])('%s', async (_, more, errors) => expect(await errorsOf(more)).toEqual(errors))

  test('a picture that somebody else uploaded', async () => {
    const site_image = await picture(await t.signIn('admin'))
    expect(await errorsOf({ site_image })).toEqual({ site_image: ['upload_unknown'] })
  })

  test('a name that its customer has; another customer may have it', async () => {
    await created({ site_name: 'Entrance' })
    expect(await errorsOf({ site_name: 'ENTRANCE' })).toEqual({ site_name: ['name_taken'] })
    const other = await t.make.customer()
    expect((await admin.call('site.create', draft({ site_name: 'Entrance', customer_id: other.uid }))).status).toBe(201)
  })
})

test('many are created in one call, each by itself: what is wrong with one is said of it, and the others are there', async () => {
  const taken = await created()
  const { uid: elsewhere } = await t.make.customer({}, await t.make.organization())
  const sites = [
    draft(),
    draft({ site_name: taken.site_name.toUpperCase() }),
    draft({ customer_id: elsewhere }),
    draft({ site_address: { site_timezone: 'Europe/Paris' } }),
  ]
  const { status, body } = await admin.call('site.import', { sites })
  expect(status).toBe(200)
  const { rows } = body.response
  const id = expect.any(String)
  const failed = { outcome: 'failed', site_id: null, is_placed: false }
  expect(rows).toEqual([
    { row: 0, outcome: 'created', site_id: id, is_placed: false, errors: {}, error_code: null },
    { row: 1, ...failed, errors: { site_name: ['name_taken'] }, error_code: null },
    { row: 2, ...failed, errors: {}, error_code: 'not_found' },
    { row: 3, outcome: 'created', site_id: id, is_placed: false, errors: {}, error_code: null },
  ])
  expect((await admin.call('site.get', { site_id: rows[3].site_id })).body.response).toMatchObject({
    site_name: sites[3]?.site_name,
    site_address: { site_timezone: 'Europe/Paris' },
  })
  const { after } = await t.services.db.owner((trx) =>
    trx.selectFrom('trace').select('after').where('code', '=', 'site.import').executeTakeFirstOrThrow(),
  )
  expect(after).toEqual({
    sites: [rows[0], rows[3]].map(({ site_id, row }) => ({ site_id, site_name: sites[row]?.site_name })),
  })
  expect((await admin.call('site.import', { sites: [draft({ site_name: '' })] })).body.errors).toHaveProperty(
    'sites.0.site_name',
  )
})

test('changes what is sent and leaves the rest; null takes the picture away; an older version is refused', async () => {
  const site_image = await picture(admin)
  const { site_id, site_name, version } = await created({ site_image })
  const moved = await admin.call('site.update', { site_id, site_address: { site_timezone: 'Asia/Kathmandu' }, version })
  expect(moved.body.response).toMatchObject({
    site_name,
    site_image,
    site_address: { site_timezone: 'Asia/Kathmandu' },
  })
  expect((await admin.call('site.update', { site_id, faces_allowed: true, version })).status).toBe(412)
  const { body } = await admin.call('site.update', { site_id, site_image: null })
  expect(body.response.site_image).toBeNull()
})

test('its picture is seen by who reaches the site, and by nobody else', async () => {
  const site_image = await picture(admin)
  const { site_id } = await created({ site_image })
  const url = site_image
  const site = await t.services.db.owner((trx) =>
    trx.selectFrom('site').selectAll().where('uid', '=', site_id).executeTakeFirstOrThrow(),
  )
  const person = await t.make.user('viewer')
  await t.make.assign(person, { site })
  expect((await (await t.signIn(person)).send({ url })).status).toBe(200)
  expect((await (await t.signIn('viewer')).send({ url })).status).toBe(404)
  const elsewhere = await t.signIn(await t.make.user('admin', {}, await t.make.organization()))
  expect((await elsewhere.send({ url })).status).toBe(404)
  expect((await t.stranger().send({ url })).status).toBe(401)
})

test('is deleted only without devices', async () => {
  const { site_id } = await created()
  const site = await t.services.db.owner((trx) =>
    trx.selectFrom('site').selectAll().where('uid', '=', site_id).executeTakeFirstOrThrow(),
  )
  const device = await t.make.device({}, site)
  const refused = await admin.call('site.delete', { site_id })
  expect([refused.status, refused.body.error_code]).toEqual([409, 'site_has_devices'])
  expect((await admin.call('site.get', { site_id })).body.response).toMatchObject({
    site_total_devices: 1,
    site_devices: [{ device_id: device.uid, password: '' }],
  })
  await admin.call('device.delete', { device_id: device.uid })
  expect((await admin.call('site.delete', { site_id })).status).toBe(200)
})

test('super_admin creates in another organization’s customer; its id may stand beside, another’s may not', async () => {
  const organization = await t.make.organization()
  const customer = await t.make.customer({}, organization)
  const superAdmin = await t.signIn('super_admin')
  const theirs = draft({ customer_id: customer.uid, organization_id: organization.uid })
  const { status, body } = await superAdmin.call('site.create', theirs)
  expect([status, body.response.organization_id]).toEqual([201, organization.uid])
  const wrong = draft({ customer_id: customer.uid, organization_id: (await t.make.organization()).uid })
  expect((await superAdmin.call('site.create', wrong)).status).toBe(404)
})

test('of a map hold what it draws: place, health and cameras of all of a customer, more than a list answers', async () => {
  const customer = await t.make.customer()
  const placed = await t.make.site(
    { name: 'A placed one', address: JSON.stringify({ site_timezone: 'UTC', lat: 45.76, long: 4.83 }) },
    customer,
  )
  await t.make.channel({ usecase_key: 'fcmsk' }, await t.make.device({}, placed))
  const others = await Promise.all(Array.from({ length: 3 }, (_, i) => t.make.site({ name: `B ${i}` }, customer)))
  await t.services.db.owner((trx) =>
    sql`insert into site (tenant_id, uid, customer_id, name, address)
      select tenant_id, gen_random_uuid(), customer_id, 'C ' || i, address from site, generate_series(1, 600) i
      where id = ${others[0]?.id}`.execute(trx),
  )
  const { body } = await admin.call('site.map', { customer_id: customer.uid })
  expect(body.response).toHaveLength(604)
  expect(body.response[0]).toEqual({
    site_id: placed.uid,
    site_name: 'A placed one',
    lat: 45.76,
    long: 4.83,
    site_health: 'unknown',
    site_total_devices: 1,
    site_attention_channels: 0,
  })
  expect(body.response[1]).toMatchObject({ lat: null, long: null, site_total_devices: 0, site_attention_channels: 0 })
  const watched = await admin.call('site.map', { customer_id: customer.uid, usecase_key: 'fcmsk' })
  expect(watched.body.response.map(({ site_id }: { site_id: string }) => site_id)).toEqual([placed.uid])
})
