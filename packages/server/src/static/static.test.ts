import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { desiredConfig } from '../nimble/desired.ts'
import { type Client, type TestApp, testApp } from '../testing/app.ts'

type Row<K extends 'channel' | 'device' | 'sourceOf'> = NonNullable<Awaited<ReturnType<TestApp['make'][K]>>>

let t: TestApp
let admin: Client
let channel: Row<'channel'>
let stream: Row<'sourceOf'>
let nimbleUid: string
let cameraUid: string
beforeAll(async () => {
  t = await testApp()
  admin = await t.signIn('admin')
  const nimble = await t.make.nimble()
  nimbleUid = nimble.uid
  const device = await t.make.device({}, undefined, nimble)
  cameraUid = device.uid
  channel = await t.make.channel({}, device)
  stream = (await t.make.sourceOf(device)) as Row<'sourceOf'>
})
afterAll(() => t.close())

const corner = {
  points: [
    [0, 0],
    [0.5, 0],
    [0, 0.5],
  ],
  aspect_ratio: 1.5,
}
const create = async (more: object = {}) => {
  const { status, body } = await admin.call('static.create', { source_id: stream.uid, ...corner, ...more })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.response
}
const sent = async () => {
  const config = await t.services.db.ingest((trx) => desiredConfig(trx, t.services.secrets, nimbleUid))
  return config.channels.find((one) => one.channel_id === channel.uid)
}

describe('a mask', () => {
  test('is refused where its camera, in all its streams, has as many as it may', async () => {
    const device = await t.make.device()
    await t.make.channel({}, device)
    const { uid, id, tenant_id } = (await t.make.sourceOf(device)) as Row<'sourceOf'>
    const [name, points] = ['mask', JSON.stringify(corner.points)]
    const rows = Array.from({ length: 63 }, (_, i) => ({
      ...{ uid: crypto.randomUUID(), tenant_id, source_id: id, channel_id: null },
      ...{ name: `${name}${100 + i}`, kind: name as 'mask', points, aspect_ratio: 1.5 },
    }))
    await t.services.db.owner((trx) => trx.insertInto('static_zone').values(rows).execute())
    const draw = async (kind: string) =>
      (await admin.call('static.create', { ...corner, source_id: uid, kind })).body.error_code ?? 'drawn'
    expect([await draw('mask'), await draw('mask'), await draw('zone')]).toEqual(['drawn', 'too_many', 'drawn'])
    // Nor does one that hides nothing for a while let another one in for good.
    const [first] = rows
    const turn = async (is_active: boolean) =>
      (await admin.call('static.update', { static_id: first?.uid, is_active })).body.error_code ?? 'turned'
    expect([await turn(false), await draw('mask'), await turn(true)]).toEqual(['turned', 'drawn', 'too_many'])
    // Where there are more already, those that hide go on, and can be changed.
    await t.services.db.owner((trx) =>
      trx.updateTable('static_zone').set({ is_active: true }).where('uid', '=', String(first?.uid)).execute(),
    )
    expect(await turn(true)).toBe('turned')
  })

  test('is sent for every stream of its camera, and what was kept before it is shown no more', async () => {
    const nimble = await t.make.nimble()
    const device = await t.make.device({}, undefined, nimble)
    const one = await t.make.channel({}, device)
    const [watched] = await t.services.db.owner(async (trx) => {
      const kept = { snapshot_uid: one.uid }
      await trx.updateTable('device').set(kept).where('id', 'in', [device.id, channel.device_id]).execute()
      await trx.updateTable('channel').set({ reference_uid: one.uid }).where('id', '=', one.id).execute()
      return trx.selectFrom('source').select('uid').where('device_id', '=', device.id).execute()
    })
    const { body } = await admin.call('static.create', { ...corner, source_id: watched?.uid, kind: 'mask' })
    const masks = async () => {
      const config = await t.services.db.ingest((trx) => desiredConfig(trx, t.services.secrets, nimble.uid))
      return config.sources.filter((source) => source.device_id === device.uid).map((source) => source.masks)
    }
    expect(await masks()).toEqual([[corner.points]])
    const stills = await t.services.db.owner((trx) =>
      trx
        .selectFrom('device')
        .leftJoin('channel', 'channel.device_id', 'device.id')
        .select(['device.id', 'device.snapshot_uid', 'channel.reference_uid'])
        .where('device.id', 'in', [device.id, channel.device_id])
        .where('device.tenant_id', '=', device.tenant_id)
        .execute(),
    )
    expect(stills.find(({ id }) => id === device.id)).toMatchObject({ snapshot_uid: null, reference_uid: null })
    expect(stills.find(({ id }) => id === channel.device_id)).toMatchObject({ snapshot_uid: one.uid })
    await admin.call('static.update', { static_id: body.response.static_id, is_active: false })
    expect(await masks()).toEqual([[]])
  })

  test('outlives the stream that it was drawn on, however that goes: what it hides stays hidden', async () => {
    const nimble = await t.make.nimble()
    const device = await t.make.device({}, undefined, nimble)
    const main = (await t.make.sourceOf(device)) as Row<'sourceOf'>
    const { address: source_address } = main
    const masked = async (source_id: string) => {
      const { body } = await admin.call('static.create', { ...corner, source_id, kind: 'mask' })
      return body.response.static_id
    }
    const sub = async () => {
      const draft = { device_id: device.uid, source_name: 'Sub', source_address, role: 'live' }
      return (await admin.call('source.create', draft)).body.response.source_id
    }
    const first = await masked(main.uid)
    const deleted = await sub()
    const second = await masked(deleted)
    expect((await admin.call('source.delete', { source_id: deleted })).status).toBe(200)
    const third = await masked(await sub())
    const device_source = [{ source_id: main.uid, source_name: 'Main', source_address }]
    expect((await admin.call('device.update', { device_id: device.uid, device_source })).status).toBe(200)
    const { sources } = await t.services.db.ingest((trx) => desiredConfig(trx, t.services.secrets, nimble.uid))
    expect(sources.map(({ masks }) => masks)).toEqual([[corner.points, corner.points, corner.points]])
    const kept = await t.services.db.owner((trx) =>
      trx.selectFrom('static_zone').select(['uid', 'name']).where('source_id', '=', main.id).orderBy('id').execute(),
    )
    expect(kept).toEqual([
      { uid: first, name: 'mask1' },
      { uid: second, name: 'mask2' },
      { uid: third, name: 'mask3' },
    ])
  })
})

