/** What can be done to drawn shapes, as pure steps over an undoable list. */
import {
  calibrationKeys,
  formatPoints,
  homographyOf,
  insidePolygon,
  type PipelineElements,
  type Point,
  parsePoints,
  shapeFault,
  toGround,
  type ZoneKind,
} from '@sightline/domain'

/** What is drawn: zones, lines and masks, and the rectangle on the floor that distances are measured by. */
export type ShapeKind = ZoneKind | 'floor'

export type Drawing = {
  /** Stable on screen; the stored id once it is saved. */
  key: string
  static_id?: string
  kind: ShapeKind
  name: string
  label: string | null
  points: Point[]
  direction: 'a_to_b' | 'b_to_a' | 'both'
  side_a: string
  side_b: string
  is_active: boolean
  /** Of a zone: how long somebody may stay, in seconds; null follows the analytic. */
  dwell_s: number | null
  /** Of the floor: length of its first and its second side, in metres; 0 until somebody has said it. */
  metres?: [number, number]
  /** Still being drawn: its outline is open. */
  open: boolean
}

export type History = { past: Drawing[][]; now: Drawing[]; future: Drawing[][] }

const undoSteps = 100
export const wholePicture: Point[] = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 1],
]

export const historyOf = (now: Drawing[]): History => ({ past: [], now, future: [] })
export const change = ({ past, now }: History, next: Drawing[]): History => ({
  past: [...past, now].slice(-undoSteps),
  now: next,
  future: [],
})
/** As `change`, without a step of its own: the moves of one drag are one step. */
export const amend = (history: History, next: Drawing[]): History => ({ ...history, now: next })
export function undo({ past, now, future }: History): History {
  const before = past.at(-1)
  return before ? { past: past.slice(0, -1), now: before, future: [now, ...future] } : { past, now, future }
}
export function redo({ past, now, future }: History): History {
  const [after, ...rest] = future
  return after ? { past: [...past, now], now: after, future: rest } : { past, now, future }
}

/** Five decimals, as the wire has it. */
const round = (value: number) => Math.round(value * 1e5) / 1e5
const snapShare = 0.012
/** Into the picture, exactly there: what keys and numbers say. */
export const inside = ([x, y]: Point): Point => {
  const fit = (value: number) => round(Math.min(1, Math.max(0, value)))
  return [fit(x), fit(y)]
}
/** Into the picture; near its border onto it. */
export const clamp = ([x, y]: Point): Point => {
  const fit = (value: number) => round(value < snapShare ? 0 : value > 1 - snapShare ? 1 : value)
  return [fit(x), fit(y)]
}

/** zone1, zone2 … after the greatest number in use; the server gives the final one. */
export function nextName(drawings: readonly Drawing[], kind: ShapeKind): string {
  const numbers = drawings.map(({ name }) => (name.startsWith(kind) ? Number(name.slice(kind.length)) : 0))
  return `${kind}${Math.max(0, ...numbers.filter(Number.isInteger)) + 1}`
}

export function newDrawing(drawings: readonly Drawing[], kind: ShapeKind, key: string, points: Point[] = []): Drawing {
  return {
    key,
    kind,
    name: nextName(drawings, kind),
    label: null,
    points,
    direction: 'both',
    side_a: 'a',
    side_b: 'b',
    is_active: true,
    dwell_s: null,
    ...(kind === 'floor' && { metres: [0, 0] satisfies [number, number] }),
    open: points.length === 0,
  }
}

export const replace = (drawings: readonly Drawing[], key: string, edit: (drawing: Drawing) => Drawing): Drawing[] =>
  drawings.map((drawing) => (drawing.key === key ? edit(drawing) : drawing))

export const movePoint = (drawing: Drawing, index: number, to: Point): Drawing => ({
  ...drawing,
  points: drawing.points.map((point, i) => (i === index ? inside(to) : point)),
})

/** Moves the whole shape as far as the picture allows. */
export function moveBy(drawing: Drawing, dx: number, dy: number): Drawing {
  const within = (delta: number, axis: 0 | 1) => {
    const values = drawing.points.map((point) => point[axis])
    return Math.min(1 - Math.max(...values), Math.max(-Math.min(...values), delta))
  }
  const [x, y] = [within(dx, 0), within(dy, 1)]
  return { ...drawing, points: drawing.points.map((p): Point => [round(p[0] + x), round(p[1] + y)]) }
}

export const fewestPoints = (kind: ShapeKind): number => ({ line: 2, zone: 3, mask: 3, floor: 4 })[kind]

