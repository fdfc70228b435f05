/**
 * Puts a camera's timestamps on one time line per camera, in 90 kHz ticks, that goes on over reconnects and over jumps of
 * the camera's clock, and finds the decoding times, which RTP does not carry: it sends presentation times in decoding order.
 */
export const ticksPerSecond = 90_000
export const ticksPerMs = ticksPerSecond / 1000

export type Timeline = {
  /** Where an access unit belongs. `time`: the camera's, in ticks, null where it gave none; `nowMs`: monotonic clock. */
  place(time: number | null, nowMs: number): Placed
  /** How many pictures come before their turn, where the stream says so; learnt from the timestamps otherwise. */
  setReorder(reorder: number | null): void
}

export type Placed = {
  pts: number
  dts: number
  /**
   * How much later it arrived than the quickest pictures do, by the camera's own clock: held back by the network, by this
   * process, or because it was coded after pictures that come later (B-frames).
   */
  lateMs: number
}

/** A step of the camera's clock that is beyond these is a jump. */
const jumpAheadTicks = 5 * ticksPerSecond
const jumpBackTicks = 2 * ticksPerSecond
const deepestReorder = 16
/** Drift of a camera's clock against ours that is not lateness: 1 ms in a second. */
const driftPerMs = 0.001

/** @param startMs where the time line begins, or goes on after a reconnect, at `nowMs` */
export function createTimeline(startMs: number, nowMs: number): Timeline {
  let offset: number | null = null
  let frameTicks = ticksPerSecond / 15
  let lastTime = 0
  let lastNow = nowMs
  let highestPts = Number.NEGATIVE_INFINITY

  let reorder = 0
  let isSaid = false
  /** The latest `reorder` presentation times, ascending: decoding times are presentation times in their right order. */
  let waiting: number[] = []
  let lastTaken = Number.NEGATIVE_INFINITY
  let lastDts = Number.NEGATIVE_INFINITY

  let leastAge = Number.POSITIVE_INFINITY

  const hasJumped = (time: number, now: number) => {
    const step = time - lastTime
    return step < -jumpBackTicks || step > (now - lastNow) * ticksPerMs + jumpAheadTicks
  }
  const anchor = (time: number, now: number) => {
    const wanted = Math.round((startMs + now - nowMs) * ticksPerMs)
    offset = Math.max(wanted, highestPts + frameTicks) - time
    waiting = []
    lastTaken = Number.NEGATIVE_INFINITY
    leastAge = Number.POSITIVE_INFINITY
    return offset
  }
  const decodingTime = (pts: number) => {
    if (!isSaid && pts < lastTaken && reorder < deepestReorder) {
      // It should have come before the last one: from here on one more picture is waited for.
      reorder += 1
      waiting.push(lastTaken)
    }
    waiting.push(pts)
    waiting.sort((a, b) => a - b)
    const missing = reorder + 1 - waiting.length
    const earliest = waiting[0] as number
    if (missing <= 0) {
      waiting.shift()
      lastTaken = earliest
    }
    lastDts = Math.max(earliest - Math.round(Math.max(0, missing) * frameTicks), lastDts + 1)
    return lastDts
  }

  return {
    place(given, now) {
      // FFmpeg counts from the first packet, and gives no time for that one.
      const time = given ?? (offset === null ? 0 : lastTime + frameTicks)
      const shift = offset === null || hasJumped(time, now) ? anchor(time, now) : offset
      const step = time - lastTime
      if (step > 0 && step < ticksPerSecond) frameTicks = Math.round(frameTicks + (step - frameTicks) / 8)
      const pts = time + shift
      const age = now - pts / ticksPerMs
      leastAge = Math.min(age, leastAge + (now - lastNow) * driftPerMs)
      highestPts = Math.max(highestPts, pts)
      lastTime = time
      lastNow = now
      return { pts, dts: decodingTime(pts), lateMs: age - leastAge }
    },
    setReorder(value) {
      isSaid = value !== null
      if (value !== null) reorder = value
    },
  }
}
