/** Settings of one channel for others: what a dry run says is what happens, and one that fails stops no other. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, type TestApp, testApp } from '../testing/app.ts'

let t: TestApp
let admin: Client
beforeAll(async () => {
  t = await testApp()
  admin = await t.signIn('admin')
  const { id } = await t.make.license(await t.make.home())
  await t.services.db.owner((trx) =>
    trx.updateTable('license').set({ channel_limit: 1000 }).where('id', '=', id).execute(),
  )
})
afterAll(() => t.close())

const box = (x: number, more: object = {}) => ({
  points: [
    [x, 0.1],
    [x + 0.25, 0.1],
    [x + 0.25, 0.4],
    [x, 0.4],
  ],
  aspect_ratio: 16 / 9,
  ...more,
})
const attach = async (usecase_key: string, more: object = {}) => {
  const device = await t.make.device()
  const draft = { channel_name: 'Entrance', device_id: device.uid, usecase_key, zones: [box(0)], ...more }
  const { status, body } = await admin.call('channel.create', draft)
  expect(status, JSON.stringify(body)).toBe(201)
  return body.response
}
const get = async (channel_id: string) => (await admin.call('channel.id', { channel_id })).body.response
const elementsOf = async (pipeline_id: string) =>
  (await admin.call('pipeline.get', { pipeline_id })).body.response.pipeline_elements
const all = ['zones', 'tuning', 'channel_threshold', 'auto_recovery']
const copy = async (channel_id: string, to: string[], settings: string[], more: object = {}) => {
  const { status, body } = await admin.call('channel.copy', { channel_id, to, settings, ...more })
  expect(status, JSON.stringify(body)).toBe(200)
  return body.response.channels
}

test('a dry run changes nothing and says exactly what then changes', async () => {
  const from = await attach('intrdtec', {
    zones: [box(0.125, { label: 'Door', dwell_s: 3 }), box(0.625, { label: 'Yard' })],
    channel_threshold: 2,
    auto_recovery: false,
    pipeline: { pipeline_elements: { 'decode.fps': 3 } },
  })
  const to = await attach('intrdtec', { zones: [box(0.25, { label: 'Gate' }), box(0.5, { kind: 'mask' })] })
  const before = await get(to.channel_id)
  const planned = await copy(from.channel_id, [to.channel_id], all, { dry_run: true })
  expect(await get(to.channel_id)).toEqual(before)
  expect(planned).toEqual([
    {
      channel_id: to.channel_id,
      outcome: 'copied',
      error_code: null,
      is_other_shape: false,
      changes: [
        { setting: 'zones', before: 'Gate', after: 'Door, Yard' },
        { setting: 'decode.fps', before: 5, after: 3 },
        { setting: 'channel_threshold', before: -1, after: 2 },
        { setting: 'auto_recovery', before: true, after: false },
      ],
    },
  ])
  expect(await copy(from.channel_id, [to.channel_id], all)).toEqual(planned)
  const after = await get(to.channel_id)
  expect(after).toMatchObject({ channel_name: 'Entrance', channel_threshold: 2, auto_recovery: false })
  // The first zone is the one that was there, moved; the mask is the camera's.
  const shapes = (zones: { static_id: string; name: string; label: string | null; kind: string }[]) =>
    zones.map(({ name, label, kind }) => [name, label, kind])
  expect(shapes(after.zones)).toEqual([
    ['zone1', 'Door', 'zone'],
    ['mask1', null, 'mask'],
    ['zone2', 'Yard', 'zone'],
  ])
  expect(after.zones[0]).toMatchObject({ static_id: before.zones[0].static_id, points: box(0.125).points, dwell_s: 3 })
  expect(after.zones[1]).toMatchObject({ static_id: before.zones[1].static_id, points: before.zones[1].points })
  expect((await elementsOf(after.pipeline_id))['decode.fps']).toBe(3)
  const again = await copy(from.channel_id, [to.channel_id], all)
  expect(again).toMatchObject([{ outcome: 'unchanged', changes: [] }])
  expect((await get(to.channel_id)).version).toBe(after.version)
})

test('only what was asked for goes, and never what is true of one place alone', async () => {
  const calibration = {
    'calibration.image_points': '0.1,0.9 0.9,0.9 0.7,0.3 0.3,0.3',
    'calibration.world_points_m': '0,0 4,0 4,8 0,8',
    'calibration.ref_height_m': 1.8,
  }
  const from = await attach('phydist', { channel_threshold: 4, pipeline: { pipeline_elements: calibration } })
  const to = await attach('phydist', { zones: [box(0.25)] })
  const [told] = await copy(from.channel_id, [to.channel_id], ['tuning'])
  expect(told).toMatchObject({ outcome: 'unchanged' })
  await copy(from.channel_id, [to.channel_id], ['channel_threshold'])
  const after = await get(to.channel_id)
  expect(after).toMatchObject({ channel_threshold: 4, zones: [{ points: box(0.25).points }] })
  expect(await elementsOf(after.pipeline_id)).toMatchObject({
    ...{ 'calibration.image_points': '', 'calibration.ref_height_m': 0 },
  })
})

test('a line that was drawn before the zone here is drawn after it there, and then there is nothing left to copy', async () => {
  const line = {
    kind: 'line',
    points: [
      [0, 0.5],
      [1, 0.5],
    ],
    aspect_ratio: 16 / 9,
  }
  const from = await attach('pplocc', { zones: [line, box(0.25)] })
  const to = await attach('pplocc', { zones: [box(0.5), { ...line, side_a: 'Street' }] })
  expect(await copy(from.channel_id, [to.channel_id], ['zones'])).toMatchObject([{ outcome: 'copied' }])
  expect(await copy(from.channel_id, [to.channel_id], ['zones'])).toMatchObject([{ outcome: 'unchanged' }])
})

test('what does not fit is said of it, and the rest is done', async () => {
  const from = await attach('pplcnt', { channel_threshold: 7, pipeline: { pipeline_elements: { 'decode.fps': 2 } } })
  const [good, other, shared, sharing] = [
    await attach('pplcnt'),
    await attach('loiterdtec'),
    await attach('pplcnt'),
    await attach('pplcnt'),
  ]
  await t.services.db.owner(async (trx) => {
    const { pipeline_id } = await trx
      .selectFrom('channel')
      .select('pipeline_id')
      .where('uid', '=', shared.channel_id)
      .executeTakeFirstOrThrow()
    await trx.updateTable('channel').set({ pipeline_id }).where('uid', '=', sharing.channel_id).execute()
  })
  const foreign = await t.make.channel(
    {},
    await t.make.device({}, await t.make.site({}, await t.make.customer({}, await t.make.organization()))),
  )
  const to = [other.channel_id, shared.channel_id, foreign.uid, good.channel_id]
  const told = await copy(from.channel_id, to, ['tuning', 'channel_threshold'])
  expect(
    told.map(({ error_code, outcome }: { error_code: string | null; outcome: string }) => error_code ?? outcome),
  ).toEqual(['other_usecase', 'pipeline_shared', 'channel_gone', 'copied'])
  expect((await get(good.channel_id)).channel_threshold).toBe(7)
  for (const { channel_id } of [other, shared, sharing]) expect((await get(channel_id)).channel_threshold).toBe(-1)
})

test('zones that were drawn on a picture of another shape are said to be', async () => {
  const from = await attach('pplcnt', { zones: [box(0.25)] })
  const to = await attach('pplcnt')
  await t.services.db.owner(async (trx) => {
    const { tenant_id, source_id } = await trx
      .selectFrom('channel')
      .select(['tenant_id', 'source_id'])
      .where('uid', '=', to.channel_id)
      .executeTakeFirstOrThrow()
    await trx
      .insertInto('source_state')
      .values({ tenant_id, source_id, state: 'streaming', width: 640, height: 480 })
      .execute()
  })
  expect(await copy(from.channel_id, [to.channel_id], ['zones'])).toMatchObject([
    { outcome: 'copied', is_other_shape: true },
  ])
})
