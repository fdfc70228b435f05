import { type Box, faceSquare, letterbox, type Size, type ValueRange } from '@sightline/domain'
import type { Cv, Mat } from '../analysis/opencv.ts'
import { openInference } from './inference.ts'

/** How the vector of a face is made. */
export type EmbedderSettings = { file: string; size: Size; range: ValueRange }

export type Embedder = {
  /**
   * The face in a picture as a unit vector; null when the model gives it no direction, or does not work: see `trouble`.
   * @param picture BGR · @param box of the face, in pixels
   */
  embed(picture: Mat, box: Box): Float32Array | null
  /** Why the model does not work, as a cause; null while it does. */
  trouble(): string | null
  delete(): void
}

/** A user's embedding model. @throws ModelTrouble */
export function createEmbedder(cv: Cv, settings: EmbedderSettings): Embedder {
  const inference = openInference({ ...settings, head: 'embedding' })
  const fitted = new cv.Mat()
  return {
    embed(picture, face) {
      const [x, y, width, height] = faceSquare(face, { width: picture.cols, height: picture.rows })
      const box = letterbox({ width, height }, settings.size)
      const square = picture.roi({ x, y, width, height })
      const fittedSize = new cv.Size(box.width, box.height)
      // Averages areas where it makes smaller; to enlarge there is nothing to average.
      cv.resize(square, fitted, fittedSize, 0, 0, box.scale < 1 ? cv.INTER_AREA : cv.INTER_LINEAR)
      square.delete()
      return inference.vector(fitted.data, { width, height })
    },
    trouble: inference.trouble,
    delete() {
      fitted.delete()
      inference.close()
    },
  }
}
