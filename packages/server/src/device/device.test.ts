import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { desiredConfig } from '../nimble/desired.ts'
import { secretsOf } from '../secrets.ts'
import { type Client, type TestApp, testApp } from '../testing/app.ts'
import { states } from '../testing/states.ts'
import { passwordPlace } from './store.ts'

let t: TestApp
let admin: Client
let site: Awaited<ReturnType<TestApp['make']['site']>>
let nimble: Awaited<ReturnType<TestApp['make']['nimble']>>
beforeAll(async () => {
  t = await testApp()
  admin = await t.signIn('admin')
  site = await t.make.site()
  nimble = await t.make.nimble()
})
afterAll(() => t.close())

let count = 0
const draft = (more: object = {}) => ({
  device_name: `Entrance ${++count}`,
  site_id: site.uid,
  nimble_id: nimble.uid,
  stream_address: `rtsp://192.168.7.${count}:554/main`,
  ...more,
})
const create = async (more: object = {}) => {
  const { status, body } = await admin.call('device.create', draft(more))
  expect(status, JSON.stringify(body.errors)).toBe(201)
  return body.response
}
const desired = () => t.services.db.ingest((trx) => desiredConfig(trx, t.services.secrets, nimble.uid))

describe('adding cameras', () => {
  test('a camera comes with one stream, and the edge server is to read it with its password', async () => {
    const before = await desired()
    const device = await create({ username: 'ops', password: 'p@ss:w/rd#1', device_tags: { floor: 'ground' } })
    expect(device).toMatchObject({
      site_id: site.uid,
      nimble_id: nimble.uid,
      username: 'ops',
      password: '****',
      tag_name: 'floor ground',
      resolution: null,
      codec: null,
      device_health: 'unknown',
      health_cause: 'nimble_unreachable',
      is_demo: false,
      source_channels: [],
    })
    expect(device.device_source).toMatchObject([{ source_address: device.stream_address, role: 'both' }])
    const after = await desired()
    expect(after.version).toBeGreaterThan(before.version)
    expect(after.sources.find((source) => source.device_id === device.device_id)).toMatchObject({
      address: device.stream_address,
      username: 'ops',
      password: 'p@ss:w/rd#1',
    })
  })

  test('a stored password is readable nowhere in the database', async () => {
    const { device_id } = await create({ password: 'planted-secret-1' })
    const { password } = await t.services.db.owner((trx) =>
      trx.selectFrom('device').select('password').where('uid', '=', device_id).executeTakeFirstOrThrow(),
    )
    expect(password).not.toContain('planted-secret-1')
  })

  test('a password that cannot be opened any more costs that camera alone, and it says so', async () => {
    const lost = await create({ password: 'planted-secret-2' })
    const other = await create({ password: 'planted-secret-3' })
    const foreign = secretsOf(randomBytes(32)).seal('planted-secret-2', passwordPlace(lost.device_id))
    await t.services.db.owner((trx) =>
      trx.updateTable('device').set({ password: foreign }).where('uid', '=', lost.device_id).execute(),
    )
    const { sources } = await desired()
    const of = (id: string) => sources.find(({ device_id }) => device_id === id)
    expect(of(lost.device_id)).toMatchObject({ password: null, refusal: 'credentials_unreadable' })
    expect(of(other.device_id)).toMatchObject({ password: 'planted-secret-3' })
  })

  test('twelve come at once, a thirteenth is refused, and one mistake keeps all of them out', async () => {
    const names = (n: number) => Array.from({ length: n }, () => draft())
    const twelve = await admin.call('device.create', names(12))
    expect(twelve.status).toBe(201)
    expect(twelve.body.response).toHaveLength(12)

    const thirteen = await admin.call('device.create', names(13))
    expect(thirteen).toMatchObject({ status: 400, body: { errors: { '': ['at_most_12'] } } })

    const existing = twelve.body.response[0].device_name
    const mixed = names(5)
    Object.assign(mixed[1] as object, { device_name: existing })
    Object.assign(mixed[3] as object, { device_name: mixed[0]?.device_name.toUpperCase() })
    Object.assign(mixed[4] as object, { stream_address: 'rtsp://169.254.169.254/latest' })
    const refused = await admin.call('device.create', mixed)
    expect(refused).toMatchObject({
      status: 400,
      body: {
        errors: {
          '1.device_name': ['name_taken'],
          '3.device_name': ['name_taken'],
          '4.stream_address': ['address_refused'],
        },
      },
    })
    const { body } = await admin.call('device.list', { site_id: site.uid })
    expect(body.response.map((device: { device_name: string }) => device.device_name)).not.toContain(
      mixed[0]?.device_name,
    )
  })

  const wrong: [string, object, object][] = [
    ['no name', { device_name: '' }, { device_name: ['required'] }],
    ['a name of odd characters', { device_name: 'Gate <1>' }, { device_name: ['name_characters'] }],
    ['another scheme', { stream_address: 'http://192.168.1.2/x' }, { stream_address: ['stream_address'] }],
    ['this machine', { stream_address: 'rtsp://127.0.0.1:8554/x' }, { stream_address: ['address_refused'] }],
    ['credentials inside', { stream_address: 'rtsp://a:b@192.168.1.2/x' }, { stream_address: ['credentials_apart'] }],
    ['a port out of range', { onvif_port: 70000 }, { onvif_port: ['port_invalid'] }],
    ['a serial number as ONVIF id', { UUID: 'DS-2CD2043G2-0815' }, { UUID: ['endpoint_invalid'] }],
    ['something unknown', { colour: 'red' }, { colour: ['unknown_property'] }],
    [
      'an organization of its own choice',
      { organization_id: '00000000-0000-7000-8000-000000000001' },
      { organization_id: ['unknown_property'] },
    ],
  ]
  test.each(wrong)('%s is refused by field', async (_, more, errors) => {
    expect(await admin.call('device.create', draft(more))).toMatchObject({ status: 400, body: { errors } })
  })

  test('one ONVIF endpoint is one camera, however its id is written', async () => {
    const uuid = crypto.randomUUID()
    expect(await create({ UUID: `urn:uuid:${uuid.toUpperCase()}` })).toMatchObject({ UUID: uuid })
    expect(await admin.call('device.create', draft({ UUID: uuid }))).toMatchObject({
      status: 400,
      body: { errors: { UUID: ['device_taken'] } },
    })
  })

  test('names are unique in a site, also when many come at the same moment', async () => {
    const name = `Race ${++count}`
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => admin.call('device.create', draft({ device_name: name }))),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    for (const { status, body } of answers.filter((answer) => answer.status !== 201))
      expect([status, body.errors]).toEqual([400, { device_name: ['name_taken'] }])
    const elsewhere = await t.make.site()
    await create({ device_name: name, site_id: elsewhere.uid })
  })
})

