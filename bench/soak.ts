/**
 * Half an hour with the faults of a day: portal, edge server and four cameras that count people, while each of them is
 * killed or cut off again and again. At the end every moment that could be watched must be in the database once, and
 * memory must be where it was. It runs only when it is asked for by name; `--quick` takes six minutes.
 */

import { sql } from 'kysely'
import { freePort, until } from '../e2e/product.ts'
import { type Line, openLine } from '../packages/server/src/testing/line.ts'
import { childrenOf, windowMs } from './cameras.ts'
import { hasFfmpeg, vgaScenes } from './clips.ts'
import { type Figure, median, pssBytes, wait } from './measure.ts'
import { startCameras, startNimble, startPortal } from './process.ts'
import type { Run } from './run.ts'
import { lookInto, seedStore } from './store.ts'

const count = 4
/** A camera that is there again is watched again within this: waits between tries are at most half a minute. */
const returnMs = 45_000
/** A picture may be late by so much. */
const toleranceMs = 1500

/** A time in which a camera could not be watched, by number; all of them without. */
type Outage = { camera?: number; from: number; to: number }

export async function soak(run: Run): Promise<Figure[]> {
  if (!hasFfmpeg()) {
    run.skip('the long run: its clips need ffmpeg')
    return []
  }
  const minutes = run.quick ? 6 : 30
  const scenes = Array.from({ length: count }, (_, i) => vgaScenes()[i % vgaScenes().length]!)
  const simulated = await startCameras(run, scenes)
  const lines = await Promise.all(simulated.cameras.map(({ port }) => openLine(port)))
  for (const line of lines) run.atEnd(line.close)
  const dataDir = run.folder()
  const nimblePort = await freePort()
  await seedStore({
    dataDir,
    nimblePort,
    cameras: lines.map(({ port }, i) => ({
      name: `Camera ${i + 1}`,
      address: `rtsp://127.0.0.1:${port}/stream1`,
      usecases: ['pplcnt'],
    })),
  })
  const edge = () =>
    startNimble(run, { dataDir, port: nimblePort, isLocal: true, cameraPorts: lines.map(({ port }) => port) })
  let nimble = await edge()
  let portal = await startPortal(run, { dataDir, nimblePort })
  const db = await lookInto(dataDir)
  run.atEnd(() => db.close())
  const stored = () =>
    db.owner(async (trx) => {
      const { rows } = await sql<Slot>`
        select dense_rank() over (order by channel_id)::int - 1 as camera,
          (ceil(extract(epoch from ts) * 1000 / ${windowMs}) * ${windowMs})::float8 as "end",
          sum(observed_ms)::float8 as "watchedMs"
        from event where kind = 0 and observed_ms > 0 group by channel_id, 2`.execute(trx)
      return rows
    })
  await until(
    'every camera is counted',
    async () => new Set((await stored()).map(({ camera }) => camera)).size === count,
    120_000,
  )
  run.say(`all ${count} cameras are counted; ${minutes} minutes with faults`)

  const outages: Outage[] = []
  let faults = 0
  const begun = Date.now()
  const seconds = (at: number) => `${((at - begun) / 1000).toFixed(1)} s after the beginning`
  const tell = (what: string) => run.say(`${seconds(Date.now())}: ${what}`)
  const outage = async (what: string, camera: number | undefined, work: () => Promise<void>, lostMs = 0) => {
    tell(camera === undefined ? what : `${what} ${camera + 1}`)
    const from = Date.now() - lostMs
    await work()
    outages.push({ ...(camera !== undefined && { camera }), from: from - 1000, to: Date.now() + returnMs })
    faults++
  }
  const kinds: (() => Promise<void>)[] = [
    // What the edge server sees meanwhile waits in its journal: nothing may be missing.
    async () => {
      faults++
      tell('the portal is killed')
      await portal.kill()
      await wait(8000)
      portal = await startPortal(run, { dataDir, nimblePort })
    },
    () => outage('the line is cut of camera', faults % count, () => cutFor(lines[faults % count] as Line, 6000)),
    // A window that was not over goes with whoever was counting it.
    () =>
      outage(
        'the edge server is killed',
        undefined,
        async () => {
          await nimble.kill()
          nimble = await edge()
        },
        windowMs,
      ),
    () => outage('the line stalls of camera', faults % count, () => stallFor(lines[faults % count] as Line, 15_000)),
    () =>
      outage('a camera process is killed', undefined, async () => {
        const [child] = childrenOf(nimble.pid)
        if (child !== undefined) process.kill(child, 'SIGKILL')
      }),
  ]
  const half = begun + (minutes * 60_000) / 2
  const end = begun + minutes * 60_000
  const restMs = run.quick ? 15_000 : 40_000
  for (let i = 0; Date.now() < half; i++) {
    await kinds[i % kinds.length]?.()
    await wait(restMs)
  }
  // Those whose memory is watched live on; the faults are the cameras'.
  const gentle = [kinds[1], kinds[3], kinds[4]]
  const memory: { portal: number; nimble: number }[] = []
  const sampling = setInterval(() => {
    memory.push({ portal: pssBytes(portal.pid) / 1e6, nimble: pssBytes(nimble.pid) / 1e6 })
  }, 5000)
  run.atEnd(() => clearInterval(sampling))
  await wait(restMs)
  memory.length = 0
  for (let i = 0; Date.now() < end; i++) {
    await gentle[i % gentle.length]?.()
    await wait(restMs)
  }
  clearInterval(sampling)
  await wait(returnMs)
  const slots = await stored()
  // The newest windows are on their way.
  const [lost, doubled] = [missing(slots, outages, begun, Date.now() - 15_000), slots.filter(isTwice)]
  for (const { camera, end, watchedMs } of [...lost, ...doubled])
    run.say(`camera ${camera + 1}: watched ${watchedMs} ms of the ${windowMs} from ${seconds(end - windowMs)}`)
  const correct = {
    ok: lost.length === 0 && doubled.length === 0,
    what: `of ${slots.length} times of ${windowMs / 1000} s over ${faults} faults ${lost.length} are missing in part and ${doubled.length} stored twice`,
  }
  const growth = (of: 'portal' | 'nimble') => {
    const third = Math.floor(memory.length / 3)
    const values = memory.map((one) => one[of])
    return median(values.slice(-third)) / median(values.slice(0, third))
  }
  return (['portal', 'nimble'] as const).map((of) => ({
    metric: `memory of the ${of === 'portal' ? 'portal' : "edge server's main process"} over ${minutes / 2} minutes with faults of its cameras: last third against first`,
    unit: '×',
    product: [growth(of)],
    gate: { atMost: 1.15 },
    correct,
    note: `${memory.at(-1)?.[of].toFixed(0)} MB at the end`,
  }))
}

/** Time of a camera between two multiples of the window's length; a window that was cut short is told in pieces. */
type Slot = { camera: number; end: number; watchedMs: number }

/** What was watched less than it could be, outages left out. */
function missing(slots: readonly Slot[], outages: readonly Outage[], begun: number, ended: number): Slot[] {
  const watched = new Map(slots.map(({ camera, end, watchedMs }) => [`${camera} ${end}`, watchedMs]))
  const found: Slot[] = []
  for (let camera = 0; camera < count; camera++)
    for (let end = Math.ceil(begun / windowMs + 1) * windowMs; end <= ended; end += windowMs) {
      if (outages.some((one) => (one.camera ?? camera) === camera && one.from < end && one.to > end - windowMs))
        continue
      const watchedMs = watched.get(`${camera} ${end}`) ?? 0
      if (watchedMs < windowMs - toleranceMs) found.push({ camera, end, watchedMs })
    }
  return found
}

const isTwice = ({ watchedMs }: Slot): boolean => watchedMs > windowMs + 100

async function cutFor(line: Line, ms: number): Promise<void> {
  line.cut()
  await wait(ms)
  line.mend()
}

async function stallFor(line: Line, ms: number): Promise<void> {
  line.stall()
  await wait(ms)
  line.flow()
}
