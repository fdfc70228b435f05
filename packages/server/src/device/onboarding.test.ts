/** The whole way of a camera through the real parts: simulated cameras, a nimble and the portal, each its own process. */
import { setTimeout as pause } from 'node:timers/promises'
import type { DemoCamera, Discovery, EventEntity, LiveMessage, StreamMessage } from '@sightline/contract'
import { localNimbleId } from '@sightline/domain'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { probeMatches, startResponder } from '../../../edge/src/onvif/testing/responder.ts'
import { createDemo } from '../demo/supervisor.ts'
import { liveBytes } from '../live/viewer.ts'
import { type Client, type TestApp, testApp } from '../testing/app.ts'
import { freePort, startTestCamera, type TestCamera } from '../testing/cameras.ts'
import { allowCamera, startLocalNimble, type TestNimble } from '../testing/nimble.ts'
import { openSocket, openStream } from '../testing/socket.ts'
import { until as holds } from '../testing/until.ts'

let t: TestApp
let admin: Client
let nimble: TestNimble
let cameras: TestCamera
let camera: DemoCamera
let siteUid: string

beforeAll(async () => {
  cameras = await startTestCamera()
  camera = cameras.camera

  const demo = createDemo({ on: (_, listener) => listener({ type: 'demo', cameras: [camera] }) })
  t = await testApp({ LOCAL_NIMBLE_PORT: String(await freePort()) }, { demo })
  nimble = await startLocalNimble(t, cameras)
  await t.services.links.start()
  admin = await t.signIn('admin')
  siteUid = (await t.make.site()).uid
  await until('the nimble is online', async () => (await status()).state === 'online')
})

afterAll(async () => {
  await nimble?.stop()
  cameras?.stop()
  await t?.close()
})

const status = async () => (await admin.call('nimble.status', { nimble_id: localNimbleId })).body.response

const read = async (id: 'device.get' | 'channel.status', input: object) => (await admin.call(id, input)).body.response
const probe = (more: object = {}) =>
  admin.call('device.probe', {
    nimble_id: localNimbleId,
    address: camera.xaddr,
    username: camera.username,
    password: camera.password,
    ...more,
  })

/** Runs a search to its end; answers every message about it. */
async function discover(): Promise<Job[]> {
  const socket = await openStream(t, admin)
  const { body } = await admin.call('device.discover', { nimble_id: localNimbleId, timeout: 5 })
  const isOurs = (message: StreamMessage) => message.type === 'job' && message.job_id === body.response.job_id
  await socket.message((message) => isOurs(message) && message.type === 'job' && message.state === 'completed')
  await socket.close()
  return socket.messages.filter(isOurs) as Job[]
}
type Job = Extract<StreamMessage, { type: 'job' }>
const foundIn = (job: Job | undefined) =>
  (job?.result as Discovery | null)?.found.find((one) => one.UUID === camera.UUID)

test('a search finds the camera, tells it before the search ends, and says where it looked', async () => {
  const messages = await discover()
  const first = messages.find((job) => foundIn(job))
  expect(first?.state).toBe('running')
  const last = messages.at(-1)
  expect(foundIn(last)).toMatchObject({ xaddr: camera.xaddr, name: camera.name, is_demo: true, device_id: null })
  const { scanned } = (await admin.call('job.get', { job_id: last?.job_id })).body.response.result
  expect(scanned).toMatchObject({ range: null, interfaces: expect.arrayContaining(['lo']) })
})