export const removePoint = (drawing: Drawing, index: number): Drawing =>
  drawing.points.length <= fewestPoints(drawing.kind) && !drawing.open
    ? drawing
    : { ...drawing, points: drawing.points.filter((_, i) => i !== index) }

/** Index after which each edge lies, with its middle: where a point may be put in. */
export function middles({ kind, points }: Drawing): { after: number; at: Point }[] {
  const edges = kind === 'line' ? points.length - 1 : points.length
  return Array.from({ length: Math.max(0, edges) }, (_, after) => {
    const a = points[after] as Point
    const b = points[(after + 1) % points.length] as Point
    return { after, at: [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2] }
  })
}

export const insertPoint = (drawing: Drawing, after: number, at: Point): Drawing => ({
  ...drawing,
  points: [...drawing.points.slice(0, after + 1), inside(at), ...drawing.points.slice(after + 1)],
})

export const addPoint = (drawing: Drawing, at: Point): Drawing => ({
  ...drawing,
  points: [...drawing.points, inside(at)],
})

/** How far apart two points are, as a share of the picture's height. */
export const away = (a: Point, b: Point, aspectRatio: number): number =>
  Math.hypot((a[0] - b[0]) * aspectRatio, a[1] - b[1])

/** Whether a point is the last one again: the second press of a double click makes no corner. */
export function isAgain({ points }: Drawing, point: Point, aspectRatio: number, reach: number): boolean {
  const last = points.at(-1)
  return last !== undefined && away(last, point, aspectRatio) < reach
}

/** Closes an outline that has enough points; else leaves it open. */
export const finish = (drawing: Drawing): Drawing =>
  drawing.points.length >= fewestPoints(drawing.kind) ? { ...drawing, open: false } : drawing

/** Walking the line the other way swaps its sides, so up and down. */
export const reverse = (drawing: Drawing): Drawing => ({ ...drawing, points: drawing.points.toReversed() })

/** Why a shape is not complete, as a message id. */
const faults = ['zone_incomplete', 'zone_self_crossing', 'calibration_size', 'calibration_degenerate'] as const
type Fault = (typeof faults)[number]

export function faultOf(drawing: Drawing): Fault | null {
  const { kind, points, open } = drawing
  if (open) return 'zone_incomplete'
  if (kind !== 'floor') return shapeFault(kind, points)
  const fault = shapeFault('zone', points)
  if (fault) return fault
  if (!isMeasured(drawing)) return 'calibration_size'
  return floorOf(drawing) ? null : 'calibration_degenerate'
}

/** Whether what was wrong with the shapes when saving was tried is still so. @param fault a message id */
export function stillWrong(fault: string, drawings: readonly Drawing[]): boolean {
  if (faults.some((one) => one === fault)) return drawings.some((drawing) => faultOf(drawing) === fault)
  if (fault === 'line_required') return drawings.every(({ kind }) => kind !== 'line')
  if (fault === 'zone_required') return drawings.every(({ kind }) => kind !== 'zone')
  return true
}

/** The topmost closed zone or mask under a point. */
export const shapeAt = (drawings: readonly Drawing[], point: Point): Drawing | null =>
  drawings.findLast(({ kind, open, points }) => kind !== 'line' && !open && insidePolygon(points, point)) ?? null

/** Middle of a line with the unit step across it toward side b, for its labels. */
export function across(points: readonly Point[], aspectRatio: number): { at: Point; toB: Point } | null {
  const i = Math.max(0, Math.floor(points.length / 2) - 1)
  const [a, b] = [points[i], points[i + 1]]
  if (!a || !b) return null
  const [dx, dy] = [(b[0] - a[0]) * aspectRatio, b[1] - a[1]]
  const length = Math.hypot(dx, dy) || 1
  // To the right of the walk on a screen, whose y runs down; x back in shares of the width.
  return { at: [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2], toB: [-dy / length / aspectRatio, dx / length] }
}

/** How near something must be to be snapped to, as a share of the picture's height. */
const snapReach = 0.02

/** The nearest point of the stretch from `a` to `b`. */
function nearestOn(a: Point, b: Point, point: Point, aspectRatio: number): Point {
  const [dx, dy] = [(b[0] - a[0]) * aspectRatio, b[1] - a[1]]
  const square = dx * dx + dy * dy
  const along = square === 0 ? 0 : ((point[0] - a[0]) * aspectRatio * dx + (point[1] - a[1]) * dy) / square
  const share = Math.min(1, Math.max(0, along))
  return [a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])]
}

/**
 * Onto a corner of any shape, else onto an edge of another, else level with or right above a corner of its own: whichever
 * is near; the point itself when nothing is.
 * @param index of the point within its shape; null for one that is about to be added
 */
