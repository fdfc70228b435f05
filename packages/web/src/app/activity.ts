/** Whether somebody is at this page: what it asks for by itself must not keep their session open for ever. */

/** Seconds without a touch of keyboard, pointer or screen after which the page acts by itself. */
const awayMs = 60_000
const signs = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const

let touchedAt = Date.now()
for (const sign of signs) addEventListener(sign, () => (touchedAt = Date.now()), { passive: true, capture: true })

export const isAway = (): boolean => Date.now() - touchedAt > awayMs
