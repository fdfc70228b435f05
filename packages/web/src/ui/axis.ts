/** An axis is not shorter than this, however new the figures are. */
const shortestMs = 10 * 60_000

/**
 * When the axis of a chart begins: with its period, or with the first figure when there is none in the first half of it.
 * All in milliseconds; `first` null when there is no figure.
 */
export function axisBegin(start: number, end: number, first: number | null): number {
  if (first === null || first - start < (end - start) / 2) return start
  return Math.max(start, Math.min(first, end - shortestMs))
}
