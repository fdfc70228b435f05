import { expect, test } from 'vitest'
import { countNew } from './newer.ts'

/** By the second at which each was. */
const events = (...seconds: number[]) =>
  seconds.map((second) => ({ event_uuid: `${second}`, observed_at: `2026-11-22T12:00:${second}.000Z` }))

test('new is what reading the list again would bring, also what came late and stands in between', () => {
  expect(countNew(events(12, 11), events(12, 11))).toBe(0)
  expect(countNew(events(14, 13, 12, 11), events(14, 11))).toBe(2)
  expect(countNew(events(15, 14, 11), events(14, 11))).toBe(1)
  expect(countNew([], events(11))).toBe(0)
  expect(countNew(events(11), [])).toBe(1)
})

test('what fell off the page because much came is not new', () => {
  expect(countNew(events(13, 12, 11), events(15, 14, 13))).toBe(0)
})
