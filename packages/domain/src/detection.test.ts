import { expect, test } from 'vitest'
import {
  decodeOutputs,
  fillPlanes,
  fitsHead,
  fromLetterbox,
  guessHead,
  letterbox,
  newPlanes,
  suppressOverlaps,
} from './detection.ts'

const input = { width: 320, height: 320 }

test('a picture keeps its shape in the input, and boxes find their way back', () => {
  const box = letterbox({ width: 640, height: 360 }, input)
  expect(box).toMatchObject({ scale: 0.5, width: 320, height: 180, left: 0, top: 70 })
  expect(fromLetterbox([96, 96, 32, 32], box, { width: 640, height: 360 })).toEqual([192, 52, 64, 64])
  // Cut at the edge, and gone in the margin.
  expect(fromLetterbox([-10, 60, 20, 20], box, { width: 640, height: 360 })).toEqual([0, 0, 20, 20])
  expect(fromLetterbox([10, 10, 20, 20], box, { width: 640, height: 360 })).toBeNull()
})

test('pixels become planes of red, green and blue on grey, from either order of bytes', () => {
  const box = letterbox({ width: 2, height: 1 }, { width: 2, height: 3 })
  const planes = newPlanes(box)
  fillPlanes(planes, Uint8Array.of(255, 51, 0, 0, 102, 255), box, 'rgb')
  const grey = Math.fround(114 / 255)
  const expected = [
    ...[grey, grey, 1, 0, grey, grey],
    ...[grey, grey, 0.2, 0.4, grey, grey],
    ...[grey, grey, 0, 1, grey, grey],
  ]
  expect([...planes]).toEqual(expected.map(Math.fround))
  fillPlanes(planes, Uint8Array.of(0, 51, 255, 255, 102, 0), box, 'bgr')
  expect([...planes]).toEqual(expected.map(Math.fround))
})

test('shapes speak for a head, and none is offered for shapes that no head reads', () => {
  const guess = (...shapes: number[][]) =>
    guessHead(
      shapes.map((dims) => ({ dims })),
      { width: 640, height: 640 },
    )
  expect(guess([1, 84, 8400])).toBe('yolov8')
  expect(guess([1, 25200, 85])).toBe('yolov5')
  expect(guess([1, 8400, 85])).toBe('yolox')
  expect(guess([1, 300, 80], [1, 300, 4])).toBe('detr')
  expect(guess([1, 300, 4], [1, 300, 80])).toBe('detr')
  expect(guess([1, 300, 6])).toBe('end2end')
  // A model with a mask head beside its boxes is read by its boxes.
  expect(guess([1, 116, 8400], [1, 32, 160, 160])).toBe('yolov8')
  for (const dims of [[1, 1000], [], [1, 3, 640, 640], [2, 84, 8400], [1, 100, 3]]) expect(guess(dims)).toBeNull()
  expect(guess()).toBeNull()
})

test('numbers that are none, and boxes without size, are not found', () => {
  const data = [Number.NaN, 10, 5, 5, 0.9, 0, 20, 10, 10, 0.8, 0, 0, 9, 9, Number.NaN, 0, 0, 9, 9, 0.7]
  const rows = [0, 1, 2, 3].map((i) => data.slice(i * 5, i * 5 + 5))
  const columns = [0, 1, 2, 3, 4].flatMap((row) => rows.map((one) => one[row] as number))
  const found = decodeOutputs('yolov8', [{ dims: [1, 5, 4], data: columns }], input, 0.5)
  expect(found).toEqual([
    { box: [-5, 15, 10, 10], score: expect.closeTo(0.8), classIndex: 0 },
    { box: [-4.5, -4.5, 9, 9], score: expect.closeTo(0.7), classIndex: 0 },
  ])
  expect(() => decodeOutputs('detr', [{ dims: [1, 5, 4], data: columns }], input, 0.5)).toThrow('detr')
  expect(fitsHead('yolox', [{ dims: [1, 77, 85] }], input)).toBe(false)
})

test('of boxes of one kind that overlap the best stays; another kind in the same place stays too', () => {
  const found = [
    { box: [0, 0, 10, 10] as const, kind: 'a' },
    { box: [1, 0, 10, 10] as const, kind: 'a' },
    { box: [1, 0, 10, 10] as const, kind: 'b' },
    { box: [8, 0, 10, 10] as const, kind: 'a' },
  ]
  expect(suppressOverlaps(found, ({ kind }) => kind, 0.45)).toEqual([found[0], found[2], found[3]])
})
