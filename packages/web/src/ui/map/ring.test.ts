import { expect, test } from 'vitest'
import { unwrapped } from './ring.ts'

test('a ring over the 180th meridian goes on beyond it, one around a pole or elsewhere stays as it is', () => {
  const fiji = [
    [179, -16],
    [-179, -16],
    [-179, -17],
    [179, -17],
    [179, -16],
  ]
  expect(unwrapped(fiji).map(([long]) => long)).toEqual([179, 181, 181, 179, 179])
  const pole = [
    [-170, -80],
    [0, -80],
    [170, -80],
    [-170, -80],
  ]
  expect(unwrapped(pole)).toEqual(pole)
  const square = [
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 0],
  ]
  expect(unwrapped(square)).toEqual(square)
})