describe('changing a camera', () => {
  test('the mask keeps the password, an empty one clears it, and each change reaches the edge server', async () => {
    const { device_id, stream_address } = await create({ username: 'ops', password: 'first' })
    const sent = async () => (await desired()).sources.find((source) => source.device_id === device_id)
    const version = (await sent())?.version ?? 0
    const patch = (change: object) => admin.call('device.update', { device_id, ...change })

    expect(await patch({ password: '****', username: 'root' })).toMatchObject({ status: 200 })
    expect(await sent()).toMatchObject({ username: 'root', password: 'first' })
    expect((await sent())?.version).toBeGreaterThan(version)

    const moved = await patch({ stream_address: stream_address.replace('main', 'sub') })
    expect(moved.body.response.device_source[0].source_address).toBe(stream_address.replace('main', 'sub'))
    expect(await sent()).toMatchObject({ address: stream_address.replace('main', 'sub') })

    const cleared = await patch({ password: '' })
    expect(cleared.body.response.password).toBe('')
    expect(await sent()).toMatchObject({ password: null })
  })

  test('a change made on an older version is refused, and nothing of it is stored', async () => {
    const { device_id, version, device_name } = await create()
    expect((await admin.call('device.update', { device_id, device_tags: { a1: 'b1' }, version })).status).toBe(200)
    const late = await admin.call('device.update', { device_id, device_name: 'Too late', version })
    expect(late).toMatchObject({ status: 412, body: { error_code: 'stale_version' } })
    const { body } = await admin.call('device.get', { device_id })
    expect(body.response.device_name).toBe(device_name)
  })

  test('an address that is no camera is refused', async () => {
    const { device_id } = await create()
    const answer = await admin.call('device.update', { device_id, stream_address: 'rtsp://[::1]/x' })
    expect(answer).toMatchObject({ status: 400, body: { errors: { stream_address: ['address_refused'] } } })
  })

  test('it moves to another edge server with its streams while no analytics run on it', async () => {
    const other = await t.make.nimble()
    const { device_id } = await create()
    const moved = await admin.call('device.update', { device_id, nimble_id: other.uid })
    expect(moved.body.response.nimble_id).toBe(other.uid)
    expect((await desired()).sources.some((source) => source.device_id === device_id)).toBe(false)
    const config = await t.services.db.ingest((trx) => desiredConfig(trx, t.services.secrets, other.uid))
    expect(config.sources.map((source) => source.device_id)).toEqual([device_id])
  })
})

