/** Sends a camera's pictures to the analysis worker at the rate it can bear (camera process only). */
import type { Frame } from 'node-av'
import type { Consumer, Picture } from './decoder.ts'
import { connectFrames, type FrameSender } from './frames.ts'
import { createScaler, type Size } from './image.ts'
import type { AnalysisPace, FromChild, ToChild } from './messages.ts'
import { createPace, type Pace } from './pace.ts'

type Analysis = NonNullable<Extract<ToChild, { type: 'analysis' }>['analysis']>
type Running = { wanted: Analysis; sender: FrameSender; pace: Pace }
/** Waits for the worker: the newest picture as it was decoded, or late ones, already small. */
type Held = Omit<Picture, 'frame'> & { picture: { frame: Frame } | { bgr: Size & { data: Buffer } } }

const reportMs = 2000
/** Pictures of the past are worked off one after the other: those of the longest rest (`gate.ts`), and what comes meanwhile. */
const heldSeconds = 4
const restSeconds = 3
/** Of large ones fewer: this process ends where its memory does (`bounds.ts`). */
const heldBytes = 96 * 1024 * 1024
/** As many as the past of one rest usually has. */
const mostSpare = 8

/**
 * Whether a picture for which the worker has no time yet joins those that wait, else it takes their place. What waits
 * behind the past is late for no fault of the worker, and as little to be left out; as long as the worker keeps up
 * otherwise, it is through with them soon.
 */
export const joins = (held: readonly { isLate: boolean }[], isLate: boolean, most: number): boolean =>
  (isLate || held.at(-1)?.isLate === true) && held.length < most

export const mostHeld = ({ fps, width, height }: Pick<Analysis, 'fps' | 'width' | 'height'>): number =>
  Math.max(2, Math.min(heldSeconds * fps, Math.floor(heldBytes / (width * height * 3))))

export type AnalysisFeed = { set(analysis: Analysis | null): void; consumer: Consumer; close(): void }

export function createAnalysisFeed(tell: (message: FromChild) => void): AnalysisFeed {
  const scaler = createScaler()
  /** Has memory of its own: what the other made last may still be on its way. */
  const keeper = createScaler()
  let running: Running | null = null
  let held: Held[] = []
  /** What pictures were kept in: let go it would stay until all garbage is collected, which is seldom. */
  let spare: Buffer[] = []
  /** `memory`: what it is read from until the worker has it, where that is not the scaler's. */
  let inWork: { at: number; isLate: boolean; memory: Buffer | null } | null = null
  let drops = 0
  let sent = 0
  let worstLagMs = 0
  let reportedAt = performance.now()

  const keep = (data: Buffer): Buffer => {
    // Of another size are those of another feed.
    spare = spare.filter(({ length }) => length === data.length)
    const memory = spare.pop() ?? Buffer.allocUnsafeSlow(data.length)
    data.copy(memory)
    return memory
  }
  const setFree = (memory: Buffer) => {
    if (spare.length < mostSpare) spare.push(memory)
  }
  const free = ({ picture }: Held) => {
    if ('frame' in picture) picture.frame.free()
    else setFree(picture.bgr.data)
  }
  const letGo = () => {
    for (const one of held) free(one)
    held = []
  }
  const send = ({ sender, wanted }: Running, { picture, pts, at, isLate }: Held) => {
    // Straight from the scaler's memory, or what it was kept in: that is used again when the worker has taken this one.
    const bgr = 'bgr' in picture ? picture.bgr : scaler.bgr(picture.frame, wanted)
    sender.send({ ...bgr, at, pts_ms: pts / 90 })
    inWork = { at, isLate, memory: 'bgr' in picture ? picture.bgr.data : null }
    sent += 1
  }
  /** All of the past stays, less closely: every second of its pictures goes. */
  const thinOut = () => {
    for (const [index, one] of held.entries()) if (index % 2 === 1) free(one)
    drops += Math.floor(held.length / 2)
    held = held.filter((_, index) => index % 2 === 0)
  }
  const hold = (here: Running, { frame, ...rest }: Picture) => {
    const most = mostHeld(here.wanted)
    // The rest of the room is for what comes while the worker works the past off.
    if (rest.isLate && held.length >= Math.floor((most * restSeconds) / heldSeconds)) thinOut()
    if (joins(held, rest.isLate, most)) {
      // Frames are a decoder's own memory, and large: one of them at most is kept from it.
      const { data, ...size } = keeper.bgr(frame, here.wanted)
      held.push({ ...rest, isLate: true, picture: { bgr: { ...size, data: keep(data) } } })
      return
    }
    if (inWork) {
      drops += held.length
      for (const _ of held) here.pace.dropped(performance.now())
    }
    letGo()
    const kept = frame.clone()
    if (kept) held.push({ ...rest, picture: { frame: kept } })
  }
  const onReady = (here: Running) => {
    if (running !== here) return
    if (inWork) {
      const lagMs = Math.max(0, Date.now() - inWork.at)
      // How late those are that were not wanted when they came says nothing about the worker.
      if (!inWork.isLate) {
        worstLagMs = Math.max(worstLagMs, lagMs)
        here.pace.finished(lagMs, performance.now())
      }
      if (inWork.memory) setFree(inWork.memory)
      inWork = null
    }
    const next = held.shift()
    if (!next) return
    send(here, next)
    if ('frame' in next.picture) next.picture.frame.free()
  }
  const report = () => {
    const seconds = (performance.now() - reportedAt) / 1000
    if (running) tell({ type: 'pace', pace: paceOf(running, sent / seconds, drops, worstLagMs) })
    reportedAt = performance.now()
    sent = 0
    worstLagMs = 0
  }
  const timer = setInterval(report, reportMs)

  const stop = () => {
    running?.sender.close()
    running = null
    inWork = null
    letGo()
  }
  return {
    set(wanted) {
      stop()
      if (!wanted) return
      const here: Running = {
        wanted,
        pace: createPace(wanted.fps, performance.now()),
        sender: connectFrames(
          wanted.ticket,
          () => onReady(here),
          () => {
            if (running !== here) return
            stop()
            tell({ type: 'frames_closed' })
          },
        ),
      }
      running = here
    },
    consumer: {
      fps: () => running?.pace.fps() ?? 0,
      mayRest: () => running !== null && held.length === 0 && rests(running),
      take({ frame, ...rest }) {
        if (!running) return
        if (running.sender.ready()) send(running, { ...rest, picture: { frame } })
        else hold(running, { frame, ...rest })
      },
    },
    close() {
      clearInterval(timer)
      stop()
      scaler.close()
      keeper.close()
    },
  }
}

const rests = ({ wanted, sender }: Running) => wanted.on_demand && sender.isStill()

const paceOf = (running: Running, fps: number, drops: number, lagMs: number): AnalysisPace => ({
  fps: Math.round(fps * 10) / 10,
  // While nothing moves, those that come are all that are wanted.
  wanted_fps: rests(running) ? Math.min(running.wanted.fps, Math.round(fps * 10) / 10) : running.wanted.fps,
  is_reduced: running.pace.isReduced(),
  left_out: Math.round((running.wanted.fps - running.pace.fps()) * 60),
  drops,
  lag_ms: Math.round(lagMs),
})
