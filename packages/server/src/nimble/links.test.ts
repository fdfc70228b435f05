import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { hostname, networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { localNimbleId } from '@sightline/domain'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { createServer as createApp } from '../app.ts'
import { type BusMessage, createBus } from '../bus.ts'
import { readEnv } from '../env.ts'
import { createEventWriter } from '../event/ingest.ts'
import { addAllMinutes } from '../event/minutes.ts'
import { openSecrets } from '../secrets.ts'
import { testDatabase } from '../testing/database.ts'
import { factories } from '../testing/factories.ts'
import { fillJournal, startTestNimble, type TestNimble, type TestNimbleOptions } from '../testing/nimble.ts'
import { until } from '../testing/until.ts'
import { createLinks, type Links } from './links.ts'

const { db, close } = await testDatabase()
const make = factories(db)
const root = mkdtempSync(join(tmpdir(), 'sl-links-'))
const secrets = openSecrets(join(root, 'instance.key'))
let folder: string
let ending: (() => Promise<unknown> | unknown)[]
let count = 0

beforeEach(() => {
  folder = join(root, String(++count))
  ending = []
})
afterEach(async () => {
  for (const end of ending.reverse()) await end()
  // Links load every configuration that is dialled.
  await db.owner((trx) => trx.updateTable('nimble').set({ mode: 'enrolled' }).execute())
  await db.owner((trx) => trx.deleteFrom('lease').execute())
})
afterAll(async () => {
  await close()
  rmSync(root, { recursive: true })
})

/** A portal on the database of this file; `port` is where an edge server of this machine may be. */
function portal(port: number | null): Links & { heard: BusMessage[] } {
  const bus = createBus()
  const heard: BusMessage[] = []
  bus.subscribe((message) => heard.push(message))
  const env = { ...readEnv({}), dataDir: folder, localNimblePort: port }
  const { log } = createApp(env, { level: process.env.TEST_LOG ?? 'silent' })
  const events = createEventWriter({ db, bus })
  const links = createLinks({ env, db, bus, events, secrets, log })
  ending.push(async () => {
    await links.stop()
    await events.stop()
  })
  return { ...links, heard }
}

async function nimble(options: Partial<TestNimbleOptions> = {}): Promise<TestNimble> {
  const started = await startTestNimble({ folder: join(folder, options.isLocal ? 'nimble' : 'edge'), ...options })
  ending.push(() => started.stop())
  return started
}

const nimbleRow = (uid: string) =>
  db.owner((trx) => trx.selectFrom('nimble').selectAll().where('uid', '=', uid).executeTakeFirstOrThrow())
const isOnline = (links: Links, uid: string) => () => links.status(uid)?.state === 'online'
const cause = (links: Links, uid: string) => links.status(uid)?.cause

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  ending.push(() => new Promise((resolve) => server.close(resolve)))
  return (server.address() as AddressInfo).port
}

