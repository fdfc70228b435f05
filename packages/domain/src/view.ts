/**
 * Whether a camera still looks where it did: two grey pictures of it, compared block by block by what their edges look
 * like. People and vehicles cover some blocks, light changes all of them alike; a camera that was turned shifts them all.
 */

import { crossings, type Point } from './geometry.ts'

export const views = ['same', 'moved', 'different'] as const
/** `different`: hardly anything is found again, near its place or beside it: turned far, covered, blind or very dark. */
export type View = (typeof views)[number]

/** Both pictures are reduced to this many grey cells, whatever their shape. */
export const viewWidth = 192
export const viewHeight = 108

/** What is wrong with a view, as a message id; null for nothing that is known. */
export const turnedCause = (view: View | null): 'camera_moved' | 'view_different' | null =>
  view === 'moved' ? 'camera_moved' : view === 'different' ? 'view_different' : null

const columns = 8
const rows = 5
/** A block is looked for so many cells around its place: 6 % of the width, 11 % of the height. */
const reach = 12
/** Less contrast than this, in grey steps a cell, is no texture that could be found again. */
const leastTexture = 3
/** Correlation from which a block counts as found. */
const found = 0.55
/** Correlation from which it is not looked for elsewhere. */
const plain = 0.85
/** How much better it must fit elsewhere than at its place, to have moved there. */
const better = 0.15
/** A shift of fewer cells is noise, or a breath of wind. */
const leastShift = 2
/** Fewer blocks with texture than this say nothing. */
const fewestBlocks = 6

/**
 * @param reference @param now grey cells, `viewWidth` × `viewHeight`, row by row
 * @param masks outlines (0…1) of what is painted over in the pictures: it stays where it is, however the camera turns
 * @returns null when the reference has too little in it to say
 */
export function compareViews(
  reference: Uint8Array,
  now: Uint8Array,
  masks: readonly (readonly Point[])[] = [],
): View | null {
  const [before, after] = [edgesOf(reference), edgesOf(now)]
  let textured = 0
  let kept = 0
  let moved = 0
  const painted = paintedCells(masks)
  for (const block of blocks()) {
    if (isTouched(block, painted)) continue
    const place = patchOf(before, block)
    if (place.mean < leastTexture) continue
    textured++
    const here = likeness(place, after, block, 0, 0)
    // What is this like needs no looking for.
    const best = here >= plain ? null : bestOf(place, after, block)
    if (best && best.score >= found && best.score - here >= better && best.shift >= leastShift) moved++
    else if (here >= found) kept++
  }
  if (textured < fewestBlocks) return null
  if (moved > kept && moved >= textured * leastShare) return 'moved'
  return kept >= textured * leastShare ? 'same' : 'different'
}

/** Of the blocks with texture, so many must say the same. */
const leastShare = 0.25

type Block = { left: number; top: number; width: number; height: number }
type Patch = { values: Float32Array; mean: number; norm: number }

function blocks(): Block[] {
  const width = Math.floor((viewWidth - 2 * reach) / columns)
  const height = Math.floor((viewHeight - 2 * reach) / rows)
  return Array.from({ length: columns * rows }, (_, i) => ({
    left: reach + (i % columns) * width,
    top: reach + Math.floor(i / columns) * height,
    width,
    height,
  }))
}

/** Which cells lie inside a mask. Row by row, as a channel may have many masks with many corners, and others wait. */
function paintedCells(masks: readonly (readonly Point[])[]): Uint8Array {
  const painted = new Uint8Array(viewWidth * viewHeight)
  for (const points of masks)
    for (let y = 0; y < viewHeight; y++) {
      const borders = crossings(points, y / viewHeight).map((x) => Math.ceil(x * viewWidth))
      for (let i = 0; i + 1 < borders.length; i += 2) {
        const [from, to] = [borders[i] as number, borders[i + 1] as number]
        // The end of a row is not the beginning of the next.
        if (from < viewWidth && to > 0)
          painted.fill(1, y * viewWidth + Math.max(from, 0), y * viewWidth + Math.min(to, viewWidth))
      }
    }
  return painted
}

/** Whether a mask reaches into the block or to its very edge. */
function isTouched({ left, top, width, height }: Block, painted: Uint8Array): boolean {
  for (let y = top - 2; y <= top + height + 2; y++)
    if (painted.subarray(y * viewWidth + left - 2, y * viewWidth + left + width + 2).includes(1)) return true
  return false
}

/** Strength of the edge at each cell, over neighbours two cells apart, so that noise weighs less. */
function edgesOf(grey: Uint8Array): Float32Array {
  const edges = new Float32Array(viewWidth * viewHeight)
  const at = (x: number, y: number) => grey[y * viewWidth + x] as number
  for (let y = 1; y < viewHeight - 1; y++)
    for (let x = 1; x < viewWidth - 1; x++) {
      const gx =
        at(x + 1, y - 1) + 2 * at(x + 1, y) + at(x + 1, y + 1) - at(x - 1, y - 1) - 2 * at(x - 1, y) - at(x - 1, y + 1)
      const gy =
        at(x - 1, y + 1) + 2 * at(x, y + 1) + at(x + 1, y + 1) - at(x - 1, y - 1) - 2 * at(x, y - 1) - at(x + 1, y - 1)
      edges[y * viewWidth + x] = Math.hypot(gx, gy) / 8
    }
  return edges
}

/** A block less its mean, and how strong it is. */
function patchOf(edges: Float32Array, { left, top, width, height }: Block): Patch {
  const values = new Float32Array(width * height)
  let sum = 0
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const value = edges[(top + y) * viewWidth + left + x] as number
      values[y * width + x] = value
      sum += value
    }
  const mean = sum / values.length
  let square = 0
  for (let i = 0; i < values.length; i++) {
    values[i] = (values[i] as number) - mean
    square += (values[i] as number) ** 2
  }
  return { values, mean, norm: Math.sqrt(square) }
}

/** Normalised correlation of a patch with what lies there now, −1…1; 0 where one of them is flat. */
function likeness({ values, norm }: Patch, edges: Float32Array, block: Block, dx: number, dy: number): number {
  const { left, top, width, height } = block
  let [sum, square, product] = [0, 0, 0]
  for (let y = 0; y < height; y++) {
    const row = (top + y + dy) * viewWidth + left + dx
    for (let x = 0; x < width; x++) {
      const value = edges[row + x] as number
      sum += value
      square += value * value
      product += value * (values[y * width + x] as number)
    }
  }
  // The patch has no mean, so that of the other falls out of the product.
  const other = Math.sqrt(Math.max(0, square - (sum * sum) / values.length))
  return norm === 0 || other === 0 ? 0 : product / (norm * other)
}

/** The place around where the patch fits best: each second one, then those beside the best. */
function bestOf(place: Patch, edges: Float32Array, block: Block): { score: number; shift: number } {
  let best = { score: -1, dx: 0, dy: 0 }
  const look = (dx: number, dy: number) => {
    if (Math.abs(dx) > reach || Math.abs(dy) > reach) return
    const score = likeness(place, edges, block, dx, dy)
    if (score > best.score) best = { score, dx, dy }
  }
  for (let dy = -reach; dy <= reach; dy += 2) for (let dx = -reach; dx <= reach; dx += 2) look(dx, dy)
  const { dx: x, dy: y } = best
  for (let dy = y - 1; dy <= y + 1; dy++) for (let dx = x - 1; dx <= x + 1; dx++) look(dx, dy)
  return { score: best.score, shift: Math.hypot(best.dx, best.dy) }
}
