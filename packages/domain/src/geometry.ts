/** Plane geometry in picture coordinates: 0…1 from the top left. */

export type Point = readonly [x: number, y: number]
/** [x, y, width, height] from the top left. */
export type Box = readonly [x: number, y: number, w: number, h: number]

/** Twice the signed area of the triangle a, b, p: positive when p lies to the right of a → b on a screen (y down). */
export const side = (a: Point, b: Point, p: Point): number =>
  (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])

export function polygonArea(points: readonly Point[]): number {
  let sum = 0
  points.forEach((p, i) => {
    const q = points[(i + 1) % points.length] as Point
    sum += p[0] * q[1] - q[0] * p[1]
  })
  return Math.abs(sum) / 2
}

/** Even-odd rule; a point on an edge may fall on either side. */
export function insidePolygon(points: readonly Point[], [x, y]: Point): boolean {
  let inside = false
  for (let i = 0, j = points.length - 1; i < points.length; j = i++) {
    const [xi, yi] = points[i] as Point
    const [xj, yj] = points[j] as Point
    if (yi > y !== yj > y && x < ((xj - xi) * (y - yi)) / (yj - yi) + xi) inside = !inside
  }
  return inside
}

/** Where a level line crosses the outline, from left to right: it is inside from the first to the second, and so on. */
export function crossings(points: readonly Point[], y: number): number[] {
  const found: number[] = []
  for (let i = 0, j = points.length - 1; i < points.length; j = i++) {
    const [xi, yi] = points[i] as Point
    const [xj, yj] = points[j] as Point
    if (yi > y !== yj > y) found.push(((xj - xi) * (y - yi)) / (yj - yi) + xi)
  }
  return found.sort((a, b) => a - b)
}

/** Whether the open segments a–b and c–d cross. */
const segmentsCross = (a: Point, b: Point, c: Point, d: Point): boolean =>
  side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0

function selfCrossing(points: readonly Point[]): boolean {
  const n = points.length
  for (let i = 0; i < n; i++)
    for (let j = i + 1; j < n; j++) {
      const neighbours = j === i + 1 || (i === 0 && j === n - 1)
      if (neighbours) continue
      if (
        segmentsCross(
          points[i] as Point,
          points[(i + 1) % n] as Point,
          points[j] as Point,
          points[(j + 1) % n] as Point,
        )
      )
        return true
    }
  return false
}

export const zoneKinds = ['zone', 'line', 'mask'] as const
export type ZoneKind = (typeof zoneKinds)[number]

/** Why a drawn shape is not complete, as a message id; null when it is. */
export function shapeFault(kind: ZoneKind, points: readonly Point[]): 'zone_incomplete' | 'zone_self_crossing' | null {
  if (kind === 'line')
    return points.length >= 2 && points.some((p) => p[0] !== points[0]?.[0] || p[1] !== points[0]?.[1])
      ? null
      : 'zone_incomplete'
  if (points.length < 3 || polygonArea(points) < 1e-6) return 'zone_incomplete'
  return selfCrossing(points) ? 'zone_self_crossing' : null
}

/** Area that two boxes have in common. */
function sharedArea(a: Box, b: Box): number {
  const w = Math.min(a[0] + a[2], b[0] + b[2]) - Math.max(a[0], b[0])
  const h = Math.min(a[1] + a[3], b[1] + b[3]) - Math.max(a[1], b[1])
  return w > 0 && h > 0 ? w * h : 0
}

/** Intersection over union, 0…1. */
export function iou(a: Box, b: Box): number {
  const shared = sharedArea(a, b)
  return shared === 0 ? 0 : shared / (a[2] * a[3] + b[2] * b[3] - shared)
}

/** Share of box `a` that lies inside box `b`, 0…1. */
export const shareInside = (a: Box, b: Box): number => {
  const area = a[2] * a[3]
  return area > 0 ? sharedArea(a, b) / area : 0
}

/** Distance of a point from the segment a–b, in the unit of the coordinates. */
export function distanceToSegment(a: Point, b: Point, p: Point): number {
  const dx = b[0] - a[0]
  const dy = b[1] - a[1]
  const length = dx * dx + dy * dy
  const along = length === 0 ? 0 : ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / length
  const t = Math.min(1, Math.max(0, along))
  return Math.hypot(p[0] - a[0] - t * dx, p[1] - a[1] - t * dy)
}

/**
 * Whether what is drawn on one picture lies elsewhere in the other. Sides that are rounded, to even ones or to multiples
 * of 16 as by some encoders, are no other shape. @param a, b width / height
 */
export const isOtherShape = (a: number, b: number): boolean => Math.abs(a / b - 1) > 0.03
