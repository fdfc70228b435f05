/** Long lists, read from the server piece by piece. */
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import type { CallFailed, Result } from '../api.ts'

type Paging = { limit?: number; offset?: number }
type ListCall<I extends object, T> = {
  key: () => readonly unknown[]
  call: (input: I & Paging, options?: { signal?: AbortSignal }) => Promise<Result<T[]>>
}

const pieceSize = 100

export type Pages<T> = {
  /** What has come so far; undefined before the first piece. */
  rows: T[] | undefined
  /** Of all that fit; null above what the server counts. */
  total: number | null | undefined
  error: CallFailed | null
  retry: () => void
  /** What is shown answers an earlier question. */
  isStale: boolean
  remote: { hasMore: boolean; isFetching: boolean; more: () => void }
}

/** The rows of a list that fit `input`, as many as were asked for until now. */
export function usePages<I extends object, T>(list: ListCall<I, T>, input: I, isWanted = true): Pages<T> {
  const query = useInfiniteQuery({
    queryKey: [...list.key(), 'pages', input],
    enabled: isWanted,
    initialPageParam: 0,
    placeholderData: keepPreviousData,
    queryFn: async ({ pageParam, signal }) => {
      const result = await list.call({ ...input, limit: pieceSize, offset: pageParam }, { signal })
      if (!result.status) throw result.failure
      return { rows: result.data, page: result.page, next: pageParam + result.data.length }
    },
    getNextPageParam: ({ rows, page, next }) =>
      rows.length === pieceSize && next < (page?.total ?? Number.POSITIVE_INFINITY) && next <= 10_000 ? next : null,
  })
  return {
    rows: query.data?.pages.flatMap(({ rows }) => rows),
    total: query.data?.pages[0]?.page?.total,
    error: query.error as CallFailed | null,
    retry: () => void query.refetch(),
    isStale: query.isPlaceholderData,
    remote: {
      hasMore: query.hasNextPage,
      isFetching: query.isFetchingNextPage,
      more: () => void query.fetchNextPage(),
    },
  }
}
