import { expect, test } from 'vitest'
import { isHurry } from './stop.ts'

test('signals within a second of the first are one wish to stop; a later one asks to hurry', () => {
  expect([0, 20, 1000, 1001, 60_000].map((later) => isHurry(5, 5 + later))).toEqual([false, false, false, true, true])
})
