import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lastingAddresses } from '../../../simcam/src/testing/network.ts'
import { isAllowedHost } from '../camera-address.ts'
import { type Client, type TestApp, testApp } from '../testing/app.ts'
import { states } from '../testing/states.ts'
import { newUid } from '../uid.ts'
import { desiredConfig } from './desired.ts'
import { isPortal } from './handlers.ts'
import { offerKey, type Target } from './states.ts'

let t: TestApp
let admin: Client
let superAdmin: Client
let licenseUid: string
beforeAll(async () => {
  t = await testApp({ LOCAL_NIMBLE_PORT: '18090' })
  admin = await t.signIn('admin')
  superAdmin = await t.signIn('super_admin')
  licenseUid = (await t.make.license(await t.make.home())).uid
})
afterAll(() => t.close())

let count = 0
const draft = (more: object = {}) => ({
  name: `Rack ${++count}`,
  address: `10.1.0.${count}`,
  port: 8090,
  license_id: licenseUid,
  ...more,
})
const create = async (more: object = {}) => {
  const { status, body } = await admin.call('nimble.create', draft(more))
  expect(status, JSON.stringify(body)).toBe(201)
  return body.response
}
const rowOf = (uid: string) =>
  t.services.db.owner((trx) => trx.selectFrom('nimble').selectAll().where('uid', '=', uid).executeTakeFirstOrThrow())

test('an organization without edge servers gets the text that clients know', async () => {
  const owner = await t.signIn(await t.make.user('admin', {}, await t.make.organization()))
  expect(await owner.call('nimble.list')).toMatchObject({
    status: 404,
    body: { message: 'mongo: no documents in result' },
  })
})

describe('adding an edge server', () => {
  test('it has the example and the defaults of the specification', async () => {
    expect(await create()).toMatchObject({
      port: 8090,
      license_id: licenseUid,
      connection_timeout: 60,
      wait_between_retry: 10,
      retry_times: -1,
      mode: 'dial',
      key_state: 'new',
      key_fingerprint: null,
      is_local: false,
      pipelines: [{ name: 'people counting', usecase_key: 'pplcnt' }],
      sinks: [{ address: 'portal', filter: '*', type: 'portal' }],
      sources: [{ address: expect.stringMatching(/^rtsp:/), proxy: null, rate: 25, type: 'rtsp' }],
    })
  })

  test('name, and address with port, are unique in the organization', async () => {
    const { name, address } = await create()
    expect(await admin.call('nimble.create', draft({ name: name.toUpperCase() }))).toMatchObject({
      status: 400,
      body: { errors: { name: ['name_taken'] } },
    })
    expect(await admin.call('nimble.create', draft({ address }))).toMatchObject({
      status: 400,
      body: { errors: { address: ['address_taken'] } },
    })
    await create({ address, port: 8091 })
  })

  test('fifty of one name at once leave one', async () => {
    const name = `Race ${++count}`
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => superAdmin.call('nimble.create', draft({ name }))),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    for (const { status, body } of answers.filter((answer) => answer.status !== 201))
      expect([status, body.errors]).toEqual([400, { name: ['name_taken'] }])
  })

  const wrong: [string, object, object][] = [
    ['a time-out under a minute', { connection_timeout: 59 }, { connection_timeout: ['timeout_range'] }],
    ['a time-out over five', { connection_timeout: 301 }, { connection_timeout: ['timeout_range'] }],
    ['no wait', { wait_between_retry: 0 }, { wait_between_retry: ['greater_than:0'] }],
    ['half a second', { wait_between_retry: 0.5 }, { wait_between_retry: ['integer'] }],
    ['no retries', { retry_times: 0 }, { retry_times: ['count_or_disabled'] }],
    ['a port out of range', { port: 0 }, { port: ['port_invalid'] }],
    ['an address that is none', { address: 'not a host' }, { address: ['host_invalid'] }],
    ['this machine', { address: '127.0.0.1' }, { address: ['address_refused'] }],
    ['cloud metadata', { address: '169.254.169.254' }, { address: ['address_refused'] }],
    ['IPv6 loopback', { address: '::1' }, { address: ['address_refused'] }],
  ]
  test.each(wrong)('%s is refused by field', async (_, more, errors) => {
    expect(await admin.call('nimble.create', draft(more))).toMatchObject({ status: 400, body: { errors } })
  })

  test('of this machine, only the one that the start command runs may be added', async () => {
    expect((await admin.call('nimble.create', draft({ address: '127.0.0.1', port: 18090 }))).status).toBe(201)
  })

  test('is not the portal itself, by its public address or one of its machine', () => {
    const ips = ['192.168.1.5', '2001:db8::5']
    const open = { publicUrl: 'https://portal.lan', host: '0.0.0.0', port: 8080 }
    for (const [host, port] of [
      ['192.168.1.5', 8080],
      ['2001:db8::5', 8080],
      ['portal.lan', 443],
    ] as const)
      expect([host, isPortal(open, host, port, ips)]).toEqual([host, true])
    for (const [host, port] of [
      ['192.168.1.5', 8472],
      ['192.168.1.6', 8080],
      ['portal.lan', 8472],
    ] as const)
      expect([host, isPortal(open, host, port, ips)]).toEqual([host, false])
    // What listens on loopback alone leaves its port on other addresses to others.
    expect(isPortal({ publicUrl: null, host: '127.0.0.1', port: 8080 }, '192.168.1.5', 8080, ips)).toBe(false)
  })

  test('its licence is of the organization and has channels left', async () => {
    const strangers = await t.make.organization()
    const foreign = await t.make.license(strangers)
    expect((await admin.call('nimble.create', draft({ license_id: foreign.uid }))).status).toBe(404)
    expect((await superAdmin.call('nimble.create', draft({ license_id: foreign.uid }))).status).toBe(404)
    await t.services.db.owner((trx) =>
      trx
        .updateTable('license')
        .set({ expires_at: new Date(0) })
        .where('id', '=', foreign.id)
        .execute(),
    )
    const owner = await t.signIn(await t.make.user('admin', {}, strangers))
    expect(await owner.call('nimble.create', draft({ license_id: foreign.uid }))).toMatchObject({
      status: 400,
      body: { errors: { license_id: ['license_expired'] } },
    })
  })
})

