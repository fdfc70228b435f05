import { expect, test } from 'vitest'
import { bundlesOf } from './bundles.ts'

test('neighbours that share a clip are one bundle, and none is lost or moved', () => {
  const events = ['a', 'a', null, null, 'b', 'a'].map((clip_url, id) => ({ id, clip_url }))
  const bundles = bundlesOf(events)
  expect(bundles.map((bundle) => bundle.length)).toEqual([2, 1, 1, 1, 1])
  expect(bundles.flat()).toEqual(events)
})
