import { Refusal } from './refusal.ts'

export type Turns = {
  /** @throws 503 `busy` where too much waits already, before anything is written down */
  refuseMore(): void
  /**
   * Does the work when it is its turn; a turn ends with the work.
   * @param signal ends the waiting, and the work is then not begun
   * @throws 503 `busy` where too much waits already; the signal's reason
   */
  take<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>
}

type Most = { atOnce: number; waiting: number }

/** Work that takes turns: so many at once, so many more wait, further ones are refused. */
export function createTurns({ atOnce, waiting: mostWaiting }: Most): Turns {
  let busy = 0
  const waiting = new Set<() => void>()

  const leave = () => {
    const [next] = waiting
    if (next) {
      waiting.delete(next)
      // The turn goes straight on, so that nobody who comes just now takes it.
      next()
    } else busy -= 1
  }
  const turn = (signal: AbortSignal | undefined): Promise<void> => {
    if (busy < atOnce) {
      busy += 1
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const begin = () => {
        signal?.removeEventListener('abort', giveUp)
        resolve()
      }
      const giveUp = () => {
        waiting.delete(begin)
        reject(signal?.reason)
      }
      waiting.add(begin)
      signal?.addEventListener('abort', giveUp, { once: true })
    })
  }
  const refuseMore = () => {
    if (busy < atOnce || waiting.size < mostWaiting) return
    throw new Refusal(503, 'Too much is under way; try again in a moment.', { code: 'busy' })
  }
  return {
    refuseMore,
    async take(work, signal) {
      refuseMore()
      signal?.throwIfAborted()
      await turn(signal)
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}

/**
 * Turns of all together, of which one party has so many: however much one brings, the others are not held up by it. Who is
 * not among their own party's first waits there, and not where all wait.
 */
export function createSharedTurns<Party>(most: Most, mostOfOne: Most): (party: Party) => Turns {
  const all = createTurns(most)
  const known = new Map<Party, Turns>()
  return (party) => {
    const own = known.get(party) ?? createTurns(mostOfOne)
    known.set(party, own)
    return {
      refuseMore() {
        own.refuseMore()
        all.refuseMore()
      },
      take: (work, signal) => own.take(() => all.take(work, signal), signal),
    }
  }
}
