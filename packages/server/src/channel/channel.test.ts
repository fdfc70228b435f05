import type { EventRecord } from '@sightline/contract/edge'
import { onlineSeconds } from '@sightline/domain'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Trx } from '../db/database.ts'
import { desiredConfig } from '../nimble/desired.ts'
import { type Answer, type Client, type TestApp, testApp } from '../testing/app.ts'
import { waitingForLock } from '../testing/database.ts'
import { eventRecord } from '../testing/events.ts'
import { states } from '../testing/states.ts'

type Device = Awaited<ReturnType<TestApp['make']['device']>>

let t: TestApp
let admin: Client
let device: Device
beforeAll(async () => {
  t = await testApp()
  admin = await t.signIn('admin')
  const home = await t.make.home()
  const { id } = await t.make.license(home)
  await t.services.db.owner((trx) =>
    trx.updateTable('license').set({ channel_limit: 1000 }).where('id', '=', id).execute(),
  )
  device = await t.make.device()
})
afterAll(() => t.close())

/** Corners as they are read: `0,0 1,0 1,1`. */
const corners = (text: string) => text.split(' ').map((corner) => corner.split(',').map(Number))
const shape = (kind: 'zone' | 'line' | 'mask', text: string) => ({ kind, points: corners(text), aspect_ratio: 16 / 9 })
const whole = shape('zone', '0,0 1,0 1,1 0,1')
const line = shape('line', '0.2,0.5 0.8,0.5')
const mask = shape('mask', '0,0 0.2,0 0,0.2')

let count = 0
const draft = (more: object = {}) => ({
  channel_name: `Entrance ${++count}`,
  device_id: device.uid,
  usecase_key: 'pplcnt',
  zones: [whole],
  ...more,
})
const create = async (more: object = {}) => {
  const { status, body } = await admin.call('channel.create', draft(more))
  expect(status, JSON.stringify(body)).toBe(201)
  return body.response
}
const nimbleOf = (of: Device) =>
  t.services.db.owner((trx) =>
    trx.selectFrom('nimble').selectAll().where('id', '=', of.nimble_id).executeTakeFirstOrThrow(),
  )
const desired = async (of: Device = device) => {
  const { uid } = await nimbleOf(of)
  return t.services.db.ingest((trx) => desiredConfig(trx, t.services.secrets, uid))
}
const sent = async (channelId: string) => (await desired()).channels.find((channel) => channel.channel_id === channelId)
const rowOf = (uid: string) =>
  t.services.db.owner((trx) => trx.selectFrom('channel').selectAll().where('uid', '=', uid).executeTakeFirstOrThrow())

