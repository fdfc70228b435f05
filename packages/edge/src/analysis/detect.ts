import { type Box, iou, shareInside } from '@sightline/domain'
import type { Blob } from './motion.ts'
import type { Cv, Mat, Rect } from './opencv.ts'
import type { FollowedLabel, Part } from './usecase/usecase.ts'

/**
 * Something found in one picture, in pixels. Only `person` (and `motion`, where the pipeline counts all that moves) may
 * start a track; an unexplained `blob` can only keep one alive.
 */
export type Detection = { box: Box; score: number; kind: FollowedLabel | 'blob' }

export type Detector = {
  /** @param blobs what moves · @param places where to look for people */
  find(picture: Mat, blobs: readonly Blob[], places: readonly Box[]): Detection[]
  /** All that it found in the last picture, boxes in 0…1; null when it did not look. Only models tell more than persons. */
  parts?(): Part[] | null
  /** Why it finds nothing at all now, as a cause; null while it works. */
  trouble?(): string | null
  delete(): void
}

export type HogSettings = {
  minScore: number
  nms: number
  scale: number
  /** Height to which a region is enlarged. */
  targetPx: number
}

/** The HOG window is 64×128 with a margin around the body; this is the body's part of it. */
const bodyOfWindow = { x: 0.2, y: 0.08, w: 0.6, h: 0.805 }
/** Smallest region worth searching: one window and its stride. */
const smallestRegion = { width: 72, height: 136 }
/** In areas taller than this share of the picture smaller people may hide: behind one another, or side by side. */
const smallestOfTall = 0.3
/** Nor is an area little taller than that worth two searches. */
const nearlyAll = 0.75
/** An area with less width for its height than this is one person, if a person is found in it at all. */
const slender = 0.6
const blobScore = 0.45

/**
 * People in moving regions: HOG with OpenCV's default people detector (Dalal & Triggs 2005), each region enlarged so
 * that a body is about as tall as the detector's window.
 * - inside: a moving area mostly inside a person found is part of that person.
 */
export function createHogDetector(cv: Cv, settings: HogSettings, width: number, height: number): Detector {
  const hog = new cv.HOGDescriptor()
  const svm = peopleDetector(cv)
  hog.setSVMDetector(svm)
  svm.delete()
  const grey = new cv.Mat()
  const enlarged = new cv.Mat()
  const stride = new cv.Size(8, 8)

  function search(region: Region): Detection[] {
    const found = new cv.RectVector()
    const margins = new cv.DoubleVector()
    const part = grey.roi(region.rect)
    const { scale, rect } = region
    try {
      const size = new cv.Size(Math.round(rect.width * scale), Math.round(rect.height * scale))
      cv.resize(part, enlarged, size, 0, 0, cv.INTER_LINEAR)
      hog.detectMultiScale(enlarged, found, margins, 0, stride, stride, settings.scale, 1, false)
      return Array.from({ length: found.size() }, (_, i) => {
        const window = found.get(i)
        const box: Box = [
          rect.x + (window.x + window.width * bodyOfWindow.x) / scale,
          rect.y + (window.y + window.height * bodyOfWindow.y) / scale,
          (window.width * bodyOfWindow.w) / scale,
          (window.height * bodyOfWindow.h) / scale,
        ]
        return { box, score: Math.min(0.99, 0.5 + 0.3 * margins.get(i)), kind: 'person' as const }
      })
    } finally {
      for (const thing of [part, found, margins]) thing.delete()
    }
  }

  /** A tall area is first searched for one person as tall as itself: much cheaper than for all who may be inside. */
  function searchAround(place: Box): Detection[] {
    const smallest = Math.min(place[3], height * smallestOfTall)
    // The search goes on to larger people by itself.
    if (smallest > place[3] * nearlyAll) return search(regionAround(place, smallest, width, height, settings.targetPx))
    const whole = search(regionAround(place, place[3], width, height, settings.targetPx))
    const isOnePerson = place[2] < place[3] * slender && whole.some(({ box }) => box[3] > place[3] * 0.75)
    if (isOnePerson) return whole
    return [...whole, ...search(regionAround(place, smallest, width, height, settings.targetPx))]
  }

  return {
    find(picture, blobs, places) {
      if (places.length === 0) return unexplained(blobs, [])
      cv.cvtColor(picture, grey, cv.COLOR_BGR2GRAY)
      const candidates = places.flatMap(searchAround).filter((found) => found.score >= settings.minScore)
      const people = suppress(candidates, settings.nms).filter((found) =>
        places.some((place) => shareInside(found.box, place) > 0.35),
      )
      return [...people.map((person) => fitted(person, blobs, people)), ...unexplained(blobs, people)]
    },
    delete() {
      for (const thing of [hog, grey, enlarged]) thing.delete()
    },
  }
}

