import { expect, test } from 'vitest'
import type { AccessUnit } from './h264.ts'
import { createRing } from './ring.ts'
import { ticksPerSecond } from './timeline.ts'

const parameters = { sps: [], pps: [], width: 640, height: 360 }
const unit = (seconds: number, key: boolean, size = 100): AccessUnit => ({
  key,
  pts: seconds * ticksPerSecond,
  dts: seconds * ticksPerSecond,
  at: seconds * 1000,
  data: Buffer.alloc(size),
  parameters,
})
const seconds = (units: AccessUnit[]) => units.map(({ pts }) => pts / ticksPerSecond)

test('holds the wanted seconds and what is needed to begin with a key frame', () => {
  const ring = createRing(5, 1e6)
  for (let second = 0; second <= 20; second++) ring.push(unit(second, second % 3 === 0))
  expect(seconds(ring.all())).toEqual([15, 16, 17, 18, 19, 20])
  expect(seconds(ring.group())).toEqual([18, 19, 20])
})

test('begins with the first key frame', () => {
  const ring = createRing(5, 1e6)
  ring.push(unit(0, false))
  expect(ring.all()).toEqual([])
  expect(ring.group()).toEqual([])
  ring.push(unit(1, true))
  expect(seconds(ring.group())).toEqual([1])
})

test('gives up whole groups beyond its size, even the one under way', () => {
  const ring = createRing(100, 1000)
  for (let second = 0; second < 9; second++) ring.push(unit(second, second % 3 === 0, 150))
  expect(seconds(ring.all())).toEqual([3, 4, 5, 6, 7, 8])
  for (let second = 9; second < 20; second++) ring.push(unit(second, second === 9, 150))
  expect(ring.all()).toEqual([])
  ring.push(unit(20, false))
  expect(ring.all()).toEqual([])
  ring.push(unit(21, true))
  ring.push(unit(22, false))
  expect(seconds(ring.all())).toEqual([21, 22])
})
