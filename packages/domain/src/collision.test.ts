import { expect, test } from 'vitest'
import { type Mover, timeToCollision, velocityOf } from './collision.ts'

const mover = (x: number, y: number, vx: number, vy: number): Mover => ({ at: [x, y], velocity: [vx, vy] })
const standing = mover(0, 0, 0, 0)

test.each<[string, Mover, Mover, number, number]>([
  ['head on: 10 m less the reach at 2 m/s', mover(0, 0, 1, 0), mover(10, 0, -1, 0), 2, 4],
  ['from behind: the difference of speeds counts', mover(0, 0, 5, 0), mover(12, 0, 3, 0), 2, 5],
  ['past each other in the distance of the reach: they touch', mover(0, 0, 1, 0), mover(6, 3, 0, 0), 5, 2],
  ['past each other outside the reach', mover(0, 0, 1, 0), mover(6, 3, 0, 0), 2.9, Number.POSITIVE_INFINITY],
  ['at right angles, at the crossing at once', mover(-5, 0, 1, 0), mover(0, -5, 0, 1), 1, 5 - Math.SQRT1_2],
  ['at right angles, one after the other', mover(-5, 0, 1, 0), mover(0, -9, 0, 1), 1, Number.POSITIVE_INFINITY],
  ['away from each other', mover(0, 0, -1, 0), mover(10, 0, 1, 0), 2, Number.POSITIVE_INFINITY],
  ['side by side at one speed', mover(0, 0, 3, 1), mover(4, 0, 3, 1), 2, Number.POSITIVE_INFINITY],
  ['both still', standing, mover(3, 0, 0, 0), 2, Number.POSITIVE_INFINITY],
  ['touching already', standing, mover(1.9, 0, 1, 0), 2, 0],
])('%s', (_, a, b, reach, seconds) => {
  expect(timeToCollision(a, b, reach)).toBeCloseTo(seconds, 9)
  expect(timeToCollision(b, a, reach)).toBeCloseTo(seconds, 9)
})

test('after the time to collision the two are the reach apart', () => {
  const [a, b] = [mover(1, 2, 1.3, 0.4), mover(9, 5, -0.9, -0.2)]
  const t = timeToCollision(a, b, 1.5)
  const gap = Math.hypot(8 - 2.2 * t, 3 - 0.6 * t)
  expect(gap).toBeCloseTo(1.5, 9)
})

test('a steady walk has its velocity, however irregular the pictures; noise is levelled out', () => {
  const times = [0, 90, 210, 300, 420, 500, 610, 700, 790, 900, 1000]
  const walk = times.map((at) => ({ at, place: [2 + 1.5 * (at / 1000), 7 - 0.5 * (at / 1000)] as const }))
  expect(velocityOf(walk)?.[0]).toBeCloseTo(1.5, 9)
  expect(velocityOf(walk)?.[1]).toBeCloseTo(-0.5, 9)
  const noisy = walk.map(({ at, place: [x, y] }, i) => ({ at, place: [x + (i % 2 ? 0.05 : -0.05), y] as const }))
  expect(Math.abs(velocityOf(noisy)![0] - 1.5)).toBeLessThan(0.05)
})

test('without time there is no velocity', () => {
  expect(velocityOf([])).toBeNull()
  expect(velocityOf([{ at: 5, place: [1, 1] }])).toBeNull()
})