test('of a recorder only those channels are marked that were added, and not all after the first', async () => {
  const port = await freePort()
  const [first, second, nameless] = [crypto.randomUUID(), crypto.randomUUID(), 'not-a-uuid']
  const channels = await startResponder((relatesTo) =>
    [first, second, nameless].map((uuid, at) =>
      probeMatches({ relatesTo, uuid, xaddrs: `http://127.0.0.1:${port}/onvif/${at}` }),
    ),
  )
  onTestFinished(() => channels.close())
  allowCamera(nimble, { hosts: [...cameras.hosts, { host: '127.0.0.1', ports: [port] }] })
  onTestFinished(() => allowCamera(nimble, cameras))
  const edge = await t.services.db.owner((trx) =>
    trx.selectFrom('nimble').selectAll().where('uid', '=', localNimbleId).executeTakeFirstOrThrow(),
  )
  const site = await t.make.site()
  const add = (endpoint_uuid: string | null, path: number) =>
    t.make.device({ stream_address: `rtsp://127.0.0.1/${path}`, onvif_port: port, endpoint_uuid }, site, edge)
  const marked = async () => {
    const last = (await discover()).at(-1)?.result as Discovery | undefined
    const there = (last?.found ?? []).filter((one) => one.port === port).sort((a, b) => a.xaddr.localeCompare(b.xaddr))
    return there.map(({ device_id }) => device_id)
  }
  // Typed by its address, so nobody knows which of them it is.
  const typed = await add(null, 9)
  expect(await marked()).toEqual([null, null, null])
  const { uid } = await add(second, 2)
  expect(await marked()).toEqual([null, uid, null])
  for (const each of [typed.uid, uid]) await admin.call('device.delete', { device_id: each })
})

test('a search can be stopped', async () => {
  const { body } = await admin.call('device.discover', { nimble_id: localNimbleId, timeout: 30 })
  const cancelled = await admin.call('job.cancel', { job_id: body.response.job_id })
  expect(cancelled.body.response.state).toBe('cancelled')
})

test('a probe tells what the camera is and sends, with a still', async () => {
  const { body } = await probe()
  expect(body.response).toMatchObject({
    UUID: camera.UUID,
    maker: 'Sightline',
    profiles: [{ codec: 'h264', stream_address: camera.stream_address }],
    findings: [{ level: 'good' }],
  })
  const still = await admin.send({ method: 'GET', url: body.response.snapshot_url })
  expect([still.status, still.headers['content-type']]).toEqual([200, 'image/jpeg'])
})

test('what a probe finds comes on the live channel as it is found, to the one who asked alone', async () => {
  const other = await t.signIn('admin')
  const [mine, theirs] = [await openStream(t, admin), await openStream(t, other)]
  const probe_id = crypto.randomUUID()
  const asked = probe({ probe_id })
  const said = await mine.message((message) => message.type === 'probe')
  const { body } = await asked
  expect(said).toEqual({ type: 'probe', probe_id, finding: body.response.findings[0] })
  await mine.close()
  await theirs.close()
  expect(theirs.messages.filter(({ type }) => type === 'probe')).toEqual([])
})

test('a wrong password is said to be one, and appears in no answer', async () => {
  const { body, text } = await probe({ password: 'wr@ng:secret' })
  expect(body.response.findings).toMatchObject([{ level: 'error', code: 'bad_credentials' }])
  expect(text).not.toContain('wr@ng')
})

test('another machine’s loopback is not tried', async () => {
  expect(await probe({ address: 'http://127.0.0.1:9/onvif' })).toMatchObject({
    status: 400,
    body: { errors: { address: ['address_refused'] } },
  })
})