describe('putting a use case on a camera', () => {
  test('zones are named in order, the pipeline comes from the defaults, and the edge server is to run it', async () => {
    const channel = await create({
      channel_name: 'Entrée Nord',
      usecase_key: 'pplocc',
      zones: [whole, line, mask, whole],
    })
    expect(channel).toMatchObject({
      channel_sid: 'channel/entree-nord',
      device_id: device.uid,
      usecase_key: 'pplocc',
      usecase_name: 'Occupancy',
      channel_threshold: -1,
      auto_recovery: true,
      is_active: false,
      channel_state: 'saved',
      channel_health: 'unknown',
      state_cause: 'nimble_unreachable',
      metric_keys: ['up', 'occupancy', 'down'],
      notify_count: 0,
    })
    expect(channel.zones.map((zone: { name: string }) => zone.name)).toEqual(['zone1', 'line1', 'mask1', 'zone2'])
    const pipeline = await admin.call('pipeline.get', { pipeline_id: channel.pipeline_id })
    expect(pipeline.body.response).toMatchObject({
      pipeline_name: 'Entrée Nord',
      pipeline_usecase: 'pplocc',
      // Times of day are the site's.
      pipeline_elements: { 'decode.fps': 5, 'analytic.window_s': 5, 'analytic.timezone': 'America/Toronto' },
    })
    expect(await sent(channel.channel_id)).toMatchObject({
      source_id: channel.source_id,
      usecase_key: 'pplocc',
      zones: [{ name: 'zone1' }, { name: 'line1', direction: 'both' }, { name: 'mask1' }, { name: 'zone2' }],
    })
  })

  test('the same name again on another camera gets a stream name and a pipeline of its own', async () => {
    const edge = await nimbleOf(device)
    const other = await t.make.device({}, undefined, edge)
    const first = await create({ channel_name: 'Lobby' })
    const second = await create({ channel_name: 'Lobby', device_id: other.uid })
    expect([first.channel_sid, second.channel_sid]).toEqual(['channel/lobby', 'channel/lobby-2'])
    const names = await Promise.all(
      [first, second].map(
        async ({ pipeline_id }) => (await admin.call('pipeline.get', { pipeline_id })).body.response.pipeline_name,
      ),
    )
    expect(names).toEqual(['Lobby', 'Lobby 2'])
  })

  test('elements are laid over the defaults', async () => {
    const { pipeline_id } = await create({ pipeline: { pipeline_elements: { 'decode.fps': 2 } } })
    const { body } = await admin.call('pipeline.get', { pipeline_id })
    expect(body.response.pipeline_elements).toMatchObject({ 'decode.fps': 2, 'decode.width': 640 })
  })

  test('a pipeline made before may be named, when it is of the same edge server and use case', async () => {
    const edge = await nimbleOf(device)
    const fitting = await t.make.pipeline('pplcnt', edge)
    expect((await create({ pipeline_id: fitting.uid })).pipeline_id).toBe(fitting.uid)
    const other = await t.make.pipeline('intrdtec', edge)
    expect(await admin.call('channel.create', draft({ pipeline_id: other.uid }))).toMatchObject({
      status: 400,
      body: { errors: { pipeline_id: ['not_found'] } },
    })
  })

  const elsewhere = '01890000-0000-7000-8000-000000000000'
  const wrong: [string, object, object][] = [
    ['no zone', { zones: [] }, { zones: ['zone_required'] }],
    ['a mask alone', { zones: [mask] }, { zones: ['zone_required'] }],
    ['occupancy without a line', { usecase_key: 'pplocc' }, { zones: ['line_required'] }],
    ['a zone of two corners', { zones: [shape('zone', '0,0 1,1')] }, { 'zones.0.points': ['zone_incomplete'] }],
    [
      'a zone that crosses itself',
      { zones: [shape('zone', '0,0 1,0.9 1,0 0,0.5')] },
      { 'zones.0.points': ['zone_self_crossing'] },
    ],
    ['a point outside', { zones: [shape('zone', '0,0 1.2,0 1,1')] }, { 'zones.0.points.1.0': ['outside_picture'] }],
    [
      'a dwell beyond that of the use case',
      { usecase_key: 'loiterdtec', zones: [whole, { ...whole, dwell_s: 86_401 }] },
      { 'zones.1.dwell_s': ['range:1:86400'] },
    ],
    ['a dwell where there is none', { zones: [{ ...whole, dwell_s: 5 }] }, { 'zones.0.dwell_s': ['unknown_property'] }],
    ['another’s zone', { zones: [{ ...whole, static_id: elsewhere }] }, { 'zones.0.static_id': ['not_found'] }],
    ['an unknown use case', { usecase_key: 'magic' }, { usecase_key: ['one_of'] }],
    [
      'an unknown element',
      { pipeline: { pipeline_elements: { 'decode.warp': 9 } } },
      { 'pipeline.pipeline_elements.decode.warp': ['unknown_property'] },
    ],
    [
      'an element out of range',
      { pipeline: { pipeline_elements: { 'decode.fps': 900 } } },
      { 'pipeline.pipeline_elements.decode.fps': ['range:0.5:25'] },
    ],
    ['a threshold of zero', { channel_threshold: 0 }, { channel_threshold: ['count_or_disabled'] }],
    ['a stream of another camera', { source_id: elsewhere }, { source_id: ['not_found'] }],
  ]
  test.each(wrong)('%s is refused by field, and nothing is stored', async (_, more, errors) => {
    const before = await desired()
    expect(await admin.call('channel.create', draft(more))).toMatchObject({ status: 400, body: { errors } })
    expect(await desired()).toEqual(before)
  })

  test('names are unique on a camera', async () => {
    const { channel_name } = await create()
    expect(await admin.call('channel.create', draft({ channel_name: channel_name.toUpperCase() }))).toMatchObject({
      status: 400,
      body: { errors: { channel_name: ['name_taken'] } },
    })
  })

  test('a use case that lacks a model says so from the start', async () => {
    const channel = await create({ usecase_key: 'ppedtec' })
    expect(channel).toMatchObject({ detector_state: 'needs_model' })
  })
})