describe('the link', () => {
  test('to the local edge server comes about by itself, and what it should run is applied', async () => {
    const { port } = await nimble({ isLocal: true })
    const { uid } = await make.nimble({ port, is_local: true, wait_between_retry: 1 })
    // The start command knows it by one id.
    await db.owner((trx) => trx.updateTable('nimble').set({ uid: localNimbleId }).where('uid', '=', uid).execute())
    const row = await nimbleRow(localNimbleId)
    const device = await make.device({ stream_address: 'rtsp://198.51.100.7:554/none' }, await make.site(), row)
    const stream = await make.sourceOf(device)
    const channel = await make.channel({}, device)

    const links = portal(port)
    await links.start()
    await until(isOnline(links, localNimbleId), 'the link is up')
    expect(await nimbleRow(localNimbleId)).toMatchObject({ key_state: 'pinned' })
    await until(() => links.status(localNimbleId)?.applied_version === row.desired_version, 'the state is applied')
    await until(
      () =>
        db.owner((trx) =>
          trx
            .selectFrom('channel_state')
            .selectAll()
            .where('channel_id', '=', channel.id)
            .where('version', '=', channel.version)
            .executeTakeFirst(),
        ),
      'the channel says how it fares',
    )
    await until(
      () =>
        db.owner((trx) =>
          trx
            .selectFrom('source_state')
            .selectAll()
            .where('source_id', '=', stream?.id as number)
            .executeTakeFirst(),
        ),
      'the stream says how it fares',
    )
    expect(links.status(localNimbleId)).toMatchObject({ cause: null, protocol: 1, engine_version: '0.1.0' })
    // On a busy machine the first measurement may be a bad one; better ones replace it, one every ten seconds.
    const clockFault = () => Math.abs(links.status(localNimbleId)?.clock_offset_ms ?? Number.POSITIVE_INFINITY)
    await until(() => clockFault() < 50, 'the clock is measured to 50 ms')
    const stored = await db.owner((trx) =>
      trx.selectFrom('nimble_state').selectAll().where('nimble_id', '=', row.id).executeTakeFirstOrThrow(),
    )
    expect(stored).toMatchObject({ state: 'online' })
    const isChannel = ({ message }: (typeof links.heard)[number]) =>
      message.type === 'changed' && message.feature === 'channel'
    await until(() => links.heard.some(isChannel), 'who watches is told')

    // A change is sent when it is told of, and soon also when nobody told this portal.
    const desire = (desired_version: number) =>
      db.owner((trx) => trx.updateTable('nimble').set({ desired_version }).where('id', '=', row.id).execute())
    const isApplied = (version: number) => () => links.status(localNimbleId)?.applied_version === version
    await desire(row.desired_version + 1)
    links.reconfigure(localNimbleId)
    await until(isApplied(row.desired_version + 1), 'the change is applied')
    await desire(row.desired_version + 2)
    await until(isApplied(row.desired_version + 2), 'the change made elsewhere is applied')
  })

  test('what was known of an edge server is kept while nothing is heard of it', async () => {
    const port = await listening(createServer((socket) => socket.destroy()))
    const { id, tenant_id, uid } = await make.nimble({ port })
    const known = { engine_version: '9.9.9', last_contact_at: new Date('2026-05-04T12:00:00Z'), lost_events: 3 }
    await db.owner((trx) =>
      trx
        .insertInto('nimble_state')
        .values({ tenant_id, nimble_id: id, state: 'online', ...known })
        .execute(),
    )
    const links = portal(port)
    await links.start()
    await until(() => links.status(uid)?.state === 'refused', 'it is not there')
    expect(links.status(uid)).toMatchObject({ engine_version: '9.9.9', last_contact_at: '2026-05-04T12:00:00.000Z' })
    const stored = () =>
      db.owner((trx) => trx.selectFrom('nimble_state').selectAll().where('nimble_id', '=', id).executeTakeFirst())
    await until(async () => (await stored())?.state === 'refused', 'that is stored')
    expect(await stored()).toMatchObject(known)
  })

  test('brings every journalled event exactly once, though both ends are killed in the middle', async () => {
    const row = await make.nimble({ wait_between_retry: 1, port: 1 })
    const channel = await make.channel({}, await make.device({}, await make.site(), row))
    const total = 30_000
    fillJournal(join(folder, 'edge'), channel.uid, total)
    const stored = async () =>
      (
        await db.owner((trx) =>
          trx
            .selectFrom('event')
            .select(trx.fn.countAll<number>().as('events'))
            .where('channel_id', '=', channel.id)
            .executeTakeFirstOrThrow(),
        )
      ).events

    let edge = await nimble()
    await db.owner((trx) => trx.updateTable('nimble').set({ port: edge.port }).where('id', '=', row.id).execute())
    let links = portal(edge.port)
    await links.start()
    for (let round = 1; round <= 2; round++) {
      await until(async () => (await stored()) >= round * 4000, 'some events have come')
      await edge.kill()
      edge = await nimble({ port: edge.port })
    }
    await until(async () => (await stored()) >= 12_000, 'more events have come')
    await links.stop()
    links = portal(edge.port)
    await links.start()
    await until(async () => (await stored()) >= total, 'all events have come')
    await until(() => links.status(row.uid)?.journal_events === 0, 'the journal is empty')
    expect(await stored()).toBe(total)
    await addAllMinutes(db)
    const observed = await db.owner((trx) =>
      trx
        .selectFrom('event_1m')
        .select((eb) => eb.fn.sum<number>('n').as('records'))
        .where('channel_id', '=', channel.id)
        .where('series', '=', 0)
        .executeTakeFirstOrThrow(),
    )
    expect(observed.records).toBe(total)
  })

  test.each([2, -2])('a clock that is %i hours off is measured on both sides', async (hours) => {
    const skewMs = hours * 3_600_000
    const { port } = await nimble({ skewMs })
    const { uid } = await make.nimble({ port })
    const links = portal(port)
    await links.start()
    const clockFault = () => Math.abs((links.status(uid)?.clock_offset_ms ?? Number.POSITIVE_INFINITY) + skewMs)
    await until(() => clockFault() < 500, 'the clock is measured')
    const kept = () => Number(readFileSync(join(folder, 'edge', 'clock.json'), 'utf8'))
    await until(() => Math.abs(kept() + skewMs) < 500, 'the edge server corrects itself')
  })

  test('trusts the first key, and refuses another until a person accepts it', async () => {
    const first = await nimble()
    const { uid } = await make.nimble({ port: first.port, wait_between_retry: 1 })
    const links = portal(first.port)
    await links.start()
    await until(isOnline(links, uid), 'the link is up')
    const pinned = await nimbleRow(uid)
    expect(pinned).toMatchObject({ key_state: 'pinned', offered_key: null })
    await first.stop()
    rmSync(join(folder, 'edge', 'key'))
    const second = await nimble({ port: first.port })
    await until(() => cause(links, uid) === 'key_changed', 'the other key is refused')
    expect(links.status(uid)?.state).toBe('refused')
    await until(async () => (await nimbleRow(uid)).key_state === 'changed', 'the other key is kept for comparison')
    const { offered_key } = await nimbleRow(uid)
    expect(offered_key).not.toBe(pinned.public_key)
    await db.owner((trx) =>
      trx
        .updateTable('nimble')
        .set({ public_key: offered_key, offered_key: null, key_state: 'pinned' })
        .where('uid', '=', uid)
        .execute(),
    )
    links.reload()
    await until(isOnline(links, uid), 'the accepted key is let in')
    await second.stop()
  })

  test('goes through TLS to another machine’s address, with the key of the edge server', async (context) => {
    const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
    const own = addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address
    if (!own) {
      console.log('skipped: this machine has no address but loopback')
      return context.skip()
    }
    const { port } = await nimble({ host: '0.0.0.0' })
    const { uid } = await make.nimble({ address: own, port })
    const links = portal(null)
    await links.start()
    await until(isOnline(links, uid), 'the link is up')
    expect((await nimbleRow(uid)).key_state).toBe('pinned')
    expect(await links.test(own, port)).toMatchObject({ ok: true })
  })

  test('serves a configuration that was deleted and made anew, but never two', async () => {
    const { port } = await nimble()
    const first = await make.nimble({ port, wait_between_retry: 1 })
    const links = portal(port)
    await links.start()
    await until(isOnline(links, first.uid), 'the link is up')
    const other = await make.organization()
    const second = await make.nimble({ port, wait_between_retry: 1 }, other)
    links.reload()
    await until(() => cause(links, second.uid) === 'other_nimble', 'it belongs to the first')
    await db.owner(async (trx) => {
      await trx.deleteFrom('nimble_state').where('nimble_id', '=', first.id).execute()
      await trx.deleteFrom('nimble').where('id', '=', first.id).execute()
    })
    links.reload()
    await until(isOnline(links, second.uid), 'it serves the second')
  })

  test('comes back after the edge server was away, and says so meanwhile', async () => {
    const first = await nimble()
    const { uid } = await make.nimble({ port: first.port, wait_between_retry: 1 })
    const links = portal(first.port)
    await links.start()
    await until(isOnline(links, uid), 'the link is up')
    expect(await first.stop()).toBe(0)
    await until(() => cause(links, uid) === 'nothing_listens', 'nobody is there')
    expect(links.status(uid)?.state).toBe('unreachable')
    await expect(links.snapshot(uid, localNimbleId)).rejects.toMatchObject({ status: 503, code: 'nimble_unreachable' })
    await nimble({ port: first.port })
    await until(isOnline(links, uid), 'the link is up again')
  })
})

