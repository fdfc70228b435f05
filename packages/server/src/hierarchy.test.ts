import { usecaseKeys } from '@sightline/domain'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { desiredConfig } from './nimble/desired.ts'
import { type Client, type TestApp, testApp } from './testing/app.ts'

let t: TestApp
let root: Client
beforeAll(async () => {
  t = await testApp()
  root = await t.signIn('super_admin')
})
afterAll(() => t.close())

const created = async (id: Parameters<Client['call']>[0], input: object) => {
  const { status, body } = await root.call(id, input)
  expect([id, status, body.errors]).toEqual([id, 201, undefined])
  return body.response
}
const whole = {
  points: [
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 1],
  ],
  aspect_ratio: 16 / 9,
}
const line = { ...whole, kind: 'line', points: whole.points.slice(0, 2) }
let count = 0
const edge = (organization_id: string, license_id: string) =>
  created('nimble.create', {
    name: `Rack ${++count}`,
    address: `10.2.0.${count}`,
    port: 8090,
    license_id,
    organization_id,
  })
const camera = (site_id: string, nimble_id: string) =>
  created('device.create', {
    device_name: `Gate ${++count}`,
    site_id,
    nimble_id,
    stream_address: `rtsp://10.3.0.${count}/main`,
  })

test('organization, customer, site, device and channel each name what they are part of; a channel is one camera with one analytic', async () => {
  const organization = await created('organization.create', { organization_name: 'Harbour Group' })
  const { organization_id } = organization
  const { uid: license_id } = await t.make.license(
    await t.services.db.owner((trx) =>
      trx.selectFrom('organization').selectAll().where('uid', '=', organization_id).executeTakeFirstOrThrow(),
    ),
  )
  const customer = await created('customer.create', { customer_name: 'Acme', organization_id })
  const { customer_id } = customer
  const site = await created('site.create', {
    site_name: 'Lyon',
    customer_id,
    site_address: { site_timezone: 'Europe/Paris' },
  })
  const { site_id } = site
  const { nimble_id } = await edge(organization_id, license_id)
  const device = await camera(site_id, nimble_id)
  const { device_id } = device
  const attach = (usecase_key: string) =>
    created('channel.create', { channel_name: `At ${usecase_key}`, device_id, usecase_key, zones: [whole] })
  const [counting, intrusion] = [await attach('pplcnt'), await attach('intrdtec')]

  expect(customer).toMatchObject({ customer_id, organization_id })
  expect(site).toMatchObject({ site_id, customer_id, organization_id })
  expect(device).toMatchObject({ device_id, site_id, organization_id })
  expect(counting).toMatchObject({ device_id, site_id, usecase_key: 'pplcnt', organization_id })
  expect(intrusion).toMatchObject({ device_id, site_id, usecase_key: 'intrdtec', organization_id })
  expect(intrusion.channel_id).not.toBe(counting.channel_id)

  const view = (await root.call('customer.view', { customer_id, type: 1 })).body.response
  expect(view).toMatchObject({ customer: { customer_id }, sites: [{ site_id, devices: [{ device_id }] }] })
  const keys = view.sites[0].devices[0].channels.map((one: { usecase_key: string }) => one.usecase_key)
  expect(keys.toSorted()).toEqual(['intrdtec', 'pplcnt'])
})

test('of several edge servers, each with its licence, each is to run what is on its own cameras', async () => {
  const home = await t.make.home()
  const { uid: license_id } = await t.make.license(home)
  const { uid: site_id } = await t.make.site()
  const made = []
  for (let n = 0; n < 2; n++) {
    const nimble = await edge(home.uid, license_id)
    expect(nimble.license_id).toBe(license_id)
    const { device_id } = await camera(site_id, nimble.nimble_id)
    const { channel_id } = await created('channel.create', {
      channel_name: 'Lobby',
      device_id,
      usecase_key: 'pplcnt',
      zones: [whole],
    })
    made.push({ nimble_id: nimble.nimble_id as string, channel_id })
  }
  const listed = (await root.call('nimble.list', {})).body.response
  for (const { nimble_id, channel_id } of made) {
    expect(listed).toContainEqual(expect.objectContaining({ nimble_id, license_id }))
    const { channels } = await t.services.db.ingest((trx) => desiredConfig(trx, t.services.secrets, nimble_id))
    expect(channels.map((channel) => channel.channel_id)).toEqual([channel_id])
  }
})

test('every use case of every bundle is attached to a camera', async () => {
  const device = await t.make.device()
  const bundles: { bundle_usecases: { usecase_key: string; usecase_id: string; needs_line: boolean }[] }[] = (
    await root.call('bundle.list')
  ).body.response
  const offered = bundles.flatMap(({ bundle_usecases }) => bundle_usecases)
  expect(offered.map(({ usecase_key }) => usecase_key).toSorted()).toEqual([...usecaseKeys].toSorted())
  for (const { usecase_key, usecase_id, needs_line } of offered)
    expect(
      await created('channel.create', {
        channel_name: `With ${usecase_key}`,
        device_id: device.uid,
        usecase_key,
        zones: needs_line ? [line] : [whole],
      }),
    ).toMatchObject({ usecase_key, usecase_id, device_id: device.uid })
})

test('the base path of the calls is what is configured, and nothing answers at the usual one', async () => {
  const elsewhere = await testApp({ API_BASE: '/portal/api' })
  try {
    const viewer = await elsewhere.signIn('viewer')
    expect(await viewer.call('user.info')).toMatchObject({ status: 200, body: { response_code: 200 } })
    expect((await viewer.send({ url: '/portal/api/user/info' })).status).toBe(200)
    // Elsewhere are the pages.
    expect((await viewer.send({ url: '/api/v1/user/info' })).body).toBeNull()
  } finally {
    await elsewhere.close()
  }
})
