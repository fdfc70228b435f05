import { beforeAll, expect, test } from 'vitest'
import { createFlames } from './flames.ts'
import { type Cv, loadOpenCv, type Mat } from './opencv.ts'
import { flame, newPaint, noise, type Paint, paintOn } from './testing/paint.ts'

const [width, height, fps] = [320, 240, 12]

let cv: Cv
beforeAll(async () => {
  cv = await loadOpenCv()
})

/** A grey-brown wall with noise, different in each of seven pictures. */
const room = Array.from({ length: 7 }, (_, i) => {
  const random = noise(i + 1)
  return newPaint(width, height, [96, 104, 112]).data.map((value) => value + 8 * random())
})

/** Seventeen seconds of it, and what is painted into it. */
function burning(paint: (canvas: Paint, index: number, random: () => number) => void): number[] {
  const flames = createFlames(width, height)
  const picture: Mat = new cv.Mat(height, width, cv.CV_8UC3)
  const random = noise(7)
  const found: number[] = []
  for (let i = 0; i < 17 * fps; i++) {
    const canvas = paintOn(room[i % room.length]!.slice(), width, height)
    paint(canvas, i, random)
    picture.data.set(canvas.data)
    if ((flames.look(picture, Math.round((i * 1000) / fps)).flames ?? []).length > 0) found.push(i)
  }
  picture.delete()
  return found
}
const block = (canvas: Paint, x: number, y: number, w: number, h: number, rgb: readonly [number, number, number]) => {
  for (let row = 0; row < h; row++) for (let column = 0; column < w; column++) canvas.put(x + column, y + row, rgb)
}

test('a flickering flame is found within four seconds, and most of the time from then on', () => {
  const found = burning((canvas, i, random) => flame(canvas, i, 200, 200, random))
  expect(found[0]! / fps).toBeLessThan(4)
  expect(found.length).toBeGreaterThan(0.6 * (17 * fps - found[0]!))
})

test.each<[string, (canvas: Paint, index: number) => void]>([
  ['an empty room', () => undefined],
  [
    'somebody in an orange vest',
    (canvas, i) => block(canvas, 40 + i * 1.2, 120 + 2 * Math.sin(i), 14, 24, [245, 130, 30]),
  ],
  ['a lamp', (canvas) => block(canvas, 250, 60, 20, 20, [255, 190, 90])],
  [
    'a beacon of 2 Hz',
    (canvas, i) => (Math.floor(i / (fps / 4)) % 2 ? block(canvas, 250, 60, 24, 24, [255, 160, 20]) : undefined),
  ],
  ['a beacon of 3 Hz', (canvas, i) => (i % 4 < 2 ? block(canvas, 250, 60, 24, 24, [255, 160, 20]) : undefined)],
])('%s is no fire', (_, paint) => {
  expect(burning(paint)).toEqual([])
})

test('fewer than eight pictures a second, and pictures without colour, cannot tell', () => {
  const picture: Mat = new cv.Mat(height, width, cv.CV_8UC3)
  const slow = createFlames(width, height)
  picture.data.set(newPaint(width, height, [96, 104, 112]).data)
  for (let at = 0; at < 10_000; at += 200)
    expect(slow.look(picture, at)).toEqual({ flames: null, cause: at < 2000 ? null : 'degraded:too_few_pictures' })
  picture.data.set(newPaint(width, height, [90, 90, 90]).data)
  expect(createFlames(width, height).look(picture, 0)).toEqual({ flames: null, cause: 'degraded:no_colour' })
  picture.delete()
})
