/**
 * Cameras analysed at the edge: the real nimble with its camera processes and analysis threads, watched over its own
 * link. The simulated cameras run in a process that is not counted.
 */

import { execFileSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
import type { EventRecord, LinkChannel, LinkConfig, LinkSource, NimbleMessage } from '@sightline/contract/edge'
import { defaultRate, pipelineDefaults } from '@sightline/domain'
import { type Truth, truthOf } from '@sightline/simcam'
import { until } from '../e2e/product.ts'
import { hasFfmpeg, type VgaScene, vgaScenes } from './clips.ts'
import { connectToEdge, type EdgeLink, newId } from './link.ts'
import { commandOf, cpuMeter, type Figure, median, percentile, pssBytes, tree, wait } from './measure.ts'
import { type SimulatedCamera, startCameras, startNimble } from './process.ts'
import type { Run } from './run.ts'

const count = 8
/** Pictures a second that are analysed. */
export const fps = 5
/** Of a record that counts people. */
export const windowMs = 1000 * Number(pipelineDefaults('pplcnt')['analytic.window_s'])
/** What people and their paths allow: a person hidden behind another is missed for a while. */
const tolerance = 0.2
type Overlay = Extract<NimbleMessage, { type: 'overlay' }>
/** A picture that was analysed: which camera's, and how long after it was taken its result was here. */
type Seen = { sourceId: string; at: number; lagMs: number }

export async function cameras(run: Run): Promise<Figure[]> {
  if (!hasFfmpeg()) {
    run.skip('8 cameras: their clips need ffmpeg')
    return []
  }
  const busy = Array.from({ length: count }, (_, i) => vgaScenes()[i % vgaScenes().length] as VgaScene)
  const simulated = await startCameras(run, busy)
  const nimble = await startNimble(run, {
    dataDir: run.folder(),
    port: 0,
    isLocal: false,
    cameraPorts: simulated.cameras.map(({ port }) => port),
  })
  const cores = keepToTwoCores(run, nimble.pid)
  const seen: Seen[] = []
  const records: EventRecord[] = []
  const edge = await connectToEdge(run, nimble.port, {
    message(message) {
      if (message.type === 'overlay') seen.push(seenOf(message))
    },
    records: (list) => void records.push(...list),
  })
  return eight({ run, nimble, edge, seen, records, cores }, busy, simulated.cameras)
}

const seenOf = ({ source_id, at }: Overlay): Seen => ({ sourceId: source_id, at, lagMs: Date.now() - at })

type Measured = {
  run: Run
  nimble: { pid: number }
  edge: EdgeLink
  seen: Seen[]
  records: EventRecord[]
  cores: string
}

async function eight(measured: Measured, scenes: VgaScene[], cams: SimulatedCamera[]): Promise<Figure[]> {
  const { run, nimble, seen, records, cores } = measured
  const seconds = run.quick ? 20 : 60
  // Every picture is wanted here; what is saved while nothing moves is the quiet camera's figure.
  const config = configOf(cams, { 'decode.on_demand': false })
  const sources = config.sources.map(({ source_id }) => source_id)
  const stop = await watch(measured, config, run.quick ? 8 : 15)
  const meter = cpuMeter(() => [nimble.pid])
  const begun = Date.now()
  await wait(seconds * 1000)
  const cores8 = meter.stop() / seconds
  const ended = Date.now()
  const memory = childrenOf(nimble.pid).map((pid) => pssBytes(pid) / 1e6)
  // The last windows are on their way.
  await wait(1000)
  const mine = seen.filter(({ at }) => at >= begun && at < ended)
  const rates = sources.map((id) => mine.filter(({ sourceId }) => sourceId === id).length / seconds)
  const third = (ended - begun) / 3
  const lags = (from: number, to: number) => mine.filter(({ at }) => at >= from && at < to).map(({ lagMs }) => lagMs)
  const growth = sources.map((id) => {
    const part = (from: number) =>
      mine.filter(({ sourceId, at }) => sourceId === id && at >= from && at < from + third).map(({ lagMs }) => lagMs)
    return mine.length === 0 ? Number.NaN : median(part(ended - third)) - median(part(begun))
  })
  stop()
  const correct = countsAreRight(records, config, scenes, cams, begun, ended)
  const all = lags(begun, ended)
  return [
    {
      metric: `pictures a second analysed of the slowest of ${count} cameras 640×480, ${fps} wanted, ${cores}`,
      unit: 'fps',
      product: [Math.min(...rates)],
      gate: { atLeast: 4.5 },
      isWallClock: true,
      correct,
      note: `each ${rates.map((rate) => rate.toFixed(2)).join(', ')}`,
    },
    {
      metric: `growth of the lag over ${seconds} s, worst of ${count} cameras: last third against first`,
      unit: 'ms',
      product: [Math.max(...growth)],
      gate: { atMost: 100 },
      isWallClock: true,
      correct,
      note:
        all.length > 0
          ? `lag from picture to result p50 ${median(all).toFixed(0)} ms, p95 ${percentile(all, 0.95).toFixed(0)} ms`
          : '',
    },
    {
      metric: `CPU of the edge server with ${count} busy cameras`,
      unit: 'cores',
      product: [cores8],
      gate: { atMost: 2 },
      correct,
      note: `${((cores8 * 100) / count).toFixed(1)} % of a core each`,
    },
    {
      metric: `memory of each of ${count} camera processes (PSS), 640×480`,
      unit: 'MB',
      product: memory,
      gate: { atMost: 60 },
      correct,
      note: `the edge server's main process ${(pssBytes(nimble.pid) / 1e6).toFixed(0)} MB`,
    },
  ]
}

/** People at once, by the windows that the cameras sent, against who was to be seen in the frames on air meanwhile. */
function countsAreRight(
  records: readonly EventRecord[],
  config: LinkConfig,
  scenes: readonly VgaScene[],
  cams: readonly SimulatedCamera[],
  begun: number,
  ended: number,
): Figure['correct'] {
  let counted = 0
  let wanted = 0
  let observed = 0
  for (const [index, { channel_id }] of config.channels.entries()) {
    const { scene, fps: rate } = scenes[index] as VgaScene
    const { startedAt } = cams[index] as SimulatedCamera
    const people = peopleOf(truthOf(scene))
    for (const { metrics, observed_at, observed_ms, kind, channel_id: of } of records) {
      if (of !== channel_id || kind !== 'window' || observed_at - observed_ms < begun || observed_at > ended) continue
      counted += (metrics.total ?? 0) * observed_ms
      observed += observed_ms
      const frameAt = (at: number) => Math.floor(((at - startedAt) * rate) / 1000)
      const [first, last] = [frameAt(observed_at - observed_ms), frameAt(observed_at)]
      for (let frame = first; frame < last; frame++) wanted += (people[frame % people.length] as number) * (1000 / rate)
    }
  }
  const share = counted / wanted
  // Windows at both ends are cut off.
  const watched = observed / (config.channels.length * (ended - begun))
  return {
    ok: Math.abs(share - 1) <= tolerance && watched > 0.6,
    what: `people counted within ${tolerance * 100} % of the truth: ${(observed ? counted / observed : 0).toFixed(2)} at once, true ${(observed ? wanted / observed : 0).toFixed(2)}`,
  }
}

const peopleOf = ({ frames }: Truth): number[] => frames.map((frame) => frame.filter(({ f }) => f !== 'i').length)

/** Each camera counts people. */
export function configOf(cams: readonly SimulatedCamera[], more: Record<string, boolean> = {}): LinkConfig {
  const sources = cams.map(
    ({ address }, index): LinkSource => ({
      source_id: newId(),
      device_id: newId(),
      version: 1,
      name: `Camera ${index + 1}`,
      address,
      username: null,
      password: null,
      proxy: null,
      rate: defaultRate,
      role: 'both',
      endpoint_uuid: null,
      masks: [],
    }),
  )
  const channels = sources.map(
    ({ source_id, name }): LinkChannel => ({
      channel_id: newId(),
      source_id,
      version: 1,
      name,
      usecase_key: 'pplcnt',
      pipeline_elements: { ...pipelineDefaults('pplcnt'), 'decode.fps': fps, ...more },
      zones: [],
      auto_recovery: true,
    }),
  )
  return {
    version: Math.floor(Date.now() / 1000) % 2 ** 31,
    sources,
    channels,
    models: [],
    embedders: [],
    media_days: 7,
    portal_ips: [],
  }
}

/** Puts the configuration in place and waits until every camera is analysed, and some seconds more; answers its end. */
async function watch({ edge, seen }: Measured, config: LinkConfig, settleSeconds: number): Promise<() => void> {
  seen.length = 0
  edge.put(config)
  // Results are told while somebody looks at the picture.
  const stops = await Promise.all(config.sources.map(({ source_id }) => look(edge, source_id)))
  await until(
    'every camera is analysed',
    () => new Set(seen.map(({ sourceId }) => sourceId)).size === config.sources.length,
    60_000,
  )
  await wait(settleSeconds * 1000)
  return () => {
    for (const stop of stops) stop()
  }
}

async function look({ link }: EdgeLink, sourceId: string): Promise<() => void> {
  let stop: () => void = () => undefined
  let isShown = false
  await until(
    'a camera shows its picture',
    () =>
      isShown ||
      new Promise<boolean>((done) => {
        stop = link.live(sourceId, 'fmp4', {
          started: () => undefined,
          part: () => {
            isShown = true
            done(true)
          },
          ended: () => done(false),
        })
      }),
    60_000,
  )
  return () => stop()
}

/** The processes that are on cameras. */
export const childrenOf = (pid: number): number[] =>
  tree(pid).filter((one) => one !== pid && commandOf(one).includes('camera/child'))

/** The figures are for two cores: on a larger machine the edge server gets no more. */
function keepToTwoCores(run: Run, pid: number): string {
  if (availableParallelism() <= 2) return `${availableParallelism()} cores shared with the cameras`
  try {
    execFileSync('taskset', ['-a', '-p', '-c', '0,1', String(pid)], { stdio: 'ignore' })
    return '2 cores'
  } catch {
    run.say('Without taskset the edge server uses all cores.')
    return `${availableParallelism()} cores`
  }
}
