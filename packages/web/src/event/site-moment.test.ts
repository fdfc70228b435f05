import { expect, test } from 'vitest'
import { hourOf, localOf, momentOf } from './site-moment.ts'

test.each([
  ['2026-01-15T12:00', 'America/Toronto', '2026-01-15T17:00:00.000Z'],
  ['2026-07-15T12:00', 'America/Toronto', '2026-07-15T16:00:00.000Z'],
  ['2026-07-15T12:00', 'Asia/Kolkata', '2026-07-15T06:30:00.000Z'],
  ['2026-07-15T12:00', 'UTC', '2026-07-15T12:00:00.000Z'],
  // Shown twice: the earlier one.
  ['2026-11-01T01:30', 'America/Toronto', '2026-11-01T05:30:00.000Z'],
])('%s in %s is %s', (local, zone, moment) => {
  expect(momentOf(local, zone)).toBe(moment)
  expect(localOf(moment, zone)).toBe(local)
})

test('a time that is skipped when clocks are set forward is one near it, and no time is none', () => {
  expect(momentOf('2026-03-08T02:30', 'America/Toronto')).toBe('2026-03-08T06:30:00.000Z')
  expect(momentOf('', 'UTC')).toBe(null)
})

test('the same hour of two places is two, that of one clock one', () => {
  expect(hourOf('2026-05-04 14:05:11')).toBe('2026-05-04 14:00')
  expect(hourOf('2026-05-04 14:59:59 (Montreal)')).toBe('2026-05-04 14:00 (Montreal)')
})
