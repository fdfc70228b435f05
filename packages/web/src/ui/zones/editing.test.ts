import { expect, test } from 'vitest'
import {
  across,
  addPoint,
  amend,
  change,
  clamp,
  type Drawing,
  finish,
  historyOf,
  insertPoint,
  middles,
  moveBy,
  newDrawing,
  nextName,
  redo,
  removePoint,
  reverse,
  stillWrong,
  undo,
} from './editing.ts'

const square = newDrawing([], 'zone', 'k', [
  [0.2, 0.2],
  [0.4, 0.2],
  [0.4, 0.4],
  [0.2, 0.4],
])

test('names go on after the greatest number of their kind', () => {
  expect(nextName([], 'zone')).toBe('zone1')
  expect(
    nextName(
      [
        { ...square, name: 'zone4' },
        { ...square, name: 'line9', kind: 'line' },
      ],
      'zone',
    ),
  ).toBe('zone5')
})

test('an outline closes only with enough points', () => {
  const open = newDrawing([], 'zone', 'k')
  const two = addPoint(addPoint(open, [0.1, 0.1]), [0.5, 0.1])
  expect(finish(two).open).toBe(true)
  expect(finish(addPoint(two, [0.5, 0.5])).open).toBe(false)
})

test('points stay in the picture and snap to its border', () => {
  expect(clamp([-0.3, 0.995])).toEqual([0, 1])
  expect(clamp([0.5, 0.123456])).toEqual([0.5, 0.12346])
})

test('a shape keeps its form when it is dragged against the border', () => {
  expect(moveBy(square, -0.5, 0.1).points).toEqual([
    [0, 0.3],
    [0.2, 0.3],
    [0.2, 0.5],
    [0, 0.5],
  ])
})

test('a point goes in on an edge, and out again down to the fewest', () => {
  const third = middles(square)[2]
  expect(third).toEqual({ after: 2, at: [0.30000000000000004, 0.4] })
  const five = insertPoint(square, 2, third?.at as [number, number])
  expect(five.points[3]).toEqual([0.3, 0.4])
  expect(removePoint(five, 3).points).toEqual(square.points)
  const triangle = removePoint(square, 0)
  expect(removePoint(triangle, 0)).toBe(triangle)
})

test('undo goes back over whole drags, redo forward, and a new change forgets the future', () => {
  const start = historyOf([square])
  const dragged = amend(change(start, [moveBy(square, 0.1, 0)]), [moveBy(square, 0.2, 0)])
  expect(undo(dragged).now).toEqual([square])
  expect(redo(undo(dragged)).now).toEqual(dragged.now)
  expect(change(undo(dragged), []).future).toEqual([])
  expect(undo(start)).toEqual(start)
})

test('side b lies to the right of the walk along a line, and reversing it swaps the sides', () => {
  const down = newDrawing([], 'line', 'k', [
    [0.5, 0.2],
    [0.5, 0.8],
  ])
  expect(across(down.points, 16 / 9)?.toB[0]).toBeLessThan(0)
  expect(across(reverse(down).points, 16 / 9)?.toB[0]).toBeGreaterThan(0)
})

test('what was wrong when saving was tried goes as soon as it is mended', () => {
  const open = newDrawing([], 'zone', 'a')
  const points: Drawing['points'] = [
    [0.1, 0.1],
    [0.5, 0.1],
    [0.5, 0.5],
  ]
  const closed = { ...open, points, open: false }
  expect(stillWrong('zone_incomplete', [open])).toBe(true)
  expect(stillWrong('zone_incomplete', [closed])).toBe(false)
  expect(stillWrong('line_required', [closed])).toBe(true)
  expect(stillWrong('line_required', [closed, { ...closed, kind: 'line' }])).toBe(false)
  expect(stillWrong('zone_required', [closed])).toBe(false)
  expect(stillWrong('name_taken', [closed])).toBe(true)
})
