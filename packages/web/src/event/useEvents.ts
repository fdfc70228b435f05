import type { Api, EventEntity, Send } from '@sightline/contract'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { api } from '../app/client.ts'
import { goingOnMs, isGoingOn } from '../ui/analytics/occasion-end.ts'

type Asked = Omit<Send<Api['event']['range']>, 'page_token' | 'type'>

/** Events page by page, newest first; a page goes on after the last event of the one before, whatever came meanwhile. */
export function useEvents(asked: Asked) {
  const query = useInfiniteQuery({
    queryKey: [...api.event.range.key(), 'pages', asked],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }) => {
      const result = await api.event.range.call({ ...asked, type: 1, page_token: pageParam }, { signal })
      if (!result.status) throw result.failure
      const listed = result.data as EventEntity[]
      // Galleries come oldest first.
      return { events: asked.view === 'gallery' ? listed.toReversed() : listed, page: result.page }
    },
    getNextPageParam: ({ page }) => page?.next_page_token ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ events }) => events.some((event) => isGoingOn(event))) ? goingOnMs : false,
  })
  return {
    query,
    events: query.data?.pages.flatMap(({ events }) => events),
    /** Undefined before the first page; null when there are too many to count. */
    total: query.data?.pages[0]?.page?.total,
  }
}
