import { expect, test } from 'vitest'
import { readView, writeView } from './view.ts'

test('where a map stands is written into the address and read again', () => {
  const view = { lat: -33.869, long: 151.209, zoom: 6.5 }
  expect(writeView(view)).toBe('-33.869,151.209,6.5')
  expect(readView(writeView(view))).toEqual(view)
})

test.each([undefined, '', '1,2', '91,0,3', '0,181,3', '0,0,', 'a,b,c', '1,2,3,4'])(
  'an address that says %s names no place',
  (text) => expect(readView(text)).toBeNull(),
)
