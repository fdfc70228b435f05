import type { Box } from '@sightline/domain'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Detection, regionAround, suppress } from './detect.ts'

const width = 640
const height = 360

test('a region lies inside the picture and holds a search window, wherever its box is', () => {
  const number = (min: number, max: number) => fc.double({ min, max, noNaN: true })
  fc.assert(
    fc.property(number(-200, 700), number(-200, 400), number(5, 400), number(20, 400), (x, y, w, h) => {
      const { rect, scale } = regionAround([x, y, w, h], Math.min(h, height * 0.3), width, height, 115)
      for (const value of Object.values(rect)) expect(Number.isInteger(value)).toBe(true)
      expect(rect.x).toBeGreaterThanOrEqual(0)
      expect(rect.y).toBeGreaterThanOrEqual(0)
      expect(rect.x + rect.width).toBeLessThanOrEqual(width)
      expect(rect.y + rect.height).toBeLessThanOrEqual(height)
      expect(Math.round(rect.width * scale)).toBeGreaterThanOrEqual(64)
      expect(Math.round(rect.height * scale)).toBeGreaterThanOrEqual(128)
    }),
  )
})

test('a region is enlarged so that the person is as tall as the search wants', () => {
  expect(regionAround([300, 100, 25, 60], 60, width, height, 115).scale).toBeCloseTo(115 / 60)
  expect(regionAround([300, 10, 100, 300], 300, width, height, 115).scale).toBeCloseTo(115 / 300)
  expect(regionAround([300, 100, 5, 12], 12, width, height, 115).scale).toBe(4)
})

test('of boxes on the same person the best stays', () => {
  const at = (x: number, score: number): Detection => ({ box: [x, 100, 40, 100] as Box, score, kind: 'person' })
  expect(suppress([at(100, 0.7), at(110, 0.9), at(300, 0.6)], 0.4)).toEqual([at(110, 0.9), at(300, 0.6)])
})
