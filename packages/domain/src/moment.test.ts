import { expect, it } from 'vitest'
import { readMoment, readPeriod } from './moment.ts'

const now = Date.UTC(2026, 4, 4, 12)

it.each([
  ['0ms', now],
  ['-24h', now - 86_400_000],
  ['-15m', now - 900_000],
  ['-7d', now - 7 * 86_400_000],
  ['90s', now + 90_000],
  ['2026-05-04T14:00:00.123+02:00', now + 123],
  ['yesterday', null],
  ['2026', null],
  ['-1w', null],
  ['2026-13-04T00:00:00Z', null],
])('reads %s', (text, ms) => {
  expect(readMoment(text, now)).toBe(ms)
})

it.each([
  ['-24h', '0ms', { start: now - 86_400_000, end: now }],
  ['soon', '0ms', { errors: { start: ['time_invalid'] } }],
  ['-24h', 'soon', { errors: { end: ['time_invalid'] } }],
  ['0ms', '0ms', { errors: { end: ['start_equals_end'] } }],
  ['0ms', '-1h', { errors: { end: ['end_before_start'] } }],
  ['-367d', '0ms', { errors: { start: ['period_too_long'] } }],
])('a period from %s to %s', (start, end, expected) => {
  expect(readPeriod(start, end, now)).toEqual(expected)
})
