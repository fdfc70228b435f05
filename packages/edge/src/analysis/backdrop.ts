import type { Box } from '@sightline/domain'
import type { Mat } from './opencv.ts'

const learnEveryMs = 1000
/** A place this much lighter, darker or otherwise coloured than the backdrop holds something: grey levels, and times the noise. */
const standsOutBy = { levels: 10, noise: 3 }
const firstLessons = 3
/** Share by which each lesson moves the backdrop: it follows daylight within some ten seconds. */
const lesson = 0.1

/**
 * The picture without people: learned slowly, and never where somebody is being tracked. Unlike the motion background
 * it does not swallow a person who stands still, so it can tell them from furniture that looks like one.
 */
export function createBackdrop(width: number, height: number) {
  const learned = new Float32Array(width * height * 3)
  const occupied = new Uint8Array(width * height)
  let lessons = 0
  let noise = 0
  let lastAt = Number.NEGATIVE_INFINITY

  const differenceAt = (pixels: Uint8Array, c: number): number =>
    Math.max(
      Math.abs(pixels[c]! - learned[c]!),
      Math.abs(pixels[c + 1]! - learned[c + 1]!),
      Math.abs(pixels[c + 2]! - learned[c + 2]!),
    )

  return {
    /** @param people where people are tracked, in pixels of this picture */
    learn(picture: Mat, people: readonly Box[], at: number): void {
      if (at - lastAt < learnEveryMs) return
      lastAt = at
      const weight = Math.max(lesson, 1 / ++lessons)
      occupied.fill(0)
      for (const box of people) {
        const { left, right, top, bottom } = cut(grown(box), width, height)
        for (let y = top; y < bottom; y++) occupied.fill(1, y * width + left, y * width + right)
      }
      const pixels = picture.data
      let sum = 0
      let count = 0
      for (let i = 0; i < occupied.length; i++) {
        if (occupied[i] === 1) continue
        sum += differenceAt(pixels, i * 3)
        count++
        for (let c = i * 3; c < i * 3 + 3; c++) learned[c]! += weight * (pixels[c]! - learned[c]!)
      }
      if (count > 0) noise = sum / count
    },
    /** Whether the picture shows something else than the backdrop in a box; true as long as too little is learned to tell. */
    standsOut(picture: Mat, box: Box): boolean {
      if (lessons < firstLessons) return true
      const { left, right, top, bottom } = cut(box, width, height)
      const pixels = picture.data
      let sum = 0
      for (let y = top; y < bottom; y++)
        for (let x = left; x < right; x++) sum += differenceAt(pixels, (y * width + x) * 3)
      const mean = sum / Math.max(1, (right - left) * (bottom - top))
      return mean > Math.max(standsOutBy.levels, standsOutBy.noise * noise)
    },
    reset(): void {
      lessons = 0
      lastAt = Number.NEGATIVE_INFINITY
    },
  }
}

const grown = ([x, y, w, h]: Box): Box => [x - w * 0.25, y - h * 0.1, w * 1.5, h * 1.2]

function cut([x, y, w, h]: Box, width: number, height: number) {
  const within = (value: number, limit: number) => Math.min(limit, Math.max(0, Math.round(value)))
  return {
    left: within(x, width),
    right: within(x + w, width),
    top: within(y, height),
    bottom: within(y + h, height),
  }
}
