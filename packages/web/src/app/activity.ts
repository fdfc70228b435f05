/** Whether somebody is at this page: what it asks for by itself must not keep their session open for ever. */

import { useEffect } from 'react'

/** Seconds without a touch of keyboard, pointer or screen after which the page acts by itself. */
const awayMs = 60_000
const signs = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const

let touchedAt = Date.now()
for (const sign of signs) addEventListener(sign, () => (touchedAt = Date.now()), { passive: true, capture: true })

let watching = 0
/** As long as it shows, the page is looked at and not touched. */
export function useWatching(isWatched: boolean): void {
  useEffect(() => {
    if (!isWatched) return
    watching++
    return () => {
      watching--
    }
  }, [isWatched])
}

export const isAway = (): boolean => watching === 0 && Date.now() - touchedAt > awayMs
