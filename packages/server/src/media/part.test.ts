import { expect, test } from 'vitest'
import { Refusal } from '../refusal.ts'
import { wantedPart } from './part.ts'

test.each([
  [undefined, null],
  ['bytes=0-', { first: 0, last: 99 }],
  ['bytes=10-19', { first: 10, last: 19 }],
  ['bytes=90-1000', { first: 90, last: 99 }],
  ['bytes=-10', { first: 90, last: 99 }],
  ['bytes=-1000', { first: 0, last: 99 }],
  ['bytes=20-10', null],
  ['bytes=0-1,5-6', null],
  ['items=0-1', null],
  ['bytes=-', null],
])('of 100 bytes %s asks for %j', (range, part) => {
  expect(wantedPart(range, 100)).toEqual(part)
})

test.each(['bytes=100-', 'bytes=-0', 'bytes=500-600'])('%s of 100 bytes is refused', (range) => {
  expect(() => wantedPart(range, 100)).toThrow(Refusal)
})
