import { cardsOf, usecaseKeys } from '@sightline/domain'
import { expect, test } from 'vitest'
import { byUrgency, firstRows } from './first-rows.ts'

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

test('what must not happen and did comes first, what nobody knows last, the others stay in their order', () => {
  const stat = (metric: string, value: number | null) => ({ metric: metric as 'total', value })
  const known = [stat('total', 0)]
  const unknown = [stat('total', null), stat('violation', null)]
  const happened = [stat('total', 4), stat('violation', 1)]
  expect(
    byUrgency(['pplcnt', 'phydist', 'ppedtec', 'intrdtec', 'ppltrk'], [known, unknown, null, happened, known]),
  ).toEqual(['intrdtec', 'pplcnt', 'ppltrk', 'phydist', 'ppedtec'])
  // A violation that did not happen is none, and what is only counted never is one.
  expect(byUrgency(['pplcnt', 'intrdtec'], [[stat('total', 9)], [stat('violation', 0)]])).toEqual([
    'pplcnt',
    'intrdtec',
  ])
  expect(byUrgency(['pplcnt', 'frdtec'], [known, [stat('low_smoke', 1)]])).toEqual(['frdtec', 'pplcnt'])
})

test('while figures are awaited nothing moves', () => {
  const happened = [{ metric: 'violation' as const, value: 3 }]
  expect(byUrgency(['pplcnt', 'intrdtec'], [undefined, happened])).toEqual(['pplcnt', 'intrdtec'])
})