describe('questions', () => {
  test('are answered by the edge server, or refused with the reason', async () => {
    const { port } = await nimble()
    const { uid } = await make.nimble({ port })
    const links = portal(port)
    await links.start()
    await until(isOnline(links, uid), 'the link is up')
    const nowhere = '00000000-0000-7000-8000-00000000dead'
    await expect(links.snapshot(uid, nowhere)).rejects.toMatchObject({ status: 502, code: 'source_missing' })
    await expect(links.media(uid, nowhere)).rejects.toMatchObject({ status: 502, code: 'media_gone' })
    const scanned = await links.discover(uid, { seconds: 0.3 }, () => undefined, new AbortController().signal)
    expect(scanned.interfaces.length).toBeGreaterThan(0)
    const probed = await links.probe(uid, { address: 'rtsp://127.0.0.1:554/x', username: null, password: null })
    expect(probed.findings).toMatchObject([{ level: 'error', code: 'address_refused' }])
    const said: (string | null)[] = []
    const feed = links.live(uid, nowhere, 'fmp4', {
      started: () => undefined,
      init: () => undefined,
      fragment: () => undefined,
      jpeg: () => undefined,
      overlay: () => undefined,
      waiting: (why) => said.push(why),
      ended: () => undefined,
    })
    await until(() => said.includes('source_missing'), 'the viewer is told why it waits')
    feed.stop()
  })

  test('a long discovery can be stopped', async () => {
    const { port } = await nimble()
    const { uid } = await make.nimble({ port })
    const links = portal(port)
    await links.start()
    await until(isOnline(links, uid), 'the link is up')
    const stop = new AbortController()
    const begun = performance.now()
    const asked = links.discover(uid, { seconds: 30 }, () => undefined, stop.signal)
    stop.abort()
    await asked
    expect(performance.now() - begun).toBeLessThan(12_000)
  })
})

