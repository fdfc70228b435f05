/**
 * Whether a camera still looks where it did: two grey pictures of it, compared block by block by what their edges look
 * like. People and vehicles cover some blocks, light changes all of them alike; a camera that was turned shifts them all.
 */

export const views = ['same', 'moved', 'different'] as const
/** `different`: hardly anything is found again, near its place or beside it: turned far, covered, blind or very dark. */
export type View = (typeof views)[number]

/** Both pictures are reduced to this many grey cells, whatever their shape. */
export const viewWidth = 192
export const viewHeight = 108

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
 * @returns null when the reference has too little in it to say
 */
export function compareViews(reference: Uint8Array, now: Uint8Array): View | null {
  const [before, after] = [edgesOf(reference), edgesOf(now)]
  let textured = 0
  let kept = 0
  let moved = 0
  for (const block of blocks()) {
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
