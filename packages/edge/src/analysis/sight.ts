import type { Cv, Mat } from './opencv.ts'

/** How well the camera sees, apart from what there is to see. */
export type Sight = 'clear' | 'black' | 'covered' | 'frozen' | 'blurred'

/** In these nothing can be counted; a blurred picture still shows people. */
export const isBlind = (sight: Sight): boolean => sight === 'black' || sight === 'covered' || sight === 'frozen'

const checkEveryMs = 1000
/** How long a fault must last before it is believed; encoders repeat a picture exactly for a group of pictures at most. */
const holdMs = { black: 2500, covered: 2500, blurred: 5000, frozen: 10_000 }
/**
 * Of the luma, 0…255: its mean and standard deviation. Sharpness is the variance of the Laplacian over that of the luma,
 * so that contrast and exposure do not matter: 0.16 to 0.5 in the clips at hand, 0.02 slightly out of focus, 0.005 useless.
 */
const limits = { blackMean: 20, blackDeviation: 10, coveredDeviation: 6, sharpness: 0.006 }

/** Judges about once a second whether the picture is black, covered, frozen or blurred; each picture while it is blind. */
export function createSight(cv: Cv) {
  const grey = new cv.Mat()
  const edges = new cv.Mat()
  const mean = new cv.Mat()
  const deviation = new cv.Mat()
  let checkedAt = Number.NEGATIVE_INFINITY
  let fingerprint = 0
  let sameSince = 0
  let fault: Sight = 'clear'
  let faultSince = 0
  let sight: Sight = 'clear'

  function spread(picture: Mat): { mean: number; deviation: number } {
    cv.meanStdDev(picture, mean, deviation)
    return { mean: mean.data64F[0] as number, deviation: deviation.data64F[0] as number }
  }
  function faultOf(picture: Mat): Sight {
    cv.cvtColor(picture, grey, cv.COLOR_BGR2GRAY)
    const luma = spread(grey)
    if (luma.mean < limits.blackMean && luma.deviation < limits.blackDeviation) return 'black'
    if (luma.deviation < limits.coveredDeviation) return 'covered'
    cv.Laplacian(grey, edges, cv.CV_64F)
    return (spread(edges).deviation / luma.deviation) ** 2 < limits.sharpness ? 'blurred' : 'clear'
  }

  return {
    /** @param picture BGR, small */
    look(picture: Mat, at: number): Sight {
      // Who is blind must not overlook that something shows again.
      if (at - checkedAt < checkEveryMs && !isBlind(sight)) return sight
      checkedAt = at
      const print = fingerprintOf(picture.data)
      if (print !== fingerprint) {
        fingerprint = print
        sameSince = at
      }
      const found = faultOf(picture)
      if (found !== fault) {
        fault = found
        faultSince = at
      }
      const held = fault !== 'clear' && at - faultSince >= holdMs[fault] ? fault : 'clear'
      // A picture that is blurred freezes like any other.
      sight = !isBlind(held) && at - sameSince >= holdMs.frozen ? 'frozen' : held
      return sight
    },
    delete(): void {
      for (const thing of [grey, edges, mean, deviation]) thing.delete()
    },
  }
}

/** FNV-1a, 32 bits, by words of four bytes: OpenCV's memory is aligned, and one that differs alone always shows. */
function fingerprintOf(bytes: Uint8Array): number {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2)
  let hash = 0x811c9dc5
  for (let i = 0; i < words.length; i++) hash = Math.imul(hash ^ (words[i] as number), 0x01000193)
  return hash
}