describe('the licence', () => {
  const limited = async (channel_limit: number, given: object = {}) => {
    const organization = await t.make.organization()
    const { tenant_id } = organization
    const add = (terms: object) =>
      t.services.db.owner((trx) =>
        trx
          .insertInto('license')
          .values({ tenant_id, uid: crypto.randomUUID(), name: 'Small', channel_limit, ...terms })
          .returningAll()
          .executeTakeFirstOrThrow(),
      )
    const license = await add(given)
    const nimble = await t.make.nimble({ license_id: license.id }, organization)
    const site = await t.make.site({}, await t.make.customer({}, organization))
    const owner = await t.signIn(await t.make.user('admin', {}, organization))
    return { owner, device: () => t.make.device({}, site, nimble), license, nimble, add }
  }

  test('fifty at once on as many cameras never pass its limit', async () => {
    const { owner, device: camera, license } = await limited(7)
    const cameras = await Promise.all(Array.from({ length: 50 }, camera))
    const answers = await Promise.all(cameras.map(({ uid }) => owner.call('channel.create', draft({ device_id: uid }))))
    const made = answers.filter(({ status }) => status === 201)
    expect(made).toHaveLength(7)
    for (const { status, body } of answers.filter((answer) => answer.status !== 201))
      expect([status, body.error_code, body.args]).toEqual([409, 'license_limit', { limit: 7, name: 'Small' }])
    const { body } = await owner.call('license.list')
    const own = body.response.find((one: { license_id: string }) => one.license_id === license.uid)
    expect(own).toMatchObject({ channels_used: 7, state: 'valid' })
  })

  describe('counts when the row of the edge server is had, not before the waiting:', () => {
    /** Holds the row until somebody waits for it, then does the last thing. */
    const heldWhile = async (id: number, call: () => Promise<Answer>, last: (trx: Trx) => Promise<unknown>) => {
      const { promise: held, resolve: hold } = Promise.withResolvers<void>()
      const { db } = t.services
      const holding = db.owner(async (trx) => {
        await trx.updateTable('nimble').set({ connection_timeout: 61 }).where('id', '=', id).execute()
        hold()
        await waitingForLock(db)
        await last(trx)
      })
      await held
      const [answer] = await Promise.all([call(), holding])
      return answer
    }

    test('a channel comes under the licence that is bound by then', async () => {
      const { owner, device: camera, nimble, add } = await limited(7)
      const { uid } = await camera()
      const over = await add({ name: 'Over', expires_at: new Date(0) })
      const answer = await heldWhile(
        nimble.id,
        () => owner.call('channel.create', draft({ device_id: uid })),
        (trx) => trx.updateTable('nimble').set({ license_id: over.id }).where('id', '=', nimble.id).execute(),
      )
      expect(answer).toMatchObject({ status: 409, body: { error_code: 'license_expired', args: { name: 'Over' } } })
    })

    test('a licence is bound only if it takes the channels that are there by then', async () => {
      const { device: camera, nimble, add } = await limited(7)
      const device = await camera()
      const { uid: license_id } = await add({ name: 'One', channel_limit: 1 })
      const root = await t.signIn('super_admin')
      const answer = await heldWhile(
        nimble.id,
        () => root.call('nimble.license', { nimble_id: nimble.uid, license_id }),
        async () => {
          await t.make.channel({}, device)
          await t.make.channel({ usecase_key: 'intrdtec' }, device)
        },
      )
      expect(answer).toMatchObject({ status: 409, body: { error_code: 'license_limit', args: { name: 'One' } } })
    })
  })

  test.each([
    ['has expired', { expires_at: new Date(Date.now() - 1000) }, 'license_expired'],
    ['begins tomorrow', { valid_from: new Date(Date.now() + 86_400_000) }, 'license_not_yet_valid'],
  ])('one that %s takes no channel', async (_, given, code) => {
    const { owner, device: camera } = await limited(7, given)
    const { uid } = await camera()
    const answer = await owner.call('channel.create', draft({ device_id: uid }))
    expect(answer).toMatchObject({ status: 409, body: { error_code: code } })
  })
})

