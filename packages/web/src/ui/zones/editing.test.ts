import type { Point } from '@sightline/domain'
import { expect, test } from 'vitest'
import {
  across,
  addPoint,
  amend,
  calibrationOf,
  change,
  clamp,
  type Drawing,
  faultOf,
  finish,
  floorDrawing,
  floorGrid,
  historyOf,
  insertPoint,
  isAgain,
  middles,
  moveBy,
  movePoint,
  newDrawing,
  nextName,
  redo,
  removePoint,
  reverse,
  snap,
  stillWrong,
  turned,
  undo,
} from './editing.ts'
import { draftsOf, drawingOf } from './useZones.ts'

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

test('the second press of a double click makes no corner of its own', () => {
  const open = addPoint(newDrawing([], 'zone', 'k'), [0.5, 0.5])
  expect(isAgain(open, [0.502, 0.501], 16 / 9, 0.01)).toBe(true)
  expect(isAgain(open, [0.52, 0.5], 16 / 9, 0.01)).toBe(false)
  expect(isAgain(newDrawing([], 'zone', 'k'), [0.5, 0.5], 16 / 9, 0.01)).toBe(false)
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

test('a zone keeps its own dwell into the editor, through undo and out again', () => {
  const stored = { static_id: 'one', source_id: 's', channel_id: 'c', aspect_ratio: 1.5, organization_id: 'o' }
  const at = { version: 1, created_at: '', updated_at: '' }
  const { key, open, metres, ...drawn } = { ...square, metres: undefined }
  const points = square.points.map(([x, y]): [number, number] => [x, y])
  const opened = drawingOf({ ...stored, ...at, ...drawn, kind: 'zone', points, dwell_s: 30 })
  const changed = change(historyOf([opened]), [{ ...opened, dwell_s: null }])
  expect(draftsOf(undo(changed).now, 1.5)).toMatchObject([{ static_id: 'one', dwell_s: 30 }])
  expect(draftsOf(redo(undo(changed)).now, 1.5)).toMatchObject([{ static_id: 'one', dwell_s: null }])
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

const other: Drawing = {
  ...newDrawing([], 'zone', 'other', [
    [0.6, 0.2],
    [0.9, 0.2],
    [0.9, 0.8],
  ]),
  open: false,
}

test('a point snaps to a corner, else to an edge, else level with its own corners; far from all it stays', () => {
  const all = [square, other]
  expect(snap(all, square, 2, [0.605, 0.21], 16 / 9)).toEqual([0.6, 0.2])
  const [x, y] = snap(all, square, 2, [0.75, 0.19], 16 / 9)
  expect([x, y]).toEqual([0.75, 0.2])
  const [left, top] = square.points[0] as Point
  expect(snap(all, square, 2, [0.5, top + 0.004], 16 / 9)).toEqual([0.5, top])
  expect(snap([square], square, 1, [left + 0.2, top + 0.2], 16 / 9)).toEqual([left + 0.2, top + 0.2])
})

test('steps of 45° are angles of the picture, not of its shares', () => {
  const [x, y] = turned([0.5, 0.5], [0.6, 0.5 + 0.1 * (16 / 9) - 0.02], 16 / 9)
  expect((x - 0.5) * (16 / 9)).toBeCloseTo(y - 0.5, 6)
  expect(turned([0.5, 0.5], [0.7, 0.51], 16 / 9)[1]).toBeCloseTo(0.5, 6)
})

test('a rectangle on the floor becomes the elements that say it, and comes back from them', () => {
  const floor: Drawing = {
    ...newDrawing([], 'floor', 'floor', [
      [0.3, 0.9],
      [0.7, 0.9],
      [0.6, 0.5],
      [0.4, 0.5],
    ]),
    metres: [4, 6],
  }
  const elements = calibrationOf(floor)
  expect(elements).toEqual({
    'calibration.image_points': '0.3,0.9 0.7,0.9 0.6,0.5 0.4,0.5',
    'calibration.world_points_m': '0,0 4,0 4,6 0,6',
  })
  expect(floorDrawing(elements)).toMatchObject({ points: floor.points, metres: [4, 6] })
  expect(floorDrawing(calibrationOf(undefined))).toBeNull()
  // Lines a metre apart grow closer with the distance.
  const grid = floorGrid(floor)
  expect(grid).toHaveLength(3 + 5)
  const heights = grid.slice(3).map(([[, at]]) => 0.9 - at)
  expect(heights[0]).toBeGreaterThan((heights[4] as number) / 5)
  expect(faultOf(floor)).toBeNull()
  expect(
    faultOf({
      ...floor,
      points: [
        [0.1, 0.5],
        [0.3, 0.5],
        [0.5, 0.5],
        [0.7, 0.5],
      ],
    }),
  ).not.toBeNull()
  expect(faultOf({ ...floor, metres: [0, 6] })).toBe('calibration_size')
})

test('a point on the border leaves it by the smallest step of a key; dragged near it, it snaps to it', () => {
  const whole = newDrawing([], 'zone', 'w', [
    [0, 0],
    [1, 0],
    [1, 1],
  ])
  expect(movePoint(whole, 0, [0.01, 0]).points[0]).toEqual([0.01, 0])
  expect(clamp([0.01, 0])).toEqual([0, 0])
})
