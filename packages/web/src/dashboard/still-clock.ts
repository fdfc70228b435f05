import { useEffect, useState } from 'react'
import { refreshMs } from './Dashboard.tsx'

/** A number that changes when stills should be fetched anew; stands still while the page is hidden. */
export function useStillClock(): number {
  const [clock, setClock] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) setClock((now) => now + 1)
    }, refreshMs)
    return () => clearInterval(timer)
  }, [])
  return clock
}
