import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Cv, loadOpenCv, type Mat } from './opencv.ts'
import { createSight } from './sight.ts'

const width = 320
const height = 180
let cv: Cv
let picture: Mat
beforeAll(async () => {
  cv = await loadOpenCv()
  picture = new cv.Mat(height, width, cv.CV_8UC3)
})
afterAll(() => picture.delete())

type Paint = (x: number, y: number, ms: number) => number
/** Squares of 20 pixels, 60 and 180. */
const chequered: Paint = (x, y) => ((x / 20 + Math.floor(y / 20)) % 2 < 1 ? 60 : 180)
const noise = (x: number, y: number, ms: number) => ((x * 7919 + y * 104_729 + ms * 31) % 7) - 3

/** What is judged of pictures every second, or as often, for each of them from 0 to `untilS`. */
function judge(paint: Paint, untilS = 16, everyMs = 1000): string[] {
  const sight = createSight(cv)
  const seen: string[] = []
  for (let ms = 0; ms <= untilS * 1000; ms += everyMs) {
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) picture.data.fill(paint(x, y, ms), (y * width + x) * 3, (y * width + x) * 3 + 3)
    seen.push(sight.look(picture, ms))
  }
  sight.delete()
  return seen
}
const grainy: (paint: Paint) => Paint = (paint) => (x, y, ms) => paint(x, y, ms) + noise(x, y, ms)

test('a picture with edges and grain is clear', () => {
  expect(new Set(judge(grainy(chequered)))).toEqual(new Set(['clear']))
})

test('low contrast and little light are still clear', () => {
  expect(new Set(judge(grainy((x, y, ms) => 10 + chequered(x, y, ms) / 4)))).toEqual(new Set(['clear']))
})

test('a black picture is told after three seconds', () => {
  expect(
    judge(
      grainy(() => 6),
      5,
    ),
  ).toEqual(['clear', 'clear', 'clear', 'black', 'black', 'black'])
})

test('an even picture of any colour is a covered lens', () => {
  expect(
    judge(
      grainy(() => 130),
      4,
    ).at(-1),
  ).toBe('covered')
})

test('the first picture that shows something again is clear, whenever it comes', () => {
  const seen = judge((x, y, ms) => (ms === 5400 ? chequered(x, y, ms) : 130) + noise(x, y, ms), 6, 200)
  expect(seen.slice(26, 29)).toEqual(['covered', 'clear', 'clear'])
})

test('soft waves without edges are blurred', () => {
  const soft: Paint = (x) => 120 + 60 * Math.sin(x / 50)
  expect(judge(soft, 6)).toEqual(['clear', 'clear', 'clear', 'clear', 'clear', 'blurred', 'blurred'])
})

test('the very same picture for ten seconds is frozen, and the first that differs is not', () => {
  const seen = judge((x, y, ms) => chequered(x, y, ms) + (ms >= 14_000 ? noise(x, y, ms) : 0))
  expect(seen.indexOf('frozen')).toBe(10)
  expect(seen[14]).toBe('clear')
})

test('a blurred picture that freezes is frozen', () => {
  const soft: Paint = (x) => 120 + 60 * Math.sin(x / 50)
  const seen = judge(soft)
  expect([seen.indexOf('blurred'), seen.indexOf('frozen'), seen.at(-1)]).toEqual([5, 10, 'frozen'])
})

test('a moment of darkness is nothing', () => {
  expect(new Set(judge((x, y, ms) => (ms === 4000 ? 5 : chequered(x, y, ms) + noise(x, y, ms)), 8))).toEqual(
    new Set(['clear']),
  )
})
