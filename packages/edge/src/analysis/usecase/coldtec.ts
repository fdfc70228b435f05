import { type Fix, type Mover, type Point, timeToCollision, velocityOf } from '@sightline/domain'
import type { AnalyticSettings } from '../settings.ts'
import { isRemembered, nobody, type Register, recognised } from './same.ts'
import { boxesOf, type Facts, type Followed, type Instant, type Usecase } from './usecase.ts'

/** Where somebody was in the last seconds, oldest first. */
type Trail = { fixes: readonly Fix[]; followed: Followed }
/** Two that came on course to collide, until it is known what became of it. */
type Approach = {
  names: readonly [number, number]
  onCourseAt: number
  timeLeft: number
  leastGap: number
  gap: number
  /** Of the two, as they came near each other. */
  velocities: readonly [Point, Point]
  touchedAt: number | null
  followed: readonly [Followed, Followed]
}
type State = {
  register: Register
  trails: ReadonlyMap<number, Trail>
  approaches: ReadonlyMap<string, Approach>
  /** When a pair was last told. */
  told: ReadonlyMap<string, number>
}

const trailMs = 1000
/** A velocity needs at least so much of a trail. */
const leastTrailMs = 350
/** After a touch: time in which a blow shows, and a course that nothing came of is forgotten. */
const settleMs = 500
const courseMs = 1000
/** A blow takes at least this share of the speed at which the two came together, which is more than a walk beside. */
const leastBreak = 0.5
const leastClosing = 0.5
/** The gap has opened again when it is so much wider than the least. */
const reopened = 0.3
/** A vehicle that stands is no danger to whoever walks up to it. */
const leastSpeed = 0.7
const quietMs = 10_000

/**
 * Collisions and near misses of vehicles with people and with each other, on the floor: discs of a radius by label. Near
 * miss: on course to touch within `ttcS`, and nearer than `gapM`, and nothing more. Collision: the discs touch and a velocity breaks.
 * Two people are no pair, and a vehicle that stands is no danger. With zones one of the two must be in one. A pair is told at most every ten seconds.
 */
export const coldtec: Usecase<State> = {
  start: () => ({ register: nobody, trails: new Map(), approaches: new Map(), told: new Map() }),
  reduce(state, facts, settings) {
    const all = [...facts.people, ...facts.vehicles]
    const { register, whoIs } = recognised(state.register, all, facts)
    const trails = lengthen(state.trails, all, whoIs, facts)
    const told = new Map([...state.told].filter(([, at]) => facts.at - at < quietMs))
    const approaches = new Map<string, Approach>()
    const instants: Instant[] = []
    for (const [key, approach] of come(state.approaches, trails, told, facts, settings)) {
      const metric = outcome(approach, trails, facts.at, settings)
      if (metric === undefined) approaches.set(key, approach)
      else if (metric) {
        instants.push(instant(approach, metric))
        told.set(key, facts.at)
      }
    }
    return {
      state: {
        register,
        trails: new Map([...trails].filter(([who]) => isRemembered(register, who))),
        approaches,
        told,
      },
      levels: facts.watching ? {} : null,
      instants,
      situations: [],
    }
  },
}

function lengthen(
  before: State['trails'],
  all: readonly Followed[],
  whoIs: (trackId: number) => number,
  { at }: Facts,
): State['trails'] {
  const trails = new Map(before)
  for (const followed of all) {
    if (!followed.present || !followed.ground) continue
    const who = whoIs(followed.trackId)
    const fixes = (before.get(who)?.fixes ?? []).filter((fix) => fix.at >= at - trailMs)
    trails.set(who, { fixes: [...fixes, { at, place: followed.ground }], followed })
  }
  return trails
}

/** Who is on course to collide now, with what is known of approaches of before. */
function come(
  before: State['approaches'],
  trails: State['trails'],
  told: State['told'],
  { at, zones }: Facts,
  settings: AnalyticSettings,
): State['approaches'] {
  const next = new Map(before)
  const isWatched = ({ followed }: Trail) => zones.length === 0 || followed.stays.length > 0
  const here = [...trails].filter(([, { fixes }]) => fixes.at(-1)?.at === at).sort(([a], [b]) => a - b)
  here.forEach(([a, trailA], i) => {
    for (const [b, trailB] of here.slice(i + 1)) {
      const names = [a, b] as const
      const key = names.join('-')
      if (told.has(key) || (!isMachine(trailA.followed) && !isMachine(trailB.followed))) continue
      if (!next.has(key) && !isWatched(trailA) && !isWatched(trailB)) continue
      const approach = meet(next.get(key), names, trailA, trailB, at, settings)
      if (approach) next.set(key, approach)
    }
  })
  return next
}

