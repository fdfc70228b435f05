import { type Box, iou } from '@sightline/domain'
import { createModelDetector } from '../model/detector.ts'
import { createEmbedder } from '../model/embedder.ts'
import { createBackdrop } from './backdrop.ts'
import { createHogDetector, type Detection, type Detector, motionDetector } from './detect.ts'
import { createDoubt } from './doubt.ts'
import { createFlames } from './flames.ts'
import { createMotion } from './motion.ts'
import { allOrNone, type Cv, type Mat } from './opencv.ts'
import { createRest } from './rest.ts'
import type { PerceptionSettings } from './settings.ts'
import { createSight, isBlind, type Sight } from './sight.ts'
import { createTracker, isPresent, type Track } from './track.ts'
import type { FollowedLabel, Part } from './usecase/usecase.ts'

/** One track in one picture, its box in 0…1. */
export type SeenTrack = {
  id: number
  box: Box
  score: number
  label: FollowedLabel
  /** Often enough detected to be believed. */
  confirmed: boolean
  /** Counts as there now; else it is only remembered. */
  present: boolean
  /** Something held it in this very picture. */
  observed: boolean
  /** The detector found it in this very picture: it is neither only held by what moves, nor believed without looking. */
  detected: boolean
  /** Makes the unit vector of a face, of use until the next picture; absent of anything else, and without a model for it. */
  embedding?: () => Float32Array | null
}

/** What one picture showed. */
export type Seen = {
  at: number
  /** width / height */
  aspect: number
  /** In pixels. */
  height: number
  /** False while nothing can be counted: the background is being learned, or the camera is blind. */
  watching: boolean
  /** What is wrong, as a message id; null when all is well. */
  cause: string | null
  sight: Sight
  tracks: SeenTrack[]
  /** All that a model found, followed or not; null when no model looked at this picture. */
  parts: Part[] | null
  /** Flames by colour and flicker; null when they were not looked for, or could not be told. */
  flames: Part[] | null
  /** Moving areas, people or not. */
  moving: number
  /** Nothing moves and nobody is followed, or nothing can be seen: pictures may be left out until that changes, and nothing is missed. */
  still: boolean
}

export type NewDetector = (cv: Cv, settings: PerceptionSettings, width: number, height: number) => Detector

export const newDetector: NewDetector = (cv, { detector, hog, model }, width, height) => {
  if (model) return createModelDetector(cv, model, width, height)
  return detector === 'motion' ? motionDetector : createHogDetector(cv, hog, width, height)
}

export type Perception = {
  /** @param picture BGR of the size given at creation, masks already blanked */
  see(picture: Mat, at: number): Seen
  delete(): void
}

/** Of a face found with the box of its track, which follows it. */
const leastFaceOverlap = 0.3

/**
 * From pictures to tracks: motion, detector and tracker of one camera.
 * @param trackNumber a new one for each track
 */
