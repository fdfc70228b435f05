/** Sends a camera's pictures to the analysis worker at the rate it can bear (camera process only). */
import type { Consumer, Picture } from './decoder.ts'
import { connectFrames, type FrameSender } from './frames.ts'
import { createScaler } from './image.ts'
import type { AnalysisPace, FromChild, ToChild } from './messages.ts'
import { createPace, type Pace } from './pace.ts'

type Analysis = NonNullable<Extract<ToChild, { type: 'analysis' }>['analysis']>
type Running = { wanted: Analysis; sender: FrameSender; pace: Pace }

const reportMs = 2000

export type AnalysisFeed = { set(analysis: Analysis | null): void; consumer: Consumer; close(): void }

export function createAnalysisFeed(tell: (message: FromChild) => void): AnalysisFeed {
  const scaler = createScaler()
  let running: Running | null = null
  /** The newest picture, while the worker is busy with an older one. */
  let held: Picture | null = null
  let inWork: { at: number } | null = null
  let drops = 0
  let sent = 0
  let worstLagMs = 0
  let reportedAt = performance.now()

  const letGo = () => {
    held?.frame.free()
    held = null
  }
  const send = ({ sender, wanted }: Running, { frame, pts, at }: Picture) => {
    // Straight from the scaler's memory: the next picture is made when the worker has taken this one.
    sender.send({ ...scaler.bgr(frame, wanted), at, pts_ms: pts / 90 })
    inWork = { at }
    sent += 1
  }
  const onReady = (here: Running) => {
    if (running !== here) return
    if (inWork) {
      const lagMs = Math.max(0, Date.now() - inWork.at)
      worstLagMs = Math.max(worstLagMs, lagMs)
      here.pace.finished(lagMs, performance.now())
      inWork = null
    }
    if (held) send(here, held)
    letGo()
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
      take(picture) {
        if (!running) return
        if (running.sender.ready()) return send(running, picture)
        if (held && inWork) {
          drops += 1
          running.pace.dropped(performance.now())
        }
        const frame = picture.frame.clone()
        letGo()
        if (frame) held = { ...picture, frame }
      },
    },
    close() {
      clearInterval(timer)
      stop()
      scaler.close()
    },
  }
}

const paceOf = ({ wanted, pace }: Running, fps: number, drops: number, lagMs: number): AnalysisPace => ({
  fps: Math.round(fps * 10) / 10,
  wanted_fps: wanted.fps,
  is_reduced: pace.isReduced(),
  drops,
  lag_ms: Math.round(lagMs),
})
