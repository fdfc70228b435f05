import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Blob, createMotion, type MotionSettings } from './motion.ts'
import { type Cv, loadOpenCv, type Mat } from './opencv.ts'

const [width, height] = [320, 180]
const settings: MotionSettings = { history: 300, varThreshold: 25, shadows: true, minArea: 0.0006 }
let cv: Cv
let picture: Mat
beforeAll(async () => {
  cv = await loadOpenCv()
  picture = new cv.Mat(height, width, cv.CV_8UC3)
})
afterAll(() => picture.delete())

/** 0 or more, less than `limit`: the same in each run. */
let state = 1
function draw(limit: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((state / 2 ** 32) * limit)
}

/** Grain before grey, and some rectangles of which parts may lie outside. */
function paint(rectangles: number): void {
  const { data } = picture
  for (let i = 0; i < data.length; i++) data[i] = 100 + draw(7)
  for (let left = rectangles; left > 0; left--) {
    const [x, y, w, h] = [draw(width) - 10, draw(height) - 10, 1 + draw(40), 1 + draw(60)]
    for (let row = Math.max(0, y); row < Math.min(height, y + h); row++)
      data.fill(200 + draw(7), (row * width + Math.max(0, x)) * 3, (row * width + Math.min(width, x + w)) * 3)
  }
}

/** The same steps over the whole picture, as they stand in a textbook. */
function plainly() {
  const background = new cv.BackgroundSubtractorMOG2(settings.history, settings.varThreshold, settings.shadows)
  const [mask, labels, stats, centroids] = [new cv.Mat(), new cv.Mat(), new cv.Mat(), new cv.Mat()]
  const grain = cv.Mat.ones(3, 3, cv.CV_8U)
  const body = cv.Mat.ones(9, 3, cv.CV_8U)
  return {
    look(): Blob[] {
      background.apply(picture, mask, -1)
      cv.threshold(mask, mask, 200, 255, cv.THRESH_BINARY)
      cv.erode(mask, mask, grain)
      cv.dilate(mask, mask, grain)
      cv.morphologyEx(mask, mask, cv.MORPH_CLOSE, body)
      const count = cv.connectedComponentsWithStats(mask, labels, stats, centroids, 8, cv.CV_32S)
      return Array.from({ length: count - 1 }, (_, i) => [...stats.data32S.subarray((i + 1) * 5, (i + 2) * 5)] as const)
        .filter(([, , w = 0, h = 0, area = 0]) => area >= width * height * 0.0006 && h >= 9 && w >= 3.84)
        .map(([x = 0, y = 0, w = 0, h = 0, area = 0]) => ({ box: [x, y, w, h], fill: area / (w * h) }))
    },
    delete() {
      for (const thing of [background, mask, labels, stats, centroids, grain, body]) thing.delete()
    },
  }
}

test('what moves is found around what moves alone, as it would be in the whole picture, up to its rims', () => {
  const motion = createMotion(cv, settings, width, height)
  const plain = plainly()
  let found = 0
  let atRims = 0
  for (let i = 0; i < 80; i++) {
    // Now and then nothing, and one alone, whose surroundings are small.
    paint(i < 20 ? 0 : i % 4)
    const { state: told, blobs } = motion.look(picture, i * 200)
    const expected = plain.look()
    if (told !== 'steady') continue
    expect(blobs).toEqual(expected)
    found += blobs.length
    atRims += blobs.filter(({ box: [x, y, w, h] }) => x === 0 || y === 0 || x + w === width || y + h === height).length
  }
  expect(found).toBeGreaterThan(40)
  expect(atRims).toBeGreaterThan(5)
  motion.delete()
  plain.delete()
})
