import { expect, test } from 'vitest'
import { type Enrolled, faceSquare, identify, intoRange, readGallery, unitVector, vectorLength } from './face.ts'

/** A unit vector at an angle: two of them are as alike as the cosine of the difference. */
const toward = (degrees: number) =>
  Float32Array.from([Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)])
const enrolled = (identity: string, ...degrees: number[]): Enrolled => ({ identity, embeddings: degrees.map(toward) })
const gallery = [enrolled('ada', 0, 10), enrolled('ben', 90)]

test.each([
  ['alike enough and alone in it', 20, 'ada'],
  ['below the threshold', 160, null],
  ['between two people', 49.9, null],
  ['nearer to one by more than the margin', 47, 'ada'],
])('%s', (_, degrees, identity) => {
  expect(identify(toward(degrees), gallery, { threshold: 0.4, margin: 0.05 }).identity).toBe(identity)
})

test('an empty gallery knows nobody, and vectors of another model are not compared', () => {
  const rule = { threshold: 0.4, margin: 0 }
  expect(identify(toward(0), [], rule)).toEqual({ identity: null, likeness: null })
  const other = [{ identity: 'ada', embeddings: [Float32Array.from([1, 0, 0])] }]
  expect(identify(toward(0), other, rule).identity).toBeNull()
})

const picture = { width: 200, height: 100 }
test.each([
  ['upright, its longer side', [80, 20, 30, 40], [75, 20, 40, 40]],
  ['at the left edge, moved in', [0, 30, 20, 40], [0, 30, 40, 40]],
  ['at the lower right corner, moved in', [190, 80, 10, 20], [180, 80, 20, 20]],
  ['taller than the picture, cut', [50, -20, 60, 140], [10, 0, 140, 100]],
] as const)('a square around a face: %s', (_, box, square) => {
  expect(faceSquare([...box], picture)).toEqual(square)
})

test.each([
  [[1, 512], 512],
  [[1, 128, 1, 1], 128],
  [[512], 512],
  [[1, 7, 100], null],
  [[2, 512], null],
  [[1, 1], null],
  [[1, 5000], null],
])('outputs of %j are a vector of %j numbers', (dims, length) => {
  expect(vectorLength([{ dims }])).toBe(length)
})

test('a vector has length 1, and one without a direction is none', () => {
  const of = (...data: number[]) => unitVector([{ dims: [1, data.length], data }])
  expect([...(of(3, 4) ?? [])].map((value) => Math.round(value * 1000) / 1000)).toEqual([0.6, 0.8])
  expect([of(0, 0), of(Number.NaN, 1)]).toEqual([null, null])
})

test('colours come in the numbers that a model wants', () => {
  const of = (range: Parameters<typeof intoRange>[1]) => {
    const planes = Float32Array.from([0, 0.5, 1])
    intoRange(planes, range)
    return [...planes]
  }
  expect([of('unit'), of('signed'), of('byte')]).toEqual([
    [0, 0.5, 1],
    [-1, 0, 1],
    [0, 127.5, 255],
  ])
})

test('a gallery is read back person by person, and one of another model is refused', () => {
  const ids = ['0190a0b0-0000-7000-8000-000000000001', '0190a0b0-0000-7000-8000-000000000002']
  const record = (id: string, ...numbers: number[]) => [
    ...(id.replaceAll('-', '').match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16)),
    ...new Uint8Array(Float32Array.from(numbers).buffer),
  ]
  const [ada = '', ben = ''] = ids
  const bytes = Uint8Array.from([...record(ada, 1, 0), ...record(ben, 0, 1), ...record(ada, 0.5, -0.5)])
  expect(
    readGallery(bytes, 2).map(({ identity, embeddings }) => [identity, embeddings.map((one) => [...one])]),
  ).toEqual([
    [
      ada,
      [
        [1, 0],
        [0.5, -0.5],
      ],
    ],
    [ben, [[0, 1]]],
  ])
  expect(readGallery(new Uint8Array(), 2)).toEqual([])
  expect(() => readGallery(bytes, 3)).toThrow(RangeError)
})
