import { expect, test } from 'vitest'
import { createBackoff } from './backoff.ts'

test('waits grow up to half a minute, and begin anew after a minute that went well', () => {
  const backoff = createBackoff(() => 0.5)
  const waits = () =>
    Array.from({ length: 6 }, () => {
      backoff.ran(59_999)
      return backoff.next()
    })
  expect(waits()).toEqual([1000, 2000, 5000, 10_000, 30_000, 30_000])
  backoff.ran(60_000)
  expect(waits().slice(0, 2)).toEqual([1000, 2000])
})
