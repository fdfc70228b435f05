export type Clock = {
  /** When frame 0 was on air (or would have been), milliseconds since the epoch. */
  startedAt: number
  /** The frame that is on air now. */
  tick(): number
  stop(): void
}

/** A delay beyond this (a suspended machine, a blocked process) is skipped instead of made good in a burst. */
const maxCatchUpMs = 1000

/**
 * Calls `onTick` once for each frame, in order, when it is due. Each is due at its own moment since the start, so that a
 * late one does not delay those after it and the rate is exact in the long run.
 * @param first the frame to begin with
 */
export function startClock(fps: number, first: number, onTick: (tick: number) => void): Clock {
  const start = performance.now() - (first * 1000) / fps
  const elapsedMs = () => performance.now() - start
  const due = (tick: number) => (tick * 1000) / fps
  let next = first
  let timer: NodeJS.Timeout
  const run = () => {
    if (elapsedMs() - due(next) > maxCatchUpMs) next = Math.floor((elapsedMs() * fps) / 1000)
    while (due(next) <= elapsedMs()) onTick(next++)
    timer = setTimeout(run, Math.max(0, due(next) - elapsedMs()))
  }
  timer = setTimeout(run, 0)
  return {
    startedAt: performance.timeOrigin + start,
    tick: () => Math.floor((elapsedMs() * fps) / 1000),
    stop: () => clearTimeout(timer),
  }
}
