import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Zone } from '@sightline/contract'
import { uuidv7 } from '@sightline/domain'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { keepStill } from '../media/store.ts'
import { Refusal } from '../refusal.ts'
import { type Client, type TestApp, testApp } from '../testing/app.ts'
import { patternFrom } from '../testing/pictures.ts'
import { states } from '../testing/states.ts'
import { createViewWatch } from './watch.ts'

let t: TestApp
let admin: Client
beforeAll(async () => {
  t = await testApp()
  admin = await t.signIn('admin')
})
afterAll(() => t.close())

const minutes = 60_000

/** A channel that counts, with the picture that its zones were drawn on, and a camera that can be turned. */
async function watched() {
  const device = await t.make.device()
  const channel = await t.make.channel({}, device)
  const { nimble, source } = await t.services.db.owner(async (trx) => ({
    nimble: await trx.selectFrom('nimble').selectAll().where('id', '=', channel.nimble_id).executeTakeFirstOrThrow(),
    source: await trx.selectFrom('source').selectAll().where('id', '=', channel.source_id).executeTakeFirstOrThrow(),
  }))
  const say = states(t.services.db)
  await say.nimble(nimble, 'online')
  await say.source(source, 'streaming')
  await say.channel(channel, 'running')
  const reference_uid = await keepStill(t.services, device, await patternFrom(0.05), admin.user?.id as number)
  await t.services.db.owner((trx) =>
    trx.updateTable('channel').set({ reference_uid }).where('id', '=', channel.id).execute(),
  )
  const camera = { looksFrom: 0.05, asked: 0 }
  const watch = createViewWatch({
    ...t.services,
    log: { warn: (_about, sentence) => expect.fail(sentence) },
    links: {
      status: (uid) => (uid === nimble.uid ? ({ state: 'online' } as never) : null),
      snapshot: async (_nimble, sourceUid) => {
        if (sourceUid === source.uid) camera.asked++
        return { jpeg: await patternFrom(camera.looksFrom), at: new Date() }
      },
    },
  })
  const cause = async () => {
    const { body } = await admin.call('channel.status', { channel_id: channel.uid })
    return [body.response.channel_health, body.response.state_cause]
  }
  const view = () =>
    t.services.db.owner((trx) =>
      trx
        .selectFrom('channel_state')
        .select(['view', 'viewed_at'])
        .where('channel_id', '=', channel.id)
        .executeTakeFirstOrThrow(),
    )
  const lookedAt = (viewed_at: Date) =>
    t.services.db.owner((trx) =>
      trx.updateTable('channel_state').set({ viewed_at }).where('channel_id', '=', channel.id).execute(),
    )
  return { device, channel, source, say, camera, watch, cause, view, lookedAt }
}

test('a camera that was turned is told by itself once it is sure, until the zones are saved on what it shows now', async () => {
  const { channel, camera, watch, cause, view } = await watched()
  camera.looksFrom = 0.09
  await watch(0)
  // Somebody may just have stood before it.
  expect(await view()).toMatchObject({ view: null })
  await watch(1 * minutes)
  expect(camera.asked).toBe(1)
  await watch(6 * minutes)
  expect(await cause()).toEqual(['needs attention', 'camera_moved'])
  const checks = (await admin.call('channel.status', { channel_id: channel.uid })).body.response.checks
  expect(checks[0]).toMatchObject({ step: 'source', level: 'warning', text_id: 'camera_moved' })
  const { zones } = (await admin.call('channel.id', { channel_id: channel.uid })).body.response
  const [{ static_id, points, aspect_ratio }] = zones
  const saved = await admin.call('channel.update', {
    channel_id: channel.uid,
    zones: [{ static_id, points, aspect_ratio }],
  })
  expect(saved.status).toBe(200)
  expect((await cause())[1]).not.toBe('camera_moved')
})

test('one that stayed is looked at each hour, and when it comes back, no more often', async () => {
  const { source, say, camera, watch, view, lookedAt } = await watched()
  await watch(0)
  expect(await view()).toMatchObject({ view: 'same' })
  await watch(59 * minutes)
  expect(camera.asked).toBe(1)
  await lookedAt(new Date(Date.now() - 61 * minutes))
  await watch(61 * minutes)
  expect(camera.asked).toBe(2)
  await lookedAt(new Date(Date.now() - 6 * minutes))
  await say.source(source, 'streaming', { since: new Date() })
  await watch(67 * minutes)
  expect(camera.asked).toBe(3)
})