describe('what is no edge server', () => {
  test('a web server, another protocol, silence, and nothing at all are told apart', async () => {
    const web = await listening(createHttpServer((_, response) => response.end('hello')))
    expect(await portal(web).test('127.0.0.1', web)).toMatchObject({ ok: false, cause: 'not_a_nimble' })
    const telnet = await listening(createServer((socket) => socket.resume().end('login: ')))
    expect(await portal(telnet).test('127.0.0.1', telnet)).toMatchObject({ ok: false, cause: 'not_a_nimble' })
    const gone = await listening(createServer())
    await ending.pop()?.()
    expect(await portal(gone).test('127.0.0.1', gone)).toMatchObject({ ok: false, cause: 'nothing_listens' })
    const silent = await listening(
      createServer((socket) => {
        ending.push(() => socket.destroy())
      }),
    )
    const answer = await portal(silent).test('127.0.0.1', silent)
    expect(answer).toMatchObject({ ok: false, cause: 'no_answer' })
    expect(answer.ms).toBeLessThan(12_000)
  })

  test('an edge server of another protocol is refused with its number', async () => {
    const port = await otherNimble((socket) => socket.send('{"type":"hello","protocol":2}'))
    const links = portal(port)
    expect(await links.test('127.0.0.1', port)).toMatchObject({ ok: false, cause: 'protocol_mismatch:2' })
    const { uid } = await make.nimble({ port })
    await links.start()
    await until(() => cause(links, uid) === 'protocol_mismatch:2', 'the state says so')
    expect(links.status(uid)?.state).toBe('refused')
  })

  test('a real one is recognised, with its version and key, and left as it was', async () => {
    const { port } = await nimble()
    const answer = await portal(port).test('127.0.0.1', port)
    expect(answer).toMatchObject({ ok: true, cause: null, engine_version: '0.1.0' })
    expect(answer.key_fingerprint).toMatch(/^SHA256:/)
    expect(() => readFileSync(join(folder, 'edge', 'enrolment.json'))).toThrow('ENOENT')
  })

  test.each([
    ['169.254.169.254', 80, 'address_refused'],
    ['0.0.0.0', 80, 'address_refused'],
    ['::ffff:127.0.0.1', 80, 'address_refused'],
    ['localhost', 5432, 'address_refused'],
    ['224.0.0.1', 80, 'address_refused'],
    ['no-such-host.invalid', 80, 'host_unknown'],
  ])('%s:%i is not dialled: %s', async (address, port, why) => {
    expect(await portal(1).test(address, port)).toMatchObject({ ok: false, cause: why })
  })
})