describe('changing and removing', () => {
  test('trusting the key that it shows pins that key, and never another that is offered meanwhile', async () => {
    const { nimble_id } = await create()
    const { tenant_id: tenantId, id } = await rowOf(nimble_id)
    const offer = async (offered_key: string) => {
      await offerKey(t.services.db, { tenantId, id } as Target, offered_key)
      return (await admin.call('nimble.get', { nimble_id })).body.response
    }
    const [key, impostor] = [7, 8].map((byte) => Buffer.alloc(32, byte).toString('base64')) as [string, string]
    const { key_fingerprint: compared, version } = await offer(key)
    expect(compared).toMatch(/^SHA256:/)
    expect(await offer(impostor)).toMatchObject({ key_state: 'changed', version })
    const late = await admin.call('nimble.update', { nimble_id, trust_key: compared, version })
    expect([late.status, late.body.error_code]).toEqual([412, 'other_key'])
    expect(await rowOf(nimble_id)).toMatchObject({ public_key: null, offered_key: impostor, key_state: 'changed' })
    await offer(key)
    const trusted = (await admin.call('nimble.update', { nimble_id, trust_key: compared, version })).body.response
    expect(trusted).toMatchObject({ key_state: 'pinned', key_fingerprint: compared })
    expect(await rowOf(nimble_id)).toMatchObject({ public_key: key, offered_key: null })
    // Trusted already, there is nothing left to accept.
    expect((await admin.call('nimble.update', { nimble_id, trust_key: compared })).status).toBe(412)
  })

  test('a form opened before somebody else’s change is refused; a new camera does not make it old', async () => {
    const { nimble_id, version } = await create()
    const row = await rowOf(nimble_id)
    const site = await t.make.site()
    await admin.call('device.create', {
      device_name: 'Gate',
      site_id: site.uid,
      nimble_id,
      stream_address: 'rtsp://10.9.9.9/x',
    })
    expect((await rowOf(nimble_id)).desired_version).toBeGreaterThan(row.desired_version)
    expect((await admin.call('nimble.update', { nimble_id, retry_times: 5, version })).status).toBe(200)
    expect((await admin.call('nimble.update', { nimble_id, retry_times: 6, version })).status).toBe(412)
  })

  test('it stays while channels, and then cameras, are there', async () => {
    const nimble = await t.make.nimble()
    const device = await t.make.device({}, undefined, nimble)
    const channel = await t.make.channel({ auto_recovery: false }, device)
    const remove = () => admin.call('nimble.delete', { nimble_id: nimble.uid })
    expect(await remove()).toMatchObject({
      status: 409,
      body: { message: 'There are active channels deployed at this nimble service.', args: { count: 1 } },
    })
    await admin.call('channel.delete', { channel_id: channel.uid, force: true })
    expect(await remove()).toMatchObject({ status: 409, body: { error_code: 'nimble_has_devices' } })
    await admin.call('device.delete', { device_id: device.uid })
    expect((await remove()).status).toBe(200)
    expect((await admin.call('nimble.get', { nimble_id: nimble.uid })).status).toBe(404)
  })

  test('binding a licence is for the super admin', async () => {
    const { nimble_id } = await create()
    expect((await admin.call('nimble.license', { nimble_id, license_id: licenseUid })).status).toBe(403)
    expect((await superAdmin.call('nimble.license', { nimble_id, license_id: licenseUid })).status).toBe(200)
  })

  test('a change that names a licence which takes nothing more is refused as a whole', async () => {
    const { nimble_id, name, version } = await create()
    const { tenant_id } = await t.make.home()
    const license = (name: string, expires_at: Date | null) =>
      t.services.db.owner((trx) =>
        trx
          .insertInto('license')
          .values({ tenant_id, uid: newUid(), name, channel_limit: 9, expires_at })
          .returning('uid')
          .executeTakeFirstOrThrow(),
      )
    const over = await license('Over', new Date(0))
    const change = { nimble_id, name: `${name} moved`, license_id: over.uid, version }
    expect((await admin.call('nimble.update', change)).status).toBe(403)
    expect(await superAdmin.call('nimble.update', change)).toMatchObject({
      status: 400,
      body: { errors: { license_id: ['license_expired'] } },
    })
    const read = async () => (await superAdmin.call('nimble.get', { nimble_id })).body.response
    expect(await read()).toMatchObject({ name, license_id: licenseUid, version })
    const other = await license('Roomy', null)
    expect((await superAdmin.call('nimble.update', { ...change, license_id: other.uid })).status).toBe(200)
    expect(await read()).toMatchObject({ name: `${name} moved`, license_id: other.uid })
    // Whoever sends back what it was told is not binding anything.
    expect((await admin.call('nimble.update', { nimble_id, license_id: other.uid, retry_times: 2 })).status).toBe(200)
  })
})

