import { type Box, iou } from '@sightline/domain'
import { assign } from './assign.ts'
import type { Detection } from './detect.ts'
import { boxOf, correct, type Filter, predict, startFilter } from './kalman.ts'
import type { FollowedLabel } from './usecase/usecase.ts'

export type TrackerSettings = {
  /** Least similarity of a detection and a track. */
  minSimilarity: number
  /** Distance between feet, in body heights, at which similarity ends; 0 compares overlap only. */
  distanceGate: number
  maxLostMs: number
  /** Detections before a track counts. */
  minHits: number
}

export type Track = {
  readonly id: number
  readonly bornAt: number
  readonly label: FollowedLabel
  /** Filtered, in pixels. */
  box: Box
  score: number
  hits: number
  confirmed: boolean
  /** When the detector last found it. */
  detectedAt: number
  /** Likewise, or when it was last believed without looking. */
  seenAt: number
  /** When anything, a motion blob too, last held it in place. */
  heldAt: number
}

type Kept = Track & { filter: Filter }

/** A track without support is still counted this long, once it has been seen often enough to be believed. */
const coastMs = 600
const coastHits = 5
/** A track that is not confirmed yet may be missed this long. */
const freshLostMs = 1000
/** A blob says less about who moves than a detection does, so it must fit better. */
const blobSimilarity = 0.4

export type Tracker = ReturnType<typeof createTracker>

/**
 * Distance-gated ByteTrack (Zhang et al. 2022): confirmed tracks take detections first, then unexplained motion, which
 * keeps a track alive for `maxLostMs` but never starts one; what is left starts new tracks. Exact assignment.
 * @param number a new one for each track
 */
export function createTracker(settings: TrackerSettings, number: () => number) {
  let tracks: Kept[] = []
  let lastAt: number | null = null

  function match(candidates: readonly Kept[], detections: readonly Detection[], least: number) {
    const cost = candidates.map((track) =>
      detections.map((found) => {
        // A car is no person, however near. What only moves may be anything.
        if (found.kind !== 'blob' && found.kind !== track.label) return 1
        const likeness = similarity(track.box, found.box, settings.distanceGate)
        return likeness < least ? 1 : 1 - likeness
      }),
    )
    const columns = assign(cost, 1)
    const pairs: [Kept, Detection][] = []
    candidates.forEach((track, i) => {
      const found = detections[columns[i] as number]
      if (found) pairs.push([track, found])
    })
    return pairs
  }

  function take(track: Kept, found: Detection, at: number): void {
    correct(track.filter, found.kind === 'blob' ? bodyUnder(found.box, track.box) : found.box)
    track.box = boxOf(track.filter)
    track.heldAt = at
    if (found.kind === 'blob') return
    track.score = found.score
    track.detectedAt = at
    track.seenAt = at
    track.hits++
    if (track.hits >= settings.minHits) track.confirmed = true
  }

  return {
    get tracks(): readonly Track[] {
      return tracks
    },
    /**
     * @param at ms; times that do not advance are taken as no time passed
     * @param resting ids of tracks that stand still and are believed without being looked for
     */
    update(detections: readonly Detection[], at: number, resting: ReadonlySet<number> = new Set()): void {
      const seconds = lastAt === null ? 0 : Math.max(0, at - lastAt) / 1000
      lastAt = at
      for (const track of tracks) {
        if (resting.has(track.id)) continue
        predict(track.filter, seconds)
        track.box = boxOf(track.filter)
      }
      const found = detections.filter((detection) => detection.kind !== 'blob')
      const blobs = detections.filter((detection) => detection.kind === 'blob')
      const confirmed = tracks.filter((track) => track.confirmed)

      const taken = new Set<Kept | Detection>()
      const takeAll = (pairs: [Kept, Detection][]) => {
        for (const [track, detection] of pairs) {
          take(track, detection, at)
          taken.add(track)
          taken.add(detection)
        }
      }
      const free = <T extends Kept | Detection>(list: readonly T[]) => list.filter((one) => !taken.has(one))
      takeAll(match(confirmed, found, settings.minSimilarity))
      takeAll(match(free(tracks.filter((track) => !track.confirmed)), free(found), settings.minSimilarity))
      takeAll(match(free(confirmed), blobs, blobSimilarity))

      for (const track of free(tracks))
        if (resting.has(track.id)) {
          track.seenAt = at
          track.heldAt = at
        }
      tracks = tracks.filter((track) => at - track.seenAt <= (track.confirmed ? settings.maxLostMs : freshLostMs))
      for (const detection of free(found)) tracks.push(born(detection, at))
    },
    reset(): void {
      tracks = []
      lastAt = null
    },
  }

  function born(detection: Detection, at: number): Kept {
    return {
      id: number(),
      bornAt: at,
      // A blob starts no track.
      label: detection.kind === 'blob' ? 'motion' : detection.kind,
      box: detection.box,
      score: detection.score,
      hits: 1,
      confirmed: settings.minHits <= 1,
      detectedAt: at,
      seenAt: at,
      heldAt: at,
      filter: startFilter(detection.box),
    }
  }
}

/**
 * A moving area often lacks the legs, or has a shadow for them, while its top is the head: the body keeps the track's
 * size and hangs from the area's top.
 */
function bodyUnder(area: Box, [, , w, h]: Box): Box {
  return [area[0] + area[2] / 2 - w / 2, area[1], w, h]
}

/** Whether a track counts as there now. */
export const isPresent = (track: Track, at: number): boolean =>
  track.confirmed && at - track.heldAt <= (track.hits >= coastHits ? coastMs : 0)

/**
 * Likeness of two boxes, 0…1: their overlap, or how near their feet are for their size, whichever is greater. At 5
 * pictures a second a walker's boxes hardly overlap.
 */
export function similarity(a: Box, b: Box, gate: number): number {
  const overlap = iou(a, b)
  const ratio = Math.min(a[3], b[3]) / Math.max(a[3], b[3])
  if (gate <= 0 || ratio <= 0.5) return overlap
  const feet = Math.hypot(a[0] + a[2] / 2 - b[0] - b[2] / 2, a[1] + a[3] - b[1] - b[3]) / ((a[3] + b[3]) / 2)
  return Math.max(overlap, (1 - feet / gate) * ratio)
}
