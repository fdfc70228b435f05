/**
 * Privacy masks: parts of the picture that nobody is shown. They are painted over in the picture that is about to be
 * encoded, so that no JPEG ever holds what is under them.
 */
import type { Point } from '@sightline/domain'
import type { Size } from './image.ts'

/** Outlines in 0…1 of the picture. */
export type Masks = readonly (readonly Point[])[]

/** The three planes of a YUV 4:2:0 picture; each row of `stride` bytes. */
export type Planes = readonly { data: Buffer; stride: number }[]

/** What lies under a mask can be spread by scaling over its edge, by less than that. */
const grownPixels = 2
const grey = { luma: 114, chroma: 128 }

/** Begin and end (excluded) of what is hidden, in cells of 2×2 pixels, by row of cells. */
export type Hidden = readonly (readonly [from: number, to: number])[][]

/** Cells that a mask, grown by two pixels, touches; even sides. Rows without any are empty. */
export function hiddenCells(masks: Masks, { width, height }: Size): Hidden {
  const columns = width / 2
  const outlines = masks.map((points) => points.map(([x, y]): Point => [x * width, y * height]))
  return Array.from({ length: height / 2 }, (_, row) => {
    const top = row * 2
    const reaches = outlines.flatMap((points) => [...inside(points, top + 1), ...edges(points, top)])
    return reaches.flatMap(([left, right]): [number, number][] => {
      const from = Math.max(0, Math.floor((left - grownPixels) / 2))
      const to = Math.min(columns, Math.floor((right + grownPixels) / 2) + 1)
      return from < to ? [[from, to]] : []
    })
  })
}

/** From where to where a horizontal line is inside. */
function inside(points: readonly Point[], y: number): [number, number][] {
  const crossings = points
    .flatMap(([x1, y1], i) => {
      const [x2, y2] = points[(i + 1) % points.length] as Point
      return y1 <= y === y2 <= y ? [] : [x1 + ((y - y1) / (y2 - y1)) * (x2 - x1)]
    })
    .sort((a, b) => a - b)
  return crossings.flatMap((x, i): [number, number][] => (i % 2 === 1 ? [[crossings[i - 1] as number, x]] : []))
}

/** How far each edge that comes near the row of cells reaches there. */
function edges(points: readonly Point[], top: number): [number, number][] {
  const high = top - grownPixels
  const low = top + 2 + grownPixels
  return points.flatMap(([x1, y1], i): [number, number][] => {
    const [x2, y2] = points[(i + 1) % points.length] as Point
    if (Math.max(y1, y2) < high || Math.min(y1, y2) > low) return []
    const at = (y: number) => (y1 === y2 ? x1 : x1 + ((y - y1) / (y2 - y1)) * (x2 - x1))
    const within = (y: number) => Math.min(low, Math.max(high, y))
    const ends = y1 === y2 ? [x1, x2] : [at(within(y1)), at(within(y2))]
    return [[Math.min(...ends), Math.max(...ends)]]
  })
}

/** Paints what is hidden grey. */
export function paint(hidden: Hidden, [luma, ...chroma]: Planes): void {
  for (const [row, reaches] of hidden.entries())
    for (const [from, to] of reaches) {
      for (const y of [2 * row, 2 * row + 1])
        luma?.data.fill(grey.luma, y * luma.stride + 2 * from, y * luma.stride + 2 * to)
      for (const { data, stride } of chroma) data.fill(grey.chroma, row * stride + from, row * stride + to)
    }
}