describe('changing a channel', () => {
  test('zones that are sent with their id stay the same zones, new ones get new numbers, the rest goes', async () => {
    const { channel_id, zones } = await create({ zones: [whole, whole] })
    const kept = { static_id: zones[1].static_id, ...whole, label: 'Door' }
    const { status, body } = await admin.call('channel.update', { channel_id, zones: [kept, line, whole] })
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body.response.zones.map((zone: { name: string; label: string }) => [zone.name, zone.label])).toEqual([
      ['zone2', 'Door'],
      ['line1', null],
      ['zone3', null],
    ])
    expect(body.response.zones[0].static_id).toBe(zones[1].static_id)
    // Lines add crossings to people counting.
    expect(body.response.metric_keys).toEqual(['total', 'up', 'down'])
  })

  test('a zone has a dwell of its own, within the bounds of the analytic’s, and is sent with it; other analytics are not touched', async () => {
    const neighbour = await create({ usecase_key: 'loiterdtec' })
    const made = await create({ usecase_key: 'loiterdtec', zones: [{ ...whole, dwell_s: 7 }, whole] })
    const { channel_id, zones } = made
    expect(zones.map((zone: { dwell_s: number | null }) => zone.dwell_s)).toEqual([7, null])
    const dwells = async () =>
      (await sent(channel_id))?.zones.flatMap(({ kind, dwell_s }) => (kind === 'zone' ? [dwell_s] : []))
    expect(await dwells()).toEqual([7, null])

    const versions = async () => [(await sent(channel_id))?.version ?? 0, (await sent(neighbour.channel_id))?.version]
    const [own, other] = await versions()
    const [first, second] = zones.map(({ static_id }: { static_id: string }) => ({ ...whole, static_id }))
    const change = (dwell_s: number | null) =>
      admin.call('channel.update', {
        channel_id,
        zones: [
          { ...first, dwell_s: null },
          { ...second, dwell_s },
        ],
      })
    expect(await change(0)).toMatchObject({ status: 400, body: { errors: { 'zones.1.dwell_s': ['range:1:86400'] } } })
    expect(await dwells()).toEqual([7, null])
    expect((await change(90)).status).toBe(200)
    expect(await dwells()).toEqual([null, 90])
    expect(await versions()).toEqual([(own as number) + 1, other])
    // Whoever does not know of it, such as a page of the version before, takes nothing back.
    expect((await admin.call('channel.update', { channel_id, zones: [first, second] })).status).toBe(200)
    const { body } = await admin.call('channel.id', { channel_id })
    expect(body.response.zones.map((zone: { dwell_s: number | null }) => zone.dwell_s)).toEqual([null, 90])
  })

  test('an empty set of zones is refused, and occupancy keeps a line', async () => {
    const { channel_id } = await create()
    expect(await admin.call('channel.update', { channel_id, zones: [] })).toMatchObject({
      status: 400,
      body: { errors: { zones: ['zone_required'] } },
    })
    const occupancy = await create({ usecase_key: 'pplocc', zones: [line] })
    expect(await admin.call('channel.update', { channel_id: occupancy.channel_id, zones: [whole] })).toMatchObject({
      status: 400,
      body: { errors: { zones: ['line_required'] } },
    })
  })

  test('the stream name keeps its prefix, typed or not', async () => {
    const { channel_id } = await create()
    const { body } = await admin.call('channel.update', { channel_id, channel_sid: `north-${count}` })
    expect(body.response.channel_sid).toBe(`channel/north-${count}`)
  })

  test('every change raises the version that the edge server is to apply', async () => {
    const { channel_id, pipeline_id, zones } = await create()
    const changes: [Parameters<Client['call']>[0], object][] = [
      ['channel.update', { channel_id, auto_recovery: false }],
      ['channel.update', { channel_id, zones: [{ ...whole, static_id: zones[0].static_id }, line] }],
      ['channel.update', { channel_id, pipeline: { pipeline_elements: { 'decode.fps': 3 } } }],
      ['pipeline.update', { pipeline_id, pipeline_elements: { 'decode.fps': 4 } }],
      ['static.update', { static_id: zones[0].static_id, label: 'Door' }],
    ]
    for (const [id, input] of changes) {
      const [config, channel] = [(await desired()).version, (await sent(channel_id))?.version ?? 0]
      expect([id, (await admin.call(id, input)).status]).toEqual([id, 200])
      expect((await desired()).version).toBeGreaterThan(config)
      expect((await sent(channel_id))?.version).toBeGreaterThan(channel)
    }
    expect((await sent(channel_id))?.pipeline_elements['decode.fps']).toBe(4)
  })

  test('of two who edit the same version the later is refused, and nothing of theirs is stored', async () => {
    const { channel_id, version, zones } = await create()
    expect((await admin.call('channel.update', { channel_id, version, zones: [whole, line] })).status).toBe(200)
    const late = await admin.call('channel.update', { channel_id, version, zones: [whole], channel_threshold: 5 })
    expect(late).toMatchObject({ status: 412, body: { error_code: 'stale_version' } })
    const { body } = await admin.call('channel.id', { channel_id })
    expect(body.response).toMatchObject({ channel_threshold: -1, zones: [{ name: 'zone2' }, { name: 'line1' }] })
    expect(zones).toHaveLength(1)
  })

  test('the use case is fixed for life', async () => {
    const { channel_id } = await create()
    expect(await admin.call('channel.update', { channel_id, usecase_key: 'intrdtec' })).toMatchObject({
      status: 400,
      body: { errors: { usecase_key: ['unknown_property'] } },
    })
  })
})