export function snap(
  drawings: readonly Drawing[],
  drawing: Drawing,
  index: number | null,
  point: Point,
  aspectRatio: number,
): Point {
  const others = drawings.filter(({ key, open }) => key !== drawing.key && !open)
  const own = drawing.points.filter((_, i) => i !== index)
  const nearest = (points: readonly Point[]) =>
    points
      .map((to) => ({ to, distance: away(to, point, aspectRatio) }))
      .filter(({ distance }) => distance < snapReach)
      .toSorted((a, b) => a.distance - b.distance)[0]?.to
  const corner = nearest([...others.flatMap(({ points }) => points)])
  if (corner) return corner
  const edge = nearest(
    others.flatMap((other) =>
      middles(other).map(({ after }) =>
        nearestOn(
          other.points[after] as Point,
          other.points[(after + 1) % other.points.length] as Point,
          point,
          aspectRatio,
        ),
      ),
    ),
  )
  if (edge) return edge
  const level = (axis: 0 | 1, scale: number) =>
    own.find((to) => Math.abs(to[axis] - point[axis]) * scale < snapReach / 2)?.[axis] ?? point[axis]
  return [level(0, aspectRatio), level(1, 1)]
}

/** Onto the nearest of the eight directions from a point, as far from it as the pointer is. */
export function turned(from: Point, to: Point, aspectRatio: number): Point {
  const [dx, dy] = [(to[0] - from[0]) * aspectRatio, to[1] - from[1]]
  const angle = (Math.round(Math.atan2(dy, dx) / (Math.PI / 4)) * Math.PI) / 4
  const length = Math.hypot(dx, dy)
  return [from[0] + (Math.cos(angle) * length) / aspectRatio, from[1] + Math.sin(angle) * length]
}

/** Middle of all corners: where a whole shape is taken hold of. */
export function centreOf(points: readonly Point[]): Point {
  const sum = points.reduce<Point>(([x, y], point) => [x + point[0], y + point[1]], [0, 0])
  return [sum[0] / points.length, sum[1] / points.length]
}

/** Corners of a rectangle on the floor, in metres, in the order in which they are drawn. */
const rectangle = ([width, depth]: [number, number]): Point[] => [
  [0, 0],
  [width, 0],
  [width, depth],
  [0, depth],
]

/** Whether somebody has said how long both sides of the floor are. */
export const isMeasured = ({ metres }: Drawing): boolean => Boolean(metres?.every((length) => length > 0))

/** The mapping from floor (metres) to picture; null while the corners make none. */
function floorOf(drawing: Drawing) {
  const { points, metres } = drawing
  if (!metres || !isMeasured(drawing)) return null
  const world = rectangle(metres)
  // Both ways: a rectangle that cannot be seen so has none back to the floor.
  return homographyOf({ image: points, world }) && homographyOf({ image: world, world: points })
}

/** The lines of a grid on the floor, a metre apart, as they are seen; none while the corners make no floor. */
export function floorGrid(drawing: Drawing): [Point, Point][] {
  const map = floorOf(drawing)
  const [width, depth] = drawing.metres ?? [0, 0]
  // Beyond that many lines nobody could tell them apart.
  if (!map || width > 60 || depth > 60) return []
  const seen = (x: number, y: number) => toGround(map, [x, y])
  const across = Array.from({ length: Math.ceil(width) - 1 }, (_, i) => [seen(i + 1, 0), seen(i + 1, depth)])
  const along = Array.from({ length: Math.ceil(depth) - 1 }, (_, i) => [seen(0, i + 1), seen(width, i + 1)])
  return [...across, ...along].filter((line): line is [Point, Point] => line.every((end) => end !== null))
}

/** The rectangle that a pipeline is calibrated by; null without one. */
export function floorDrawing(elements: PipelineElements): Drawing | null {
  const [points, world] = calibrationKeys.map((key) => parsePoints(String(elements[key] ?? '')))
  if (points?.length !== 4 || world?.length !== 4) return null
  const length = (i: number) => {
    const [a, b] = [world[i] as Point, world[i + 1] as Point]
    return Math.round(Math.hypot(b[0] - a[0], b[1] - a[1]) * 100) / 100
  }
  return { ...newDrawing([], 'floor', 'floor', points), metres: [length(0), length(1)] }
}

/** The elements that say it; empty ones without a floor. */
export const calibrationOf = (floor: Drawing | undefined): PipelineElements => ({
  'calibration.image_points': floor ? formatPoints(floor.points) : '',
  'calibration.world_points_m': floor?.metres ? formatPoints(rectangle(floor.metres)) : '',
})
