/** Two portals on one database, with a real edge server and a simulated camera behind the first. */
import type { DemoCamera, Discovery, LiveMessage, StreamMessage } from '@sightline/contract'
import { localNimbleId } from '@sightline/domain'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { changed } from './bus.ts'
import { createDemo } from './demo/supervisor.ts'
import { liveBytes } from './live/viewer.ts'
import { type Client, type TestApp, testApp } from './testing/app.ts'
import { freePort, startTestCamera, type TestCamera } from './testing/cameras.ts'
import { startLocalNimble, type TestNimble } from './testing/nimble.ts'
import { openSocket, openStream } from './testing/socket.ts'
import { until } from './testing/until.ts'

/** That it is a database server which several may share; the tests bring their own. */
const shared = { DATABASE_URL: 'postgres://shared/database' }

/** The first holds the link to the edge server. */
let first: TestApp
let second: TestApp
/** Somebody at the second, and the same person at the first. */
let admin: Client
let adminAtFirst: Client
let cameras: TestCamera
let nimble: TestNimble
let camera: DemoCamera
let deviceUid: string

beforeAll(async () => {
  cameras = await startTestCamera()
  camera = cameras.camera
  const demo = createDemo({ on: (_, listener) => listener({ type: 'demo', cameras: [camera] }) })
  const variables = { ...shared, LOCAL_NIMBLE_PORT: String(await freePort()) }
  first = await testApp(variables, { demo })
  second = await testApp(variables, { demo, beside: first })
  nimble = await startLocalNimble(first, cameras)
  await first.services.links.start()
  await until(() => first.services.links.status(localNimbleId)?.state === 'online', 'the link is up')
  await second.services.links.start()

  admin = await second.signIn('super_admin')
  adminAtFirst = await first.signIn(admin.user as NonNullable<Client['user']>)
  const site = await first.make.site()
  const { body } = await admin.call('device.create', {
    device_name: 'Lobby',
    site_id: site.uid,
    nimble_id: localNimbleId,
    UUID: camera.UUID,
    stream_address: camera.stream_address,
    onvif_port: camera.onvif_port,
    username: camera.username,
    password: camera.password,
  })
  deviceUid = body.response.device_id
})

afterAll(async () => {
  await nimble?.stop()
  cameras?.stop()
  await second?.close()
  await first?.close()
})

test('only the first holds the link, and both say the same about the edge server', async () => {
  expect(second.services.links.status(localNimbleId)).toBeNull()
  for (const client of [adminAtFirst, admin])
    expect((await client.call('nimble.status', { nimble_id: localNimbleId })).body.response.state).toBe('online')
})

test('what one tells, screens at the other hear: once, however long it is, and only who may', async () => {
  const [here, there] = await Promise.all([openStream(second, admin), openStream(first, adminAtFirst)])
  const outsider = await second.signIn(await first.make.user('admin', {}, await first.make.organization()))
  const foreign = await openStream(second, outsider)
  const id = crypto.randomUUID()
  const { tenant_id = 0, id: userId = 0 } = admin.user ?? {}
  first.services.bus.publish(changed({ tenant_id }, 'site', id))
  // Longer than a notification of the database may be, with letters of several bytes.
  const result = Array.from({ length: 2000 }, (_, i) => `caméra ${i % 10} 🎥`)
  const job_id = await first.services.jobs.run(
    { tenantId: tenant_id, userId } as Parameters<typeof first.services.jobs.run>[0],
    'test.work',
    {},
    async (job) => job.report({ done: 1, total: 1, result }),
  )
  const isOurs = (message: StreamMessage) => message.type === 'changed' && message.id === id
  for (const socket of [here, there]) {
    await socket.message(isOurs)
    const done = await socket.message((message) => message.type === 'job' && message.state === 'completed')
    expect(done).toMatchObject({ job_id, result })
    expect(socket.messages.filter(isOurs)).toHaveLength(1)
  }
  expect(foreign.messages.filter((message) => message.type !== 'hello')).toEqual([])
  await Promise.all([here, there, foreign].map((socket) => socket.close()))
})

