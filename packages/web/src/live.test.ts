import { expect, test } from 'vitest'
import { reconnectWait } from './live.ts'

test('waits double up to half a minute, and half of each is chance', () => {
  expect(reconnectWait(0, 0)).toBe(250)
  expect(reconnectWait(0, 1)).toBe(500)
  expect(reconnectWait(3, 1)).toBe(4000)
  expect(reconnectWait(50, 1)).toBe(30_000)
  expect(reconnectWait(50, 0)).toBe(15_000)
})
