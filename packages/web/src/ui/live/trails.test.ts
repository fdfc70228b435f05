import type { OverlayBox } from '@sightline/contract/edge'
import { expect, test } from 'vitest'
import { lineOf, noTrails, walked } from './trails.ts'

const box = (track_id: number | null, x: number): OverlayBox => ({
  box: [x, 0.25, 0.25, 0.5],
  label: 'person',
  score: 0.9,
  track_id,
  violates: [],
})
const shown = (trails: typeof noTrails) => [...trails].map(([track, steps]) => [track, lineOf(steps)])

test('a trail follows the feet of each who is followed, in the order of the pictures', () => {
  let trails = noTrails
  for (const [i, x] of [0, 0.25, 0.5].entries())
    trails = walked(trails, { pts_ms: 1000 + i * 200, boxes: [box(1, x), box(2, 0.5), box(null, 0.1)] })
  expect(shown(trails)).toEqual([
    [1, '0.125,0.75 0.375,0.75 0.625,0.75'],
    [2, '0.625,0.75 0.625,0.75 0.625,0.75'],
  ])
})

test('what is older than ten seconds goes, also of those who have left', () => {
  const first = walked(noTrails, { pts_ms: 0, boxes: [box(1, 0)] })
  const second = walked(first, { pts_ms: 1000, boxes: [box(1, 0.25)] })
  expect(shown(walked(second, { pts_ms: 10_500, boxes: [] }))).toEqual([[1, '0.375,0.75']])
  expect(shown(walked(second, { pts_ms: 11_500, boxes: [] }))).toEqual([])
})

test('nobody is drawn as having walked where he was not seen, and a stream that begins anew has no past', () => {
  const first = walked(noTrails, { pts_ms: 5000, boxes: [box(1, 0)] })
  expect(shown(walked(first, { pts_ms: 8000, boxes: [box(1, 0.5)] }))).toEqual([[1, '0.625,0.75']])
  expect(shown(walked(first, { pts_ms: 100, boxes: [box(1, 0.5)] }))).toEqual([[1, '0.625,0.75']])
})
