import { expect, test } from 'vitest'
import { onlyZoneOf, zonesOf } from './timezone.ts'

test('a country whose clocks are alike has one zone to suggest, also where it is written as two', () => {
  expect(onlyZoneOf('FR', 2026)).toBe('Europe/Paris')
  expect(onlyZoneOf('DE', 2026)).toBe('Europe/Berlin')
})

test('of a country with several clocks none is suggested, and its zones are known', () => {
  expect(onlyZoneOf('US', 2026)).toBeNull()
  expect(onlyZoneOf('ES', 2026)).toBeNull()
  expect(zonesOf('ES')).toEqual(expect.arrayContaining(['Atlantic/Canary', 'Europe/Madrid']))
})

test.each(['', 'XX', 'France', '??'])('of %j nothing is known', (country) => {
  expect(zonesOf(country)).toEqual([])
  expect(onlyZoneOf(country, 2026)).toBeNull()
})