describe('its status', () => {
  test.each([
    ['never seen', 'new', {}, { health: 'unknown', sync: 'pending' }],
    ['away', 'unreachable', {}, { health: 'offline', cause: 'nimble_unreachable', sync: 'unreachable' }],
    ['in step', 'online', { applied_version: 1 }, { health: 'healthy', cause: null, sync: 'in_sync' }],
    ['behind', 'online', { applied_version: 0 }, { health: 'healthy', sync: 'pending' }],
    ['ahead of what is stored', 'online', { applied_version: 9 }, { sync: 'drifted' }],
    [
      'a clock off by two hours',
      'online',
      { applied_version: 1, clock_offset_ms: -7_200_000 },
      { health: 'needs attention', cause: 'clock_offset' },
    ],
    [
      'refused',
      'refused',
      { cause: 'key_changed' },
      { health: 'needs attention', cause: 'key_changed', sync: 'unreachable' },
    ],
  ] as const)('%s', async (_, state, given, expected) => {
    const nimble = await t.make.nimble()
    await states(t.services.db).nimble(nimble, state, given)
    const { body } = await admin.call('nimble.status', { nimble_id: nimble.uid })
    expect(body.response).toMatchObject({ state, desired_version: 1, ...expected })
    const listed = (await admin.call('nimble.list', { is_status: true })).body.response
    const entry = listed.find((one: { nimble_id: string }) => one.nimble_id === nimble.uid)
    expect(entry.status).toEqual(body.response)
  })

  test('counts channels, and as running only while it is there', async () => {
    const nimble = await t.make.nimble()
    const says = states(t.services.db)
    const device = await t.make.device({}, undefined, nimble)
    await says.channel(await t.make.channel({}, device), 'running')
    await says.channel(await t.make.channel({}, device), 'refused', { cause: 'no_zone' })
    const status = async () => (await admin.call('nimble.status', { nimble_id: nimble.uid })).body.response
    await says.nimble(nimble, 'online', { applied_version: 1 })
    expect(await status()).toMatchObject({ channels: 2, channels_running: 1, sync: 'refused' })
    await says.nimble(nimble, 'unreachable')
    expect(await status()).toMatchObject({ channels: 2, channels_running: null, sync: 'unreachable' })
  })
})

