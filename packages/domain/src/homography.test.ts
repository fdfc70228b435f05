import { expect, test } from 'vitest'
import type { Point } from './geometry.ts'
import { formatPoints, groundError, homographyOf, parsePoints, toGround } from './homography.ts'

const near = (point: Point | null, [x, y]: Point) => {
  expect(point?.[0]).toBeCloseTo(x, 8)
  expect(point?.[1]).toBeCloseTo(y, 8)
}
/** A floor seen from above one of its sides: 10 m wide, 20 m deep. */
const image: Point[] = [
  [0.15, 0.9],
  [0.85, 0.9],
  [0.65, 0.4],
  [0.35, 0.4],
]
const world: Point[] = [
  [0, 0],
  [10, 0],
  [10, 20],
  [0, 20],
]

test('the four points lie where they were measured, and the middle of the floor where its diagonals cross', () => {
  const matrix = homographyOf({ image, world })!
  image.forEach((point, i) => {
    near(toGround(matrix, point), world[i] as Point)
  })
  // Diagonals of the trapezium cross at y = 0.9 − 0.5 · 0.35 / (0.35 + 0.15).
  near(toGround(matrix, [0.5, 0.55]), [5, 10])
})

test('a camera straight above is a change of scale', () => {
  const square: Point[] = [
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 1],
  ]
  const matrix = homographyOf({ image: square, world: square.map(([x, y]) => [x * 8, y * 6] as const) })!
  near(toGround(matrix, [0.25, 0.5]), [2, 3])
  // 8 m over 640 pixels, 6 m over 480.
  expect(groundError(matrix, [0.5, 0.5], 640, 480)).toBeCloseTo(0.0125, 8)
  expect(groundError(matrix, [0.5, 0.5], 640, 120)).toBeCloseTo(0.05, 8)
})

test('the points may be named from any corner and go round either way', () => {
  const turned = (points: Point[]) => [...points.slice(1), points[0] as Point]
  near(toGround(homographyOf({ image: turned(image), world: turned(world) })!, [0.5, 0.55]), [5, 10])
  const reversed = homographyOf({ image: [...image].reverse(), world: [...world].reverse() })!
  near(toGround(reversed, [0.5, 0.55]), [5, 10])
  const mirrored = homographyOf({ image, world: world.map(([x, y]) => [-x, y] as const) })!
  near(toGround(mirrored, [0.5, 0.55]), [-5, 10])
})

test('a pixel is the more metres the farther away, without end at the horizon, and there is no floor above it', () => {
  const matrix = homographyOf({ image, world })!
  const errors = [0.9, 0.6, 0.4, 0.3].map((y) => groundError(matrix, [0.5, y], 640, 360))
  expect(errors).toEqual([...errors].sort((a, b) => a - b))
  // Sides of the trapezium meet at y = 0.9 − 0.5 · 0.7 / 0.4 = 0.025.
  expect(toGround(matrix, [0.5, 0.02])).toBeNull()
  expect(groundError(matrix, [0.5, 0.02], 640, 360)).toBe(Number.POSITIVE_INFINITY)
  expect(groundError(matrix, [0.5, 0.03], 640, 360)).toBeGreaterThan(100)
})

test('the error of a pixel is what moving by a pixel changes', () => {
  const matrix = homographyOf({ image, world })!
  const at = (x: number, y: number) => toGround(matrix, [x, y])!
  const here = at(0.4, 0.7)
  const steps = Array.from({ length: 360 }, (_, i) => (i * Math.PI) / 180).map((angle) => {
    const there = at(0.4 + Math.cos(angle) / 640 / 100, 0.7 + Math.sin(angle) / 360 / 100)
    return Math.hypot(there[0] - here[0], there[1] - here[1]) * 100
  })
  expect(groundError(matrix, [0.4, 0.7], 640, 360)).toBeCloseTo(Math.max(...steps), 4)
})

const inLine: Point[] = [
  [0.1, 0.1],
  [0.2, 0.2],
  [0.3, 0.3],
  [0.9, 0.1],
]
test.each<[string, { image: Point[]; world: Point[] }]>([
  ['three points', { image: image.slice(1), world: world.slice(1) }],
  ['five points', { image: [...image, [0.5, 0.5]], world: [...world, [5, 10]] }],
  ['three points in a line in the picture', { image: inLine, world }],
  ['three points in a line on the floor', { image, world: inLine }],
  [
    'three points nearly in a line',
    {
      image: [
        [0.1, 0.1],
        [0.2, 0.2001],
        [0.3, 0.3],
        [0.9, 0.1],
      ],
      world,
    },
  ],
  ['two points that are one', { image: [image[0]!, image[0]!, image[2]!, image[3]!], world }],
  ['all points one', { image: Array(4).fill([0.5, 0.5]), world }],
  ['corners in another order than on the floor', { image, world: [world[0]!, world[2]!, world[1]!, world[3]!] }],
])('%s: no floor', (_, calibration) => {
  expect(homographyOf(calibration)).toBeNull()
})

test('points are read as they are written, and nothing else is', () => {
  expect(parsePoints(formatPoints(world))).toEqual(world)
  expect(parsePoints(' 0.1,0.25  -3,4\n')).toEqual([
    [0.1, 0.25],
    [-3, 4],
  ])
  for (const text of ['', '1', '1,2,3', '1;2', '1,2 x', '1e5,2', 'NaN,1', '1,', '.5,1', '0x1,2'])
    expect(parsePoints(text), text).toBeNull()
})
