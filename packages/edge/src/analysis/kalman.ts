import type { Box } from '@sightline/domain'

/** Noise of a box around a person, in body heights (and seconds). */
const noise = {
  /** Standard deviation of a detected centre. */
  measured: 0.05,
  measuredHeight: 0.1,
  /** Of the ratio of width to height, which has no unit. */
  measuredRatio: 0.1,
  /** Speed at birth: walking is about 0.8 heights a second. */
  speed: 0.8,
  /** Change of speed per √second. */
  acceleration: 0.7,
  ratioDrift: 0.05,
  /** People do not grow; they come nearer: change of height per √second. */
  heightDrift: 0.12,
}

/** One coordinate with its speed, and their covariance. */
type Axis = { value: number; speed: number; p00: number; p01: number; p11: number }

/**
 * Constant-velocity filter of a box as (centre x, centre y, width/height, height), each coordinate by itself.
 * Time is real seconds, since pictures are dropped and rates change.
 */
export type Filter = { x: Axis; y: Axis; ratio: Axis; height: Axis }

const axis = (value: number, deviation: number, speedDeviation: number): Axis => ({
  value,
  speed: 0,
  p00: deviation ** 2,
  p01: 0,
  p11: speedDeviation ** 2,
})

export function startFilter([x, y, w, h]: Box): Filter {
  return {
    x: axis(x + w / 2, noise.measured * h, noise.speed * h),
    y: axis(y + h / 2, noise.measured * h, noise.speed * h),
    ratio: axis(w / h, noise.measuredRatio, 0),
    height: axis(h, noise.measuredHeight * h, 0),
  }
}

export function predict(filter: Filter, seconds: number): void {
  const h = filter.height.value
  predictAxis(filter.x, seconds, noise.acceleration * h)
  predictAxis(filter.y, seconds, noise.acceleration * h)
  filter.height.p00 += (noise.heightDrift * h) ** 2 * seconds
  filter.ratio.p00 += noise.ratioDrift ** 2 * seconds
}

export function correct(filter: Filter, [x, y, w, h]: Box): void {
  correctAxis(filter.x, x + w / 2, noise.measured * h)
  correctAxis(filter.y, y + h / 2, noise.measured * h)
  correctAxis(filter.ratio, w / h, noise.measuredRatio)
  correctAxis(filter.height, h, noise.measuredHeight * h)
}

export function boxOf({ x, y, ratio, height }: Filter): Box {
  const h = Math.max(1, height.value)
  const w = Math.max(1, ratio.value * h)
  return [x.value - w / 2, y.value - h / 2, w, h]
}

/** Speed as a random walk: white noise of acceleration with density `q`². */
function predictAxis(a: Axis, t: number, q: number): void {
  const density = q * q
  a.value += a.speed * t
  a.p00 += t * (2 * a.p01 + t * a.p11) + (density * t ** 3) / 3
  a.p01 += t * a.p11 + (density * t ** 2) / 2
  a.p11 += density * t
}

/** A surprise beyond this many standard deviations pulls no harder than one of that size (Huber 1964). */
const surpriseLimit = 1.5

function correctAxis(a: Axis, measured: number, deviation: number): void {
  const surprise = measured - a.value
  const sigmas = Math.abs(surprise) / Math.sqrt(a.p00 + deviation ** 2)
  const doubt = Math.max(1, sigmas / surpriseLimit)
  const total = a.p00 + deviation ** 2 * doubt ** 2
  const gain = a.p00 / total
  const speedGain = a.p01 / total
  a.value += gain * surprise
  a.speed += speedGain * surprise
  a.p11 -= speedGain * a.p01
  a.p01 -= gain * a.p01
  a.p00 -= gain * a.p00
}
