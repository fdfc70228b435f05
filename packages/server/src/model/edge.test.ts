/** A model on its whole way, each part its own process: uploaded, confirmed, fetched by the edge server, run on a camera. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Channel, EventEntity } from '@sightline/contract'
import { localNimbleId } from '@sightline/domain'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { colourDetector } from '../../../domain/src/testing/onnx-file.ts'
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

/** Nobody for 5 s; then blue, which the model calls a face without a mask, goes from cell to cell, a second and a half each. */
const loop = Array.from({ length: 140 }, (_, i) =>
  paintedRoom(i < 50 ? null : 1 + Math.floor((i - 50) / 15), [0, 0, 255]),
)

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
  deviceUid = (await t.make.device({ stream_address: camera.address }, await t.make.site(), row)).uid
})
afterAll(async () => {
  await nimble?.stop()
  await camera?.stop()
  await t?.close()
})

const until = (what: string, condition: () => Promise<boolean>) => holds(() => pause(400).then(condition), what, 60_000)
const read = async (channel_id: string): Promise<Channel> =>
  (await admin.call('channel.id', { channel_id })).body.response
const eventsOf = async (channel_id: string): Promise<EventEntity[]> =>
  (await admin.call('event.range', { channel_id, kind: 'open', event_limit: 10 })).body.response

test.skipIf(ffmpegMissing)(
  'a channel waits for its model, then runs it: the violation that is painted reaches the portal with the model’s SHA-256',
  async () => {
    const created = await admin.call('channel.create', {
      channel_name: 'Masks',
      device_id: deviceUid,
      usecase_key: 'fcmsk',
      zones: [
        {
          kind: 'zone',
          points: [
            [0, 0],
            [1, 0],
            [1, 1],
            [0, 1],
          ],
          aspect_ratio: 16 / 9,
        },
      ],
      pipeline: { pipeline_elements: { 'tracker.dist_gate': 3 } },
    })
    expect(created.status).toBe(201)
    const { channel_id } = created.body.response
    await until('the edge server says what it needs', async () => {
      const { channel_state, detector_state, state_cause, channel_health } = await read(channel_id)
      return (
        channel_state === 'applied' &&
        detector_state === 'needs_model' &&
        state_cause === 'needs_model' &&
        channel_health === 'needs attention'
      )
    })
    const stats = async () => (await admin.call('channel.stats', { channel_id: [channel_id] })).body.response[0]
    expect(await stats()).toMatchObject({ channel_total_detection: null, channel_violation: null, coverage_ratio: 0 })

    const file = Buffer.from(colourDetector('yolov8', 320, ['other', 'mask', 'no mask']))
    const upload = multipart({ kind: 'model', file }, { name: 'masks.onnx', type: 'application/octet-stream' })
    const { path, sha256 } = (await admin.send({ method: 'POST', url: '/api/v1/upload', ...upload })).body.response
    const checked = (await admin.call('model.check', { path })).body.response
    expect(checked).toMatchObject({ head: 'yolov8', labels: { 1: 'mask', 2: 'no_mask' } })
    const { head, labels } = checked
    const model = (await admin.call('model.create', { model_name: 'Masks', path, head, labels })).body.response
    expect(model.usecase_keys).toEqual(['fcmsk'])

    const updated = await admin.call('channel.update', {
      channel_id,
      pipeline: { pipeline_elements: { 'detector.model': model.model_id } },
    })
    expect(updated.status).toBe(200)
    await until('the channel runs', async () => (await read(channel_id)).channel_state === 'running')
    expect(readdirSync(join(t.services.env.dataDir, 'nimble', 'models'))).toEqual([sha256])

    let violation: EventEntity | undefined
    await until('the violation is at the portal', async () => {
      violation = (await eventsOf(channel_id))[0]
      return violation !== undefined
    })
    expect(violation).toMatchObject({ metrics: { violation: 1 }, detector: 'onnx', model_version: sha256 })
    expect((await admin.call('model.delete', { model_id: model.model_id })).status).toBe(409)
  },
  180_000,
)