describe('deleting a camera', () => {
  test('is refused while analytics run on it, which are named', async () => {
    const device = await t.make.device({}, site, nimble)
    const channel = await t.make.channel({}, device)
    const refused = await admin.call('device.delete', { device_id: device.uid })
    expect(refused).toMatchObject({
      status: 406,
      body: { message: 'device has active channels', errors: { channels: [channel.name] }, args: { count: 1 } },
    })
  })

  test('takes its streams with it; the parameter may come as body, wrapped, or in the query', async () => {
    for (const form of ['body', 'data', 'query']) {
      const { device_id } = await create()
      const input = { body: { device_id }, data: { data: { device_id } }, query: {} }[form] as object
      const url = `/api/v1/device${form === 'query' ? `?device_id=${device_id}` : ''}`
      const { status, body } = await admin.send({ method: 'DELETE', url, payload: input })
      expect([form, status, body.response]).toEqual([form, 200, { device_id }])
      expect((await admin.call('device.get', { device_id })).status).toBe(404)
      expect((await desired()).sources.some((source) => source.device_id === device_id)).toBe(false)
    }
  })
})

describe('who sees a camera', () => {
  test('people of another organization get the same as for what does not exist', async () => {
    const { device_id } = await create()
    const strangers = await t.make.organization()
    const outsider = await t.signIn(await t.make.user('admin', {}, strangers))
    const missing = '01890000-0000-7000-8000-000000000000'
    for (const [id, input] of [
      ['device.get', {}],
      ['device.view', {}],
      ['device.update', { device_name: 'Mine now' }],
      ['device.delete', {}],
    ] as const) {
      const there = await outsider.call(id, { device_id, ...input })
      const nowhere = await outsider.call(id, { device_id: missing, ...input })
      expect([id, there.status, there.text]).toEqual([id, 404, nowhere.text])
    }
    const foreign = await outsider.call('device.create', draft())
    expect(foreign.status).toBe(404)
    expect((await outsider.call('device.list')).body.response).toEqual([])
    expect((await outsider.call('device.list', { site_id: site.uid })).status).toBe(404)
  })

  test('a user sees the cameras of the assigned sites alone, a super viewer all', async () => {
    const other = await t.make.site()
    const { device_id } = await create()
    const { device_id: hidden } = await create({ site_id: other.uid })
    const person = await t.make.user('user')
    await t.make.assign(person, { site })
    const user = await t.signIn(person)
    expect((await user.call('device.get', { device_id })).status).toBe(200)
    expect((await user.call('device.get', { device_id: hidden })).status).toBe(404)
    const listed = (await user.call('device.list')).body.response.map((one: { device_id: string }) => one.device_id)
    expect(listed).toContain(device_id)
    expect(listed).not.toContain(hidden)
    expect((await user.call('device.create', draft())).status).toBe(403)
    const viewer = await t.signIn('super_viewer')
    expect((await viewer.call('device.get', { device_id: hidden })).status).toBe(200)
    expect((await viewer.call('device.delete', { device_id: hidden })).status).toBe(403)
  })
})

