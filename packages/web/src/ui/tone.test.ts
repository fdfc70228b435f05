import { expect, test } from 'vitest'
import { toneOf } from './tone.ts'

test('healthy shows as success, needs attention as warning, all else as error', () => {
  const { healthy, 'needs attention': attention, ...others } = toneOf
  expect([healthy, attention]).toEqual(['ok', 'warn'])
  expect(new Set(Object.values(others))).toEqual(new Set(['bad']))
})
