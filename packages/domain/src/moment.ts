const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/**
 * A point in time as queries give it: RFC 3339, or relative to now such as `-24h`, `-15m`, `0ms`.
 * @param now milliseconds since the epoch, as the answer; null when the text is neither
 */
export function readMoment(text: string, now: number): number | null {
  const relative = /^(-?\d{1,12})(ms|s|m|h|d)$/.exec(text)
  if (relative) return now + Number(relative[1]) * unitMs[relative[2] as keyof typeof unitMs]
  if (!/^\d{4}-\d{2}-\d{2}T/.test(text)) return null
  const ms = Date.parse(text)
  return Number.isNaN(ms) ? null : ms
}

export type Period = { start: number; end: number }
const longestMs = 366 * unitMs.d

/** The half-open time from `start` to `end`, in ms since the epoch; or field → message id of what is wrong with it. */
export function readPeriod(start: string, end: string, now: number): Period | { errors: Record<string, string[]> } {
  const [from, to] = [readMoment(start, now), readMoment(end, now)]
  if (from === null) return { errors: { start: ['time_invalid'] } }
  if (to === null) return { errors: { end: ['time_invalid'] } }
  if (from === to) return { errors: { end: ['start_equals_end'] } }
  if (from > to) return { errors: { end: ['end_before_start'] } }
  if (to - from > longestMs) return { errors: { start: ['period_too_long'] } }
  return { start: from, end: to }
}
