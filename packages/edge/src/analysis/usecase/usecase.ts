import type { Box, DetectionLabel, MetricId, Point } from '@sightline/domain'
import type { Situation } from '../occasions.ts'
import type { AnalyticSettings } from '../settings.ts'
import type { Sight } from '../sight.ts'
import type { Levels } from '../window.ts'
import type { Crossing, Stay } from '../zones.ts'

/** What is followed from picture to picture. A face is followed as a face, whatever it wears. */
export type FollowedLabel = 'person' | 'motion' | 'face' | 'vehicle' | 'forklift'

/** Somebody or something followed, as a channel sees it. */
export type Followed = {
  trackId: number
  box: Box
  score: number
  label: FollowedLabel
  /** Counts as there now; else only remembered for a while. */
  present: boolean
  /** The detector found it in this very picture: only then may what else it found there say something of it. */
  detected: boolean
  stays: readonly Stay[]
  /** Where it stands on the floor, in metres; null without a calibration, and where that is too rough. */
  ground: Point | null
  /** Makes the unit vector of a face in this picture: a model runs, so only who needs it asks. Null of anything else. */
  embedding: (() => Float32Array | null) | null
}

/** Something that a model found in one picture: worn, held, or burning. Its box in 0…1. */
export type Part = { label: DetectionLabel; box: Box; score: number }

/** What one picture says about one channel. */
export type Facts = {
  at: number
  /** Width / height of the picture, and its height in pixels. */
  aspect: number
  height: number
  /** False while nothing can be counted. */
  watching: boolean
  sight: Sight
  /** People, and what moves where motion stands for people. */
  people: readonly Followed[]
  faces: readonly Followed[]
  vehicles: readonly Followed[]
  /** All that a model found, followed or not; null when no model looked at this picture. */
  parts: readonly Part[] | null
  /** Where flames were seen by colour and flicker; null when they were not looked for. */
  flames: readonly Part[] | null
  /** Moving areas, people or not. */
  moving: number
  /** The next picture may come late, and nothing is missed until then. */
  still: boolean
  crossings: readonly Crossing[]
  /** The zones by name; without any the whole picture counts. */
  zones: readonly Area[]
}

/** `dwellMs`: how long somebody may stay there; null: as long as the settings say. */
export type Area = { name: string; points: readonly Point[]; dwellMs: number | null }

/** An occasion without length, and the metrics that count it. */
export type Instant = { metrics: readonly MetricId[]; trackId: number; details: Record<string, unknown> }

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

/** Those present who are inside one of the zones, or anywhere if there are none. */
export const inZones = (followed: readonly Followed[], { zones }: Facts): Followed[] =>
  followed.filter((one) => one.present && (zones.length === 0 || one.stays.length > 0))

/** How long somebody may stay in a zone, in ms. */
export const dwellIn = (zone: string, { zones }: Facts, { dwellMs }: AnalyticSettings): number =>
  zones.find(({ name }) => name === zone)?.dwellMs ?? dwellMs

export const counted = (facts: Facts): Followed[] => inZones(facts.people, facts)

/** Each crossing of a line is an occasion of its own. */
export const crossingsOf = ({ crossings, people }: Facts): Instant[] =>
  crossings.map(({ line, direction, trackId }) => ({
    metrics: [direction],
    trackId,
    details: { line, direction, track_id: trackId, ...boxesOf(people.filter((one) => one.trackId === trackId)) },
  }))

export const boxesOf = (found: readonly Pick<Followed, 'box' | 'label' | 'score' | 'trackId'>[]) => ({
  boxes: found.map(({ box, label, score, trackId }) => ({
    box: rounded(box),
    label,
    score: Math.round(score * 100) / 100,
    track_id: trackId,
  })),
})

export const partsOf = (found: readonly Part[]) => ({
  boxes: found.map(({ box, label, score }) => ({
    box: rounded(box),
    label,
    score: Math.round(score * 100) / 100,
    track_id: null,
  })),
})

const rounded = (box: Box): number[] => box.map((value) => Math.round(value * 1e5) / 1e5)
