/**
 * Durable ingest: event frames of 100 records as edge servers send them, decoded, stored with their roll-ups and
 * committed before they count as done. All CPU of this process and of the database is counted; the frames are made
 * before the clock starts. `node bench/ingest.ts` prints the table alone.
 */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeEvents } from '@sightline/contract/frame'
import { uuidv7 } from '@sightline/domain'
import pg from 'pg'
import { createBus } from '../packages/server/src/bus.ts'
import { openDatabase } from '../packages/server/src/db/database.ts'
import { startEmbedded } from '../packages/server/src/db/embedded.ts'
import { hourlyJob } from '../packages/server/src/event/hourly.ts'
import { createEventWriter } from '../packages/server/src/event/ingest.ts'
import { createIntake } from '../packages/server/src/nimble/intake.ts'
import { eventRecord, rolledUp, rolledUpFromRaw } from '../packages/server/src/testing/events.ts'
import { factories } from '../packages/server/src/testing/factories.ts'
import { cpuMeter, type Figure, load, table } from './measure.ts'

const recordsPerFrame = 100
/** Records may lie so far back; rounds take the seconds one after the other. */
const backMs = 6 * 24 * 3_600_000

type Workload = { name: string; usecase: 'pplcnt' | 'intrdtec'; metrics(i: number): Record<string, number> }
const workloads: Workload[] = [
  {
    name: 'people counting (mean, least, greatest)',
    usecase: 'pplcnt',
    metrics: (i) => ({ total: i % 9, total_min: i % 3, total_max: (i % 9) + 2 }),
  },
  {
    name: 'three metrics',
    usecase: 'intrdtec',
    metrics: (i) => ({ total: i % 9, violation: i % 4, non_violation: i % 5 }),
  },
]

export type IngestOptions = {
  rounds: number
  /** Of 100 records each, per round: a fixed amount, so that a busy machine compares what is warm. */
  frames: number
  senders: number
}

type FrameOrder = { workload: number; channels: string[]; second: number; count: number; file: string }

/** Makes frames into a file, each with its length in front: in a process of its own, so that it leaves no garbage here. */
function writeFrames({ workload, channels, second, count, file }: FrameOrder): void {
  const { metrics } = workloads[workload] as Workload
  const parts: Uint8Array[] = []
  for (let at = second; at < second + count; at++) {
    const records = channels.map((channel_id, i) => {
      const observed_at = at * 1000 + i
      const event_uuid = uuidv7(observed_at, randomBytes(10))
      return eventRecord({ channel_id, event_uuid, observed_at, observed_ms: 1000, metrics: metrics(at + i) })
    })
    const { frame } = encodeEvents(records, at * recordsPerFrame)
    parts.push(new Uint8Array(new Uint32Array([frame.length]).buffer), frame)
  }
  writeFileSync(file, Buffer.concat(parts))
}

function readFrames(file: string): Uint8Array[] {
  const bytes = readFileSync(file)
  const frames: Uint8Array[] = []
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt32LE(at)
    frames.push(bytes.subarray(at + 4, at + 4 + length))
    at += 4 + length
  }
  return frames.reverse()
}

/** Figures of events stored per CPU second. */
export async function measureIngest(options: IngestOptions): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const workload of workloads) figures.push(await measure(workload, options))
  return figures
}