describe('deleting a channel', () => {
  test('is refused while auto recovery is on', async () => {
    const { channel_id } = await create()
    const refused = await admin.call('channel.delete', { channel_id, force: true })
    expect(refused).toMatchObject({
      status: 409,
      body: { error_code: 'auto_recovery_enabled', message: 'Cannot delete Analytic, auto-recovery is enabled' },
    })
  })

  test('needs the edge server, unless it is forced; zones and its own pipeline go with it', async () => {
    const { channel_id, pipeline_id } = await create({ auto_recovery: false })
    expect(await admin.call('channel.delete', { channel_id })).toMatchObject({
      status: 503,
      body: { error_code: 'nimble_unreachable' },
    })
    expect((await admin.call('channel.delete', { channel_id, force: true })).body.response).toEqual({ channel_id })
    expect(await sent(channel_id)).toBeUndefined()
    expect((await admin.call('pipeline.get', { pipeline_id })).status).toBe(404)
    expect(await admin.call('channel.id', { channel_id })).toMatchObject({
      status: 404,
      body: { message: 'Either the channel was deleted or the user lacks access.' },
    })
  })

  test('a pipeline that was made on its own stays', async () => {
    const chosen = await t.make.pipeline('pplcnt', await nimbleOf(device))
    const { channel_id } = await create({ auto_recovery: false, pipeline_id: chosen.uid })
    await admin.call('channel.delete', { channel_id, force: true })
    expect((await admin.call('pipeline.get', { pipeline_id: chosen.uid })).status).toBe(200)
  })
})

