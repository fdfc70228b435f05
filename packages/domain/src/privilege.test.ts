import { expect, test } from 'vitest'
import { seesClear } from './privilege.ts'

test('pictures are clear for who may see them so, and for others until their reason ends', () => {
  expect(seesClear(['picture.clear'], null, 1000)).toBe(true)
  expect(seesClear(['picture.unblur'], null, 1000)).toBe(false)
  expect(seesClear(['picture.unblur'], 1001, 1000)).toBe(true)
  expect(seesClear(['picture.unblur'], 1000, 1000)).toBe(false)
  expect(seesClear([], null, 1000)).toBe(false)
  expect(seesClear([], 1001, 1000)).toBe(false)
})
