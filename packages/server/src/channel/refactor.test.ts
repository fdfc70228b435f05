import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { desiredConfig } from '../nimble/desired.ts'
import { listTargets, saveChannels } from '../nimble/states.ts'
import { type Client, type TestApp, testApp } from '../testing/app.ts'
import { eventRecord } from '../testing/events.ts'
import { states } from '../testing/states.ts'
import { until } from '../testing/until.ts'
import { newUid } from '../uid.ts'

let t: TestApp
let admin: Client
beforeAll(async () => {
  t = await testApp()
  admin = await t.signIn('admin')
})
afterAll(() => t.close())

const triangle = [
  [0.1, 0.1],
  [0.4, 0.1],
  [0.4, 0.4],
]

/** A camera with two analytics on an edge server, and another edge server. */
async function scene() {
  const [site, from, to] = [await t.make.site(), await t.make.nimble(), await t.make.nimble()]
  const device = await t.make.device({}, site, from)
  const channels = [
    await t.make.channel({}, device),
    await t.make.channel({ usecase_key: 'intrdtec' }, device),
  ] as const
  return { site, from, to, device, channels, channel: channels[0] }
}
const desired = (nimble: { uid: string }) =>
  t.services.db.ingest((trx) => desiredConfig(trx, t.services.secrets, nimble.uid))
const refactor = (input: object, client = admin) => client.call('channel.refactor', input)
const channelOf = async (channel: { uid: string }) =>
  (await admin.call('channel.id', { channel_id: channel.uid })).body.response

describe('another edge server', () => {
  test('takes the camera with all its channels, their zones and pipelines; the old one has nothing of it any more', async () => {
    const { from, to, device, channels, channel } = await scene()
    const zones = (await channelOf(channel)).zones
    const [watched] = (await channelOf(channels[1])).zones
    expect((await admin.call('static.update', { static_id: watched.static_id, dwell_s: 20 })).status).toBe(200)
    const { status, body } = await refactor({ channel_id: channel.uid, nimble_id: to.uid })
    expect(status).toBe(201)
    expect(body.response.channel).toMatchObject({ channel_id: channel.uid, nimble_id: to.uid })
    expect(body.response.channel.zones.map((zone: { name: string }) => zone.name)).toEqual(
      zones.map((zone: { name: string }) => zone.name),
    )
    const restarted = body.response.restarts.map((one: { channel_id: string }) => one.channel_id)
    expect(restarted.sort()).toEqual(channels.map(({ uid }) => uid).sort())
    const [old, fresh] = [await desired(from), await desired(to)]
    expect([old.sources, old.channels]).toEqual([[], []])
    expect(fresh.sources.map((source) => source.device_id)).toEqual([device.uid])
    expect(fresh.channels.map((one) => one.channel_id).sort()).toEqual(channels.map(({ uid }) => uid).sort())
    expect(fresh.channels.flatMap((one) => one.zones)).toContainEqual(
      expect.objectContaining({ static_id: watched.static_id, dwell_s: 20 }),
    )
    expect((await admin.call('device.get', { device_id: device.uid })).body.response.nimble_id).toBe(to.uid)
  })

  test('is told of before, without a trace of having been', async () => {
    const { from, to, channels, channel } = await scene()
    const before = [await desired(from), await desired(to)]
    const { status, body } = await refactor({ channel_id: channel.uid, nimble_id: to.uid, dry_run: true })
    expect(status).toBe(201)
    expect(body.response.restarts).toHaveLength(channels.length)
    expect([await desired(from), await desired(to)]).toEqual(before)
    expect((await channelOf(channel)).nimble_id).toBe(from.uid)
  })

  test('leaves a pipeline that cameras at the old one run too, and takes a copy', async () => {
    const { from, to, site, device } = await scene()
    const other = await t.make.device({}, site, from)
    const pipeline = await t.make.pipeline('pplcnt', from)
    const moving = await t.make.channel({ pipeline_id: pipeline.id }, device)
    const staying = await t.make.channel({ pipeline_id: pipeline.id }, other)
    await refactor({ channel_id: moving.uid, nimble_id: to.uid })
    expect((await channelOf(staying)).pipeline_id).toBe(pipeline.uid)
    const copy = (await channelOf(moving)).pipeline_id
    expect(copy).not.toBe(pipeline.uid)
    const { body } = await admin.call('pipeline.get', { pipeline_id: copy })
    expect(body.response).toMatchObject({ nimble_id: to.uid, pipeline_elements: pipeline.elements })
  })

  test('with a licence that is used up refuses, and nothing moves', async () => {
    const { from, device, channel } = await scene()
    const full = await t.make.nimble()
    const small = { tenant_id: full.tenant_id, uid: newUid(), name: 'Room for one', channel_limit: 1 }
    await t.services.db.owner(async (trx) => {
      const { id } = await trx.insertInto('license').values(small).returning('id').executeTakeFirstOrThrow()
      await trx.updateTable('nimble').set({ license_id: id }).where('id', '=', full.id).execute()
    })
    const { status, body } = await refactor({ channel_id: channel.uid, nimble_id: full.uid })
    expect([status, body.error_code]).toEqual([409, 'license_limit'])
    expect((await desired(from)).channels).toHaveLength(2)
    expect((await admin.call('device.get', { device_id: device.uid })).body.response.nimble_id).toBe(from.uid)
  })

  test('knows nothing of the camera yet: what the old one said is forgotten', async () => {
    const { from, to, device, channel } = await scene()
    const says = states(t.services.db)
    const stream = await t.make.sourceOf(device)
    if (!stream) throw new Error('no stream')
    await says.nimble(from, 'online')
    await says.nimble(to, 'online')
    await says.source(stream, 'streaming', {})
    expect((await admin.call('device.get', { device_id: device.uid })).body.response.device_health).toBe('healthy')
    await refactor({ channel_id: channel.uid, nimble_id: to.uid })
    expect((await admin.call('device.get', { device_id: device.uid })).body.response.device_health).toBe('unknown')
  })

  test('stores what it sends of the channel, and what the old one still had in its journal', async () => {
    const { from, to, channel } = await scene()
    const stranger = await t.make.nimble()
    const stored = async (nimble: { id: number; tenant_id: number }) => {
      const records = [eventRecord({ channel_id: channel.uid, observed_at: Date.now() })]
      const batch = { tenantId: nimble.tenant_id, nimbleId: nimble.id, records, receivedAt: new Date() }
      return (await t.services.events.write(batch)).stored
    }
    expect(await stored(from)).toBe(1)
    await refactor({ channel_id: channel.uid, nimble_id: to.uid })
    expect(await stored(from)).toBe(1)
    // A portal that heard of the channel before looks again within seconds.
    await until(async () => (await stored(to)) === 1, 'the new edge server is known')
    expect(await stored(from)).toBe(1)
    expect(await stored(stranger)).toBe(0)
  })
})

