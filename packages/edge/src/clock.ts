/**
 * The portal's time at the edge. Each ping measures how far the edge's clock is off; the correction changes only when
 * the measurement proves it wrong, so that ordinary network noise does not move event times. A step of the edge's own
 * clock (someone sets it, it jumps back an hour) is seen at once against the monotonic clock.
 */
export type Clock = {
  /** Add to the edge's time now to get the portal's, whole ms. */
  offsetMs(): number
  /** The same for a time that was read off the edge's clock before, perhaps before it was set. @param at ms since the epoch */
  offsetAt(at: number): number
  /** @param offsetMs portal minus edge @param roundTripMs half of it is the greatest error */
  measured(offsetMs: number, roundTripMs: number): void
}

const toleranceMs = 50
const stepMs = 500
/** A step is noticed no later than this: each ping looks for one. */
const noticedMs = 15_000
/** Nothing is dated further ahead than this. */
const aheadMs = 1000

/** What the edge's clock showed before it was set: its correction, up to when it was read, and where the new time begins. */
type Before = { offset: number; until: number; newFrom: number }

/**
 * @param kept the correction of an earlier run, until the portal is heard
 * @param keep stores a new one
 */
export function createClock(
  kept: number,
  keep: (offsetMs: number) => void,
  wall: () => number = Date.now,
  steady: () => number = () => performance.now(),
): Clock {
  let offset = kept
  let start = wall() - steady()
  let before: Before | null = null

  const noticeStep = () => {
    const now = wall() - steady()
    if (Math.abs(now - start) <= stepMs) return
    before = { offset, until: start + steady(), newFrom: wall() }
    set(Math.round(offset - (now - start)))
  }
  const set = (value: number) => {
    offset = value
    start = wall() - steady()
    keep(value)
  }
  return {
    offsetMs() {
      noticeStep()
      return offset
    },
    offsetAt(at) {
      noticeStep()
      if (!before || at > before.until + noticedMs) return offset
      if (at < before.newFrom - noticedMs) return before.offset
      // Set back, the clock shows the same times again: records are of a moment ago, and none is of the future.
      const now = wall() + offset + aheadMs
      const [lower, higher] = [offset, before.offset].toSorted((a, b) => a - b) as [number, number]
      return at + higher <= now ? higher : lower
    },
    measured(measuredMs, roundTripMs) {
      noticeStep()
      if (Math.abs(measuredMs - offset) <= roundTripMs / 2 + toleranceMs) return
      // A clock that is right but for noise is left alone altogether.
      set(Math.abs(measuredMs) <= roundTripMs / 2 + toleranceMs ? 0 : Math.round(measuredMs))
    },
  }
}
