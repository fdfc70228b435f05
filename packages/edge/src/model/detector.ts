import {
  type Box,
  type DetectionLabel,
  fromLetterbox,
  type Head,
  letterbox,
  type Size,
  shareInside,
  suppressOverlaps,
} from '@sightline/domain'
import type { Detection, Detector } from '../analysis/detect.ts'
import type { Cv } from '../analysis/opencv.ts'
import type { FollowedLabel, Part } from '../analysis/usecase/usecase.ts'
import { openInference } from './inference.ts'

/** How a model is run on the pictures of a camera. */
export type ModelSettings = {
  sha256: string
  file: string
  head: Head
  size: Size
  /** Class by number → label; classes without one are left out. */
  labels: Record<string, DetectionLabel>
  minScore: number
  nms: number
  /** Look only while something moves or somebody is followed who stands still, and follow only what is found there. */
  isGated: boolean
}

/** What is followed from picture to picture, and as what; a face is one face, whatever it wears. */
const followedAs: Partial<Record<DetectionLabel, FollowedLabel>> = {
  person: 'person',
  face: 'face',
  mask: 'face',
  no_mask: 'face',
  vehicle: 'vehicle',
  forklift: 'forklift',
}

/**
 * A user's model in the place of the built-in detector: the picture is fitted into its input, its answer read by its head,
 * overlapping boxes of one class become one.
 * @throws ModelTrouble
 */
export function createModelDetector(cv: Cv, settings: ModelSettings, width: number, height: number): Detector {
  const picture = { width, height }
  const { head, size, labels, minScore, nms, isGated } = settings
  const inference = openInference({ file: settings.file, head, size })
  const box = letterbox(picture, size)
  const fitted = new cv.Mat()
  const fittedSize = new cv.Size(box.width, box.height)
  const isSameSize = box.width === width && box.height === height
  let parts: Part[] | null = null

  return {
    find(bgr, blobs, still) {
      const places = [...blobs.map((blob) => blob.box), ...still]
      parts = null
      // What stands still and is believed is not looked for: what stands there without ever having moved is furniture.
      if (isGated && places.length === 0) return []
      // Averages areas where it makes smaller, which keeps thin things; to enlarge there is nothing to average.
      if (!isSameSize) cv.resize(bgr, fitted, fittedSize, 0, 0, box.scale < 1 ? cv.INTER_AREA : cv.INTER_LINEAR)
      const answer = inference.find((isSameSize ? bgr : fitted).data, picture, minScore)
      if (answer === null) return []
      const found = answer.flatMap(({ box: there, score, classIndex }) => {
        const label = labels[classIndex]
        const inPicture = fromLetterbox(there, box, picture)
        return label && inPicture ? [{ label, box: inPicture, score }] : []
      })
      const separate = head === 'end2end' ? found : suppressOverlaps(found, ({ label }) => label, nms)
      // What is worn or held says nothing by itself, and may be seen where nothing moves of somebody who does.
      const isBelieved = ({ label, box: at }: (typeof separate)[number]) =>
        !isGated || !followedAs[label] || places.some((place) => belongs(at, place))
      const believed = separate.filter(isBelieved)
      parts = believed.map((one) => ({ ...one, box: shareOf(one.box, picture) }))
      const followed = believed.flatMap(({ label, box: at, score }): Detection[] => {
        const kind = followedAs[label]
        return kind ? [{ box: at, score, kind }] : []
      })
      return suppressOverlaps(followed, ({ kind }) => kind, nms)
    },
    parts: () => parts,
    trouble: inference.trouble,
    delete() {
      fitted.delete()
      inference.close()
    },
  }
}

/** Whether something found has to do with a place where something moves: much of it lies there, or the place within it. */
const belongs = (found: Box, place: Box): boolean => shareInside(found, place) > 0.35 || shareInside(place, found) > 0.5

const shareOf = ([x, y, w, h]: Box, { width, height }: Size): Box => [x / width, y / height, w / width, h / height]
