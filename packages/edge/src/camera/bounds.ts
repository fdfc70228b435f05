/**
 * What a camera may cost at most, whatever it sends. Beyond these its process ends with `bad_stream`, and is tried again
 * later; other cameras do not notice.
 */
import type { ParameterSets } from './h264.ts'

/** A stream that was held up comes in a heap; twice 240 a second for two seconds does not. */
const mostPackets = 1000
const packetsOverMs = 2000
/** Of a process that decodes 4K in 16 reference pictures; twice what any camera took. */
export const mostMemoryBytes = 640 * 1024 * 1024
/** 5120 × 2880. Each picture takes one and a half bytes a pixel, and a decoder holds up to 17. */
const mostPixels = 14_745_600

/** Counts packets; true when they come faster than any camera sends. */
export function createFloodGuard(): (nowMs: number) => boolean {
  let count = 0
  let since = Number.NEGATIVE_INFINITY
  return (now) => {
    if (now - since > packetsOverMs) {
      since = now
      count = 0
    }
    count += 1
    return count > mostPackets
  }
}

export const isTooLarge = ({ width, height }: Pick<ParameterSets, 'width' | 'height'>): boolean =>
  width * height > mostPixels
