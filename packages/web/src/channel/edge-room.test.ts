import { expect, test } from 'vitest'
import { edgeRoom } from './edge-room.ts'

const well = [{ state_cause: null }, { state_cause: 'needs_model' }]

test('an edge server with plenty of room, or of which nobody knows it, is no reason to hesitate', () => {
  const nothing = { left: null, behind: null }
  expect(edgeRoom({ channels: 5, capacity: 8 }, well)).toEqual(nothing)
  expect(edgeRoom({ channels: 12, capacity: null }, well)).toEqual(nothing)
  expect(edgeRoom(undefined, [])).toEqual(nothing)
})

test('the last ones that fit are said, and that none does, however many too many there are', () => {
  expect(edgeRoom({ channels: 6, capacity: 8 }, well).left).toBe(2)
  expect(edgeRoom({ channels: 8, capacity: 8 }, well).left).toBe(0)
  expect(edgeRoom({ channels: 12, capacity: 8 }, well).left).toBe(0)
})

test('that pictures of the camera are left out already is said although its edge server thinks it has room', () => {
  const { left, behind } = edgeRoom({ channels: 1, capacity: 8 }, [...well, { state_cause: 'analysis_behind:180' }])
  expect([left, behind]).toEqual([null, 'analysis_behind:180'])
})
