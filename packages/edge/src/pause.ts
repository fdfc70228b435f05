import { setTimeout as sleep } from 'node:timers/promises'

/** Ends early, without an error, when the signal comes. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  // Nothing but the signal rejects it.
  sleep(ms, undefined, { signal }).catch(() => undefined)
