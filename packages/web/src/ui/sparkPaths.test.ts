import { expect, test } from 'vitest'
import { sparkPaths } from './sparkPaths.ts'

test('a gap breaks the line instead of falling to zero', () => {
  const { line } = sparkPaths([1, 2, null, 3, 4], 100, 40)
  expect(line.match(/M/g)).toHaveLength(2)
})

test('nothing but gaps draws nothing', () => {
  expect(sparkPaths([null, null], 100, 40)).toEqual({ line: '', area: '' })
})

test('the greatest value reaches the top, zero lies at the bottom', () => {
  const { line } = sparkPaths([0, 10], 100, 40)
  expect(line).toMatch(/^M0\.0,37\.0/)
  expect(line).toMatch(/100\.0,7\.0$/)
})