describe('a mask that was drawn for an analytic', () => {
  /** A camera with an analytic that has a mask, and what is hidden of each camera at its edge server. */
  async function masked() {
    const nimble = await t.make.nimble()
    const site = await t.make.site()
    const device = await t.make.device({}, site, nimble)
    const channel = await t.make.channel({ auto_recovery: false }, device)
    const source = (await t.make.sourceOf(device)) as Row<'sourceOf'>
    const owned = { ...corner, source_id: source.uid, channel_id: channel.uid, kind: 'mask' }
    const mask = (await admin.call('static.create', owned)).body.response
    const hidden = async () => {
      const { sources } = await t.services.db.ingest((trx) => desiredConfig(trx, t.services.secrets, nimble.uid))
      return Object.fromEntries(sources.map(({ device_id, masks }) => [device_id, masks]))
    }
    expect(await hidden()).toEqual({ [device.uid]: [corner.points] })
    return { nimble, site, device, channel, source, mask, hidden }
  }

  test('stays with the camera when the analytic is deleted, also by force, until somebody removes the mask itself', async () => {
    const { device, channel, source, mask, hidden } = await masked()
    expect((await admin.call('channel.delete', { channel_id: channel.uid, force: true })).status).toBe(200)
    expect(await hidden()).toEqual({ [device.uid]: [corner.points] })
    const listed = async () => (await admin.call('static.list', { source_id: source.uid })).body.response
    expect(await listed()).toMatchObject([{ static_id: mask.static_id, channel_id: null, kind: 'mask', name: 'mask1' }])
    // What is drawn next does not take its name.
    expect(await create({ source_id: source.uid, kind: 'mask' })).toMatchObject({ name: 'mask2' })
    for (const { static_id } of await listed()) await admin.call('static.delete', { static_id })
    expect(await hidden()).toEqual({ [device.uid]: [] })
  })

  test('stays with its camera when the analytic goes to another one, and goes along to another stream of its own', async () => {
    const { nimble, site, device, channel, mask, hidden } = await masked()
    const other = await t.make.device({}, site, nimble)
    const draft = { device_id: device.uid, source_name: 'Sub', source_address: 'rtsp://192.0.2.1/sub', role: 'live' }
    const sub = (await admin.call('source.create', draft)).body.response.source_id
    const zones = async () =>
      (await admin.call('channel.id', { channel_id: channel.uid })).body.response.zones.map(
        ({ kind, source_id }: { kind: string; source_id: string }) => `${kind} ${source_id}`,
      )
    expect((await admin.call('channel.refactor', { channel_id: channel.uid, source_id: sub })).status).toBe(201)
    expect(await zones()).toEqual([`zone ${sub}`, `mask ${sub}`])
    const elsewhere = (await t.make.sourceOf(other)) as Row<'sourceOf'>
    const moved = await admin.call('channel.refactor', { channel_id: channel.uid, source_id: elsewhere.uid })
    expect(moved.status).toBe(201)
    expect(await zones()).toEqual([`zone ${elsewhere.uid}`])
    expect(await hidden()).toEqual({ [device.uid]: [corner.points], [other.uid]: [] })
    const { body } = await admin.call('static.list', { source_id: sub })
    expect(body.response).toMatchObject([{ static_id: mask.static_id, channel_id: null }])
    const ofCamera = await admin.call('static.list', { device_id: device.uid })
    expect(ofCamera.body.response).toEqual(body.response)
    for (const of of [{}, { source_id: sub, device_id: device.uid }])
      expect((await admin.call('static.list', of)).body.errors).toEqual({ source_id: ['required'] })
  })
})

