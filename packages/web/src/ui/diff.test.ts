import { expect, test } from 'vitest'
import { diffLines } from './diff.ts'

const text = (before: string, after: string) =>
  diffLines(before, after).map(({ kind, text }) => `${{ same: ' ', added: '+', removed: '-' }[kind]}${text}`)

test('a changed line is removed and added, its neighbours stay', () => {
  expect(text('a\nb\nc', 'a\nB\nc')).toEqual([' a', '-b', '+B', ' c'])
})

test('lines that come and go at either end', () => {
  expect(text('a\nb', 'b\nc')).toEqual(['-a', ' b', '+c'])
  expect(text('a', 'a')).toEqual([' a'])
})

test('what is removed and what is added give back both texts, whatever they are', () => {
  const before = '{\n  "a": 1,\n  "b": [\n    1\n  ]\n}'
  const after = '{\n  "b": [\n    1,\n    2\n  ],\n  "c": 3\n}'
  const lines = diffLines(before, after)
  expect(lines.flatMap(({ kind, text }) => (kind === 'added' ? [] : [text])).join('\n')).toBe(before)
  expect(lines.flatMap(({ kind, text }) => (kind === 'removed' ? [] : [text])).join('\n')).toBe(after)
})
