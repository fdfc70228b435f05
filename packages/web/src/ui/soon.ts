import { useEffect, useState } from 'react'

/** Where much happens it is looked for no more often than this. */
const lookMs = 2000

/** Work that is done a moment after it was asked for, once for all that asked meanwhile. */
export function createSoon() {
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    soon(work: () => unknown) {
      timer ??= setTimeout(() => {
        timer = undefined
        work()
      }, lookMs)
    },
    stop() {
      clearTimeout(timer)
      timer = undefined
    },
  }
}

/** `soon` of `createSoon` while the component is there. */
export function useSoon(): (work: () => unknown) => void {
  const [{ soon, stop }] = useState(createSoon)
  useEffect(() => stop, [stop])
  return soon
}