test('a mask that is drawn later is painted over the picture, and the camera’s turning is noticed as before', async () => {
  const { device, source, camera, watch, cause } = await watched()
  const reference = () =>
    t.services.db.owner((trx) =>
      trx.selectFrom('channel').select('reference_uid').where('device_id', '=', device.id).executeTakeFirstOrThrow(),
    )
  // No still of the camera is kept any more: what zones were drawn on is all there is of it.
  expect(device.snapshot_uid).toBeNull()
  const { reference_uid: before } = await reference()
  const points = [
    [0, 0],
    [0.3, 0],
    [0.3, 1],
    [0, 1],
  ]
  const mask = { source_id: source.uid, kind: 'mask', points, aspect_ratio: 16 / 9 }
  expect((await admin.call('static.create', mask)).status).toBe(201)
  const { reference_uid: after } = await reference()
  expect(after).not.toBeNull()
  expect(after).not.toBe(before)
  const painted = await admin.send({ method: 'GET', url: `/api/v1/media/${after}` })
  const { data, info } = await sharp(painted.bytes).raw().toBuffer({ resolveWithObject: true })
  const at = (x: number, y: number) => data[(y * info.width + x) * info.channels] as number
  for (const y of [10, 270, 530]) for (const x of [5, 140, 285]) expect(Math.abs(at(x, y) - 114)).toBeLessThan(8)
  camera.looksFrom = 0.09
  await watch(0)
  await watch(6 * minutes)
  expect((await cause())[1]).toBe('camera_moved')
})

test('zones that are saved again with a mask that hides nothing new leave the pictures of other analytics as they are', async () => {
  const { device, channel } = await watched()
  const other = await t.make.channel({}, device)
  const references = () =>
    t.services.db.owner((trx) =>
      trx.selectFrom('channel').select('reference_uid').where('device_id', '=', device.id).orderBy('id').execute(),
    )
  const [{ reference_uid }] = (await references()) as [{ reference_uid: string }]
  await t.services.db.owner((trx) =>
    trx.updateTable('channel').set({ reference_uid }).where('id', '=', other.id).execute(),
  )
  const save = async (more: object[]) => {
    const { zones } = (await admin.call('channel.id', { channel_id: channel.uid })).body.response
    const drafts = zones.map(({ static_id, kind, points, aspect_ratio }: Zone) => ({
      ...{ static_id, kind, points, aspect_ratio },
    }))
    const saved = await admin.call('channel.update', { channel_id: channel.uid, zones: [...drafts, ...more] })
    expect(saved.status).toBe(200)
    return references()
  }
  const points = [
    [0, 0],
    [0.2, 0],
    [0, 0.2],
  ]
  const painted = await save([{ kind: 'mask', points, aspect_ratio: 16 / 9 }])
  expect(painted.every((one) => one.reference_uid !== null && one.reference_uid !== reference_uid)).toBe(true)
  expect(await save([])).toEqual(painted)
})

const onLeft = [
  [0, 0],
  [0.3, 0],
  [0.3, 1],
  [0, 1],
]
const onRight = onLeft.map(([x, y]) => [1 - (x as number), y])

test('of two masks that are saved at once, both are painted over the picture that zones were drawn on', async () => {
  const { device, source } = await watched()
  const mask = { source_id: source.uid, kind: 'mask', aspect_ratio: 16 / 9 }
  const saved = await Promise.all([onLeft, onRight].map((points) => admin.call('static.create', { ...mask, points })))
  expect(saved.map(({ status }) => status)).toEqual([201, 201])
  const { reference_uid } = await t.services.db.owner((trx) =>
    trx.selectFrom('channel').select('reference_uid').where('device_id', '=', device.id).executeTakeFirstOrThrow(),
  )
  const { bytes } = await admin.send({ method: 'GET', url: `/api/v1/media/${reference_uid}` })
  const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true })
  const at = (x: number, y: number) => data[(y * info.width + x) * info.channels] as number
  for (const y of [10, 270, 530])
    for (const x of [5, 140, 285, 675, 820, 955]) expect(Math.abs(at(x, y) - 114)).toBeLessThan(8)
})

