/** A portal, an edge server and a camera: each piece of the configuration tells for itself how far it is. */
import { join } from 'node:path'
import type { NimbleSync } from '@sightline/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createDemo } from '../demo/supervisor.ts'
import { type Client, type TestApp, testApp } from '../testing/app.ts'
import { startTestCamera, type TestCamera } from '../testing/cameras.ts'
import { allowCamera, enrolTestNimble, startTestNimble, type TestNimble } from '../testing/nimble.ts'
import { triangleZone } from '../testing/samples.ts'

let portal: TestApp
let admin: Client
let cameras: TestCamera
let nimble: TestNimble | undefined
let folder: string

beforeAll(async () => {
  cameras = await startTestCamera()
  const { camera } = cameras
  portal = await testApp({}, { demo: createDemo({ on: (_, hear) => hear({ type: 'demo', cameras: [camera] }) }) })
  folder = join(portal.services.env.dataDir, 'edge')
})
afterAll(async () => {
  await nimble?.stop()
  cameras?.stop()
  await portal?.close()
})

const call = async (id: Parameters<Client['call']>[0], input: object) => {
  const { status, body } = await admin.call(id, input)
  if (status >= 300) throw new Error(`${id}: ${status} ${JSON.stringify(body)}`)
  return body.response
}
const start = async () => {
  nimble = await startTestNimble({ folder })
  allowCamera(nimble, cameras)
}

test('one piece that the edge server does not understand is refused alone; a pipeline tells its own version', async () => {
  const address = await portal.listen()
  await portal.services.links.start()
  admin = await portal.signIn('admin')
  const edge = await portal.make.nimble({ mode: 'enrolled', address: null, port: null })
  const { token } = await call('nimble.enrol', { nimble_id: edge.uid })
  await enrolTestNimble(folder, address, token)
  await start()
  const { camera } = cameras
  const { device_id } = await call('device.create', {
    device_name: 'Entrance',
    site_id: (await portal.make.site()).uid,
    nimble_id: edge.uid,
    stream_address: camera.stream_address,
    username: camera.username,
    password: camera.password,
  })
  const add = (channel_name: string) =>
    call('channel.create', {
      ...{ channel_name, device_id, usecase_key: 'pplcnt' },
      zones: [triangleZone],
    })
  const [good, odd] = [await add('Good'), await add('Odd')]
  const pieces = async () => (await call('nimble.sync', { nimble_id: edge.uid })) as NimbleSync
  const of = ({ items }: NimbleSync, id: string) => items.find((item) => item.id === id)
  const become = (check: (sync: NimbleSync) => void) =>
    vi.waitFor(async () => check(await pieces()), { timeout: 60_000, interval: 300 })
  const isRunning = (sync: NimbleSync, id: string) => {
    const item = of(sync, id)
    expect(item).toMatchObject({ step: 'running' })
    expect(item?.applied_version).toBe(item?.desired_version)
  }
  await become(({ items }) => {
    expect(items.map(({ kind, step }) => `${kind} ${step}`)).toEqual([
      'source running',
      'pipeline running',
      'pipeline running',
      'channel running',
      'channel running',
    ])
    for (const item of items) expect(item.applied_version).toBe(item.desired_version)
  })
  const source = (await pieces()).items[0]?.id as string

  // As a newer portal would, with something that this edge server has never heard of.
  const change = async (elements: ReturnType<typeof sql>) => {
    await portal.services.db.owner(async (trx) => {
      await sql`update pipeline set elements = ${elements} where uid = ${odd.pipeline_id}`.execute(trx)
      await sql`update channel set updated_at = now() where uid = ${odd.channel_id}`.execute(trx)
      await sql`update nimble set desired_version = desired_version + 1 where uid = ${edge.uid}`.execute(trx)
    })
    portal.services.links.reconfigure(edge.uid)
  }
  await change(sql`elements || '{"future.element": {"of": 2030}}'`)
  const isRefusedAlone = (sync: NimbleSync) => {
    expect(sync).toMatchObject({ sync: 'refused', applied_version: sync.desired_version })
    for (const id of [odd.channel_id, odd.pipeline_id])
      expect(of(sync, id)).toMatchObject({ step: 'refused', cause: 'not_understood' })
    for (const id of [source, good.channel_id, good.pipeline_id]) isRunning(sync, id)
  }
  await become(isRefusedAlone)
  // From what it keeps, too.
  await nimble?.stop()
  await become(({ state }) => expect(state).not.toBe('online'))
  await start()
  await become(isRefusedAlone)

  // Another name of a pipeline is another version of it, and no reason to begin the analysis anew.
  const before = of(await pieces(), good.channel_id)
  const { version } = await call('pipeline.update', { pipeline_id: good.pipeline_id, pipeline_name: 'At the door' })
  await become((sync) => {
    isRunning(sync, good.pipeline_id)
    expect(of(sync, good.pipeline_id)).toMatchObject({ name: 'At the door', desired_version: version })
  })
  expect(of(await pieces(), good.channel_id)).toEqual(before)

  // So is another name of a stream, which was not opened again for it.
  const frames = () => portal.services.db.owner((trx) => trx.selectFrom('source_state').selectAll().executeTakeFirst())
  const { since, reconnects } = (await frames()) ?? {}
  await call('source.update', { source_id: source, source_name: 'Main' })
  await become((sync) => isRunning(sync, source))
  expect(await frames()).toMatchObject({ since, reconnects })

  await change(sql`elements - 'future.element'`)
  await become(({ sync, items }) => {
    expect(sync).toBe('in_sync')
    expect(items.map(({ step }) => step)).toEqual(items.map(() => 'running'))
  })
}, 240_000)
