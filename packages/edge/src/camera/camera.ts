/** One camera as the nimble sees it: keeps a process on it running, tells how it is, and hands out its pictures. */
import type { SourceState } from '@sightline/contract/edge'
import { mostPreRollSeconds } from '@sightline/domain'
import { createLive, type LiveListener, type LiveMode, type LiveViewer } from '../live/live.ts'
import { pause } from '../pause.ts'
import type { KnownHosts, Target } from './address.ts'
import type { Masks } from './burn.ts'
import { type CameraCause, CameraError, isRefusal, sentCodec } from './cause.ts'
import { type Connection, type Ending, openConnection, type Patience, type Snapshot } from './connection.ts'
import { type FrameSocket, frameTicket } from './frames.ts'
import type { AccessUnit, ParameterSets } from './h264.ts'
import type { AnalysisPace, AnalysisSize, FromChild, Transport, Unit } from './messages.ts'
import { reach } from './probe.ts'
import { createRate } from './rate.ts'
import { createRetry } from './retry.ts'
import { createRing } from './ring.ts'
import { ticksPerMs } from './timeline.ts'

export { CameraError, type Snapshot }

/** Which pictures the analysis wants, and where it takes them. */
export type Analysis = AnalysisSize & { socket: FrameSocket }

export type CameraOptions = {
  source_id: string
  /** `rtsp://` without credentials. */
  address: string
  username: string | null
  password: string | null
  /** Why it must not be opened; it says so and does nothing. */
  refusal?: CameraCause | null
  /** Asked for at every connection. */
  known: () => KnownHosts
  analysis: Analysis | null
  /** What no picture of it may show. While there is any, the stream itself goes nowhere: see `setMasks`. */
  masks?: Masks
  /** How much of the past a clip can begin with. */
  preRollSeconds?: number
  patience?: Patience
}

export type CameraHooks = {
  /** On every change, and every 10 s while pictures come. */
  onState(state: SourceState): void
  /** How the analysis keeps up; every 2 s while it runs. */
  onPace?(pace: AnalysisPace): void
  /** One sentence, without credentials. */
  log(text: string): void
}

export type Camera = {
  state(): SourceState
  /** The newest picture in full size. Rejects with a `CameraError`. */
  snapshot(): Promise<Snapshot>
  live(mode: LiveMode, listener: LiveListener): LiveViewer
  setAnalysis(analysis: Analysis | null): void
  /**
   * From now on every picture has these parts painted over. The camera's own stream shows them: while there is a mask no
   * unit of it reaches a viewer, a tap or the ring, and what the ring holds is forgotten. Who watches or taps already
   * gets nothing more and must be told by the caller.
   */
  setMasks(masks: Masks): void
  isMasked(): boolean
  /** Where on its time line a picture of this moment is, ms; null before the first picture. @param at ms since the epoch */
  ptsMsAt(at: number): number | null
  /** The last seconds, from a key frame on. */
  preRoll(): AccessUnit[]
  /** Each unit from now on, as it was sent; answers the function that ends it. */
  tap(take: (unit: AccessUnit) => void): () => void
  stop(): Promise<void>
  /** Of the process that is on the camera now. */
  pid(): number | undefined
}

const stateMs = 10_000
/** A camera that changes its size all the time is told of no more often. */
const sizeMs = 1000
const workerRetryMs = 1000
const ringBytes = 32 * 1024 * 1024
const defaultPreRollSeconds = mostPreRollSeconds
/** The time line starts here, so that decoding times, which precede, are never negative. */
const lineStartMs = 1000

