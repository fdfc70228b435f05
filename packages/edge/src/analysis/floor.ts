import { type Box, groundError, type Point, toGround } from '@sightline/domain'
import type { Floor } from './settings.ts'

/** A place that is off by more than this for each pixel that the feet are off is no place. */
const roughestM = 0.5
/** Feet so near the lower edge may be below it. */
const edge = 0.005
/** Picture widths to the focal point of a camera that sees 53° across, taken where nothing was measured. */
const usualFocal = 1

/**
 * Where somebody stands on the floor, in metres, by the bottom centre of the box; null without a calibration, where the
 * feet are outside the picture, beyond the horizon, and where one pixel is more than half a metre.
 * @param aspect width / height of the picture
 * @param height of the picture in pixels
 */
export function placeOf([x, y, w, h]: Box, floor: Floor | null, aspect: number, height: number): Point | null {
  if (!floor || y + h > 1 - edge) return null
  const width = aspect * height
  if (floor.kind === 'points') {
    const feet: Point = [x + w / 2, y + h]
    return groundError(floor.matrix, feet, width, height) <= roughestM ? toGround(floor.matrix, feet) : null
  }
  // Who looks half as tall stands twice as far away.
  const away = (usualFocal * width * floor.metres) / (h * height)
  if (away / (h * height) > roughestM) return null
  return [((x + w / 2 - 0.5) * away) / usualFocal, away]
}