describe('zones of a channel', () => {
  test('get the next number of their kind; numbers of deleted ones do not come back', async () => {
    const own = { channel_id: channel.uid }
    const second = await create(own)
    expect(second).toMatchObject({ name: 'zone2', channel_id: channel.uid, direction: 'both', is_active: true })
    await admin.call('static.delete', { static_id: second.static_id })
    expect(await create(own)).toMatchObject({ name: 'zone3' })
    const line = await create({
      ...own,
      kind: 'line',
      points: [
        [0, 0],
        [1, 1],
      ],
    })
    expect(line).toMatchObject({ name: 'line1', side_a: 'a', side_b: 'b' })
    expect(await create({ ...own, kind: 'mask' })).toMatchObject({ name: 'mask1' })
  })

  test('two added at the same moment have two names', async () => {
    const made = await Promise.all(Array.from({ length: 10 }, () => create({ channel_id: channel.uid })))
    expect(new Set(made.map(({ name }) => name)).size).toBe(10)
  })

  test('the last one stays, also when all are deleted at once', async () => {
    const other = await t.make.channel({}, await t.make.device())
    const source = await t.services.db.owner((trx) =>
      trx.selectFrom('source').select('uid').where('id', '=', other.source_id).executeTakeFirstOrThrow(),
    )
    const input = { source_id: source.uid, channel_id: other.uid, ...corner }
    for (let i = 0; i < 6; i++) expect((await admin.call('static.create', input)).status).toBe(201)
    const all = async () =>
      (await admin.call('static.list', { source_id: source.uid, channel_id: other.uid })).body.response
    await Promise.all(
      (await all()).map(({ static_id }: { static_id: string }) => admin.call('static.delete', { static_id })),
    )
    expect(await all()).toHaveLength(1)
  })

  test('the last one stays', async () => {
    const lone = await t.make.channel()
    const device = await t.services.db.owner((trx) =>
      trx.selectFrom('source').selectAll().where('id', '=', lone.source_id).executeTakeFirstOrThrow(),
    )
    const { body } = await admin.call('static.list', { source_id: device.uid, channel_id: lone.uid })
    const refused = await admin.call('static.delete', { static_id: body.response[0].static_id })
    expect(refused).toMatchObject({ status: 400, body: { errors: { static_id: ['zone_required'] } } })
  })

  test('points are kept to five decimals, and checked when they change', async () => {
    const { static_id } = await create({ channel_id: channel.uid })
    const { body } = await admin.call('static.update', {
      static_id,
      points: [
        [0.123456789, 0],
        [1, 0],
        [1, 1],
      ],
    })
    expect(body.response.points[0]).toEqual([0.12346, 0])
    expect(
      await admin.call('static.update', {
        static_id,
        points: [
          [0, 0],
          [1, 1],
        ],
      }),
    ).toMatchObject({
      status: 400,
      body: { errors: { points: ['zone_incomplete'] } },
    })
    expect((await admin.call('static.update', { static_id, is_active: false, version: 1 })).status).toBe(412)
  })

  test('have a dwell of their own where the use case has one; it is kept until it is taken back', async () => {
    const camera = await t.make.device()
    const intrusion = await t.make.channel({ usecase_key: 'intrdtec' }, camera)
    const { uid: source_id } = (await t.make.sourceOf(camera)) as Row<'sourceOf'>
    const drawn = { ...corner, source_id, channel_id: intrusion.uid }
    const { body } = await admin.call('static.create', { ...drawn, dwell_s: 2.5 })
    const { static_id, dwell_s } = body.response
    expect(dwell_s).toBe(2.5)
    const change = async (more: object) => {
      const { status, body } = await admin.call('static.update', { static_id, ...more })
      return status === 200 ? body.response.dwell_s : body.errors
    }
    expect(await change({ label: 'Door' })).toBe(2.5)
    expect(await change({ dwell_s: 601 })).toEqual({ dwell_s: ['range:0:600'] })
    expect(await change({ dwell_s: 0 })).toBe(0)
    expect(await change({ dwell_s: null })).toBeNull()
    const refused = { status: 400, body: { errors: { dwell_s: ['unknown_property'] } } }
    for (const wrong of [
      { ...drawn, kind: 'mask' },
      { ...drawn, channel_id: null },
    ])
      expect(await admin.call('static.create', { ...wrong, dwell_s: 5 })).toMatchObject(refused)
    const counting = await create({ channel_id: channel.uid })
    expect(await admin.call('static.update', { static_id: counting.static_id, dwell_s: 5 })).toMatchObject(refused)
  })

  test('belong to a channel of that very stream', async () => {
    const other = await t.make.channel()
    const answer = await admin.call('static.create', { source_id: stream.uid, channel_id: other.uid, ...corner })
    expect(answer).toMatchObject({ status: 400, body: { errors: { channel_id: ['not_found'] } } })
  })
})

