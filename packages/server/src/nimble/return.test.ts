/**
 * An edge server that was away for a day, with a real camera, behind a line that is really cut: it comes back and runs
 * exactly what was wished meanwhile, and what it saw is stored once.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { linkConfig } from '@sightline/contract/edge'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDemo } from '../demo/supervisor.ts'
import { type Client, type TestApp, testApp } from '../testing/app.ts'
import { startTestCamera, type TestCamera } from '../testing/cameras.ts'
import { type Line, openLine } from '../testing/line.ts'
import { allowCamera, enrolTestNimble, fillJournal, startTestNimble, type TestNimble } from '../testing/nimble.ts'
import { parentOf } from '../testing/processes.ts'
import { triangleZone } from '../testing/samples.ts'
import { until } from '../testing/until.ts'

const dayMs = 86_400_000
const minutes = 24 * 60

let portal: TestApp
let admin: Client
let cameras: TestCamera
let line: Line
let nimble: TestNimble | undefined
let folder: string

beforeAll(async () => {
  cameras = await startTestCamera()
  const { camera } = cameras
  portal = await testApp({}, { demo: createDemo({ on: (_, hear) => hear({ type: 'demo', cameras: [camera] }) }) })
  line = await openLine(Number(new URL(await portal.listen()).port))
  await portal.services.links.start()
  admin = await portal.signIn('admin')
  folder = join(portal.services.env.dataDir, 'edge')
})
afterAll(async () => {
  await nimble?.stop()
  cameras?.stop()
  line?.close()
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
test('a day later it runs what was wished meanwhile and nothing else, and its journal is stored once', async () => {
  const { db } = portal.services
  const [edge, other] = [
    await portal.make.nimble({ mode: 'enrolled', address: null, port: null }),
    await portal.make.nimble({ mode: 'enrolled', address: null, port: null }),
  ]
  const { token } = await call('nimble.enrol', { nimble_id: edge.uid })
  await enrolTestNimble(folder, `http://127.0.0.1:${line.port}`, token)
  await start()

  const site = await portal.make.site()
  const { camera } = cameras
  const camerasOfSite: { device_id: string; channel_id: string; source_id: string }[] = []
  for (const name of ['Moved', 'Emptied', 'Kept']) {
    const device = await call('device.create', {
      device_name: name,
      site_id: site.uid,
      nimble_id: edge.uid,
      stream_address: camera.stream_address,
      username: camera.username,
      password: camera.password,
    })
    const { sources } = await call('device.view', { device_id: device.device_id })
    const { source_id } = sources[0]
    const channel = await call('channel.create', {
      channel_name: `${name} channel`,
      device_id: device.device_id,
      source_id,
      usecase_key: 'pplcnt',
      zones: [triangleZone],
    })
    camerasOfSite.push({ device_id: device.device_id, source_id, channel_id: channel.channel_id })
  }
  const [moved, emptied, kept] = camerasOfSite as [Ids, Ids, Ids]
  const status = async () => {
    await new Promise((resolve) => setTimeout(resolve, 200))
    return call('nimble.status', { nimble_id: edge.uid })
  }
  await until(async () => (await status()).channels_running === 3, 'all three run')

  // The line is cut; the machine is started again meanwhile, and has seen a day by then.
  line.cut()
  await until(async () => (await status()).state !== 'online', 'the loss is noticed')
  expect(await nimble?.stop()).toBe(0)
  for (const { channel_id } of [moved, kept]) fillJournal(folder, channel_id, minutes, 60_000)
  fillJournal(folder, emptied.channel_id, 10, 60_000)
  await start()
  expect(linkConfig.parse(JSON.parse(readFileSync(join(folder, 'desired.json'), 'utf8'))).channels).toHaveLength(3)

  await call('channel.refactor', { channel_id: moved.channel_id, nimble_id: other.uid })
  await db.owner((trx) =>
    trx.updateTable('channel').set({ auto_recovery: false }).where('uid', '=', emptied.channel_id).execute(),
  )
  await call('channel.delete', { channel_id: emptied.channel_id, force: true })
  await call('channel.update', { channel_id: kept.channel_id, channel_name: 'First wish' })
  await call('channel.update', { channel_id: kept.channel_id, channel_name: 'Second wish' })
  expect(await status()).toMatchObject({ sync: 'unreachable', channels: 1, channels_running: null })
  // Still as it was: it knows nothing of that.
  await until(() => camerasWatched(nimble) === 3, 'it watches all three by itself')

  line.mend()
  await until(async () => (await status()).state === 'online', 'it is back')
  await until(async () => (await status()).sync === 'in_sync', 'it runs what is wished')
  await until(async () => (await status()).channels_running === 1, 'the channel runs')
  const desired = linkConfig.parse(JSON.parse(readFileSync(join(folder, 'desired.json'), 'utf8')))
  expect(desired.sources.map(({ source_id }) => source_id).sort()).toEqual([emptied.source_id, kept.source_id].sort())
  expect(desired.channels).toMatchObject([{ channel_id: kept.channel_id, name: 'Second wish' }])
  const pieces = async (): Promise<Piece[]> => {
    await new Promise((resolve) => setTimeout(resolve, 200))
    const { items } = await call('nimble.sync', { nimble_id: edge.uid })
    return items.filter((item: Piece) => item.kind !== 'pipeline')
  }
  await until(async () => (await pieces()).every(({ step }) => step === 'running'), 'every piece runs')
  const items = await pieces()
  expect(items.map(({ id }) => id).sort()).toEqual([emptied.source_id, kept.source_id, kept.channel_id].sort())
  for (const item of items) expect(item.applied_version).toBe(item.desired_version)
  await until(() => camerasWatched(nimble) === 2, 'nothing foreign is watched')

  // The camera goes on: what it saw since the last acknowledgement may wait there.
  await until(async () => (await status()).journal_events <= 5, 'the journal is sent')
  const stored = async (channelUid: string) => {
    const { rows } = await db.owner((trx) =>
      sql<{ events: number; ids: number; days: number; first: Date }>`
        select count(*)::int as events, count(distinct eid)::int as ids, count(distinct e.tableoid)::int as days, min(ts) as first
        from event e join channel c on c.tenant_id = e.tenant_id and c.id = e.channel_id
        where c.uid = ${channelUid} and e.kind = 0`.execute(trx),
    )
    return rows[0] as { events: number; ids: number; days: number; first: Date }
  }
  for (const { channel_id } of [moved, kept]) {
    const { events, ids, days, first } = await stored(channel_id)
    expect(events).toBe(ids)
    expect(events).toBeGreaterThanOrEqual(minutes)
    // What it saw live beside the day is some windows of five seconds.
    expect(events).toBeLessThan(minutes + 60)
    expect(days).toBe(2)
    expect(Date.now() - first.getTime()).toBeGreaterThan(dayMs - 120_000)
  }
  // What it reports of itself is kept, point by point.
  type Point = Record<'cpu' | 'memory_bytes' | 'disk_free_bytes' | 'fps' | 'expected_fps' | 'queue', number>
  let reported = ''
  const points = async (): Promise<Point[]> => {
    await new Promise((resolve) => setTimeout(resolve, 500))
    const { points: all } = await call('nimble.stats', { nimble_id: edge.uid, start: '-10m' })
    reported = JSON.stringify(all.slice(-6).map(({ fps, expected_fps }: Point) => [fps, expected_fps]))
    // Of the time since at most one channel of 5 pictures a second is left; while nothing moves fewer are wanted.
    return all.filter(({ fps, expected_fps }: Point) => fps > 0 && expected_fps > 0 && expected_fps <= 5)
  }
  await expect
    .poll(async () => [(await points()).length >= 2, reported], { timeout: 180_000 })
    .toEqual([true, expect.any(String)])
  const [earlier, later] = (await points()).slice(-2) as [Point, Point]
  for (const { cpu } of [earlier, later]) {
    expect(cpu).toBeGreaterThan(0)
    expect(cpu).toBeLessThanOrEqual(1)
  }
  const disk = await statfs(folder)
  expect(Math.abs(later.disk_free_bytes / (disk.bavail * disk.bsize) - 1)).toBeLessThan(0.1)
  expect([later.cpu, later.memory_bytes]).not.toEqual([earlier.cpu, earlier.memory_bytes])
  // Of a channel that does not exist any more nothing can be stored: it is counted.
  const { lost_events, rejected_events } = await status()
  expect(lost_events).toBe(0)
  expect(rejected_events).toBeGreaterThanOrEqual(10)
}, 600_000)

type Piece = { id: string; kind: string; step: string; applied_version: number | null; desired_version: number }
type Ids = { device_id: string; channel_id: string; source_id: string }

/** How many processes of cameras the edge server runs. */
const camerasWatched = (edge: TestNimble | undefined): number =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && parentOf(Number(name)) === edge?.process.pid)
    .filter((pid) => commandOf(pid).includes('camera')).length

/** Empty where the process has ended meanwhile. */
function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch (error) {
    if (!['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    return ''
  }
}