export function createPerception(
  cv: Cv,
  settings: PerceptionSettings,
  width: number,
  height: number,
  trackNumber: () => number,
  detectorOf: NewDetector = newDetector,
): Perception {
  const smallWidth = Math.min(width, settings.motionWidth)
  const zoom = width / smallWidth
  const smallHeight = Math.round(height / zoom)
  const smallSize = new cv.Size(smallWidth, smallHeight)
  const { small, motion, sight, detector, embedder } = allOrNone((keep) => ({
    small: keep(new cv.Mat()),
    motion: keep(createMotion(cv, settings.motion, smallWidth, smallHeight)),
    sight: keep(createSight(cv)),
    detector: keep(detectorOf(cv, settings, width, height)),
    embedder: settings.embedder && keep(createEmbedder(cv, settings.embedder)),
  }))
  const backdrop = createBackdrop(smallWidth, smallHeight)
  const flames = settings.flames ? createFlames(smallWidth, smallHeight) : null
  const tracker = createTracker(settings.tracker, trackNumber)
  const rest = createRest(settings.recheckMs)
  const doubt = createDoubt()
  let unsteady = 'degraded:warm_up'

  const enlarged = (box: Box): Box => [box[0] * zoom, box[1] * zoom, box[2] * zoom, box[3] * zoom]
  const reduced = (box: Box): Box => [box[0] / zoom, box[1] / zoom, box[2] / zoom, box[3] / zoom]
  const share = (box: Box): Box => [box[0] / width, box[1] / height, box[2] / width, box[3] / height]

  function follow(picture: Mat, at: number, blobs: ReturnType<typeof motion.look>['blobs']): readonly Detection[] {
    const moving = blobs.map(({ box, fill }) => ({ box: enlarged(box), fill }))
    const standsOut = (box: Box) => backdrop.standsOut(small, reduced(box))
    const { look, believed } = rest.plan(tracker.tracks, moving, standsOut, at)
    const searched = doubt.plan(
      moving.map(({ box }) => box),
      tracker.tracks.map(({ box }) => box),
      at,
    )
    const found = detector.find(picture, moving, [...searched, ...look])
    doubt.note(
      searched,
      found.filter(({ kind }) => kind !== 'blob').map(({ box }) => box),
      at,
    )
    tracker.update(found, at, believed)
    rest.note(tracker.tracks, believed, at)
    backdrop.learn(
      small,
      tracker.tracks.map((track) => reduced(track.box)),
      at,
    )
    return found
  }

  /** What of a track is told of its face, when one was found there in this very picture. */
  function faceOf({ label, box }: Track, picture: Mat, found: readonly Detection[]) {
    if (!embedder || label !== 'face') return null
    // The track's own box is smoothed, and lags behind who walks.
    const [nearest] = found
      .filter(({ kind }) => kind === 'face')
      .map((face) => ({ box: face.box, overlap: iou(face.box, box) }))
      .sort((a, b) => b.overlap - a.overlap)
    if (!nearest || nearest.overlap < leastFaceOverlap) return null
    let vector: Float32Array | null | undefined
    return {
      embedding() {
        // Channels of one camera may all ask.
        if (vector === undefined) vector = embedder.embed(picture, nearest.box)
        return vector
      },
    }
  }

  return {
    see(picture, at) {
      cv.resize(picture, small, smallSize, 0, 0, cv.INTER_AREA)
      const { state, blobs } = motion.look(small, at)
      const seeing = sight.look(small, at)
      const nothing = {
        at,
        aspect: width / height,
        height,
        sight: seeing,
        tracks: [],
        parts: null,
        flames: null,
        moving: 0,
        watching: false,
        still: false,
      }
      if (isBlind(seeing)) {
        tracker.reset()
        return { ...nothing, cause: `degraded:${seeing}`, still: true }
      }
      if (state !== 'steady') {
        if (state === 'changed') {
          unsteady = 'degraded:scene_changed'
          tracker.reset()
          backdrop.reset()
          flames?.reset()
        }
        return { ...nothing, cause: unsteady }
      }
      const found = follow(picture, at, blobs)
      const trouble = detector.trouble?.() ?? embedder?.trouble() ?? null
      if (trouble !== null) return { ...nothing, cause: trouble }
      const burning = flames?.look(small, at)
      return {
        ...nothing,
        watching: true,
        cause: seeing === 'blurred' ? 'degraded:blurred' : (burning?.cause ?? null),
        parts: detector.parts?.() ?? null,
        flames: burning?.flames ?? null,
        moving: blobs.length,
        still:
          seeing === 'clear' && blobs.length === 0 && tracker.tracks.length === 0 && settings.model?.isGated !== false,
        tracks: tracker.tracks.map((track) => ({
          id: track.id,
          box: share(track.box),
          score: track.score,
          label: track.label,
          confirmed: track.confirmed,
          present: isPresent(track, at),
          observed: track.heldAt === at,
          detected: track.detectedAt === at,
          ...(track.heldAt === at && faceOf(track, picture, found)),
        })),
      }
    },
    delete() {
      for (const thing of [small, motion, sight, detector, embedder]) thing?.delete()
    },
  }
}
