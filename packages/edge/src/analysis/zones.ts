import { type Box, distanceToSegment, insidePolygon, type Point, side } from '@sightline/domain'

/** A zone or line as drawn, in 0…1 of the picture. Side b of a line is to the right when walking its points in order. */
export type Shape = {
  name: string
  kind: 'zone' | 'line'
  points: readonly Point[]
  /** Which crossings of a line count. */
  direction: 'a_to_b' | 'b_to_a' | 'both'
}

export type ZoneSettings = {
  /** Pictures somebody must be seen inside before being in. */
  enterHits: number
  /** Time outside before somebody is out. */
  leaveMs: number
  /** How far from a line a side counts as taken, in body heights. */
  lineMargin: number
}

/**
 * Somebody's stay in a zone, which goes on for a moment while they are not seen in it. `appeared`: they were first seen
 * there, so they may be somebody who was lost there.
 */
export type Stay = { zone: string; since: number; lastInsideAt: number; appeared: boolean }
export type Crossing = { line: string; direction: 'up' | 'down'; trackId: number }
/** A track in one picture, its box in 0…1. `observed`: something held it in this picture, it is not only remembered. */
export type Placed = { id: number; box: Box; observed: boolean }

type ZoneState = { hits: number; firstHitAt: number; since: number | null; lastInsideAt: number; appeared: boolean }
/**
 * `settled`: last place clear of the line on the side taken, and how often that side was seen. `beyond`: last place after
 * a change of side that was seen `times` times, not yet often enough.
 */
type LineState = { settled: Point | null; seen: number; beyond: { at: Point; change: number; times: number } | null }
type TrackState = { zones: ZoneState[]; lines: LineState[]; seen: boolean }

/** A side counts when seen in this many pictures in a row, before and after: one bad box must not cross a line. */
const sideHits = 2

/**
 * Who is in which zone and who crosses which line, by the bottom centre of the boxes.
 * Distances are measured in picture heights, so that they mean the same along both axes.
 * @param aspect width / height of the picture
 */
export function createZones(shapes: readonly Shape[], settings: ZoneSettings, aspect: number) {
  const scaled = (shape: Shape) => ({
    ...shape,
    points: shape.points.map(([x, y]) => [x * aspect, y] as const),
  })
  const zones = shapes.filter((shape) => shape.kind === 'zone').map(scaled)
  const lines = shapes.filter((shape) => shape.kind === 'line').map(scaled)
  const tracks = new Map<number, TrackState>()

  const fresh = (): TrackState => ({
    zones: zones.map(() => ({ hits: 0, firstHitAt: 0, since: null, lastInsideAt: 0, appeared: false })),
    lines: lines.map(() => ({ settled: null, seen: 0, beyond: null })),
    seen: false,
  })

  return {
    /** @param placed every track alive: one that is missing is forgotten */
    update(placed: readonly Placed[], at: number): { stays: Map<number, Stay[]>; crossings: Crossing[] } {
      const stays = new Map<number, Stay[]>()
      const crossings: Crossing[] = []
      for (const id of tracks.keys()) if (!placed.some((track) => track.id === id)) tracks.delete(id)
      for (const track of placed) {
        const state = tracks.get(track.id) ?? fresh()
        tracks.set(track.id, state)
        if (track.observed) {
          const foot = anchor(track.box, aspect)
          zones.forEach((zone, i) => {
            visit(state.zones[i]!, insidePolygon(zone.points, foot), !state.seen, at, settings)
          })
          lines.forEach((line, i) => {
            const direction = walk(state.lines[i]!, line.points, foot, settings.lineMargin * track.box[3])
            if (direction && counts(line.direction, direction))
              crossings.push({ line: line.name, direction, trackId: track.id })
          })
          state.seen = true
        }
        const inside = state.zones.flatMap(({ since, lastInsideAt, appeared }, i) =>
          since === null ? [] : [{ zone: zones[i]!.name, since, lastInsideAt, appeared }],
        )
        if (inside.length > 0) stays.set(track.id, inside)
      }
      return { stays, crossings }
    },
  }
}

const counts = (allowed: Shape['direction'], direction: Crossing['direction']): boolean =>
  allowed === 'both' || (allowed === 'a_to_b') === (direction === 'up')

/** Bottom centre of a box, held inside the picture: whoever stands below its edge is still in the whole picture. */
export function anchor([x, y, w, h]: Box, aspect: number): Point {
  const within = (value: number) => Math.min(1 - 1e-6, Math.max(1e-6, value))
  return [within(x + w / 2) * aspect, within(y + h)]
}

function visit(state: ZoneState, inside: boolean, first: boolean, at: number, settings: ZoneSettings): void {
  if (inside) {
    if (first) state.appeared = true
    if (state.hits++ === 0) state.firstHitAt = at
    state.lastInsideAt = at
    if (state.since === null && state.hits >= settings.enterHits) state.since = state.firstHitAt
    return
  }
  if (state.since === null || at - state.lastInsideAt >= settings.leaveMs) {
    state.hits = 0
    state.since = null
    state.appeared = false
  }
}

/** Moves one step and answers the direction when the line has been crossed for good. */
function walk(state: LineState, line: readonly Point[], foot: Point, margin: number): Crossing['direction'] | null {
  if (distanceToLine(line, foot) < margin) return null
  const { settled, beyond } = state
  const change = settled === null ? 0 : Math.sign(sidesCrossed(line, settled, foot))
  const times = beyond && isOnwards(line, settled, beyond.at, foot, change) ? beyond.times + 1 : 1
  if (times === 1 && change === 0) {
    state.settled = foot
    state.seen++
    state.beyond = null
    return null
  }
  state.beyond = { at: foot, change: times === 1 || !beyond ? change : beyond.change, times }
  if (times < sideHits) return null
  const wasThere = state.seen >= sideHits
  const isUp = state.beyond.change > 0
  Object.assign(state, { settled: foot, seen: times, beyond: null } satisfies LineState)
  if (!wasThere) return null
  return isUp ? 'up' : 'down'
}

/**
 * Whether somebody who was seen beyond the line is still there: the way on crosses nothing. Near the line's end the way
 * back may cross nothing either; then the shorter of the two was walked.
 */
function isOnwards(line: readonly Point[], settled: Point | null, beyond: Point, foot: Point, change: number): boolean {
  if (sidesCrossed(line, beyond, foot) !== 0) return false
  return change !== 0 || settled === null || distance(beyond, foot) < distance(settled, foot)
}

const distance = (a: Point, b: Point): number => Math.hypot(a[0] - b[0], a[1] - b[1])

const segments = (line: readonly Point[]): (readonly [Point, Point])[] =>
  line.slice(1).map((end, i) => [line[i] as Point, end] as const)

const distanceToLine = (line: readonly Point[], p: Point): number =>
  Math.min(...segments(line).map(([a, b]) => distanceToSegment(a, b, p)))

/**
 * How often the way from `from` to `to` crosses the line from side a to side b, less the crossings back. A way past
 * the line's end crosses nothing; one through a corner crosses once.
 */
export function sidesCrossed(line: readonly Point[], from: Point, to: Point): number {
  let sum = 0
  for (const [a, b] of segments(line)) {
    const before = side(a, b, from) > 0
    const after = side(a, b, to) > 0
    if (before === after || side(from, to, a) > 0 === side(from, to, b) > 0) continue
    sum += after ? 1 : -1
  }
  return sum
}
