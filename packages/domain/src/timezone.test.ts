import { expect, test } from 'vitest'
import { canonicalZone, onlyZoneOf, zonesOf } from './timezone.ts'

test('a country with one zone has one to suggest', () => {
  expect(onlyZoneOf('FR')).toBe('Europe/Paris')
  expect(onlyZoneOf('DE')).toBe('Europe/Berlin')
})

test.each(['US', 'ES', 'AR', 'CY', 'UZ'])('of %s none is suggested, not even where clocks are alike', (country) => {
  expect(onlyZoneOf(country)).toBeNull()
  expect(zonesOf(country).length).toBeGreaterThan(1)
})

test('older and newer names of a zone are one', () => {
  expect(canonicalZone('Asia/Kolkata')).toBe(canonicalZone('Asia/Calcutta'))
  // A browser may be older than a name.
  expect(canonicalZone('Europe/Younger')).toBe('Europe/Younger')
  expect(canonicalZone('Europe/Paris')).not.toBe(canonicalZone('Europe/Brussels'))
})

test.each(['', 'XX', 'France', '??'])('of %j nothing is known', (country) => {
  expect(zonesOf(country)).toEqual([])
  expect(onlyZoneOf(country)).toBeNull()
})