test('where a mask cannot be painted, the picture is shown no more, and the mask is saved and told all the same', async () => {
  const { device, source } = await watched()
  const { reference_uid } = await t.services.db.owner((trx) =>
    trx.selectFrom('channel').select('reference_uid').where('device_id', '=', device.id).executeTakeFirstOrThrow(),
  )
  const { path } = await t.services.db.owner((trx) =>
    trx
      .selectFrom('media')
      .select('path')
      .where('uid', '=', reference_uid as string)
      .executeTakeFirstOrThrow(),
  )
  await writeFile(join(t.services.env.dataDir, path as string), 'no picture')
  const mask = { source_id: source.uid, kind: 'mask', points: onLeft, aspect_ratio: 16 / 9 }
  expect((await admin.call('static.create', mask)).status).toBe(201)
  const after = await t.services.db.owner((trx) =>
    trx.selectFrom('channel').select('reference_uid').where('device_id', '=', device.id).executeTakeFirstOrThrow(),
  )
  expect(after).toEqual({ reference_uid: null })
})

test('a picture that was kept is not shown for want of a new one when a mask was drawn while that was asked for', async () => {
  const { device, source } = await watched()
  const kept = await keepStill(t.services, device, await patternFrom(0.05), admin.user?.id as number)
  const long = uuidv7(Date.now() - 5 * minutes, randomBytes(10))
  await t.services.db.owner(async (trx) => {
    await trx.updateTable('media').set({ uid: long }).where('uid', '=', kept).execute()
    await trx.updateTable('device').set({ snapshot_uid: long }).where('id', '=', device.id).execute()
  })
  const shown = async () => (await admin.call('device.view', { device_id: device.uid })).body.response.snapshot_url
  const snapshot = vi.spyOn(t.services.links, 'snapshot').mockRejectedValue(new Refusal(502, 'It is away.'))
  expect(await shown()).toContain(long)
  snapshot.mockImplementationOnce(async () => {
    const mask = { source_id: source.uid, kind: 'mask', points: onLeft, aspect_ratio: 16 / 9 }
    expect((await admin.call('static.create', mask)).status).toBe(201)
    throw new Refusal(502, 'It is away.')
  })
  expect(await shown()).toBeNull()
  expect(snapshot).toHaveBeenCalledTimes(2)
  snapshot.mockRestore()
})

/** Channels of cameras of one edge server, and which of them were asked for a picture, in turn. */
async function cameras(count: number, answer: (nth: number) => Promise<Buffer>, most?: number) {
  const [site, nimble] = [await t.make.site(), await t.make.nimble()]
  const say = states(t.services.db)
  await say.nimble(nimble, 'online')
  const uids: string[] = []
  for (let i = 0; i < count; i++) {
    const device = await t.make.device({}, site, nimble)
    const channel = await t.make.channel({}, device)
    const reference_uid = await keepStill(t.services, device, await patternFrom(0.05), admin.user?.id as number)
    const source = await t.services.db.owner(async (trx) => {
      await trx.updateTable('channel').set({ reference_uid }).where('id', '=', channel.id).execute()
      return trx.selectFrom('source').selectAll().where('id', '=', channel.source_id).executeTakeFirstOrThrow()
    })
    await say.source(source, 'streaming')
    await say.channel(channel, 'running')
    uids.push(source.uid)
  }
  const asked: number[] = []
  const watch = createViewWatch({
    ...t.services,
    ...(most !== undefined && { most }),
    links: {
      status: (uid) => (uid === nimble.uid ? ({ state: 'online' } as never) : null),
      snapshot: async (_nimble, sourceUid) => {
        const nth = uids.indexOf(sourceUid)
        asked.push(nth)
        return { jpeg: await answer(nth), at: new Date() }
      },
    },
  })
  return { watch, asked }
}
const away = () => new Refusal(502, 'The edge server has no picture', { code: 'camera_unreachable' })

test('cameras that give no picture keep none of the others waiting', async () => {
  const answer = async (nth: number) => {
    if (nth < 2) throw away()
    return patternFrom(0.05)
  }
  const { watch, asked } = await cameras(3, answer, 2)
  await watch(0)
  await watch(6 * minutes)
  expect(asked.slice(0, 2).toSorted()).toEqual([0, 1])
  expect(asked[2]).toBe(2)
})

test('a portal that stops looks at no further camera', async () => {
  const stopping = new AbortController()
  const { watch, asked } = await cameras(6, async () => {
    stopping.abort()
    throw away()
  })
  await watch(0, stopping.signal)
  expect(asked.length).toBeGreaterThan(0)
  expect(asked.length).toBeLessThanOrEqual(4)
})
