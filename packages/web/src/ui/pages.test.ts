import { QueryClient } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import type { Result } from '../api.ts'
import { piecesOf } from './pages.ts'

/** A list of `total` numbers, with what was asked of it. */
function listOf(total: number) {
  const asked: { limit?: number; offset?: number }[] = []
  const call = async (input: { limit?: number; offset?: number }) => {
    asked.push(input)
    const { limit = 500, offset = 0 } = input
    const data = Array.from({ length: Math.min(limit, total - offset) }, (_, at) => offset + at)
    return { status: true, data, page: { total } } as Result<number[]>
  }
  return { asked, list: { key: () => ['list'], call } }
}

test('a list of ten thousand rows is whole after a fifth of the calls that pieces of the first one’s size would take', async () => {
  const { asked, list } = listOf(10_000)
  const client = new QueryClient()
  const { pages } = await client.fetchInfiniteQuery({ ...piecesOf(list, {}), pages: 100 })
  expect(pages.flatMap(({ rows }) => rows)).toEqual(Array.from({ length: 10_000 }, (_, at) => at))
  expect(asked.every(({ limit = 0, offset = 0 }) => limit <= 500 && offset <= 10_000)).toBe(true)
  expect(asked.length).toBeLessThanOrEqual(21)
})

test('a list ends with its last row, whether or not that fills a piece', async () => {
  for (const total of [0, 99, 100, 101, 600, 601]) {
    const { list } = listOf(total)
    const { pages } = await new QueryClient().fetchInfiniteQuery({ ...piecesOf(list, {}), pages: 100 })
    expect(pages.flatMap(({ rows }) => rows)).toHaveLength(total)
    expect(pages.every(({ rows }) => total === 0 || rows.length > 0)).toBe(true)
  }
})
