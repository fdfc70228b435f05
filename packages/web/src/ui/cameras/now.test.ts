import { freshMs, type usecaseKeys, violationMetrics } from '@sightline/domain'
import { expect, test } from 'vitest'
import { loadLanguage } from '../../i18n/index.ts'
import type { Camera } from './customer-cameras.ts'
import { newest, stillTrue } from './levels.ts'
import { figureOf, isViolating } from './now.ts'

const camera = (device_health: Camera['device_health'], usecase_key: (typeof usecaseKeys)[number] = 'intrdtec') =>
  ({ device_health, channels: [{ channel_id: 'a', usecase_key }] }) as unknown as Camera
const nobody = new Set<string>()

test('whatever the red cards count makes a camera red, and what is only counted does not', () => {
  for (const metric of violationMetrics)
    expect(isViolating(camera('healthy'), { a: { [metric]: 1 } }, nobody)).toBe(true)
  expect(isViolating(camera('healthy', 'frdtec'), { a: { fire: 1, high_smoke: 0 } }, nobody)).toBe(true)
  const calm = { total: 9, violation: 0, non_violation: 9, fire: 0, up: 3 }
  expect(isViolating(camera('healthy'), { a: calm }, nobody)).toBe(false)
  // By its threshold, or by what happened in a moment, as the portal says.
  expect(isViolating(camera('healthy'), { a: calm }, new Set(['a']))).toBe(true)
})

test('a camera that is cut while somebody intrudes is not in violation any more, and has no numbers', async () => {
  await loadLanguage('en')
  const levels = { a: { total: 2, violation: 2 } }
  for (const health of ['healthy', 'needs attention'] as const) {
    expect(isViolating(camera(health), levels, nobody)).toBe(true)
    expect(figureOf(camera(health), levels)).toBe('Intrusion 2')
  }
  for (const health of ['offline', 'unknown'] as const) {
    expect(isViolating(camera(health), levels, new Set(['a']))).toBe(false)
    expect(figureOf(camera(health), levels)).toBe('')
  }
})

test('what a channel told is forgotten when its next records should have come', () => {
  const told = {
    a: { levels: { violation: 1 }, at: 10_000, until: 40_000 },
    b: { levels: {}, at: 10_000, until: 130_000 },
  }
  expect(stillTrue(told, 40_000)).toBe(told)
  expect(Object.keys(stillTrue(told, 40_001))).toEqual(['b'])
  expect([freshMs(5), freshMs(60)]).toEqual([30_000, 120_000])
})

test('what a channel tells late of before does not take the place of how it is now', () => {
  const now = { a: { levels: { total: 3 }, at: 20_000, until: 50_000 } }
  const late = { levels: { total: 9 }, at: 10_000, until: 40_000 }
  expect(newest(now, { a: late, b: late })).toEqual({ ...now, b: late })
  const next = { levels: {}, at: 21_000, until: 51_000 }
  expect(newest(now, { a: next })).toEqual({ a: next })
})