function meet(
  known: Approach | undefined,
  names: readonly [number, number],
  a: Trail,
  b: Trail,
  at: number,
  settings: AnalyticSettings,
): Approach | null {
  const reach = radiusOf(a.followed, settings) + radiusOf(b.followed, settings)
  const [moverA, moverB] = [moverOf(a), moverOf(b)]
  const [placeA, placeB] = [a.followed.ground as Point, b.followed.ground as Point]
  const gap = Math.hypot(placeA[0] - placeB[0], placeA[1] - placeB[1]) - reach
  const followed = [a.followed, b.followed] as const
  if (known?.touchedAt != null) return { ...known, followed }
  const timeLeft = moverA && moverB ? timeToCollision(moverA, moverB, reach) : Number.POSITIVE_INFINITY
  if (known && gap <= 0) return { ...known, gap, leastGap: 0, touchedAt: at, followed }
  const isDriven = [a, b].some(
    (one, i) =>
      isMachine(one.followed) && difference([moverA, moverB][i]?.velocity ?? standing, standing) >= leastSpeed,
  )
  if (moverA && moverB && isDriven && gap > 0 && timeLeft <= settings.ttcS)
    return {
      names,
      onCourseAt: at,
      timeLeft: Math.min(timeLeft, known?.timeLeft ?? timeLeft),
      gap,
      leastGap: Math.min(gap, known?.leastGap ?? gap),
      velocities: [moverA.velocity, moverB.velocity],
      touchedAt: null,
      followed,
    }
  return known ? { ...known, gap, leastGap: Math.min(gap, known.leastGap), followed } : null
}

/** What became of an approach: a metric, null for nothing; undefined while it is not known. */
function outcome(
  { names, onCourseAt, leastGap, gap, velocities, touchedAt }: Approach,
  trails: State['trails'],
  at: number,
  { gapM }: AnalyticSettings,
): 'total_collision' | 'total_near_miss' | null | undefined {
  if (touchedAt !== null) {
    if (at - touchedAt < settleMs) return undefined
    const closing = difference(velocities[0], velocities[1])
    const broke = names.some((who, i) => {
      const after = velocityOf((trails.get(who)?.fixes ?? []).filter((fix) => fix.at >= touchedAt))
      return after !== null && difference(after, velocities[i] as Point) >= leastBreak * closing
    })
    return closing >= leastClosing && broke ? 'total_collision' : 'total_near_miss'
  }
  if (gap <= leastGap + reopened && at - onCourseAt < courseMs) return undefined
  return leastGap <= gapM ? 'total_near_miss' : null
}

const isMachine = ({ label }: Followed): boolean => label !== 'person'

function radiusOf({ label }: Followed, { radiusM }: AnalyticSettings): number {
  return label === 'vehicle' || label === 'forklift' ? radiusM[label] : radiusM.person
}

function moverOf({ fixes, followed }: Trail): Mover | null {
  const [first, last] = [fixes[0], fixes.at(-1)]
  const velocity = first && last && last.at - first.at >= leastTrailMs ? velocityOf(fixes) : null
  return velocity && { at: followed.ground as Point, velocity }
}

const standing: Point = [0, 0]

const difference = (a: Point, b: Point): number => Math.hypot(a[0] - b[0], a[1] - b[1])

const instant = (
  { followed, leastGap, timeLeft }: Approach,
  metric: 'total_collision' | 'total_near_miss',
): Instant => ({
  metrics: [metric, 'total'],
  trackId: followed[0].trackId,
  details: {
    label: followed.map((one) => one.label).join(' + '),
    distance_m: Math.round(leastGap * 100) / 100,
    time_to_collision_s: Math.round(timeLeft * 10) / 10,
    ...boxesOf(followed),
  },
})
