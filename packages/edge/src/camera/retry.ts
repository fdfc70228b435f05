import { createBackoff } from '@sightline/domain'
import type { CameraCause } from './cause.ts'

/** When to try a camera again. Pure: the caller brings clock and chance. */
export type Retry = {
  /** Seconds to wait after an attempt that ended at `nowMs` with `cause`, `ranMs` after its picture had come (0: never). */
  after(cause: CameraCause, nowMs: number, ranMs: number): number
}

/**
 * A camera that comes back ends these by itself, and an attempt is one small connection (or has listened for 10 s
 * already): so often that it is online within 15 s.
 */
const returning: readonly CameraCause[] = ['host_unknown', 'unreachable', 'timeout', 'stalled']
const mostWhenReturning = 10
/** Needs a person: looked at again at a low rate. */
const refusedSeconds = 60
/** Cameras lock accounts. */
const passwordTries = 3
const passwordWindowMs = 600_000

/** @param random 0…1 */
export function createRetry(random: () => number): Retry {
  const backoff = createBackoff(random)
  let refusals: number[] = []

  const wait = (cause: CameraCause, now: number) => {
    if (cause === 'bad_credentials') {
      refusals = [...refusals.filter((at) => now - at < passwordWindowMs), now]
      const [first] = refusals
      if (first !== undefined && refusals.length >= passwordTries) return (first + passwordWindowMs - now) / 1000
    } else if (cause.startsWith('not_h264:') || cause === 'address_refused' || cause === 'redirected')
      return refusedSeconds
    const seconds = backoff.next() / 1000
    return returning.includes(cause) ? Math.min(seconds, mostWhenReturning) : seconds
  }
  return {
    after(cause, nowMs, ranMs) {
      backoff.ran(ranMs)
      return wait(cause, nowMs)
    },
  }
}
