import { cardsOf, usecaseKeys } from '@sightline/domain'
import { expect, test } from 'vitest'
import { firstRows } from './first-rows.ts'

test('of many use cases those from the first on whose cards fill two rows, each whole', () => {
  const first = firstRows(usecaseKeys)
  expect(first).toEqual(usecaseKeys.slice(0, first.length))
  const count = (keys: readonly (typeof usecaseKeys)[number][]) => keys.flatMap((key) => cardsOf(key)).length
  expect(count(first)).toBeLessThanOrEqual(12)
  expect(count(usecaseKeys.slice(0, first.length + 1))).toBeGreaterThan(12)
})

test('of a few use cases all', () => {
  expect(firstRows(['pplocc', 'intrdtec'])).toEqual(['pplocc', 'intrdtec'])
  expect(firstRows([])).toEqual([])
})
