import { expect, test } from 'vitest'
import { createRetry } from './retry.ts'

const even = () => createRetry(() => 0.5)

test('longer waits from failure to failure, up to half a minute', () => {
  const retry = even()
  expect(Array.from({ length: 7 }, (_, i) => retry.after('cut', i * 1000, 0))).toEqual([1, 2, 5, 10, 30, 30, 30])
})

test('waits vary by a fifth, so that cameras behind one switch do not come back in step', () => {
  expect(createRetry(() => 0).after('cut', 0, 0)).toBeCloseTo(0.8)
  expect(createRetry(() => 1).after('cut', 0, 0)).toBeCloseTo(1.2)
})

test('a minute with a picture begins the ladder anew', () => {
  const retry = even()
  for (let i = 0; i < 5; i++) retry.after('cut', 0, 0)
  expect(retry.after('cut', 0, 59_000)).toBe(30)
  expect(retry.after('cut', 0, 61_000)).toBe(1)
})

test('a camera that may come back by itself is never left alone for long', () => {
  const retry = createRetry(() => 1)
  const waits = Array.from({ length: 20 }, () => retry.after('unreachable', 0, 0))
  expect(Math.max(...waits)).toBe(10)
})

test('a wrong password is tried three times in ten minutes at most', () => {
  const retry = even()
  const tries: number[] = []
  for (let now = 0; now < 3_600_000; ) {
    tries.push(now)
    now += retry.after('bad_credentials', now, 0) * 1000
  }
  for (const from of tries)
    expect(tries.filter((at) => at >= from && at < from + 600_000).length).toBeLessThanOrEqual(3)
  expect(tries.length).toBeGreaterThanOrEqual(16)
})

test('a camera that needs a person is looked at once a minute', () => {
  const retry = even()
  expect(retry.after('not_h264:hevc', 0, 0)).toBe(60)
  expect(retry.after('redirected', 0, 0)).toBe(60)
})
