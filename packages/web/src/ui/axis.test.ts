import { expect, test } from 'vitest'
import { axisBegin } from './axis.ts'

const minute = 60_000
const day = 24 * 60 * minute

test('an axis covers its period, gaps at its start included', () => {
  expect(axisBegin(0, day, 0)).toBe(0)
  expect(axisBegin(0, day, day / 3)).toBe(0)
})

test('on the first day it begins with the first figure', () => {
  expect(axisBegin(0, day, day - 3 * 60 * minute)).toBe(day - 3 * 60 * minute)
})

test('it is never shorter than ten minutes, nor longer than its period', () => {
  expect(axisBegin(0, day, day - minute)).toBe(day - 10 * minute)
  expect(axisBegin(0, 5 * minute, 4 * minute)).toBe(0)
})

test('without a figure it is the period', () => {
  expect(axisBegin(0, day, null)).toBe(0)
})
