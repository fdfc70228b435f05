/** Long lists, read from the server piece by piece. */
import { infiniteQueryOptions, keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import type { CallFailed, Result } from '../api.ts'

type Paging = { limit?: number; offset?: number }
type ListCall<I extends object, T> = {
  key: () => readonly unknown[]
  call: (input: I & Paging, options?: { signal?: AbortSignal }) => Promise<Result<T[]>>
}

/** The first piece is there at once; whatever changes reads all pieces again, so the others are as large as they may be. */
const pieceSize = (offset: number) => (offset === 0 ? 100 : 500)
/** A list cannot be read further than this. */
const furthest = 10_000

export type Pages<T> = {
  /** What has come so far; undefined before the first piece. */
  rows: T[] | undefined
  /** Of all that fit; null above what the server counts. */
  total: number | null | undefined
  error: CallFailed | null
  retry: () => void
  remote: {
    hasMore: boolean
    isFetching: boolean
    /** What is shown answers an earlier question. */
    isStale: boolean
    more: () => void
  }
}

export const piecesOf = <I extends object, T>(list: ListCall<I, T>, input: I) =>
  infiniteQueryOptions({
    queryKey: [...list.key(), 'pages', input],
    initialPageParam: 0,
    queryFn: async ({ pageParam, signal }) => {
      const result = await list.call({ ...input, limit: pieceSize(pageParam), offset: pageParam }, { signal })
      if (!result.status) throw result.failure
      return { rows: result.data, page: result.page, next: pageParam + result.data.length }
    },
    getNextPageParam: ({ rows, page, next }, _, offset) =>
      rows.length === pieceSize(offset) && next < (page?.total ?? Number.POSITIVE_INFINITY) && next <= furthest
        ? next
        : null,
  })

/** The rows of a list that fit `input`, as many as were asked for until now. */
export function usePages<I extends object, T>(list: ListCall<I, T>, input: I, isWanted = true): Pages<T> {
  const query = useInfiniteQuery({
    ...piecesOf(list, input),
    enabled: isWanted,
    placeholderData: keepPreviousData,
  })
  return {
    rows: query.data?.pages.flatMap(({ rows }) => rows),
    total: query.data?.pages[0]?.page?.total,
    error: query.error as CallFailed | null,
    retry: () => void query.refetch(),
    remote: {
      hasMore: query.hasNextPage,
      isFetching: query.isFetchingNextPage,
      isStale: query.isPlaceholderData,
      more: () => void query.fetchNextPage(),
    },
  }
}
