import { expect, test } from 'vitest'
import { nextTile, rowsThatFit } from './tiles.ts'

test.each([
  [2, 1920, 1080, 2],
  [3, 1920, 1080, 3],
  [4, 1920, 1080, 4],
  [1, 1920, 700, 1],
  [4, 390, 844, 15],
])('%s columns in %s×%s have %s whole rows', (columns, width, height, rows) => {
  expect(rowsThatFit(columns, width, height, 0)).toBe(rows)
})

test.each([
  ['ArrowRight', -1, 0],
  ['ArrowRight', 0, 1],
  ['ArrowLeft', 0, null],
  ['ArrowDown', 1, 4],
  ['ArrowDown', 3, null],
  ['ArrowUp', 4, 1],
  ['ArrowUp', 2, null],
  ['Enter', 1, null],
])('of five tiles in threes, %s leads from %s to %s', (key, from, to) => {
  expect(nextTile(key, from, 5, 3)).toBe(to)
})