describe('once it is added', () => {
  let deviceUid: string
  let channelUid: string
  beforeAll(async () => {
    const { body } = await admin.call('device.create', {
      device_name: 'Lobby',
      site_id: siteUid,
      nimble_id: localNimbleId,
      UUID: camera.UUID,
      stream_address: camera.stream_address,
      onvif_port: camera.onvif_port,
      username: camera.username,
      password: camera.password,
    })
    deviceUid = body.response.device_id
  })

  test('it streams, and a search knows it', async () => {
    await until('the camera is healthy', async () => {
      const device = await read('device.get', { device_id: deviceUid })
      return device.device_health === 'healthy' && device.codec === 'h264' && device.resolution === '640x360'
    })
    const [last] = (await discover()).slice(-1)
    expect(foundIn(last)?.device_id).toBe(deviceUid)
  })

  test('a search knows it without its ONVIF id too, by host and port', async () => {
    const known = async (UUID: string | null) =>
      expect((await admin.call('device.update', { device_id: deviceUid, UUID })).status).toBe(200)
    await known(null)
    try {
      const [last] = (await discover()).slice(-1)
      expect(foundIn(last)?.device_id).toBe(deviceUid)
    } finally {
      await known(camera.UUID)
    }
  })

  test('a probe uses the stored password for the mask, and the still becomes the camera’s', async () => {
    const { body } = await probe({ password: '****', device_id: deviceUid })
    expect(body.response.findings).toMatchObject([{ level: 'good' }])
    const view = (await admin.call('device.view', { device_id: deviceUid })).body.response
    expect(view.snapshot_url).toBe(body.response.snapshot_url)
    // What may take its place is looked at first, and has no part in it yet.
    const other = await probe({ password: '****', device_id: deviceUid, is_swap: true })
    expect(other.body.response.snapshot_url).not.toBe(view.snapshot_url)
    const after = (await admin.call('device.view', { device_id: deviceUid })).body.response
    expect(after.snapshot_url).toBe(view.snapshot_url)
    const again = await probe()
    expect(again.body.response.findings).toContainEqual(
      expect.objectContaining({ level: 'warning', code: 'already_added', text_id: 'already_added:Lobby' }),
    )
  })

  const addChannel = async (usecase_key: string): Promise<string> => {
    const whole = [
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 1],
    ]
    const { body } = await admin.call('channel.create', {
      channel_name: usecase_key,
      device_id: deviceUid,
      usecase_key,
      auto_recovery: false,
      zones: [{ points: whole, aspect_ratio: 16 / 9 }],
    })
    return body.response.channel_id
  }

  test('people counting on it runs and is online', async () => {
    channelUid = await addChannel('pplcnt')
    await until('the channel is online', async () => {
      const standing = await read('channel.status', { channel_id: channelUid })
      return standing.is_active && standing.channel_state === 'running' && standing.channel_health === 'healthy'
    })
    const standing = await read('channel.status', { channel_id: channelUid })
    expect(standing.applied_version).toBe(standing.desired_version)
    expect(await status()).toMatchObject({ channels: 1, channels_running: 1, sync: 'in_sync' })
  })

  test('its picture is live, with boxes; a second viewer shares it', async () => {
    const open = (path: string) => openSocket<LiveMessage>(t, admin, `/live?${path}`)
    const [first, second] = await Promise.all([open(`channel_id=${channelUid}`), open(`device_id=${deviceUid}`)])
    for (const viewer of [first, second]) {
      const started = await viewer.message((message) => message.type === 'started')
      expect(started).toMatchObject({ mode: 'fmp4', mime: expect.stringMatching(/^video\/mp4; codecs="avc1\./) })
      const init = await viewer.frame((frame) => frame[0] === liveBytes.init)
      expect(init.toString('latin1', 5, 9)).toBe('ftyp')
      const fragment = await viewer.frame((frame) => frame[0] === liveBytes.fragment)
      expect(fragment.toString('latin1', 5, 9)).toBe('moof')
    }
    const overlay = await first.message((message) => message.type === 'overlay')
    expect(overlay).toMatchObject({ pts_ms: expect.any(Number), boxes: expect.any(Array) })
    await Promise.all([first.close(), second.close()])
  })

  test('still pictures come where video cannot', async () => {
    const viewer = await openSocket<LiveMessage>(t, admin, `/live?channel_id=${channelUid}&mode=mjpeg`)
    const picture = await viewer.frame((frame) => frame[0] === liveBytes.jpeg)
    expect(picture.subarray(1, 3)).toEqual(Buffer.from([0xff, 0xd8]))
    await viewer.close()
  })

  test('a live picture that is out of reach closes at once', async () => {
    const outsider = await t.signIn(await t.make.user('admin', {}, await t.make.organization()))
    const viewer = await openSocket<LiveMessage>(t, outsider, `/live?channel_id=${channelUid}`)
    expect(await viewer.closed).toMatchObject({ code: 4404 })
    expect(viewer.frames).toEqual([])
  })

  test('a still on demand is a picture of now', async () => {
    const { body } = await admin.call('channel.ondemand', { channel_id: channelUid })
    const { snapshot_url, taken_at } = body.response
    expect(Math.abs(Date.now() - Date.parse(taken_at))).toBeLessThan(10_000)
    const still = await admin.send({ method: 'GET', url: snapshot_url })
    expect([still.status, still.headers['content-type']]).toEqual([200, 'image/jpeg'])
  })

  test('the picture of an event comes from the edge server, to those in reach', async () => {
    const intrusion = await addChannel('intrdtec')
    const events = async () =>
      (await admin.call('event.range', { usecase_key: 'intrdtec', channel_id: intrusion })).body
        .response as EventEntity[]
    await until('somebody is seen', async () => (await events()).some((event) => event.snapshot_url !== null))
    const event = (await events()).find((one) => one.snapshot_url !== null)
    const url = event?.snapshot_url ?? ''
    const picture = await admin.send({ method: 'GET', url })
    expect([picture.status, picture.headers['content-type']]).toEqual([200, 'image/jpeg'])
    const outsider = await t.signIn(await t.make.user('admin', {}, await t.make.organization()))
    expect((await outsider.send({ method: 'GET', url })).status).toBe(404)
    await admin.call('channel.delete', { channel_id: intrusion })
  })

  test('when the camera is cut off, viewers wait with the reason and go on by themselves', async () => {
    const viewer = await openSocket<LiveMessage>(t, admin, `/live?channel_id=${channelUid}`)
    await viewer.frame((frame) => frame[0] === liveBytes.fragment)
    await cameras.ask({ type: 'fault', UUID: camera.UUID, fault: 'cut' })
    const waiting = await viewer.message((message) => message.type === 'waiting')
    expect(waiting).toMatchObject({ since: expect.any(String) })
    await until('the camera is not healthy', async () => {
      const { device_health } = await read('device.get', { device_id: deviceUid })
      return device_health === 'offline' || device_health === 'needs attention'
    })
    const seen = viewer.frames.length
    await cameras.ask({ type: 'fault', UUID: camera.UUID, fault: 'none' })
    await viewer.frame((frame) => viewer.frames.indexOf(frame) >= seen && frame[0] === liveBytes.fragment)
    await until('the camera is healthy again', async () => {
      return (await read('device.get', { device_id: deviceUid })).device_health === 'healthy'
    })
    await viewer.close()
  })

  test('when the edge server is away, that is the reason, not the camera; viewers go on when it is back', async () => {
    await admin.call('nimble.update', { nimble_id: localNimbleId, wait_between_retry: 1 })
    const viewer = await openSocket<LiveMessage>(t, admin, `/live?channel_id=${channelUid}`)
    await viewer.frame((frame) => frame[0] === liveBytes.fragment)
    await nimble.stop()
    await viewer.message((message) => message.type === 'waiting' && message.cause === 'nimble_unreachable')
    // Lost alone says little; lost and not answering when called again is away.
    await until('the edge server is away', async () => (await status()).state === 'unreachable')
    const device = await read('device.get', { device_id: deviceUid })
    expect(device).toMatchObject({ device_health: 'unknown', health_cause: 'nimble_unreachable' })
    const refused = await admin.call('channel.ondemand', { channel_id: channelUid })
    expect(refused).toMatchObject({ status: 503, body: { error_code: 'nimble_unreachable', retryable: true } })
    const seen = viewer.frames.length
    nimble = await startLocalNimble(t, cameras)
    await viewer.frame((frame) => viewer.frames.indexOf(frame) >= seen && frame[0] === liveBytes.fragment)
    await until('the channel is online again', async () => {
      return (await read('channel.status', { channel_id: channelUid })).is_active
    })
    await viewer.close()
  })

  test('it is gone from the edge server with its last channel and itself', async () => {
    expect((await admin.call('device.delete', { device_id: deviceUid })).status).toBe(406)
    expect((await admin.call('channel.delete', { channel_id: channelUid })).status).toBe(200)
    expect((await admin.call('device.delete', { device_id: deviceUid })).status).toBe(200)
    await until('the nimble runs nothing', async () => (await status()).sync === 'in_sync')
    expect(await status()).toMatchObject({ channels: 0, channels_running: 0 })
  })
})

/** On a busy machine a camera or the analysis may take its time; one person may call 300 times a minute. */
const until = (what: string, condition: () => Promise<boolean>) => holds(() => pause(400).then(condition), what, 60_000)
