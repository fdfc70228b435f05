import fc from 'fast-check'
import { expect, test } from 'vitest'
import { assign } from './assign.ts'

/** The least cost over all ways to give rows columns of their own, by trying every one. */
function cheapest(cost: readonly (readonly number[])[], forbidden: number, row = 0, taken = new Set<number>()): number {
  const own = cost[row]
  if (!own) return 0
  const rest = own.map((value, column) => {
    if (value >= forbidden || taken.has(column)) return Number.POSITIVE_INFINITY
    return value + cheapest(cost, forbidden, row + 1, new Set(taken).add(column))
  })
  // A row without a column costs as much as a forbidden pair.
  return Math.min(forbidden + cheapest(cost, forbidden, row + 1, taken), ...rest)
}

test('the assignment is the cheapest there is, and never a forbidden one', () => {
  const matrix = fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 4 })).chain(([rows, columns]) =>
    fc.array(fc.array(fc.integer({ min: 0, max: 120 }), { minLength: columns, maxLength: columns }), {
      minLength: rows,
      maxLength: rows,
    }),
  )
  fc.assert(
    fc.property(matrix, (cost) => {
      const columns = assign(cost, 100)
      const used = columns.filter((column) => column >= 0)
      expect(new Set(used).size).toBe(used.length)
      const total = columns.reduce((sum, column, row) => sum + (column < 0 ? 100 : (cost[row]?.[column] ?? 0)), 0)
      expect(total).toBe(cheapest(cost, 100))
      for (const [row, column] of columns.entries()) if (column >= 0) expect(cost[row]?.[column]).toBeLessThan(100)
    }),
    { numRuns: 300 },
  )
})

test('nothing to assign gives nothing', () => {
  expect(assign([], 1)).toEqual([])
  expect(assign([[], []], 1)).toEqual([-1, -1])
})
