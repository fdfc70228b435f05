/** What can be done to drawn shapes, as pure steps over an undoable list. */
import { insidePolygon, type Point, shapeFault, type ZoneKind } from '@sightline/domain'

export type Drawing = {
  /** Stable on screen; the stored id once it is saved. */
  key: string
  static_id?: string
  kind: ZoneKind
  name: string
  label: string | null
  points: Point[]
  direction: 'a_to_b' | 'b_to_a' | 'both'
  side_a: string
  side_b: string
  is_active: boolean
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
/** Into the picture; near its border onto it. */
export const clamp = ([x, y]: Point): Point => {
  const fit = (value: number) => round(value < snapShare ? 0 : value > 1 - snapShare ? 1 : value)
  return [fit(x), fit(y)]
}

/** zone1, zone2 … after the greatest number in use; the server gives the final one. */
export function nextName(drawings: readonly Drawing[], kind: ZoneKind): string {
  const numbers = drawings.map(({ name }) => (name.startsWith(kind) ? Number(name.slice(kind.length)) : 0))
  return `${kind}${Math.max(0, ...numbers.filter(Number.isInteger)) + 1}`
}

export function newDrawing(drawings: readonly Drawing[], kind: ZoneKind, key: string, points: Point[] = []): Drawing {
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
    open: points.length === 0,
  }
}

export const replace = (drawings: readonly Drawing[], key: string, edit: (drawing: Drawing) => Drawing): Drawing[] =>
  drawings.map((drawing) => (drawing.key === key ? edit(drawing) : drawing))

export const movePoint = (drawing: Drawing, index: number, to: Point): Drawing => ({
  ...drawing,
  points: drawing.points.map((point, i) => (i === index ? clamp(to) : point)),
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

export const fewestPoints = (kind: ZoneKind): number => (kind === 'line' ? 2 : 3)

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
  points: [...drawing.points.slice(0, after + 1), clamp(at), ...drawing.points.slice(after + 1)],
})

export const addPoint = (drawing: Drawing, at: Point): Drawing => ({
  ...drawing,
  points: [...drawing.points, clamp(at)],
})

/** Closes an outline that has enough points; else leaves it open. */
export const finish = (drawing: Drawing): Drawing =>
  drawing.points.length >= fewestPoints(drawing.kind) ? { ...drawing, open: false } : drawing

/** Walking the line the other way swaps its sides, so up and down. */
export const reverse = (drawing: Drawing): Drawing => ({ ...drawing, points: drawing.points.toReversed() })

/** Why a shape is not complete, as a message id. */
export const faultOf = ({ kind, points, open }: Drawing): 'zone_incomplete' | 'zone_self_crossing' | null =>
  open ? 'zone_incomplete' : shapeFault(kind, points)

/** Whether what was wrong with the shapes when saving was tried is still so. @param fault a message id */
export function stillWrong(fault: string, drawings: readonly Drawing[]): boolean {
  if (fault === 'zone_incomplete' || fault === 'zone_self_crossing')
    return drawings.some((drawing) => faultOf(drawing) === fault)
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