test('a camera is searched, tried and looked at through the one that does not hold the link', async () => {
  const socket = await openStream(second, admin)
  const { body } = await admin.call('device.discover', { nimble_id: localNimbleId, timeout: 5 })
  const done = await socket.message(
    (message) => message.type === 'job' && message.job_id === body.response.job_id && message.state === 'completed',
  )
  const { found } = (done as Extract<StreamMessage, { type: 'job' }>).result as Discovery
  expect(found.map((one) => one.UUID)).toContain(camera.UUID)
  await socket.close()

  const probed = await admin.call('device.probe', {
    nimble_id: localNimbleId,
    address: camera.xaddr,
    username: camera.username,
    password: camera.password,
  })
  expect(probed.body.response).toMatchObject({ UUID: camera.UUID, profiles: [{ codec: 'h264' }] })

  const { links } = second.services
  const { body: sources } = await admin.call('source.mapping', {})
  const { source_id } = sources.response.find((one: { device_id: string }) => one.device_id === deviceUid)
  // A stream that only just began has no picture yet.
  let jpeg: Buffer = Buffer.alloc(0)
  const still = async () => {
    jpeg = await links.snapshot(localNimbleId, source_id).then(
      (picture) => picture.jpeg,
      () => jpeg,
    )
    return jpeg.length > 0
  }
  await until(still, 'the camera has a picture')
  expect(jpeg.subarray(0, 2)).toEqual(Buffer.from([0xff, 0xd8]))
  await expect(links.media(localNimbleId, crypto.randomUUID())).rejects.toMatchObject({ status: 502 })
})

test('the live picture and what is drawn over it come through it too', async () => {
  await admin.call('channel.create', {
    channel_name: 'People',
    usecase_key: 'pplcnt',
    device_id: deviceUid,
    zones: [
      {
        points: [
          [0, 0],
          [1, 0],
          [1, 1],
          [0, 1],
        ],
        aspect_ratio: 16 / 9,
      },
    ],
  })
  const live = await openSocket<LiveMessage>(second, admin, `/live?device_id=${deviceUid}`)
  await live.message((message) => message.type === 'started')
  await live.frame((frame) => frame[0] === liveBytes.init)
  await live.frame((frame) => frame[0] === liveBytes.fragment)
  await live.message((message) => message.type === 'overlay')
  await live.close()
})

test('a job is cancelled at the other portal', async () => {
  const begun = Promise.withResolvers<AbortSignal>()
  const { tenant_id: tenantId, id: userId } = admin.user ?? {}
  const job_id = await first.services.jobs.run(
    { tenantId, userId } as Parameters<typeof first.services.jobs.run>[0],
    'test.work',
    {},
    (job) => {
      begun.resolve(job.signal)
      return new Promise((resolve) => job.signal.addEventListener('abort', () => resolve()))
    },
  )
  const signal = await begun.promise
  await admin.call('job.cancel', { job_id })
  await until(() => signal.aborted, 'the first stops the work')
})

test('a change at one is applied by the other at once, and a link that neither holds is refused in words', async () => {
  const row = await first.make.nimble({ port: await freePort(), wait_between_retry: 60 })
  second.services.links.reload()
  await until(() => first.services.links.status(row.uid) ?? second.services.links.status(row.uid), 'one of them dials')
  for (const { services } of [first, second])
    await expect(services.links.snapshot(row.uid, crypto.randomUUID())).rejects.toMatchObject({
      status: 503,
      code: 'nimble_unreachable',
    })
})

test('the second takes over when the first stops', async () => {
  await first.services.links.stop()
  // Its files lie beside the first; any portal that is to serve it needs its key.
  await until(() => second.services.links.status(localNimbleId) !== null, 'the second has the lease')
})