describe('its load over time', () => {
  test('a day has at most 300 points, each the mean of its step', async () => {
    const nimble = await t.make.nimble()
    await t.services.db.owner((trx) =>
      sql`insert into nimble_stat (tenant_id, nimble_id, at, cpu, memory_bytes, queue, drops, reconnects)
        select ${nimble.tenant_id}, ${nimble.id}, now() - make_interval(secs => n * 60), 0.5, 1e9, n % 7, 3, 1
        from generate_series(1, 1439) n`.execute(trx),
    )
    const { status, body } = await admin.call('nimble.stats', { nimble_id: nimble.uid })
    expect(status).toBe(200)
    const { points, step_s } = body.response
    expect(step_s).toBe(288)
    expect(points.length).toBeLessThanOrEqual(300)
    expect(points.length).toBeGreaterThan(290)
    expect(points[5]).toMatchObject({ cpu: 0.5, memory_bytes: 1e9, inference_ms: null, drops: 3 })
  })

  test.each([
    [{ start: 'soon' }, { start: ['time_invalid'] }],
    [{ start: '0ms', end: '-1h' }, { end: ['end_before_start'] }],
    [{ start: '-400d' }, { start: ['period_too_long'] }],
  ])('%j is refused', async (period, errors) => {
    const nimble = await t.make.nimble()
    expect(await admin.call('nimble.stats', { nimble_id: nimble.uid, ...period })).toMatchObject({
      status: 400,
      body: { errors },
    })
  })
})

test('at a private address it is told those of this machine, so that no name of a camera leads there', async () => {
  const { nimble_id } = await create()
  const { portal_ips } = await t.services.db.ingest((trx) => desiredConfig(trx, t.services.secrets, nimble_id))
  const own = lastingAddresses().flatMap(({ address }) => (isAllowedHost(address) ? address : []))
  expect(own.length).toBeGreaterThan(0)
  expect(portal_ips).toEqual(expect.arrayContaining(own))
  expect(portal_ips.filter((ip) => !isAllowedHost(ip))).toEqual([])
})

test('trying an address refuses this machine before it connects', async () => {
  const answer = await admin.call('nimble.test', { address: 'localhost', port: 5432 })
  expect(answer).toMatchObject({ status: 400, body: { errors: { address: ['address_refused'] } } })
})

test('another organization gets the same as for what does not exist', async () => {
  const { nimble_id } = await create()
  const outsider = await t.signIn(await t.make.user('admin', {}, await t.make.organization()))
  const missing = '01890000-0000-7000-8000-000000000000'
  for (const [id, input] of [
    ['nimble.get', {}],
    ['nimble.status', {}],
    ['nimble.stats', {}],
    ['nimble.update', { retry_times: 3 }],
    ['nimble.retry', {}],
    ['nimble.delete', {}],
    ['pipeline.catalog', {}],
    ['pipeline.refresh', {}],
  ] as const) {
    const there = await outsider.call(id, { nimble_id, ...input })
    const nowhere = await outsider.call(id, { nimble_id: missing, ...input })
    expect([id, there.status, there.text]).toEqual([id, 404, nowhere.text])
  }
})