describe('what an edge server says of a camera', () => {
  test('camera offline and edge server unreachable are told apart', async () => {
    const edge = await t.make.nimble()
    const device = await t.make.device({}, site, edge)
    const stream = await t.make.sourceOf(device)
    if (!stream) throw new Error('no stream')
    const seen = async () => {
      const { device_health, health_cause, resolution } = (await admin.call('device.get', { device_id: device.uid }))
        .body.response
      return { device_health, health_cause, resolution }
    }
    const says = states(t.services.db)
    await says.nimble(edge, 'online')
    await says.source(stream, 'streaming', { codec: 'h264', width: 1280, height: 720 })
    expect(await seen()).toEqual({ device_health: 'healthy', health_cause: null, resolution: '1280x720' })
    await says.source(stream, 'offline', { cause: 'unreachable' })
    expect(await seen()).toMatchObject({ device_health: 'offline', health_cause: 'unreachable' })
    await says.nimble(edge, 'unreachable')
    expect(await seen()).toMatchObject({ device_health: 'unknown', health_cause: 'nimble_unreachable' })
  })

  test('the view has streams, channels with figures and standing, and the edge server', async () => {
    const device = await t.make.device({}, site, nimble)
    const channel = await t.make.channel({}, device)
    await states(t.services.db).source((await t.make.sourceOf(device)) as never, 'streaming', {
      width: 640,
      height: 480,
    })
    const { status, body } = await admin.call('device.view', { device_id: device.uid })
    expect(status).toBe(200)
    expect(body.response).toMatchObject({
      device: { device_id: device.uid },
      sources: [{ source_address: device.stream_address, resolution: '640x480' }],
      channels: [
        {
          channel_id: channel.uid,
          stats: { channel_total_detection: null, observed_ms: 0, coverage_ratio: 0 },
          status: { channel_state: 'saved', is_active: false, applied_version: null },
        },
      ],
      nimble: { nimble_id: nimble.uid, name: nimble.name },
      snapshot_url: null,
    })
  })
})

describe('asking an edge server that is away', () => {
  test.each([
    ['device.discover', {}],
    ['device.probe', { address: 'rtsp://192.168.1.9/x' }],
  ] as const)('%s says so at once', async (id, input) => {
    const answer = await admin.call(id, { nimble_id: nimble.uid, ...input })
    expect(answer).toMatchObject({
      status: 503,
      body: {
        error_code: 'nimble_unreachable',
        retryable: true,
        message: 'Either nimble ingestion service restarting or recovering from connection issues, try again later.',
      },
    })
  })

  test.each([
    ['10.0.0.0/8', 'range_too_large'],
    ['8.8.8.0/24', 'range_not_private'],
    ['192.168.1.0', 'range_invalid'],
  ])('the range %s is refused before anything is asked', async (range, id) => {
    const answer = await admin.call('device.discover', { nimble_id: nimble.uid, range })
    expect(answer).toMatchObject({ status: 400, body: { errors: { range: [id] } } })
  })

  test('a stored password is not sent to another host', async () => {
    const { device_id } = await create({ password: 'first' })
    const input = { nimble_id: nimble.uid, device_id, password: '****' }
    const elsewhere = await admin.call('device.probe', { ...input, address: 'rtsp://192.168.200.1/x' })
    expect(elsewhere).toMatchObject({ status: 400, body: { errors: { password: ['password_again'] } } })
  })

  test('a stored password is not sent to another edge server, nor a camera tried by one of another organization', async () => {
    const { device_id, stream_address: address } = await create({ password: 'first' })
    const probe = (by: Client, nimble_id: string) =>
      by.call('device.probe', { nimble_id, device_id, address, password: '****' })
    expect(await probe(admin, (await t.make.nimble()).uid)).toMatchObject({
      status: 400,
      body: { errors: { password: ['password_again'] } },
    })
    const foreign = await t.make.nimble({}, await t.make.organization())
    expect((await probe(await t.signIn('super_admin'), foreign.uid)).status).toBe(404)
  })
})
