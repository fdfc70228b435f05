import type { Box, MetricId } from '@sightline/domain'
import type { Situation } from '../occasions.ts'
import type { AnalyticSettings } from '../settings.ts'
import type { Sight } from '../sight.ts'
import type { Levels } from '../window.ts'
import type { Crossing, Stay } from '../zones.ts'

/** Somebody followed, as a channel sees them. */
export type Person = {
  trackId: number
  box: Box
  score: number
  label: 'person' | 'motion'
  /** Counts as there now; else only remembered for a while. */
  present: boolean
  stays: readonly Stay[]
}

/** What one picture says about one channel. */
export type Facts = {
  at: number
  /** False while nothing can be counted. */
  watching: boolean
  sight: Sight
  people: readonly Person[]
  /** Moving areas, people or not. */
  moving: number
  /** The next picture may come late, and nothing is missed until then. */
  still: boolean
  crossings: readonly Crossing[]
  /** Whether the channel has zones; without them the whole picture counts. */
  hasZones: boolean
}

/** An occasion without length. */
export type Instant = { metric: MetricId; trackId: number; details: Record<string, unknown> }

export type Step<S> = {
  state: S
  /** How many now; null when it could not be counted. */
  levels: Levels | null
  instants: readonly Instant[]
  situations: readonly Situation[]
}

/** What of a channel must survive a restart of the analysis: its last levels and when they were seen. */
export type Carried = { at: number; levels: Levels }

/** A use case: a pure reducer from what pictures show to levels, crossings and situations. */
export type Usecase<S> = {
  start(settings: AnalyticSettings, carried: Carried | null): S
  reduce(state: S, facts: Facts, settings: AnalyticSettings): Step<S>
}

/** People present who are inside one of the zones, or anywhere if there are none. */
export const counted = ({ people, hasZones }: Facts): Person[] =>
  people.filter((person) => person.present && (!hasZones || person.stays.length > 0))

/** Each crossing of a line is an occasion of its own. */
export const crossingsOf = ({ crossings, people }: Facts): Instant[] =>
  crossings.map(({ line, direction, trackId }) => ({
    metric: direction,
    trackId,
    details: { line, direction, track_id: trackId, ...boxesOf(people.filter((one) => one.trackId === trackId)) },
  }))

export const boxesOf = (people: readonly Person[]) => ({
  boxes: people.map(({ box, label, score, trackId }) => ({
    box: box.map((value) => Math.round(value * 1e5) / 1e5),
    label,
    score: Math.round(score * 100) / 100,
    track_id: trackId,
  })),
})
