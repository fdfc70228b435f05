/** Moments by the clock of a site: as they are typed, and by their hours. */
import { formatTime } from '../i18n/format.ts'

/** For `<input type="datetime-local">`: `2026-03-08T01:30`. */
export const localOf = (at: string, zone: string | undefined): string =>
  formatTime(at, zone).slice(0, 16).replace(' ', 'T')

/**
 * The moment at which a clock in `zone` (the browser's when undefined) shows `local`; the earlier of the two in the night in
 * which clocks are set back, the moment of the change for one that is skipped. Null for what is no date and time.
 */
export function momentOf(local: string, zone: string | undefined): string | null {
  const wanted = Date.parse(`${local}Z`)
  if (Number.isNaN(wanted)) return null
  const shown = (at: number) => Date.parse(`${formatTime(at, zone).replace(' ', 'T')}Z`)
  const day = 86_400_000
  // Offsets on either side of whatever change is near.
  const offsets = [wanted - day, wanted + day].map((at) => shown(at) - at)
  const moments = offsets.map((offset) => wanted - offset)
  const exact = moments.filter((at) => shown(at) === wanted)
  return new Date(Math.min(...(exact.length > 0 ? exact : moments))).toISOString()
}

/**
 * The hour of a time as `formatSiteTime` writes it, `2026-05-04 14:00 (Montreal)`: what two places call the same hour are
 * two, unless one clock is shown for both.
 */
export const hourOf = (time: string): string => time.replace(/:\d\d:\d\d/, ':00')
