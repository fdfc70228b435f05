import type { Box, PipelineElements } from '@sightline/domain'
import { expect, test } from 'vitest'
import { occasionsIn, open, play, told, track, windows } from '../testing/made.ts'

/** A face of 0.2 of the picture's height: 72 pixels. */
const box = (x: number, h = 0.2): Box => [x, 0.3, h * 0.5, h]
const faces = (...shown: [id: number, x: number, label: 'mask' | 'no_mask' | null, h?: number][]) => ({
  tracks: shown.map(([id, x, , h]) => track(id, x, 0, { label: 'face', box: box(x, h) })),
  parts: shown.flatMap(([, x, label, h]) => (label ? [{ label, box: box(x, h), score: 0.7 }] : [])),
})
const masks = (elements: PipelineElements = {}) => open('fcmsk', [], elements)

test('a face without a mask is one occasion of the fifth picture; one with a mask is fine', () => {
  const records = play(masks(), 5200, () => faces([1, 0.2, 'no_mask'], [2, 0.6, 'mask']))
  expect(told(records)).toEqual([['open', 800, { violation: 1 }]])
  expect(records[0]?.details).toMatchObject({ label: 'no_mask', track_id: 1, boxes: [{ label: 'face' }] })
  expect(windows(records)[0]?.metrics).toMatchObject({ total: 2, violation: 0.84, non_violation: 0.84 })
})

test('faces with masks give no occasion, nor does one wrong answer among many', () => {
  expect(told(play(masks(), 10_000, () => faces([1, 0.2, 'mask'])))).toEqual([])
  expect(told(play(masks(), 10_000, (ms) => faces([1, 0.2, ms % 800 === 0 ? 'no_mask' : 'mask'])))).toEqual([])
})

test('who takes the mask off and puts it on again within the cool-down is one occasion', () => {
  const records = play(masks(), 12_000, (ms) =>
    faces([1, 0.2, ms >= 2000 && ms < 5000 ? 'no_mask' : ms >= 8000 ? 'no_mask' : 'mask']),
  )
  expect(told(records).map(([kind]) => kind)).toEqual(['open', 'close', 'update'])
  expect(occasionsIn(records)).toBe(1)
})

test('faces smaller than the least are left out', () => {
  const small = () => faces([1, 0.2, 'no_mask', 0.1])
  // 0.1 of 360 pixels are 36.
  const records = play(masks(), 5200, small)
  expect(told(records)).toEqual([])
  expect(windows(records)[0]?.metrics).toMatchObject({ total: 0 })
  expect(told(play(masks({ 'analytic.min_face_px': 30 }), 5200, small))).toHaveLength(1)
})

test('a face about which nothing is said counts in the total alone', () => {
  const records = play(masks(), 5200, () => faces([1, 0.2, null]))
  expect(windows(records)[0]?.metrics).toMatchObject({ total: 1, violation: 0, non_violation: 0 })
})

test('a mask elsewhere in the picture is nobody’s', () => {
  const records = play(masks(), 5200, () => ({
    ...faces([1, 0.2, 'no_mask']),
    parts: [{ label: 'no_mask' as const, box: box(0.7), score: 0.9 }],
  }))
  expect(told(records)).toEqual([])
})
