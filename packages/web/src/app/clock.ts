/** The time at the portal. A browser's own clock may be minutes off, and "since" and "ago" are reckoned from the portal's. */

/** Answers say the whole second only, and take their time to come. */
const toleranceMs = 2000

let aheadMs = 0

/** To be told of every answer. @param date its `Date` header, null where it has none */
export function heardTime(date: string | null, now = Date.now()): void {
  const said = date === null ? Number.NaN : Date.parse(date)
  if (Number.isNaN(said)) return
  // In the middle of the second that it says.
  const ahead = said + 500 - now
  if (Math.abs(ahead - aheadMs) <= toleranceMs) return
  aheadMs = Math.abs(ahead) <= toleranceMs ? 0 : ahead
}

/** Milliseconds since the epoch by the portal's clock, to about two seconds. */
export const portalNow = (): number => Date.now() + aheadMs
