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
/** Windows follow each other; a picture may be late by so much. */
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
  /** Windows in which something was watched: the first after a start have only learnt what stands still. */
  const stored = () =>
    db.owner(async (trx) => {
      const { rows } = await sql<{ camera: number; from: number; to: number }>`
        select dense_rank() over (order by channel_id)::int - 1 as camera,
          (extract(epoch from ts) * 1000 - observed_ms)::float8 as from, (extract(epoch from ts) * 1000)::float8 as to
        from event where kind = 0 and observed_ms > 0 order by channel_id, ts`.execute(trx)
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
  const windows = await stored()
  // The newest windows are on their way.
  const lost = gaps(windows, outages, begun, Date.now() - 15_000)
  for (const { camera, from, to } of lost)
    run.say(`camera ${camera + 1}: ${((to - from) / 1000).toFixed(1)} s missing from ${seconds(from)}`)
  const doubled = overlaps(windows)
  for (const { camera, from, to } of doubled)
    run.say(`camera ${camera + 1}: ${((to - from) / 1000).toFixed(1)} s twice from ${seconds(from)}`)
  const correct = {
    ok: lost.length === 0 && doubled.length === 0,
    what:
      lost.length > 0
        ? `every moment that could be watched is stored: ${lost.length} gaps, the longest ${Math.round(Math.max(...lost.map(({ from, to }) => to - from)) / 1000)} s`
        : doubled.length > 0
          ? `every moment is stored once: ${doubled.length} stretches are stored twice`
          : `of ${windows.length} windows over ${faults} faults none is lost or doubled`,
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

type Window = { camera: number; from: number; to: number }

/** What is missing between the windows of each camera, outages left out. */
function gaps(windows: readonly Window[], outages: readonly Outage[], begun: number, ended: number): Window[] {
  const missing: Window[] = []
  for (let camera = 0; camera < count; camera++) {
    const known = [
      ...windows.filter((window) => window.camera === camera),
      ...outages.filter((outage) => (outage.camera ?? camera) === camera),
    ].toSorted((a, b) => a.from - b.from)
    let covered = begun
    for (const { from, to } of known) {
      if (from > covered + toleranceMs && covered < ended)
        missing.push({ camera, from: covered, to: Math.min(from, ended) })
      covered = Math.max(covered, to)
    }
    if (covered < ended - toleranceMs) missing.push({ camera, from: covered, to: ended })
  }
  return missing
}

/** What two windows of a camera that follow each other both tell of. */
const overlaps = (windows: readonly Window[]): Window[] =>
  windows.flatMap(({ camera, from }, i) => {
    const before = windows[i - 1]
    return before?.camera === camera && before.to > from + 100 ? [{ camera, from, to: before.to }] : []
  })

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
