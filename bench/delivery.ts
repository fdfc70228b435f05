/**
 * Durable events: from an edge server's frame to rows and roll-ups on disk, acknowledged after the commit. The portal is
 * the real program with its own database; the frames come through the real link.
 */
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { decodeEvents, encodeEvents } from '@sightline/contract/frame'
import { sql } from 'kysely'
import { until } from '../e2e/product.ts'
import type { Db } from '../packages/server/src/db/database.ts'
import { hourlyJob } from '../packages/server/src/event/hourly.ts'
import { rolledUp, rolledUpFromRaw } from '../packages/server/src/testing/events.ts'
import { channelsOfEdge, edgeEvent, parseRate, parsing, plainEvent } from './events.ts'
import { openFlood, perFrame } from './flood.ts'
import { cpuMeter, type Figure, type Measured, median, ownCpuSeconds, wait } from './measure.ts'
import { startPortal, startProgram } from './process.ts'
import type { Run } from './run.ts'
import { lookInto, seedStore } from './store.ts'

const hourMs = 3_600_000
const connections = 32

type Load = { channels: number; hoursBack: number; gate: Figure['gate']; hasPeer: boolean }

/**
 * One edge server of 100 channels; and as many frames at once of 3,200 channels, as 32 edge servers have, in the present:
 * there every event brings minutes of its own, which is dearer by far. It is told and not judged.
 */
export async function delivery(run: Run): Promise<Figure[]> {
  // Two days back there is room for events of many hours in a few seconds. All of it lies in closed hours: marks, and
  // hours computed again, come on top of what events of the present cost.
  const gate = { atLeast: 50_000, where: { limit: parsing, is: 1_830_000 } }
  const narrow: Load = { channels: channelsOfEdge, hoursBack: 48, gate, hasPeer: !run.quick }
  const wide: Load = { channels: 32 * channelsOfEdge, hoursBack: 1, gate: null, hasPeer: false }
  const figures = await measure(run, narrow)
  return run.quick || run.sabotage ? figures : [...figures, ...(await measure(run, wide))]
}

async function measure(run: Run, load: Load): Promise<Figure[]> {
  const rounds = run.quick ? 3 : 5
  const roundMs = run.quick ? 2000 : 3000
  /** Of a round: enough that compiling the code is not what is measured. */
  const leastEvents = run.quick ? 60_000 : 150_000
  const dataDir = run.folder()
  const flood = await openFlood(run, dataDir)
  const store = await seedStore({
    dataDir,
    nimblePort: flood.port,
    cameras: [{ name: 'Gate', address: 'rtsp://198.51.100.1/', usecases: Array(load.channels).fill('ppedtec') }],
  })
  const channels = store.devices.flatMap((device) => device.channels.map(({ uid }) => uid))
  let portal = await startPortal(run, { dataDir, nimblePort: flood.port })
  const from = Math.floor(Date.now() / hourMs) * hourMs - load.hoursBack * hourMs
  flood.begin(channels, from)
  const db = await lookInto(dataDir)
  run.atEnd(() => db.close())
  if (run.sabotage === 'rollup-skip') await loseMinutes(db)
  await until('the portal has come to the edge server', () => flood.connections() > 0)
  const peer = load.hasPeer ? await startPeer(run) : null

  const product: number[] = []
  const wall: number[] = []
  const databaseShare: number[] = []
  const others = { batch: [] as number[], single: [] as number[], decode: [] as number[], parse: [] as number[] }
  const measureProduct = async (ms: number) => {
    const meter = cpuMeter(() => [portal.pid, portal.databasePid()])
    const databaseMeter = cpuMeter(() => [portal.databasePid()])
    const begun = performance.now()
    const events = await flood.send(ms, leastEvents)
    const seconds = (performance.now() - begun) / 1000
    // What is deferred is paid for too.
    await hourlyJob(db, Date.now())
    const cpu = meter.stop()
    return { perCpu: events / cpu, perSecond: events / seconds, database: databaseMeter.stop() / cpu }
  }
  await measureProduct(2000)
  await peer?.load('hundred', 500)
  for (let round = 0; round < rounds; round++) {
    const turns = [
      async () => {
        const { perCpu, perSecond, database } = await measureProduct(roundMs)
        product.push(perCpu)
        wall.push(perSecond)
        databaseShare.push(database)
      },
      async () => void (peer && others.batch.push(await peer.load('hundred', roundMs))),
      async () => void (peer && others.single.push(await peer.load('one', roundMs))),
      async () => void others.decode.push(await decodeLimit(channels)),
      async () => void others.parse.push(await parseRate()),
    ]
    for (let i = 0; i < turns.length; i++) await turns[(i + round) % turns.length]?.()
  }

  // Killed in mid-run; the edge server repeats what was not acknowledged.
  const running = flood.send(1500)
  await wait(700)
  await portal.kill()
  const before = flood.connections()
  portal = await startPortal(run, { dataDir, nimblePort: flood.port })
  await until('the portal is back at the edge server', () => flood.connections() > before)
  await running
  const correct = await isRight(db, flood.sent(), flood.acknowledged())

  const peers: Measured[] = peer
    ? [
        { name: 'Fastify + pg, batch, no roll-up', rounds: others.batch },
        { name: 'Fastify + pg, an INSERT each', rounds: others.single },
      ]
    : []
  return [
    {
      metric: `durable ingest with roll-up, ${perFrame} a frame, ${load.channels} channels, CPU of portal and database`,
      unit: 'events/CPU-s',
      product,
      peer: peers,
      limit: [
        { name: 'frames decoded alone', rounds: others.decode },
        { name: parsing, rounds: others.parse },
      ],
      gate: load.gate,
      correct,
      note: `by the clock ${wall.map((value) => Math.round(value / 1000)).join(', ')} thousand/s through one edge server; ${Math.round(median(databaseShare) * 100)} % of the CPU is the database's`,
    },
  ]
}

