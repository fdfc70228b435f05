import { type Box, iou, shareInside } from '@sightline/domain'

/** Looked at this often in vain, what moves is taken for no person. */
const certainAfter = 3
/** Then it is looked at again after this long, and twice as long each time. */
const firstPauseMs = 400
const longestPauseMs = 1600
/** The same thing in the next picture, and about as large as when it was first looked at. */
const sameAbove = 0.3
const sizeDiffers = 1.25

type Area = { box: Box; size: Box; looks: number; againAt: number }

/**
 * Cars, doors and branches move as people do, and the detector is the dearest part of a picture: where it has looked again
 * and again and found nobody it looks less and less often, until the thing changes its size. Never where somebody is
 * tracked: it is then the detector's mistake.
 */
export function createDoubt() {
  let areas: Area[] = []

  const areaOf = (box: Box): Area | undefined => {
    const best = areas.reduce<{ area?: Area; overlap: number }>(
      (found, area) => {
        const overlap = iou(area.box, box)
        return overlap > found.overlap ? { area, overlap } : found
      },
      { overlap: sameAbove },
    )
    return best.area && isAsLarge(best.area.size, box) ? best.area : undefined
  }

  return {
    /** Which of the moving areas are worth a look. */
    plan(moving: readonly Box[], people: readonly Box[], at: number): Box[] {
      areas = moving.map((box) => {
        const known = areaOf(box)
        return known ? { ...known, box } : { box, size: box, looks: 0, againAt: at }
      })
      return areas
        .filter((area) => at >= area.againAt || people.some((person) => touch(person, area.box)))
        .map(({ box }) => box)
    },
    /** After the detector: where it looked, and whom it found. */
    note(looked: readonly Box[], found: readonly Box[], at: number): void {
      for (const area of areas) {
        if (!looked.includes(area.box)) continue
        if (found.some((person) => touch(person, area.box))) Object.assign(area, { looks: 0, againAt: at })
        else {
          area.looks += 1
          const pause = firstPauseMs * 2 ** (area.looks - certainAfter)
          area.againAt = area.looks < certainAfter ? at : at + Math.min(pause, longestPauseMs)
        }
      }
    },
  }
}

const isAsLarge = ([, , w, h]: Box, [, , width, height]: Box): boolean =>
  Math.max(w / width, width / w, h / height, height / h) <= sizeDiffers

const touch = (person: Box, area: Box): boolean => shareInside(person, area) > 0.2 || shareInside(area, person) > 0.2
