import { expect, test } from 'vitest'
import { crossings, insidePolygon, isOtherShape, type Point } from './geometry.ts'

test.each([
  ['the same', 640 / 360, 1920 / 1080, false],
  ['rounded to even sides', 853 / 480, 640 / 360, false],
  ['rounded to multiples of 16', 640 / 368, 1920 / 1088, false],
  ['television beside wide', 704 / 576, 1920 / 1080, true],
  ['4:3 beside 16:9', 640 / 480, 1920 / 1080, true],
  ['upright', 1080 / 1920, 1920 / 1080, true],
])('a picture has another shape or not: %s', (_, a, b, expected) => {
  expect([isOtherShape(a, b), isOtherShape(b, a)]).toEqual([expected, expected])
})

test('between the first and the second crossing of a line it is inside, and so on', () => {
  const star = Array.from({ length: 16 }, (_, i): Point => {
    const [angle, radius] = [(i * Math.PI) / 8 + 0.1, i % 2 ? 0.2 : 0.6]
    return [0.5 + radius * Math.cos(angle), 0.5 + radius * Math.sin(angle)]
  })
  for (let y = -0.2; y < 1.2; y += 0.0103) {
    const borders = crossings(star, y)
    for (let x = -0.2; x < 1.2; x += 0.0107)
      expect(borders.filter((border) => border <= x).length % 2 === 1, `${x} ${y}`).toBe(insidePolygon(star, [x, y]))
  }
})
