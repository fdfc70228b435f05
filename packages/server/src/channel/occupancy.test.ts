/** Occupancy put right on its whole way, each part its own process: said at the portal, counted on from at the edge server. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Channel, EventEntity } from '@sightline/contract'
import { localNimbleId } from '@sightline/domain'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ffmpegMissing } from '../../../simcam/src/testing/ffmpeg.ts'
import { type PaintedCamera, paintedRoom, roomSize, startPaintedCamera } from '../../../simcam/src/testing/painted.ts'
import { type Client, type TestApp, testApp } from '../testing/app.ts'
import { freePort } from '../testing/cameras.ts'
import { startLocalNimble, type TestNimble } from '../testing/nimble.ts'
import { until as holds } from '../testing/until.ts'

let t: TestApp
let admin: Client
let user: Client
let nimble: TestNimble
let camera: PaintedCamera
let deviceUid: string
/** A camera that does not answer. */
let darkUid: string

/** Something comes and goes, so that the picture is not taken for frozen; nobody crosses the line below. */
const loop = Array.from({ length: 40 }, (_, i) => paintedRoom(i < 20 ? null : 3, [0, 0, 255]))

beforeAll(async () => {
  if (ffmpegMissing) return
  camera = await startPaintedCamera(roomSize, loop)
  t = await testApp({ LOCAL_NIMBLE_PORT: String(await freePort()) })
  nimble = await startLocalNimble(t, camera)
  await t.services.links.start()
  admin = await t.signIn('admin')
  user = await t.signIn('user')
  const row = await t.services.db.owner((trx) =>
    trx.selectFrom('nimble').selectAll().where('uid', '=', localNimbleId).executeTakeFirstOrThrow(),
  )
  const site = await t.make.site()
  await t.make.assign(user.user as never, { site })
  deviceUid = (await t.make.device({ stream_address: camera.address }, site, row)).uid
  darkUid = (await t.make.device({ stream_address: 'rtsp://198.51.100.7:554/none' }, site, row)).uid
})
afterAll(async () => {
  await nimble?.stop()
  await camera?.stop()
  await t?.close()
})

const until = (what: string, condition: () => Promise<boolean>) => holds(() => pause(300).then(condition), what, 60_000)
const line = {
  kind: 'line',
  aspect_ratio: 16 / 9,
  points: [
    [0, 0.95],
    [1, 0.95],
  ],
}
const attach = async (usecase_key: string, zones: object[], device_id = deviceUid): Promise<Channel> => {
  const made = { channel_name: `Door ${usecase_key}`, device_id, usecase_key, zones }
  const { status, body } = await admin.call('channel.create', made)
  expect(status, JSON.stringify(body)).toBe(201)
  return body.response
}
const set = (client: Client, channel_id: string, occupancy = 12) =>
  client.call('channel.setOccupancy', { channel_id, occupancy })
const eventsOf = async (channel_id: string, kind: string): Promise<EventEntity[]> =>
  (await admin.call('event.range', { channel_id, kind, event_limit: 5, details: 'true' })).body.response
const newestCount = async (channel_id: string) => (await eventsOf(channel_id, 'window'))[0]?.metrics.occupancy

test.skipIf(ffmpegMissing)(
  'who may operate a channel puts its occupancy right: counted on from at once and after a kill, traced, and an event; else it is refused with the reason',
  async () => {
    const { channel_id } = await attach('pplocc', [line])
    const other = await attach('emptyframecheck', [{ ...line, kind: 'zone', points: [...line.points, [1, 0]] }])
    await until('nobody is counted', async () => (await newestCount(channel_id)) === 0)

    expect((await set(await t.signIn('viewer'), channel_id)).status).toBe(403)
    expect((await set(admin, channel_id, -1)).body.errors).toEqual({ occupancy: ['range_0_10000'] })
    expect((await set(admin, other.channel_id)).body).toMatchObject({ response_code: 409, error_code: 'no_occupancy' })
    const done = await set(user, channel_id)
    expect(done.body).toMatchObject({ response_code: 200, response: { channel_id, occupancy: 12, before: 0 } })
    const told = async () => await eventsOf(channel_id, 'open')
    await until('it is an event', async () => (await told()).length > 0)
    nimble.process.kill('SIGSTOP')
    expect((await set(user, channel_id, 3)).status).toBeGreaterThanOrEqual(503)
    await nimble.kill()
    expect((await set(user, channel_id)).status).toBe(503)
    nimble = await startLocalNimble(t, camera)
    await until('it goes on from 12', async () => (await newestCount(channel_id)) === 12)

    const { rows } = await t.services.db.owner((trx) =>
      sql`select code, result, before, after, object_name, app_user.uid as who from trace
        join app_user on app_user.id = trace.user_id and app_user.tenant_id = trace.tenant_id
        where code = 'channel.setOccupancy' and result <> 'refused' order by trace.id`.execute(trx),
    )
    expect(rows).toEqual([
      {
        ...{ code: 'channel.setOccupancy', result: 'ok', object_name: 'Door pplocc', who: user.user?.uid },
        ...{ before: { occupancy: 0 }, after: { occupancy: 12 } },
      },
      // It may have been set.
      {
        ...{ code: 'channel.setOccupancy', result: 'failed', object_name: 'Door pplocc', who: user.user?.uid },
        ...{ before: null, after: { channel_id, occupancy: 3 } },
      },
    ])
    expect(await told()).toMatchObject([
      { metrics: {}, levels: { occupancy: 12 }, details: { before: 0 }, detector: 'none' },
    ])

    const dark = await attach('pplocc', [line], darkUid)
    const reason = async () => (await set(admin, dark.channel_id)).body.error_code
    // It may be asked ten times a minute.
    const isSaid = () => pause(7000).then(async () => (await reason()) === 'channel_not_running')
    await holds(isSaid, 'that its camera is missed is said')
  },
  240_000,
)
