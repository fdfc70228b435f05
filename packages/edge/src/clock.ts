/**
 * The portal's time at the edge. Each ping measures how far the edge's clock is off; the correction changes only when
 * the measurement proves it wrong, so that ordinary network noise does not move event times. A step of the edge's own
 * clock (someone sets it, it jumps back an hour) is seen at once against the monotonic clock.
 */
export type Clock = {
  /** Add to an edge time to get the portal's, whole ms. */
  offsetMs(): number
  /** @param offsetMs portal minus edge @param roundTripMs half of it is the greatest error */
  measured(offsetMs: number, roundTripMs: number): void
}

const toleranceMs = 50
const stepMs = 500

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

  const noticeStep = () => {
    const now = wall() - steady()
    if (Math.abs(now - start) > stepMs) set(Math.round(offset - (now - start)))
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
    measured(measuredMs, roundTripMs) {
      noticeStep()
      if (Math.abs(measuredMs - offset) <= roundTripMs / 2 + toleranceMs) return
      // A clock that is right but for noise is left alone altogether.
      set(Math.abs(measuredMs) <= roundTripMs / 2 + toleranceMs ? 0 : Math.round(measuredMs))
    },
  }
}