describe('another stream', () => {
  test('of the same site and edge server: zones go along', async () => {
    const { site, from, channel } = await scene()
    const replacement = await t.make.device({}, site, from)
    const source = await t.make.sourceOf(replacement)
    const zones = (await channelOf(channel)).zones
    const { body } = await refactor({ channel_id: channel.uid, source_id: source?.uid })
    expect(body.response.channel).toMatchObject({ device_id: replacement.uid, source_id: source?.uid })
    expect(body.response.channel.zones).toMatchObject(
      zones.map((zone: { static_id: string }) => ({ static_id: zone.static_id, source_id: source?.uid })),
    )
    const added = await admin.call('static.create', {
      source_id: source?.uid,
      channel_id: channel.uid,
      points: triangle,
      aspect_ratio: 1.78,
    })
    expect(added.body.response.name).toBe(`zone${zones.length + 1}`)
  })

  test('of another site or edge server is refused with the reason', async () => {
    const { site, from, to, channel } = await scene()
    const elsewhere = await t.make.sourceOf(await t.make.device({}, await t.make.site(), from))
    const away = await t.make.sourceOf(await t.make.device({}, site, to))
    for (const [source, why] of [
      [elsewhere, 'source_other_site'],
      [away, 'source_other_nimble'],
    ] as const)
      expect((await refactor({ channel_id: channel.uid, source_id: source?.uid })).body.errors).toEqual({
        source_id: [why],
      })
  })
})

test('another pipeline must be for the use case, at the same edge server; nothing at all is refused', async () => {
  const { from, to, channel } = await scene()
  const refused = async (pipeline: { uid: string }) =>
    (await refactor({ channel_id: channel.uid, pipeline_id: pipeline.uid })).body.errors
  expect(await refused(await t.make.pipeline('pplocc', from))).toEqual({ pipeline_id: ['pipeline_other_usecase'] })
  expect(await refused(await t.make.pipeline('pplcnt', to))).toEqual({ pipeline_id: ['pipeline_other_nimble'] })
  const fits = await t.make.pipeline('pplcnt', from)
  const { body } = await refactor({ channel_id: channel.uid, pipeline_id: fits.uid })
  expect(body.response.channel.pipeline_id).toBe(fits.uid)
  expect((await refactor({ channel_id: channel.uid })).body.errors).toEqual({ source_id: ['required'] })
})

