/**
 * Runs `work` at once and then again and again, with a pause in between. `stop` waits for the round that runs; `signal`,
 * which a long one is to look at, is aborted by then.
 * @param failed is told why a round failed; the next one comes all the same
 */
export function repeat(
  pauseMs: number,
  work: (signal: AbortSignal) => Promise<void>,
  failed: (error: unknown) => void,
): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const { signal } = stopping
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void>
  const round = () => {
    running = work(signal)
      .catch(failed)
      .finally(() => {
        if (!signal.aborted) timer = setTimeout(round, pauseMs).unref()
      })
  }
  round()
  return {
    stop() {
      stopping.abort()
      clearTimeout(timer)
      return running
    },
  }
}
