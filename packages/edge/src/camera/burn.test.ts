import { expect, test } from 'vitest'
import { hiddenCells, type Masks, paint } from './burn.ts'

const size = { width: 40, height: 20 }

/** The picture as rows of `#` (painted) and `.`. */
function painted(masks: Masks): string[] {
  const plane = (width: number, height: number) => ({ data: Buffer.alloc((width + 3) * height), stride: width + 3 })
  const [luma, ...chroma] = [plane(40, 20), plane(20, 10), plane(20, 10)] as const
  paint(hiddenCells(masks, size), [luma, ...chroma])
  const rows = Array.from({ length: 20 }, (_, y) =>
    Array.from(luma.data.subarray(y * luma.stride, y * luma.stride + 40), (value) => (value === 114 ? '#' : '.')),
  )
  const marks = (of: { data: Buffer; stride: number }) =>
    rows.map((row, y) => row.map((_, x) => (of.data[(y >> 1) * of.stride + (x >> 1)] === 128 ? '#' : '.')))
  // Colour is hidden exactly where brightness is.
  for (const plane of chroma) expect(marks(plane)).toEqual(rows)
  for (const { data, stride } of [luma, ...chroma]) expect(data[stride - 1]).toBe(0)
  return rows.map((row) => row.join(''))
}

test('a mask is hidden whole, with at least two pixels around it and at most four', () => {
  const rows = painted([
    [
      [0.25, 0.3],
      [0.5, 0.3],
      [0.5, 0.6],
      [0.25, 0.6],
    ],
  ])
  for (const [y, row] of rows.entries())
    for (let x = 0; x < 40; x++) {
      const away = Math.max(10 - x - 1, x - 20, 6 - y - 1, y - 12)
      if (away < 2) expect(row[x]).toBe('#')
      if (away > 4) expect(row[x]).toBe('.')
    }
})

test('whatever its form, no edge shows: slopes, spikes thinner than a pixel, notches, what reaches over the edge', () => {
  const forms: Masks = [
    [
      [0, 0],
      [1, 0.5],
      [0, 1],
      [0.5, 0.5],
    ],
    [
      [0.01, 0.02],
      [0.99, 0.03],
      [0.02, 0.021],
    ],
    [
      [-1, 0.4],
      [2, 0.4],
      [2, 3],
      [0.5, 0.9],
      [-1, 3],
    ],
  ]
  for (const form of forms) {
    const rows = painted([form])
    for (let n = 0; n < 600; n++) {
      const at = n % form.length
      const [a, b] = [form[at], form[(at + 1) % form.length]] as [[number, number], [number, number]]
      const share = (n * 0.618_033_988_7) % 1
      const [x, y] = [a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share]
      if (x >= 0 && x < 1 && y >= 0 && y < 1) expect(rows[Math.floor(y * 20)]?.[Math.floor(x * 40)]).toBe('#')
    }
  }
  const [first = ''] = painted([forms[0] as Masks[number]])
  expect(first.endsWith('.')).toBe(true)
  expect(painted([]).join('')).not.toContain('#')
})