test('two who move a camera to different edge servers at once: it is at one of them, whole', async () => {
  const { to, channel, channels } = await scene()
  const third = await t.make.nimble()
  const answers = await Promise.all(
    [to, third, to, third].map((nimble) => refactor({ channel_id: channel.uid, nimble_id: nimble.uid })),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
  const homes = new Set(await Promise.all(channels.map(async (one) => (await channelOf(one)).nimble_id)))
  expect(homes.size).toBe(1)
})

test('what was said before another pipeline came says nothing of the version of the new one', async () => {
  const { from, channel } = await scene()
  await states(t.services.db).nimble(from, 'online')
  const target = (await listTargets(t.services.db)).find(({ uid }) => uid === from.uid)
  if (!target) throw new Error('no target')
  const other = await t.make.pipeline('pplcnt', from)
  const own = async () => (await desired(from)).channels.find(({ channel_id }) => channel_id === channel.uid)
  const item = async (id: string) =>
    (await admin.call('nimble.sync', { nimble_id: from.uid })).body.response.items.find(
      (one: { id: string }) => one.id === id,
    )
  const say = async (told: Awaited<ReturnType<typeof own>>) => {
    const running = { state: 'running', detector_state: 'ok', cause: null, fps: 5, expected_fps: 5, drops: 0 } as const
    const { version, pipeline } = told as NonNullable<typeof told>
    await saveChannels(t.services.db, target, [{ ...running, channel_id: channel.uid, version, pipeline }])
  }
  const { pipeline_id } = await channelOf(channel)
  await admin.call('pipeline.update', { pipeline_id, pipeline_elements: { 'decode.fps': 3 } })
  const before = await own()
  await say(before)
  expect(await item(pipeline_id)).toMatchObject({ step: 'running', applied_version: before?.pipeline?.version })
  await refactor({ channel_id: channel.uid, pipeline_id: other.uid })
  await say(before)
  expect(await item(other.uid)).toMatchObject({ step: 'sent', cause: null, applied_version: null })
  await say(await own())
  expect(await item(other.uid)).toMatchObject({ step: 'running', applied_version: other.version })
})

test('cameras that move in opposite directions at once, and channels made meanwhile on their pipeline: all ends whole', async () => {
  const site = await t.make.site()
  const [a, b] = [await t.make.nimble(), await t.make.nimble()]
  const pipeline = await t.make.pipeline('pplcnt', a)
  const [here, there] = [await t.make.device({}, site, a), await t.make.device({}, site, b)]
  const staying = await t.make.device({}, site, a)
  const moving = await t.make.channel({ pipeline_id: pipeline.id }, here)
  const opposite = await t.make.channel({}, there)
  for (let round = 0; round < 5; round++) {
    const [one, other] = round % 2 ? [a, b] : [b, a]
    const made = admin.call('channel.create', {
      channel_name: `Made meanwhile ${round}`,
      device_id: staying.uid,
      usecase_key: 'pplcnt',
      pipeline_id: pipeline.uid,
      zones: [{ points: triangle, aspect_ratio: 1.78 }],
    })
    const answers = await Promise.all([
      refactor({ channel_id: moving.uid, nimble_id: one.uid }),
      refactor({ channel_id: opposite.uid, nimble_id: other.uid }),
      made,
    ])
    expect(answers.slice(0, 2).map(({ status }) => status)).toEqual([201, 201])
    // The pipeline goes with its last camera; the licence of a test is not endless.
    expect([201, 400, 409], answers[2]?.text).toContain(answers[2]?.status)
  }
  const torn = await t.services.db.owner((trx) =>
    trx
      .selectFrom('channel')
      .innerJoin('pipeline', 'pipeline.id', 'channel.pipeline_id')
      .innerJoin('source', 'source.id', 'channel.source_id')
      .select('channel.id')
      .where((eb) =>
        eb.or([
          eb('pipeline.nimble_id', '<>', eb.ref('channel.nimble_id')),
          eb('source.nimble_id', '<>', eb.ref('channel.nimble_id')),
        ]),
      )
      .execute(),
  )
  expect(torn).toEqual([])
})

test('channels of one pipeline are made, changed and moved to it at the same moment: nobody is turned away', async () => {
  const { devices, channels, pipeline_id } = await shared()
  const [device] = devices
  const values = [320, 480, 640]
  const answers = await Promise.all(
    channels.flatMap((channel, i) => [
      admin.call('channel.update', {
        channel_id: channel.uid,
        pipeline: { pipeline_elements: { 'decode.width': values[i % 3] } },
      }),
      admin.call('pipeline.update', { pipeline_id, pipeline_elements: { 'decode.width': values[i % 3] } }),
      admin.call('channel.refactor', { channel_id: channel.uid, pipeline_id }),
      admin.call('channel.create', {
        channel_name: `Made ${i}`,
        device_id: device?.uid,
        usecase_key: 'pplcnt',
        pipeline_id,
        zones: [{ points: triangle, aspect_ratio: 1.78 }],
      }),
    ]),
  )
  expect(answers.filter(({ status }) => status >= 300).map(({ body }) => body)).toEqual([])
})

/** Five channels that run one pipeline. */
async function shared() {
  const nimble = await t.make.nimble()
  const devices = [await t.make.device({}, await t.make.site(), nimble)]
  const first = await t.make.channel({}, devices[0])
  const channels = [first]
  while (channels.length < 5) channels.push(await t.make.channel({}, devices[0]))
  const { id, uid: pipeline_id } = await t.services.db.owner((trx) =>
    trx.selectFrom('pipeline').selectAll().where('id', '=', first.pipeline_id).executeTakeFirstOrThrow(),
  )
  await t.services.db.owner((trx) =>
    trx
      .updateTable('channel')
      .set({ pipeline_id: id })
      .where(
        'id',
        'in',
        channels.map((channel) => channel.id),
      )
      .execute(),
  )
  await t.services.db.owner((trx) => trx.updateTable('license').set({ channel_limit: 1000 }).execute())
  return { devices, channels, pipeline_id }
}
