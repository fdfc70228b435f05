import type { EventEntity } from '@sightline/contract'
import { expect, test } from 'vitest'
import { hasJustEnded, reopenSeconds, stateOf } from './occasion-end.ts'

const ended_at = '2026-11-22T12:00:00.000Z'
const end = Date.parse(ended_at)
const event = (occasion: object | null) =>
  ({
    kind: 'open',
    occasion: occasion && { is_instant: false, ended_at, end_cause: 'lost', ...occasion },
  }) as unknown as EventEntity

test('what has ended is over only when nothing can join it any more', () => {
  expect(stateOf(event({ ended_at: null, end_cause: null }), end)).toBe('event.now')
  expect(stateOf(event({}), end + 29_900)).toBe('event.justOver')
  expect(stateOf(event({}), end + 30_000)).toBe('event.over')
})

test('its pipeline says how long that takes', () => {
  const seconds = reopenSeconds({ 'analytic.cooldown_s': 300 })
  expect(stateOf(event({}), end + 299_000, seconds)).toBe('event.justOver')
  expect(stateOf(event({}), end + 300_000, seconds)).toBe('event.over')
  expect(stateOf(event({}), end, reopenSeconds({ 'analytic.cooldown_s': 0 }))).toBe('event.over')
  expect(reopenSeconds({})).toBe(30)
})

test('nothing joins what a restart or switching off ended, nor what has no length', () => {
  for (const end_cause of ['restart', 'disabled']) expect(stateOf(event({ end_cause }), end + 1000)).toBe('event.over')
  expect(stateOf(event({ is_instant: true, ended_at: null }), end)).toBe('event.happened')
  expect(hasJustEnded(event(null), end)).toBe(false)
})