describe('trying again', () => {
  test('ends after exactly as many tries as configured, and begins anew when asked', async () => {
    let tries = 0
    const port = await listening(createServer((socket) => socket.destroy(void tries++)))
    const { uid } = await make.nimble({ port, retry_times: 3, wait_between_retry: 1 })
    // Another that may be tried more often: by the time that it was, this would have been, too.
    const patient = { port, retry_times: 6, wait_between_retry: 1 }
    const { uid: beside } = await make.nimble(patient, await make.organization())
    const links = portal(port)
    await links.start()
    await until(() => tries === 9, 'three tries, and six of the other')
    await until(() => cause(links, beside) === 'gave_up:not_a_nimble', 'the other is given up')
    expect(tries).toBe(9)
    expect(links.status(uid)).toMatchObject({ state: 'refused', cause: 'gave_up:not_a_nimble' })
    links.reload()
    const haveGivenUp = () => [uid, beside].every((one) => cause(links, one) === 'gave_up:not_a_nimble')
    await until(() => tries === 18 && haveGivenUp(), 'as many tries again, and both are given up')
    // A change of what should run there is a reason to look again.
    links.reconfigure(uid)
    await until(() => tries === 21 && haveGivenUp(), 'three more tries')
  })
})

describe('two portals', () => {
  test('never hold the same link; the second takes over when the first stops', async () => {
    const { port } = await nimble()
    const { uid } = await make.nimble({ port })
    const [one, other] = [portal(port), portal(port)]
    await Promise.all([one.start(), other.start()])
    await until(() => [one, other].filter((links) => links.status(uid)?.state === 'online').length === 1, 'one has it')
    const holder = one.status(uid)?.state === 'online' ? one : other
    const waiter = holder === one ? other : one
    expect(waiter.status(uid)).toBeNull()
    await holder.stop()
    await until(isOnline(waiter, uid), 'the other has it')
  })

  test('what a killed portal of this machine left behind does not hold up its next start', async () => {
    const { port } = await nimble()
    const { uid } = await make.nimble({ port })
    const until15s = new Date(Date.now() + 15_000)
    const lease = { name: `nimble.link ${uid}`, owner: `${hostname()} 4194305 0123`, until: until15s }
    await db.owner((trx) => trx.insertInto('lease').values(lease).execute())
    const links = portal(port)
    await links.start()
    await until(isOnline(links, uid), 'the link is up before the lease runs out', 12_000)
  })

  test('a lease of another machine is respected until it runs out', async () => {
    const { port } = await nimble()
    const { uid } = await make.nimble({ port })
    const soon = new Date(Date.now() + 3000)
    const lease = { name: `nimble.link ${uid}`, owner: 'elsewhere 1 0123', until: soon }
    await db.owner((trx) => trx.insertInto('lease').values(lease).execute())
    const links = portal(port)
    await links.start()
    await until(isOnline(links, uid), 'the link is up')
    expect(Date.now()).toBeGreaterThan(soon.getTime())
  })
})

/** Accepts WebSockets as a nimble would, and then does what the test says. */
async function otherNimble(behave: (socket: import('ws').WebSocket) => void): Promise<number> {
  const server = createHttpServer()
  const sockets = new WebSocketServer({ server, handleProtocols: (offered) => [...offered][0] ?? false })
  sockets.on('connection', (socket) => {
    socket.on('error', () => undefined)
    behave(socket)
  })
  ending.push(() => {
    for (const socket of sockets.clients) socket.terminate()
  })
  return listening(server)
}