async function measure(workload: Workload, { rounds, frames, senders }: IngestOptions): Promise<Figure> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sl-bench-'))
  const server = await startEmbedded({ dataDir })
  const db = await openDatabase({ url: `socket:${server.connection.host}?db=postgres&user=postgres`, dataDir })
  try {
    const make = factories(db)
    const nimble = await make.nimble()
    const device = await make.device({}, await make.site(), nimble)
    const channels: { uid: string }[] = []
    for (let i = 0; i < recordsPerFrame; i++)
      channels.push(await make.channel({ usecase_key: workload.usecase }, device))
    const writer = createEventWriter({ db, bus: createBus() })
    let second = Math.floor((Date.now() - backMs) / 1000)
    const makeFrames = (count: number) => {
      const file = join(dataDir, 'frames')
      const uids = channels.map((channel) => channel.uid)
      const order: FrameOrder = { workload: workloads.indexOf(workload), channels: uids, second, count, file }
      second += count
      execFileSync(process.execPath, [import.meta.filename, 'frames', JSON.stringify(order)])
      return readFrames(file)
    }

    /** Each sender has one frame on its way, as one nimble; answers how many events were committed. */
    const run = async (frames: Uint8Array[]) => {
      let stored = 0
      await Promise.all(
        Array.from({ length: senders }, async () => {
          for (;;) {
            const next = frames.pop()
            if (!next) return
            await new Promise<void>((resolve, reject) => {
              const intake = createIntake({
                async store(records, receivedAt) {
                  const batch = { tenantId: nimble.tenant_id, nimbleId: nimble.id, records, receivedAt }
                  const result = await writer.write(batch)
                  stored += result.stored
                },
                answer: (message) => (message.type === 'ack' ? resolve() : reject(new Error(message.reason))),
                failed: reject,
                violated: (reason) => reject(new Error(reason)),
              })
              intake.take(next)
            })
          }
        }),
      )
      return stored
    }

    const product: number[] = []
    const peer: number[] = []
    const plain = await plainInsert(server.connection)
    let stored = await run(makeFrames(frames))
    await plain.run(frames)
    for (let round = 0; round < rounds; round++) {
      const peerMeter = cpuMeter(() => [process.pid, server.pid()])
      peer.push((await plain.run(frames)) / peerMeter.stop())
      const made = makeFrames(frames)
      const meter = cpuMeter(() => [process.pid, server.pid()])
      const count = await run(made)
      product.push(count / meter.stop())
      stored += count
    }
    await plain.end()
    await hourlyJob(db, Date.now())
    const correct = await db.owner(async (trx) => {
      const raw = await trx.selectFrom('event').select(trx.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
      const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)
      return (
        raw.count === stored &&
        same(await rolledUp(trx, 'event_1m'), await rolledUpFromRaw(trx, '1 minute')) &&
        same(await rolledUp(trx, 'event_1h'), await rolledUpFromRaw(trx, '1 hour'))
      )
    })
    return {
      metric: `durable ingest, ${workload.name}: frames of 100, ${senders} senders`,
      unit: 'events per CPU-s',
      product,
      peer: { name: 'pg, rows of 3 numbers by unnest, one index, no roll-up', rounds: peer },
      gate: { atLeast: 50_000 },
      correct: { ok: correct, what: 'stored = sent, raw = minutes = hours' },
    }
  } finally {
    await db.close()
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** The plain way: each frame an INSERT of 100 rows into a table with one index, over a pool of 8 connections. */
async function plainInsert(connection: pg.ClientConfig) {
  const pool = new pg.Pool({ ...connection, max: 8 })
  await pool.query(`create table plain (channel_id int not null, ts timestamptz not null, total int, violation int,
    non_violation int, uuid uuid not null)`)
  await pool.query('create index on plain (channel_id, ts)')
  const text = `insert into plain select * from unnest($1::int[], $2::timestamptz[], $3::int[], $4::int[], $5::int[], $6::uuid[])`
  const numbers = Array.from({ length: recordsPerFrame }, (_, i) => i)
  const uuids = numbers.map((i) => uuidv7(i, randomBytes(10)))
  return {
    async run(frames: number): Promise<number> {
      let left = frames
      let stored = 0
      const sender = async () => {
        while (left-- > 0) {
          const at = new Date().toISOString()
          const times = numbers.map(() => at)
          await pool.query({ name: 'plain', text, values: [numbers, times, numbers, numbers, numbers, uuids] })
          stored += recordsPerFrame
        }
      }
      await Promise.all(Array.from({ length: 8 }, sender))
      return stored
    },
    end: () => pool.end(),
  }
}

if (import.meta.main) {
  const [what = '32', order = ''] = process.argv.slice(2)
  if (what === 'frames') writeFrames(JSON.parse(order) as FrameOrder)
  else {
    const figures = await measureIngest({ rounds: 5, frames: 1000, senders: Number(what) })
    console.log(`${table(figures)}\n\n${load()}`)
  }
}