describe('how a channel stands', () => {
  /** Records of a channel as its edge server sends them. @param ageSeconds how long ago */
  const record = async (channelUid: string, ageSeconds: number, given: Partial<EventRecord> = {}) => {
    const { tenant_id, nimble_id } = await rowOf(channelUid)
    const observed_at = Date.now() - ageSeconds * 1000
    const records = [eventRecord({ channel_id: channelUid, observed_at, ...given })]
    await t.services.events.write({ tenantId: tenant_id, nimbleId: nimble_id, records, receivedAt: new Date() })
    await t.services.events.settled()
  }

  test('it is online with a fresh record while the edge server says that it runs', async () => {
    const says = states(t.services.db)
    const own = await t.make.device()
    const { channel_id } = await create({ device_id: own.uid })
    const stream = await t.make.sourceOf(own)
    if (!stream) throw new Error('no stream')
    const seen = async () => {
      const { is_active, channel_state, channel_health, state_cause } = (
        await admin.call('channel.status', { channel_id })
      ).body.response
      return [channel_state, is_active, channel_health, state_cause]
    }
    await says.nimble(await nimbleOf(own), 'online')
    expect(await seen()).toEqual(['sent', false, 'unknown', null])
    await says.source(stream, 'streaming')
    await says.channel(await rowOf(channel_id), 'running')
    expect(await seen()).toEqual(['running', false, 'unknown', null])
    await says.channel(await rowOf(channel_id), 'running', { since: new Date(Date.now() - 60_000) })
    expect(await seen()).toEqual(['running', false, 'needs attention', 'no_records'])
    await record(channel_id, 3)
    expect(await seen()).toEqual(['running', true, 'healthy', null])
    await says.source(stream, 'offline', { cause: 'stalled' })
    expect(await seen()).toEqual(['running', true, 'offline', 'stalled'])
    await says.nimble(await nimbleOf(own), 'unreachable')
    expect(await seen()).toEqual(['running', false, 'unknown', 'nimble_unreachable'])
  })

  test('with windows of a minute it stays online from one record to the next', async () => {
    const says = states(t.services.db)
    const own = await t.make.device()
    const { channel_id } = await create({
      device_id: own.uid,
      pipeline: { pipeline_elements: { 'analytic.window_s': 60 } },
    })
    await says.nimble(await nimbleOf(own), 'online')
    await says.channel(await rowOf(channel_id), 'running', { since: new Date(Date.now() - 90_000) })
    const seen = async () => (await admin.call('channel.status', { channel_id })).body.response
    expect(await seen()).toMatchObject({ is_active: false, state_cause: null })
    await record(channel_id, 59)
    expect(await seen()).toMatchObject({ is_active: true, state_cause: null })
  })

  test('a record that is too old does not count', async () => {
    const says = states(t.services.db)
    const own = await t.make.device()
    const { channel_id } = await create({ device_id: own.uid })
    await says.nimble(await nimbleOf(own), 'online')
    await says.channel(await rowOf(channel_id), 'running', { since: new Date(Date.now() - 60_000) })
    await record(channel_id, onlineSeconds + 5)
    const { body } = await admin.call('channel.status', { channel_id })
    expect(body.response).toMatchObject({ is_active: false, state_cause: 'no_records' })
    expect(body.response.last_record_at).not.toBeNull()
  })

  test('figures of a day are the card’s numbers; unwatched is null, not zero', async () => {
    const counted = await create()
    const intrusion = await create({ usecase_key: 'intrdtec' })
    const silent = await create()
    for (const age of [3600, 7200]) {
      await record(counted.channel_id, age, { metrics: { total: 2, total_max: age === 3600 ? 4 : 3 } })
      await record(intrusion.channel_id, age, { metrics: { total: 2, violation: 0, non_violation: 1.5 } })
      await record(intrusion.channel_id, age, { kind: 'open', metrics: { violation: 1 } })
    }
    const asked = [silent, intrusion, counted].map(({ channel_id }) => channel_id)
    const { body } = await admin.call('channel.stats', { channel_id: asked })
    expect(body.response.map((one: { channel_id: string }) => one.channel_id)).toEqual(asked)
    expect(body.response[0]).toMatchObject({ channel_total_detection: null, channel_violation: null, observed_ms: 0 })
    expect(body.response[1]).toMatchObject({ channel_violation: 2, channel_nonviolation: 1.5, observed_ms: 10_000 })
    expect(body.response[2]).toMatchObject({ channel_total_detection: 4, channel_violation: null })
    expect(body.response[2].coverage_ratio).toBeCloseTo(10 / 86_400, 8)
  })
})

