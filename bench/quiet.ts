/**
 * What a camera costs in which little or nothing happens: the real nimble on one camera at a time, watched over its own
 * link. That nothing is overlooked is shown apart, on the same clip: a nimble tells of pictures only while somebody
 * looks, and that wakes it.
 */
import type { EventRecord, NimbleMessage } from '@sightline/contract/edge'
import { until } from '../e2e/product.ts'
import { missedOnDemand, type Played, playOnDemand } from '../packages/edge/src/analysis/testing/on-demand.ts'
import { channelOf } from '../packages/edge/src/analysis/testing/run.ts'
import { childrenOf, configOf, fps, windowMs } from './cameras.ts'
import { boxMoves, ffmpeg, hasFfmpeg, quietClip, stillClip } from './clips.ts'
import { connectToEdge, type EdgeLink } from './link.ts'
import { cpuMeter, type Figure, median, pssBytes, wait } from './measure.ts'
import { type ClipFile, type SimulatedCamera, startCameras, startNimble } from './process.ts'
import type { Run } from './run.ts'

type Stats = Extract<NimbleMessage, { type: 'stats' }>
type Measured = { run: Run; nimble: { pid: number }; edge: EdgeLink; stats: Stats[]; records: EventRecord[] }

const clipSeconds = 30
const decoding = 'ffmpeg decode alone'

export async function quiet(run: Run): Promise<Figure[]> {
  if (!hasFfmpeg()) {
    run.skip('quiet cameras: their clips need ffmpeg')
    return []
  }
  const [moving, still] = [quietClip(), stillClip()]
  const { every, some } = await bothWays(moving)
  const missed = unseen(every, some, moving.fps)
  const simulated = await startCameras(run, [moving, still])
  const [movingCamera, stillCamera] = simulated.cameras as [SimulatedCamera, SimulatedCamera]
  const nimble = await startNimble(run, {
    dataDir: run.folder(),
    port: 0,
    isLocal: false,
    cameraPorts: simulated.cameras.map(({ port }) => port),
  })
  const stats: Stats[] = []
  const records: EventRecord[] = []
  const edge = await connectToEdge(run, nimble.port, {
    message(message) {
      if (message.type === 'stats') stats.push(message)
    },
    records: (list) => void records.push(...list),
  })
  const measured = { run, nimble, edge, stats, records }
  const withBox = await watch(measured, movingCamera, moving)
  const without = await watch(measured, stillCamera, still)
  // Not `fps=`: at the end of a stream without times ffmpeg 5 goes on making pictures until no memory is left.
  const pipe = ['-vf', `framestep=${moving.fps / fps},scale=640:360`, '-pix_fmt', 'bgr24']
  const rate = median(withBox.rates)
  return [
    {
      metric:
        'one camera 1280×720, 10 a second, counted for people, in which a box moves 4 s of every 10: all of the edge server',
      unit: '% of a core',
      product: withBox.all,
      peer: run.quick
        ? []
        : [
            {
              name: 'ffmpeg decode and scale, no analysis',
              rounds: [ffmpegShare(moving, pipe), ffmpegShare(moving, pipe)],
            },
          ],
      limit: [{ name: decoding, rounds: withBox.limit }],
      gate: { atMost: 6, where: { limit: decoding, is: 4.2 } },
      correct: {
        ok: missed.length === 0 && rate >= fps * movingShare && withBox.windows > 0 && withBox.strangers === 0,
        what: `each of ${wantedPictures(every, moving.fps)} pictures with the box, and each that moves when all are decoded, was analysed${missed.length > 0 ? ` but ${missed.join(', ')}` : ''}; ${rate.toFixed(1)} a second on the camera, nobody counted in ${withBox.windows} windows`,
      },
      note: `its camera process ${median(withBox.process).toFixed(1)} %, ${withBox.memory.toFixed(0)} MB (PSS); of the clip ${some.analysed.length} of ${every.analysed.length} pictures analysed`,
    },
    {
      metric: 'the same camera while nothing but noise moves',
      unit: '% of a core',
      product: without.all,
      limit: [{ name: decoding, rounds: without.limit }],
      gate: { atMost: 2, where: { limit: decoding, is: 4.2 } },
      correct: {
        ok: missed.length === 0 && without.windows > 0 && without.watched > 0.99 && without.strangers === 0,
        what: `watched ${(without.watched * 100).toFixed(0)} % of the time, nobody counted in ${without.windows} windows`,
      },
      note: `its camera process ${median(without.process).toFixed(1)} %, ${without.memory.toFixed(0)} MB (PSS)`,
    },
  ]
}