export function startCamera(options: CameraOptions, hooks: CameraHooks): Camera {
  const begun = performance.now()
  const stopping = new AbortController()
  const log = (text: string) => hooks.log(withoutSecrets(text, options))
  const ring = createRing(options.preRollSeconds ?? defaultPreRollSeconds, ringBytes)
  const live = createLive(ring.group, () => offerViewers())
  const taps = new Set<(unit: AccessUnit) => void>()
  const retry = createRetry(Math.random)
  const rate = createRate()
  let analysis = options.analysis
  let masks = options.masks ?? []
  let connection: Connection | null = null
  let transport: Transport = 'tcp'
  let parameters: ParameterSets | null = null
  let lastPts = 0
  let last: Pick<Unit, 'pts' | 'at'> | null = null
  let state: SourceState['state'] = 'connecting'
  let cause: CameraCause | null = null
  let lastFrameAt: number | null = null
  let failedAt: number | null = null
  let openings = 0
  let drops = { before: 0, now: 0 }
  let sizeToldAt = Number.NEGATIVE_INFINITY

  /* ── how it is ── */

  const current = (): SourceState => ({
    source_id: options.source_id,
    state,
    cause,
    codec: (cause && sentCodec(cause)) ?? (parameters ? 'h264' : null),
    width: parameters?.width ?? null,
    height: parameters?.height ?? null,
    fps: state === 'streaming' ? rate.perSecond(performance.now()) : null,
    last_frame_at: lastFrameAt,
    failed_at: failedAt,
    reconnects: Math.max(0, openings - 1),
    drops: drops.before + drops.now,
  })
  /** @returns whether that is something new, which was then told */
  const become = (next: SourceState['state'], why: CameraCause | null): boolean => {
    if (state === next && cause === why) return false
    state = next
    cause = why
    hooks.onState(current())
    return true
  }

  /* ── what it sends ── */

  const onParameters = (next: ParameterSets) => {
    const isOther = parameters?.width !== next.width || parameters.height !== next.height
    parameters = next
    if (!isOther || state !== 'streaming' || performance.now() - sizeToldAt < sizeMs) return
    sizeToldAt = performance.now()
    hooks.onState(current())
  }
  const passOn = (unit: AccessUnit) => {
    ring.push(unit)
    live.unit(unit)
    for (const take of taps) take(unit)
  }
  const onUnit = (unit: Unit, arrivedMs: number) => {
    if (!parameters) return
    rate.count(arrivedMs)
    lastFrameAt = unit.at
    lastPts = Math.max(lastPts, unit.pts)
    last = unit
    if (masks.length === 0) passOn({ ...unit, parameters })
    if (state !== 'streaming' && unit.key) {
      openings += 1
      failedAt = null
      become('streaming', null)
      offerGathering()
    }
  }
  const onUnits = (units: readonly Unit[]) => {
    const now = performance.now()
    const newestAt = units.at(-1)?.at ?? 0
    for (const unit of units) onUnit(unit, now - (newestAt - unit.at))
  }
  const onMessage = (message: FromChild) => {
    if (message.type === 'parameters') onParameters(message.parameters)
    else if (message.type === 'units') onUnits(message.units)
    else if (message.type === 'picture') live.picture(message.jpeg, message.at)
    else if (message.type === 'frames_closed') offerAnalysisAgain(analysis)
    else if (message.type === 'pace') {
      drops.now = message.pace.drops
      hooks.onPace?.(message.pace)
    }
  }

  /* ── what is asked of it ── */

  const offerPictures = () => connection?.tell({ type: 'pictures', fps: live.wantedPictures() })
  /**
   * The ring alone can wait: each message costs both processes more than what is in it. Not where there are masks, so that
   * nothing from before they were lifted comes after.
   */
  const offerGathering = () => {
    const isAwaited = state !== 'streaming' || taps.size > 0 || live.isWatched() || masks.length > 0
    connection?.tell({ type: 'gather', gather: !isAwaited })
  }
  const offerViewers = () => {
    offerPictures()
    offerGathering()
  }
  const offerAnalysis = () => {
    const ticket = analysis && frameTicket(analysis.socket, options.source_id)
    const { fps = 0, width = 0, height = 0, on_demand = false } = analysis ?? {}
    connection?.tell({ type: 'analysis', analysis: ticket && { fps, width, height, on_demand, ticket } })
  }
  /** The worker went away: it may come back at the same socket, or `setAnalysis` names another. */
  const offerAnalysisAgain = (offered: Analysis | null) => {
    setTimeout(() => {
      if (analysis === offered) offerAnalysis()
    }, workerRetryMs).unref()
  }

  /* ── keeping it going ── */

  const connect = async ({ ip, port, path }: Target): Promise<Ending> => {
    const { username, password } = options
    const start_ms = Math.max(lineStartMs + performance.now() - begun, lastPts / ticksPerMs + 100)
    connection = openConnection(
      { type: 'open', ip, port, path, username, password, transport, start_ms, masks },
      onMessage,
      log,
      options.patience,
    )
    offerAnalysis()
    if (live.wantedPictures() > 0) offerPictures()
    const ending = await connection.ended
    connection = null
    drops = { before: drops.before + drops.now, now: 0 }
    return ending
  }
  /** By the way of sending that worked last, else by the other. */
  const attempt = async (): Promise<{ cause: CameraCause; ranMs: number }> => {
    const reached = await reach(options.address, options, options.known())
    if ('cause' in reached) return { cause: reached.cause, ranMs: 0 }
    for (let way = 0; way < 2 && !stopping.signal.aborted; way++) {
      const ending = await connect(reached.target)
      if (ending.cause !== 'transport') return { cause: ending.cause, ranMs: ending.ranMs }
      transport = transport === 'tcp' ? 'udp' : 'tcp'
    }
    return { cause: 'no_stream', ranMs: 0 }
  }
  const keepGoing = async () => {
    while (!stopping.signal.aborted) {
      const ended = await attempt()
      if (stopping.signal.aborted) return
      if (ended.ranMs === 0) failedAt = Date.now()
      // Each vain try is told: only a later one may show that the camera is gone.
      if (!become(isRefusal(ended.cause) ? 'refused' : 'offline', ended.cause)) hooks.onState(current())
      await pause(retry.after(ended.cause, performance.now(), ended.ranMs) * 1000, stopping.signal)
    }
  }
  const heartbeat = setInterval(() => {
    if (state === 'streaming') hooks.onState(current())
  }, stateMs)
  const { refusal } = options
  if (refusal) queueMicrotask(() => become('refused', refusal))
  else
    keepGoing().catch((error: Error) => {
      log(`A camera is no longer watched: ${error.stack ?? error.message}`)
      become('offline', 'decoder_crashed')
    })

  return {
    state: current,
    pid: () => connection?.pid,
    ptsMsAt: (at) => last && last.pts / ticksPerMs + at - last.at,
    preRoll: ring.all,
    tap(take) {
      taps.add(take)
      offerGathering()
      return () => {
        taps.delete(take)
        offerGathering()
      }
    },
    live: live.join,
    snapshot: async () => {
      if (!connection || state !== 'streaming') throw new CameraError(cause ?? 'timeout')
      return connection.snapshot()
    },
    setAnalysis(next) {
      analysis = next
      offerAnalysis()
    },
    setMasks(next) {
      masks = next
      if (masks.length > 0) ring.clear()
      connection?.tell({ type: 'masks', masks })
      offerGathering()
    },
    isMasked: () => masks.length > 0,
    async stop() {
      clearInterval(heartbeat)
      stopping.abort()
      live.end()
      await connection?.close()
    },
  }
}

/** Nothing that a library writes may carry the password into a log. */
function withoutSecrets(text: string, { password }: CameraOptions): string {
  return password ? text.replaceAll(password, '***').replaceAll(encodeURIComponent(password), '***') : text
}
