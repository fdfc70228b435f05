import { expect, test } from 'vitest'
import { isDefault, pinMove } from './pin.ts'

const lyon = { lat: 45.76, long: 4.84, found: true, precision: 'zip' as const, city: 'Lyon', state: null }
const france = { lat: 46.6, long: 2.5, found: false, precision: 'country' as const, city: null, state: null }
const placed = { lat: 48.4, long: -4.5 }

test('a pin goes where a place is looked up while nobody has placed it; one that was placed is never moved unasked', () => {
  expect(pinMove(null, null, lyon)).toBe('go')
  expect(pinMove(null, null, france)).toBe('go')
  expect(pinMove(france, france, lyon)).toBe('go')
  expect(pinMove(placed, null, lyon)).toBe('ask')
  expect(pinMove(placed, lyon, lyon)).toBe('ask')
  expect(pinMove(placed, null, france)).toBe('stay')
})

test('the middle of a country is a default location until somebody moves it', () => {
  expect(isDefault(france, france)).toBe(true)
  expect(isDefault(placed, france)).toBe(false)
  expect(isDefault(lyon, lyon)).toBe(false)
  expect(isDefault(null, null)).toBe(false)
})