/** Of ten seconds the box is there for four: every picture of them is wanted. */
const movingShare = 0.4

/**
 * CPU by ten seconds, as long as the box takes to come again, while nobody looks. After each of them the clip is decoded
 * once by itself: how fast the machine is changes within minutes by more than what is to be told.
 */
async function watch({ run, nimble, edge, stats, records }: Measured, cam: SimulatedCamera, clip: ClipFile) {
  const rounds = run.quick ? 1 : 5
  const all: number[] = []
  const limit: number[] = []
  const process: number[] = []
  edge.put(configOf([cam]))
  records.length = 0
  await until('the quiet camera is counted', () => records.some(({ observed_ms }) => observed_ms > 0), 60_000)
  // What runs often is compiled once more meanwhile, by other threads of the same process.
  await wait(20_000)
  records.length = 0
  stats.length = 0
  for (let round = 0; round < rounds; round++) {
    const meter = cpuMeter(() => [nimble.pid])
    const childMeter = cpuMeter(() => childrenOf(nimble.pid))
    await wait(10_000)
    all.push(meter.stop() * 10)
    process.push(childMeter.stop() * 10)
    limit.push(ffmpegShare(clip, []))
    await wait(1000)
  }
  const [child = 0] = childrenOf(nimble.pid)
  const memory = pssBytes(child) / 1e6
  // The first of them may count what went before.
  await until('the edge server has told its figures', () => stats.length > rounds, 25_000)
  const windows = records.filter(({ kind }) => kind === 'window')
  return {
    all,
    limit,
    process,
    memory,
    rates: stats.slice(1).map((told) => told.fps),
    windows: windows.filter(({ observed_ms }) => observed_ms > 0).length,
    watched: windows.reduce((sum, { observed_ms }) => sum + observed_ms, 0) / (windows.length * windowMs),
    strangers: windows.filter(({ metrics }) => (metrics.total ?? 0) > 0).length,
  }
}

/** The clip through the camera's decoder and the analysis, twice over: all of it, and on demand. */
async function bothWays({ path, fps: rate }: ClipFile): Promise<{ every: Played; some: Played }> {
  const channels = [channelOf('pplcnt', [])]
  const clip = { file: path, fps: rate }
  return {
    every: await playOnDemand(clip, channels, { loops: 2, onDemand: false }),
    some: await playOnDemand(clip, channels, { loops: 2, onDemand: true }),
  }
}

const hasBox = (index: number, rate: number) => boxMoves((index / rate) % clipSeconds)

const wantedPictures = ({ analysed }: Played, rate: number) => analysed.filter((index) => hasBox(index, rate)).length

/** Pictures that move, by the clip's own truth and by the analysis of all, and were not looked at on demand. */
const unseen = (every: Played, some: Played, rate: number): number[] =>
  missedOnDemand(
    { ...every, moving: every.analysed.filter((index) => hasBox(index, rate) || every.moving.includes(index)) },
    some,
    rate,
  )

/** The whole clip, one thread: CPU as ffmpeg counts its own, in % of a core. */
function ffmpegShare({ path }: ClipFile, args: readonly string[]): number {
  const said = ffmpeg([
    ...['-benchmark', '-loglevel', 'info', '-threads', '1', '-r', '10', '-i', path],
    ...args,
    ...['-f', 'null', '-'],
  ])
  const [, user, system] = /bench: utime=([\d.]+)s stime=([\d.]+)s/.exec(said) ?? []
  return ((Number(user) + Number(system)) / clipSeconds) * 100
}
