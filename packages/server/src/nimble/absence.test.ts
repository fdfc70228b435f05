/** The portal is away while a real camera is watched, and the nimble is killed meanwhile: nothing journalled is lost or doubled. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { DemoCamera } from '@sightline/contract'
import { type EventRecord, recordKinds } from '@sightline/contract/edge'
import { decodeEvents } from '@sightline/contract/frame'
import type { SimcamSays, ToNimble } from '@sightline/contract/supervisor'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createServer as createApp } from '../app.ts'
import { createBus } from '../bus.ts'
import { passwordPlace } from '../device/store.ts'
import { readEnv } from '../env.ts'
import { createEventWriter } from '../event/ingest.ts'
import { openSecrets } from '../secrets.ts'
import { testDatabase } from '../testing/database.ts'
import { factories } from '../testing/factories.ts'
import { startTestNimble, type TestNimble } from '../testing/nimble.ts'
import { until } from '../testing/until.ts'
import { createLinks } from './links.ts'

const simcamProgram = fileURLToPath(new URL('../../../simcam/src/main.ts', import.meta.url))
/** Stands for a minute, with windows of a second instead of five. */
const awayMs = 12_000

const { db, close } = await testDatabase()
const make = factories(db)
const folder = mkdtempSync(join(tmpdir(), 'sl-absence-'))
const edgeFolder = join(folder, 'edge')
mkdirSync(edgeFolder)
const bus = createBus()
const events = createEventWriter({ db, bus })
const secrets = openSecrets(join(folder, 'instance.key'))
const simcam = fork(simcamProgram, { execArgv: [] })
let camera: DemoCamera
let nimble: TestNimble
let links: ReturnType<typeof createLinks>

beforeAll(async () => {
  const answer = once(simcam, 'message')
  simcam.send({ type: 'start', count: 1 })
  const [said] = (await answer) as [SimcamSays]
  if (said.type === 'failed') throw new Error(said.sentence)
  camera = said.cameras[0] as DemoCamera
})
afterAll(async () => {
  await links?.stop()
  await nimble?.stop()
  simcam.disconnect()
  await events.stop()
  await close()
  rmSync(folder, { recursive: true, maxRetries: 5 })
})

async function startNimble(port = 0) {
  nimble = await startTestNimble({ folder: edgeFolder, port })
  const hosts = [{ host: camera.host, ports: [camera.rtsp_port, camera.onvif_port] }]
  nimble.process.send({ type: 'demo.allow', hosts } satisfies ToNimble)
}
async function startPortal() {
  const env = { ...readEnv({}), dataDir: folder, localNimblePort: nimble.port }
  const { log } = createApp(env, { level: process.env.TEST_LOG ?? 'silent' })
  links = createLinks({ env, db, bus, events, secrets, log })
  await links.start()
}

/** What waits in the journal of a nimble that does not run. */
function journalled(): EventRecord[] {
  const file = new DatabaseSync(join(edgeFolder, 'journal.db'))
  try {
    const plain = (body: Uint8Array) => body
    return file
      .prepare('select frame from frame order by last_seq')
      .all()
      .flatMap((row) => decodeEvents(row.frame as Uint8Array, plain).records)
  } finally {
    file.close()
  }
}

test('every record made while the portal was away arrives once when it is back', async () => {
  await startNimble()
  const row = await make.nimble({ port: nimble.port, wait_between_retry: 1 })
  const { stream_address, username, password } = camera
  const device = await make.device({ stream_address, username }, await make.site(), row)
  const sealed = secrets.seal(password, passwordPlace(device.uid))
  const channel = await make.channel({}, device)
  await db.owner(async (trx) => {
    await trx.updateTable('device').set({ password: sealed }).where('id', '=', device.id).execute()
    const elements = JSON.stringify({ 'analytic.window_s': 1 })
    await trx.updateTable('pipeline').set({ elements }).where('id', '=', channel.pipeline_id).execute()
  })
  const stored = () =>
    db.owner((trx) => trx.selectFrom('event').select(['eid', 'kind']).where('channel_id', '=', channel.id).execute())
  const runs = () =>
    db.owner((trx) =>
      trx
        .selectFrom('channel_state')
        .select('channel_id')
        .where('channel_id', '=', channel.id)
        .where('state', '=', 'running')
        .executeTakeFirst(),
    )

  await startPortal()
  await until(async () => (await stored()).length > 2, 'events flow')
  expect(await runs()).toBeDefined()

  await links.stop()
  await pause(awayMs)
  await nimble.kill()
  const before = journalled()
  // Of twelve windows some may fall to a busy machine.
  expect(before.filter((record) => record.kind === 'window').length).toBeGreaterThan(5)

  let waiting = before
  // On a busy machine more than that passes before there is a camera and its first window.
  for (let round = 1; round <= 5 && waiting.length <= before.length; round++) {
    await startNimble(nimble.port)
    await pause((round * awayMs) / 2)
    await nimble.kill()
    waiting = journalled()
  }
  expect(waiting.length).toBeGreaterThan(before.length)
  expect(waiting.slice(0, before.length)).toEqual(before)

  await startNimble(nimble.port)
  await startPortal()
  await until(async () => {
    const ids = new Set((await stored()).map((event) => event.eid))
    return waiting.every((record) => ids.has(record.event_uuid))
  }, 'all of them have come')
  const ids = (await stored()).map((event) => event.eid)
  expect(new Set(ids).size).toBe(ids.length)
  // In one statement: events go on coming.
  const { rows } = await db.owner((trx) =>
    sql`
      select (select count(*) from event where channel_id = ${channel.id} and kind = ${recordKinds.indexOf('window')}) as windows,
        (select coalesce(sum(n), 0)::int8 from event_1m where channel_id = ${channel.id} and series = 0)
          + (select coalesce(sum(s.n), 0)::int8 from rollup_pending p, unnest(p.channels, p.series, p.n) as s (channel, series, n)
            where s.channel = ${channel.id} and s.series = 0) as counted`.execute(trx),
  )
  const [sums] = rows as { windows: number; counted: number }[]
  expect(sums?.counted).toBe(sums?.windows)
}, 300_000)