describe('zones of a stream', () => {
  test('a mask covers every channel of it; a zone is only offered to them', async () => {
    const before = await sent()
    const mask = await create({ kind: 'mask' })
    const zone = await create({ label: 'Door' })
    expect([mask.channel_id, zone.channel_id]).toEqual([null, null])
    const after = await sent()
    const ids = after?.zones.map((one) => one.static_id)
    expect(ids).toContain(mask.static_id)
    expect(ids).not.toContain(zone.static_id)
    expect(after?.version).toBeGreaterThan(before?.version ?? 0)
    const { body } = await admin.call('static.list', { source_id: stream.uid, channel_id: channel.uid })
    expect(body.response.map((one: { static_id: string }) => one.static_id)).toContain(zone.static_id)
    expect((await admin.call('static.delete', { static_id: zone.static_id })).status).toBe(200)
  })
})

test('another organization gets the same as for what does not exist, a viewer may only read', async () => {
  const { static_id } = await create({ channel_id: channel.uid })
  const outsider = await t.signIn(await t.make.user('admin', {}, await t.make.organization()))
  for (const id of ['static.update', 'static.delete'] as const)
    expect((await outsider.call(id, { static_id })).status).toBe(404)
  for (const of of [{ source_id: stream.uid }, { device_id: cameraUid }])
    expect((await outsider.call('static.list', of)).status).toBe(404)
  expect((await outsider.call('static.create', { source_id: stream.uid, ...corner })).status).toBe(404)
  const viewer = await t.signIn('viewer')
  expect((await viewer.call('static.delete', { static_id })).status).toBe(403)
})
