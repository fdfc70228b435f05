import type { Box } from '@sightline/domain'
import type { Mat } from './opencv.ts'
import type { Part } from './usecase/usecase.ts'

/** Side of the blocks in which flame-coloured pixels are counted. */
const side = 8
const watchedMs = 2000
/** Flicker of up to 5 Hz must show; fewer pictures than this in the watched time do not. */
const leastPictures = 16
/** Of a block: mean of flame-coloured pixels, and their deviation over time. */
const leastMean = 4
const leastDeviation = 5
/** A swing counts from this many pixels off the mean. */
const swing = 3
const flickerHz = { least: 2.5, most: 14 }
/** What repeats itself this exactly is a beacon. */
const mostPeriodic = 0.75
const leastBlocks = 3
/** Mean difference of the channels below which a picture has no colour: night mode. */
const leastColour = 3

type Look = { at: number; counts: Uint8Array }

/** `flames` is null while it cannot be told; `cause` says why, as a message id, null in the first two seconds. */
export type FlamesSeen = { flames: Part[] | null; cause: 'degraded:no_colour' | 'degraded:too_few_pictures' | null }

/**
 * Flames by colour and flicker, after Töreyin et al. and He et al. 2015: blocks of the picture whose number of flame-coloured
 * pixels swings irregularly several times a second. Experimental: welding, sunlit flags and screens may look alike, small,
 * blue or distant flames do not show. At 12 pictures a second the first answer comes after two seconds.
 */
export function createFlames(width: number, height: number) {
  const columns = Math.floor(width / side)
  const rows = Math.floor(height / side)
  let looks: Look[] = []
  let since: number | null = null
  const reset = () => {
    looks = []
    since = null
  }

  return {
    /** @param picture BGR of the size given at creation */
    look(picture: Mat, at: number): FlamesSeen {
      since ??= at
      const { counts, colour } = countFlameColours(picture.data, width, columns, rows)
      if (colour < leastColour) {
        reset()
        return { flames: null, cause: 'degraded:no_colour' }
      }
      looks = [...looks.filter((one) => one.at > at - watchedMs && one.at < at), { at, counts }]
      if (looks.length < leastPictures)
        return { flames: null, cause: at - since < watchedMs ? null : 'degraded:too_few_pictures' }
      const burning = flickering(looks, columns * rows)
      const isFire = burning.length >= leastBlocks
      return { flames: isFire ? [around(burning, columns, width, height)] : [], cause: null }
    },
    reset,
  }
}

/** Flame-coloured pixels by block, and the mean difference between the channels. */
function countFlameColours(bgr: Uint8Array, width: number, columns: number, rows: number) {
  const counts = new Uint8Array(columns * rows)
  const pixels = rows * side * width
  let light = 0
  let colour = 0
  for (let i = 0, p = 0; i < pixels; i++, p += 3) {
    const [b, g, r] = [bgr[p] as number, bgr[p + 1] as number, bgr[p + 2] as number]
    light += lumaOf(r, g, b)
    colour += Math.max(r, g, b) - Math.min(r, g, b)
  }
  const mean = light / pixels
  for (let y = 0; y < rows * side; y++)
    for (let x = 0, p = y * width * 3; x < columns * side; x++, p += 3) {
      const [b, g, r] = [bgr[p] as number, bgr[p + 1] as number, bgr[p + 2] as number]
      const isFlame = r > 170 && r >= g && g > b && r - b > 45 && (r - b) / (r + 1) > 0.35 && lumaOf(r, g, b) > mean
      if (isFlame) counts[Math.floor(y / side) * columns + Math.floor(x / side)]!++
    }
  return { counts, colour: colour / pixels }
}

const lumaOf = (r: number, g: number, b: number): number => 0.299 * r + 0.587 * g + 0.114 * b

/** Blocks that flicker as flames do. */
function flickering(looks: readonly Look[], blocks: number): number[] {
  const seconds = ((looks.at(-1) as Look).at - (looks[0] as Look).at) / 1000
  const found: number[] = []
  for (let block = 0; block < blocks; block++) {
    const series = looks.map(({ counts }) => counts[block] as number)
    const mean = series.reduce((sum, value) => sum + value, 0) / series.length
    if (mean <= leastMean) continue
    const off = series.map((value) => value - mean)
    const energy = off.reduce((sum, value) => sum + value * value, 0)
    if (Math.sqrt(energy / series.length) <= leastDeviation) continue
    const hz = swings(off) / 2 / seconds
    if (hz >= flickerHz.least && hz <= flickerHz.most && periodicity(off, energy) < mostPeriodic) found.push(block)
  }
  return found
}

/** How often a series goes from clearly above its mean to clearly below, and back. */
function swings(off: readonly number[]): number {
  let count = 0
  let sign = 0
  for (const value of off) {
    const next = value > swing ? 1 : value < -swing ? -1 : sign
    if (sign !== 0 && next !== sign) count++
    sign = next
  }
  return count
}

/** Greatest autocorrelation at any lag from two pictures to half of the series. */
function periodicity(off: readonly number[], energy: number): number {
  let greatest = 0
  for (let lag = 2; lag <= off.length >> 1; lag++) {
    let sum = 0
    for (let i = lag; i < off.length; i++) sum += (off[i] as number) * (off[i - lag] as number)
    greatest = Math.max(greatest, sum / ((energy * (off.length - lag)) / off.length))
  }
  return greatest
}

/** One box around the blocks; its score is the share of it that flickers. */
function around(blocks: readonly number[], columns: number, width: number, height: number): Part {
  const xs = blocks.map((block) => block % columns)
  const ys = blocks.map((block) => Math.floor(block / columns))
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs) + 1, Math.min(...ys), Math.max(...ys) + 1]
  const box: Box = [
    (left * side) / width,
    (top * side) / height,
    ((right - left) * side) / width,
    ((bottom - top) * side) / height,
  ]
  return { label: 'fire', box, score: blocks.length / ((right - left) * (bottom - top)) }
}
