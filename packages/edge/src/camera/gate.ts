/**
 * Which packets of a camera need decoding while nothing happens in its picture. Pure: packets come with their own times.
 *
 * A quiet scene is watched in two ways that cost little: the sizes of its packets, which jump when something moves, and a
 * glance at a key frame now and then. On a jump, or when a glance shows another picture than the one before, everything
 * since the last glance is decoded, so that nothing of what happened is lost.
 */
import { ticksPerSecond } from './timeline.ts'

export type Arrived = { key: boolean; bytes: number; pts: number }

/**
 * - `decode`: this packet, and all that were kept before it;
 * - `keep`: until it is known whether it is needed;
 * - `glance`: decode this key frame alone; where it shows a change, `wake` and decode it with all that were kept.
 */
export type Verdict = 'decode' | 'keep' | 'glance'

export type Gate = {
  /** @param mayRest whoever gets the pictures saw nothing that moves or must be followed */
  next(packet: Arrived, mayRest: boolean): Verdict
  /** Ends the rest for some seconds. */
  wake(): void
  isResting(): boolean
}

/** No longer may nobody look. Key frames further apart leave no rest: what they are to show would have to be decoded anyway. */
const longestRestTicks = 3 * ticksPerSecond
const glanceTicks = 2 * ticksPerSecond
/** A scene rests when nothing has moved for this long, as far as anybody can tell. */
const calmTicks = 0.6 * ticksPerSecond

export function createGate(): Gate {
  const sizes = createSizes()
  let resting = false
  let calmSince: number | null = null
  /** Of the last picture before the rest, or of the last glance. */
  let lookedAt = Number.NEGATIVE_INFINITY
  let keyAt: number | null = null
  let groupTicks = Number.POSITIVE_INFINITY

  const wake = () => {
    resting = false
    calmSince = null
  }
  return {
    next({ key, bytes, pts }, mayRest) {
      if (key) {
        if (keyAt !== null) groupTicks = pts - keyAt
        keyAt = pts
      }
      const hasJumped = !key && sizes.take(bytes, mayRest)
      const sinceLook = pts - lookedAt
      if (!mayRest || hasJumped || (resting && !key && sinceLook > longestRestTicks)) {
        wake()
        return 'decode'
      }
      if (resting) {
        if (!key || sinceLook < glanceTicks) return 'keep'
        lookedAt = pts
        return 'glance'
      }
      calmSince ??= pts
      const isTooLong = Math.max(groupTicks, pts - (keyAt ?? pts)) > longestRestTicks
      if (pts - calmSince < calmTicks || isTooLong) return 'decode'
      resting = true
      lookedAt = pts
      return 'decode'
    },
    wake,
    isResting: () => resting,
  }
}

/** Sizes are compared as logarithms: a camera's settings scale all of them alike. */
const quickly = 1 / 4
const slowly = 1 / 64
const leastKnown = 15
/** By how much the mean of a few packets, or a single one, must differ: ln(1.25), ln(2), and times the usual deviation. */
const few = { least: 0.25, deviations: 2.5 }
const single = { least: 0.7, deviations: 5 }

/** What packets between key frames usually measure, learnt while nothing moves. */
function createSizes() {
  let count = 0
  let usual = 0
  let deviation = 0
  let recent = 0

  return {
    /** True when the packet, or the last few, are unusual. */
    take(bytes: number, mayLearn: boolean): boolean {
      const size = Math.log(Math.max(1, bytes))
      if (count === 0) {
        usual = size
        recent = size
      }
      recent += quickly * (size - recent)
      const isUnusual =
        count >= leastKnown &&
        (Math.abs(recent - usual) > Math.max(few.least, few.deviations * deviation) ||
          Math.abs(size - usual) > Math.max(single.least, single.deviations * deviation))
      if (mayLearn) {
        count += 1
        const weight = Math.max(slowly, 1 / count)
        deviation += weight * (Math.abs(size - usual) - deviation)
        usual += weight * (size - usual)
      }
      return isUnusual
    },
  }
}

/** Side lengths of what glances compare: grey cells, each the mean of its part of the picture. */
export const glanceSize = { width: 64, height: 36 }
/** Grey levels by which a cell differs where something stands that was not there; noise and coding stay below. */
const cellDiffers = 5
/** All of it lighter or darker at once. */
const allDiffers = 12

/** Whether two pictures, reduced to the same cells, show different things; slow changes of light are not. */
export function showsChange(before: Uint8Array, now: Uint8Array): boolean {
  if (before.length !== now.length) return true
  let sum = 0
  for (let i = 0; i < now.length; i++) sum += (now[i] as number) - (before[i] as number)
  const shift = sum / now.length
  if (Math.abs(shift) > allDiffers) return true
  for (let i = 0; i < now.length; i++)
    if (Math.abs((now[i] as number) - (before[i] as number) - shift) > cellDiffers) return true
  return false
}
