/**
 * Tells whether something has been silent for too long. While this process itself is held up nothing is heard, and its
 * timers run before it reads what has come meanwhile: then the silence counts from there on.
 */
export type Silence = {
  heard(): void
  /** To be asked several times in `longestMs`. */
  isTooLong(): boolean
}

export function createSilence(longestMs: number, steady: () => number = () => performance.now()): Silence {
  let heardAt = steady()
  let askedAt = heardAt
  return {
    heard() {
      heardAt = steady()
    },
    isTooLong() {
      const now = steady()
      if (now - askedAt > longestMs / 2) heardAt = now
      askedAt = now
      return now - heardAt >= longestMs
    },
  }
}