describe('who sees a channel', () => {
  test('lists hold what is in reach: by device, site, use case, and all', async () => {
    const site = await t.make.site()
    const camera = await t.make.device({}, site)
    const channel = await t.make.channel({}, camera)
    const person = await t.make.user('viewer')
    await t.make.assign(person, { site })
    const viewer = await t.signIn(person)
    const { usecase_id } = (await viewer.call('channel.id', { channel_id: channel.uid })).body.response
    for (const [id, input] of [
      ['channel.list', { device_id: camera.uid }],
      ['channel.list', { site_id: site.uid, usecase_id }],
      ['channel.mine', {}],
      ['channel.bySite', { site_id: site.uid }],
    ] as const) {
      const { status, body } = await viewer.call(id, input)
      expect([id, status, body.response.map((one: { channel_id: string }) => one.channel_id)]).toEqual([
        id,
        200,
        [channel.uid],
      ])
    }
    expect((await viewer.call('channel.usecase', { usecase_id, channel_id: channel.uid })).status).toBe(200)
    // Of everything there is a list of its own; this one names whose channels it wants, and comes in pages as well.
    const all = await viewer.call('channel.list', {})
    expect([all.status, all.body.errors]).toEqual([400, { device_id: ['required'] }])
    await t.make.channel({}, camera)
    const { body } = await viewer.call('channel.list', { usecase_id, limit: 1 })
    expect([body.response.length, body.page]).toEqual([1, expect.objectContaining({ limit: 1, total: 2 })])
    expect((await viewer.call('channel.bySite', { site_id: (await t.make.site()).uid })).status).toBe(404)
    expect((await viewer.call('channel.create', draft())).status).toBe(403)
  })

  test('all in reach come page by page in the order of their names, narrowed by use case and by part of a name', async () => {
    const site = await t.make.site()
    const door = await t.make.device({ name: 'Back door' }, site)
    const hall = await t.make.device({ name: 'Hall' }, site)
    await t.make.channel({ name: 'Échelle', usecase_key: 'intrdtec' }, door)
    await t.make.channel({ name: 'delta', usecase_key: 'pplcnt' }, hall)
    await t.make.channel({ name: 'Zeta', usecase_key: 'pplcnt' }, door)
    const person = await t.make.user('viewer')
    await t.make.assign(person, { site })
    const viewer = await t.signIn(person)
    const listed = async (input: object) => {
      const { body } = await viewer.call('channel.mine', input)
      return { names: body.response.map((one: { channel_name: string }) => one.channel_name), total: body.page.total }
    }
    expect(await listed({ limit: 2 })).toEqual({ names: ['delta', 'Échelle'], total: 3 })
    expect(await listed({ limit: 2, offset: 2 })).toEqual({ names: ['Zeta'], total: 3 })
    expect(await listed({ usecase_key: ['pplcnt'] })).toEqual({ names: ['delta', 'Zeta'], total: 2 })
    expect(await listed({ q: 'BACK' })).toEqual({ names: ['Échelle', 'Zeta'], total: 2 })
    expect(await listed({ q: 'échel', usecase_key: ['pplcnt', 'intrdtec'] })).toEqual({ names: ['Échelle'], total: 1 })
    expect(await listed({ q: 'nowhere' })).toEqual({ names: [], total: 0 })
  })

  test('another organization gets the same as for what does not exist', async () => {
    const { channel_id } = await create()
    const outsider = await t.signIn(await t.make.user('admin', {}, await t.make.organization()))
    const missing = '01890000-0000-7000-8000-000000000000'
    for (const [id, input] of [
      ['channel.id', {}],
      ['channel.status', {}],
      ['channel.update', { auto_recovery: false }],
      ['channel.delete', { force: true }],
      ['channel.ondemand', {}],
    ] as const) {
      const there = await outsider.call(id, { channel_id, ...input })
      const nowhere = await outsider.call(id, { channel_id: missing, ...input })
      expect([id, there.status, there.text]).toEqual([id, 404, nowhere.text])
    }
    expect((await outsider.call('channel.stats', { channel_id: [channel_id] })).body.response).toEqual([])
    expect((await outsider.call('channel.create', draft())).status).toBe(404)
  })
})

test('a live address names the portal, a still needs the edge server', async () => {
  const { channel_id } = await create()
  const { body } = await admin.call('channel.ondemand', { channel_id, kind: 'live' })
  expect(body.response).toMatchObject({ kind: 'live', live_url: `/api/v1/live?channel_id=${channel_id}` })
  expect(await admin.call('channel.ondemand', { channel_id })).toMatchObject({
    status: 503,
    body: { error_code: 'nimble_unreachable' },
  })
})
