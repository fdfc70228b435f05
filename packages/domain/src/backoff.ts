/**
 * How long to wait before something that ended is begun again. Pure: the caller brings chance and measures how long it ran.
 */
export type Backoff = {
  /** It went well for so long: after a minute the trouble counts as over. */
  ran(ms: number): void
  /** The wait before the next try, ms. */
  next(): number
}

const ladderMs = [1000, 2000, 5000, 10_000, 30_000]
const wellMs = 60_000
/** What failed together does not come back in step. */
const jitter = 0.2

/** @param random 0…1 */
export function createBackoff(random: () => number): Backoff {
  let rung = 0
  return {
    ran(ms) {
      if (ms >= wellMs) rung = 0
    },
    next() {
      const ms = ladderMs[Math.min(rung, ladderMs.length - 1)] as number
      rung += 1
      return ms * (1 - jitter + 2 * jitter * random())
    },
  }
}
