import type { Point } from '@sightline/domain'
import type { Cv, Mat, Scalar } from './opencv.ts'

export type Mask = {
  /** Paints the masked parts over. */
  blank(picture: Mat): void
  delete(): void
}

const grey: Scalar = [114, 114, 114, 0]

/** Parts of the picture that are never analysed: polygons in 0…1. */
export function createMask(cv: Cv, polygons: readonly (readonly Point[])[], width: number, height: number): Mask {
  if (polygons.length === 0) return { blank: () => undefined, delete: () => undefined }
  const area = new cv.Mat(height, width, cv.CV_8UC1, [0, 0, 0, 0])
  const shapes = new cv.MatVector()
  const corners = polygons.map((points) =>
    cv.matFromArray(
      points.length,
      1,
      cv.CV_32SC2,
      points.flatMap(([x, y]) => [Math.round(x * width), Math.round(y * height)]),
    ),
  )
  for (const shape of corners) shapes.push_back(shape)
  cv.fillPoly(area, shapes, [255, 0, 0, 0])
  for (const thing of [...corners, shapes]) thing.delete()
  return {
    blank: (picture) => picture.setTo(grey, area),
    delete: () => area.delete(),
  }
}