/**
 * After a kill: every event that was sent is stored once, acknowledged or repeated, and minutes and hours are what the
 * raw events say.
 */
async function isRight(db: Db, sent: number, acknowledged: number): Promise<Figure['correct']> {
  await hourlyJob(db, Date.now())
  return db.owner(async (trx) => {
    const { rows } = await sql<{ stored: number; distinct: number; events: number }>`
      select count(*) as stored, count(distinct eid) as distinct, coalesce(max(('x' || right(eid::text, 8))::bit(32)::bigint), -1) + 1 as events
      from event`.execute(trx)
    const { stored, distinct, events } = rows[0]!
    const minutes = same(await rolledUp(trx, 'event_1m'), await rolledUpFromRaw(trx, '1 minute'))
    const hours = same(await rolledUp(trx, 'event_1h'), await rolledUpFromRaw(trx, '1 hour'))
    const lost = Math.max(sent, acknowledged) - distinct
    const ok = lost === 0 && stored === distinct && events === sent && minutes && hours
    return {
      ok,
      what:
        `of ${sent} events ${lost} lost and ${stored - distinct} doubled after kill -9 of the portal in mid-run; ` +
        `minutes ${minutes ? '=' : '≠'} raw, hours ${hours ? '=' : '≠'} raw`,
    }
  })
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** Sabotage: some minutes never reach their table. */
async function loseMinutes(db: Db): Promise<void> {
  await db.owner(async (trx) => {
    await sql`create function lose() returns trigger language plpgsql as
      $$ begin return case when new.channel_id % 50 = 0 then null else new end; end $$`.execute(trx)
    const { rows } = await sql<{ name: string }>`
      select inhrelid::regclass::text as name from pg_inherits where inhparent = 'event_1m'::regclass`.execute(trx)
    for (const { name } of rows)
      await sql.raw(`create trigger lose before insert on ${name} for each row execute function lose()`).execute(trx)
  })
}

/* ── limits: the same events, only read ──────────────────────────────────────────────── */

const limitEvents = 200_000

async function decodeLimit(channels: readonly string[]): Promise<number> {
  const records = Array.from({ length: perFrame }, (_, i) => edgeEvent(channels, i, 0))
  const { frame } = encodeEvents(records, 1)
  const decode = (count: number) => {
    for (let done = 0; done < count; done += perFrame) decodeEvents(frame, (body) => body)
  }
  decode(limitEvents / 10)
  return limitEvents / (await ownCpuSeconds(() => decode(limitEvents)))
}

/* ── the peer ────────────────────────────────────────────────────────────────────────── */

const hundred = (first: number, from: number) =>
  JSON.stringify(Array.from({ length: perFrame }, (_, i) => plainEvent(first + i, from)))

/** Answers events per CPU-second of its server and its database, at 32 connections. */
async function startPeer(run: Run) {
  const dataDir = run.folder()
  const program = await startProgram(
    run,
    { name: 'peer', program: 'bench/peers/fastify-pg.ts', args: [dataDir], logDir: dataDir },
    (message) => message as number,
  )
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  run.atEnd(() => agent.destroy())
  const from = Date.now() - hourMs
  const bodies = {
    one: Array.from({ length: 256 }, (_, i) => JSON.stringify(plainEvent(i, from))),
    hundred: Array.from({ length: 64 }, (_, i) => hundred(i * perFrame, from)),
  }
  const post = async (path: string, body: string): Promise<void> => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const call = request({ agent, host: '127.0.0.1', port: program.said, path, method: 'POST', headers })
    call.end(body)
    const [response] = await once(call, 'response')
    response.resume()
    await once(response, 'end')
    if (response.statusCode !== 201) throw new Error(`The peer answers ${response.statusCode}`)
  }
  return {
    async load(kind: 'one' | 'hundred', ms: number): Promise<number> {
      const meter = cpuMeter(() => [program.pid])
      const end = performance.now() + ms
      let sent = 0
      await Promise.all(
        Array.from({ length: connections }, async () => {
          for (; performance.now() < end; ) await post(`/${kind}`, bodies[kind][sent++ % bodies[kind].length] as string)
        }),
      )
      return (sent * (kind === 'one' ? 1 : perFrame)) / meter.stop()
    },
  }
}
