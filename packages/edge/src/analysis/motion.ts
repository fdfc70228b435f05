import type { Box } from '@sightline/domain'
import type { Cv, Mat, Rect } from './opencv.ts'

export type MotionSettings = {
  /** Pictures the background remembers. */
  history: number
  varThreshold: number
  shadows: boolean
  /** Smallest moving area as a share of the picture. */
  minArea: number
}

/** A moving area: its box in pixels of the picture looked at, and the share of the box that moves. */
export type Blob = { box: Box; fill: number }

export type Motion = {
  /**
   * Updates the background with a BGR picture and answers what differs from it. No blobs while the background is being
   * learned: for a while after the start, and again after most of the picture changed at once (camera moved, lights, IR).
   */
  look(picture: Mat, at: number): { state: 'warming' | 'changed' | 'steady'; blobs: Blob[] }
  delete(): void
}

const warmUpMs = 2500
const warmUpPictures = 4
/** A larger change at once is not people: the camera moved, or the light was switched. */
const globalChange = 0.6
/** MOG2 marks shadows with 127 and motion with 255. */
const shadowsBelow = 200

/** Motion against a learned background: MOG2 (Zivkovic 2004), opened against noise and closed along the height of a body. */
export function createMotion(cv: Cv, settings: MotionSettings, width: number, height: number): Motion {
  const foreground = new cv.Mat()
  const labels = new cv.Mat()
  const stats = new cv.Mat()
  const centroids = new cv.Mat()
  const grain = cv.Mat.ones(3, 3, cv.CV_8U)
  const reach = Math.max(5, Math.round(height / 60)) | 1
  const bodySize = { width: Math.max(3, reach >> 1), height: reach * 2 - 1 }
  const body = cv.Mat.ones(bodySize.height, bodySize.width, cv.CV_8U)
  const newBackground = () => new cv.BackgroundSubtractorMOG2(settings.history, settings.varThreshold, settings.shadows)

  let background = newBackground()
  let learnedFrom: number | null = null
  let pictures = 0

  function restart(at: number): void {
    background.delete()
    background = newBackground()
    learnedFrom = at
    pictures = 0
  }

  function blobs(): Blob[] {
    cv.erode(foreground, foreground, grain)
    const core = cv.boundingRect(foreground)
    if (core.width === 0) return []
    const region = grown(core)
    const part = foreground.roi(region)
    // The second half of opening.
    cv.dilate(part, part, grain)
    cv.morphologyEx(part, part, cv.MORPH_CLOSE, body)
    const count = cv.connectedComponentsWithStats(part, labels, stats, centroids, 8, cv.CV_32S)
    part.delete()
    const rows = stats.data32S
    const found: Blob[] = []
    for (let i = 1; i < count; i++) {
      const [x, y, w, h, area] = rows.subarray(i * 5, i * 5 + 5) as unknown as [number, number, number, number, number]
      if (area < width * height * settings.minArea || h < height * 0.05 || w < width * 0.012) continue
      found.push({ box: [region.x + x, region.y + y, w, h], fill: area / (w * h) })
    }
    return found
  }

  /**
   * As far as what survived erosion can reach: beyond, the picture stays empty. It begins at even places, since components
   * are numbered by blocks of two by two.
   */
  function grown({ x, y, width: w, height: h }: Rect): Rect {
    const aside = 1 + (bodySize.width >> 1)
    const above = 1 + (bodySize.height >> 1)
    const left = Math.max(0, x - aside) & ~1
    const top = Math.max(0, y - above) & ~1
    return {
      x: left,
      y: top,
      width: Math.min(width, x + w + aside) - left,
      height: Math.min(height, y + h + above) - top,
    }
  }

  return {
    look(picture, at) {
      learnedFrom ??= at
      // The third argument, the learning rate, is not optional in the JavaScript build; −1 chooses it from the history.
      background.apply(picture, foreground, -1)
      pictures++
      if (pictures <= warmUpPictures || at - learnedFrom < warmUpMs) return { state: 'warming', blobs: [] }
      cv.threshold(foreground, foreground, shadowsBelow, 255, cv.THRESH_BINARY)
      if (cv.countNonZero(foreground) > globalChange * width * height) {
        restart(at)
        return { state: 'changed', blobs: [] }
      }
      return { state: 'steady', blobs: blobs() }
    },
    delete() {
      for (const thing of [background, foreground, labels, stats, centroids, grain, body]) thing.delete()
    },
  }
}
