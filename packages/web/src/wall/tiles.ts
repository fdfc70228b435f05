/** How a wall is divided, and how keys move on it: pure rules. */

const ratio = 9 / 16

/** Rows of pictures that fit whole into a space, in pixels; at least one. */
export const rowsThatFit = (columns: number, width: number, height: number, gap: number): number => {
  const tile = ((width - (columns - 1) * gap) / columns) * ratio
  return Math.max(1, Math.floor((height + gap) / (tile + gap)))
}

/** The tile that an arrow key leads to, from `index` (−1: none yet); null when it leads nowhere or is another key. */
export function nextTile(key: string, index: number, count: number, columns: number): number | null {
  const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }
  const step = steps[key]
  if (step === undefined || count === 0) return null
  if (index < 0) return 0
  const next = index + step
  return next >= 0 && next < count ? next : null
}