/** Everything that moves, people or not: where the user chose so in as many words. */
export const motionDetector: Detector = {
  find: (_picture, blobs) => blobs.map(({ box, fill }) => ({ box, score: fill, kind: 'motion' })),
  delete: () => undefined,
}

type Region = { rect: Rect; scale: number }

/** The part of the picture to search around a box, and how much to enlarge it so that people `personPx` tall fit the window. */
export function regionAround(box: Box, personPx: number, width: number, height: number, targetPx: number): Region {
  const [x, y, w, h] = box
  const pad = h * 0.3
  const padAside = pad + w * 0.3
  const scale = Math.min(4, Math.max(0.2, targetPx / personPx))
  const [left, right] = widen(x - padAside, x + w + padAside, smallestRegion.width / scale, width)
  const [top, bottom] = widen(y - pad, y + h + pad, smallestRegion.height / scale, height)
  return { rect: { x: left, y: top, width: right - left, height: bottom - top }, scale }
}

/** A stretch inside 0…limit, at least `least` long where the picture allows, in whole pixels. */
function widen(from: number, to: number, least: number, limit: number): [number, number] {
  const start = Math.floor(Math.max(0, from))
  const end = Math.floor(Math.min(limit, to))
  const length = Math.min(limit, Math.ceil(least))
  if (end - start >= length) return [start, end]
  const first = Math.floor(Math.max(0, Math.min(limit - length, (start + end - length) / 2)))
  return [first, first + length]
}

/** Greedy non-maximum suppression: the best of boxes that overlap by more than `limit`. */
export function suppress(found: readonly Detection[], limit: number): Detection[] {
  const kept: Detection[] = []
  for (const next of [...found].sort((a, b) => b.score - a.score))
    if (kept.every((better) => iou(better.box, next.box) <= limit)) kept.push(next)
  return kept
}

/**
 * The classifier knows that there is a person better than where the feet are; the edge of what moves knows that exactly,
 * if it is this person alone that moves there, legs and all.
 */
function fitted(person: Detection, blobs: readonly Blob[], people: readonly Detection[]): Detection {
  const [x, y, w, h] = person.box
  const area = blobs.find(({ box }) => shareInside(person.box, box) > 0.5 || iou(person.box, box) > 0.4)?.box
  if (!area || people.some((other) => other !== person && shareInside(other.box, area) > 0.35)) return person
  const areaEnd = area[1] + area[3]
  const above = (y + h - areaEnd) / h
  const top = Math.abs(y - area[1]) < h * 0.15 ? area[1] : y
  // An area that ends well above the feet lacks them; one that ends well below holds more than this person.
  const end = above < 0.06 && area[3] < h * 1.35 ? areaEnd : y + h
  return { ...person, box: [x, top, w, end - top] }
}

/** Moving areas shaped like a person that no person found accounts for. */
function unexplained(blobs: readonly Blob[], people: readonly Detection[]): Detection[] {
  return blobs
    .filter(({ box, fill }) => box[3] / box[2] > 1.1 && fill > 0.35)
    .filter(({ box }) =>
      people.every(
        (person) =>
          shareInside(person.box, box) <= 0.4 && iou(person.box, box) <= 0.3 && shareInside(box, person.box) <= 0.5,
      ),
    )
    .map(({ box }) => ({ box, score: blobScore, kind: 'blob' }))
}

function peopleDetector(cv: Cv): Mat {
  const values = cv.HOGDescriptor.getDefaultPeopleDetector()
  if (!('get' in values)) return values
  const numbers = Array.from({ length: values.size() }, (_, i) => values.get(i))
  values.delete()
  return cv.matFromArray(numbers.length, 1, cv.CV_32F, numbers)
}
