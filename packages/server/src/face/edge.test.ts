/** Faces on their whole way, each part its own process: known at the portal, recognised by the edge server, and forgotten there. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Channel, EventEntity, NimbleStatus } from '@sightline/contract'
import { localNimbleId } from '@sightline/domain'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { colourDetector, colourEmbedder } from '../../../domain/src/testing/onnx-file.ts'
import { ffmpegMissing } from '../../../simcam/src/testing/ffmpeg.ts'
import { type PaintedCamera, paintedRoom, roomSize, startPaintedCamera } from '../../../simcam/src/testing/painted.ts'
import { type Client, type TestApp, testApp } from '../testing/app.ts'
import { freePort } from '../testing/cameras.ts'
import { multipart } from '../testing/multipart.ts'
import { startLocalNimble, type TestNimble } from '../testing/nimble.ts'
import { until as holds } from '../testing/until.ts'

let t: TestApp
let admin: Client
let nimble: TestNimble
let camera: PaintedCamera
let deviceUid: string
let siteUid: string

/** Nobody for 5 s; then red comes and goes on twice, and after 4 s of nobody blue does. */
const loop = Array.from({ length: 180 }, (_, i) => {
  if (i >= 50 && i < 95) return paintedRoom(1 + Math.floor((i - 50) / 15), [255, 0, 0])
  if (i >= 135) return paintedRoom(5 + Math.floor((i - 135) / 15), [0, 0, 255])
  return paintedRoom(null, [0, 0, 0])
})

beforeAll(async () => {
  if (ffmpegMissing) return
  camera = await startPaintedCamera(roomSize, loop)
  t = await testApp({ LOCAL_NIMBLE_PORT: String(await freePort()) })
  nimble = await startLocalNimble(t, camera)
  await t.services.links.start()
  admin = await t.signIn('admin')
  const row = await t.services.db.owner((trx) =>
    trx.selectFrom('nimble').selectAll().where('uid', '=', localNimbleId).executeTakeFirstOrThrow(),
  )
  const site = await t.make.site()
  siteUid = site.uid
  deviceUid = (await t.make.device({ stream_address: camera.address }, site, row)).uid
})
afterAll(async () => {
  await nimble?.stop()
  await camera?.stop()
  await t?.close()
})

const until = (what: string, condition: () => Promise<boolean>) => holds(() => pause(500).then(condition), what, 60_000)
const addModel = async (model_name: string, bytes: Uint8Array, more: object) => {
  const form = multipart({ kind: 'model', file: Buffer.from(bytes) }, { name: 'm.onnx', type: '' })
  const { path } = (await admin.send({ method: 'POST', url: '/api/v1/upload', ...form })).body.response
  return (await admin.call('model.create', { model_name, path, ...more })).body.response.model_id as string
}
const files = () => readdirSync(join(t.services.env.dataDir, 'nimble', 'models')).length

test.skipIf(ffmpegMissing)(
  'a channel waits until its site allows faces, recognises who is known and nobody else, and forgets who was deleted while it was away',
  async () => {
    const labels = { 0: 'face', 1: 'face', 2: 'face' }
    const elements = {
      ...{ 'tracker.dist_gate': 3, 'detector.every_n': 1 },
      'detector.model': await addModel('Faces', colourDetector('yolov8'), { head: 'yolov8', labels }),
      'detector.embedding': await addModel('Vectors', colourEmbedder(), { head: 'embedding' }),
    }
    const whole = [
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 1],
    ]
    const created = await admin.call('channel.create', {
      ...{ channel_name: 'Gate', device_id: deviceUid, usecase_key: 'fcrecog' },
      zones: [{ kind: 'zone', points: whole, aspect_ratio: 16 / 9 }],
      pipeline: { pipeline_elements: elements },
    })
    expect(created.status).toBe(201)
    const { channel_id } = created.body.response
    const read = async (): Promise<Channel> => (await admin.call('channel.id', { channel_id })).body.response
    const sync = async () =>
      (await admin.call('nimble.status', { nimble_id: localNimbleId })).body.response.sync as NimbleStatus['sync']
    await until('the edge server says that the site does not allow it', async () => {
      const { channel_state, state_cause } = await read()
      return channel_state === 'applied' && state_cause === 'faces_off'
    })
    expect(await read()).toMatchObject({ channel_health: 'needs attention' })
    await until('its configuration counts as applied', async () => (await sync()) === 'in_sync')

    const notice = { faces_allowed: true, faces_notice: 'Faces of staff are compared at the gate.' }
    expect((await admin.call('site.update', { site_id: siteUid, ...notice })).status).toBe(200)
    const { face_id } = (await admin.call('face.create', { site_id: siteUid, face_name: 'Ada Red' })).body.response
    const { width, height } = roomSize
    const file = await sharp(paintedRoom(4, [255, 0, 0]), { raw: { width, height, channels: 3 } })
      .png()
      .toBuffer()
    const added = await admin.send({
      ...{ method: 'POST', url: '/api/v1/face/picture' },
      ...multipart({ face_id, file }),
    })
    expect(added.status).toBe(200)
    await until('the channel runs', async () => (await read()).channel_state === 'running')
    expect(files()).toBe(3)

    const events = async (): Promise<EventEntity[]> =>
      (await admin.call('event.range', { channel_id, view: 'occasions', details: 'true', event_limit: 50 })).body
        .response
    const people = async () => (await events()).map(({ occasion }) => occasion?.person ?? null)
    await until('who is known, and who is not, are at the portal', async () => {
      const seen = await people()
      return seen.includes('Ada Red') && seen.includes(null)
    })
    const known = (await events()).find(({ occasion }) => occasion?.person)
    expect(known).toMatchObject({ metrics: { total: 1 }, detector: 'onnx', details: { identity: face_id } })
    expect(known?.details?.likeness).toBeGreaterThan(0.95)

    await nimble.stop()
    expect((await admin.call('face.delete', { face_id })).status).toBe(200)
    expect([files(), new Set(await people())]).toEqual([3, new Set([null])])
    nimble = await startLocalNimble(t, camera)
    await until('the vectors are gone from the edge server', async () => files() === 2)
    const before = (await events()).length
    await until('both came by again', async () => (await events()).length >= before + 2)
    expect(new Set(await people())).toEqual(new Set([null]))
  },
  240_000,
)
