import type { Api, EventEntity, Send } from '@sightline/contract'
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../app/client.ts'
import { goingOnMs } from '../ui/analytics/occasion-end.ts'
import { type EventPage, type EventPages, goingOnTokens, withPage } from './pages.ts'

type Asked = Omit<Send<Api['event']['range']>, 'page_token' | 'type'> & { event_limit: number }

/** Whoever reads on reads much, and whatever changes reads all pages again: those after the first are so many times as long. */
const furtherLonger = 4

async function readPage(asked: Asked, page_token: string | undefined, signal: AbortSignal): Promise<EventPage> {
  const event_limit = asked.event_limit * (page_token ? furtherLonger : 1)
  const result = await api.event.range.call({ ...asked, type: 1, page_token, event_limit }, { signal })
  if (!result.status) throw result.failure
  const listed = result.data as EventEntity[]
  // Galleries come oldest first.
  return { events: asked.view === 'gallery' ? listed.toReversed() : listed, page: result.page }
}

/** Events page by page, newest first; a page goes on after the last event of the one before, whatever came meanwhile. */
export function useEvents(asked: Asked) {
  const client = useQueryClient()
  const queryKey = [...api.event.range.key(), 'pages', asked]
  const query = useInfiniteQuery({
    queryKey,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => readPage(asked, pageParam, signal),
    getNextPageParam: ({ page }) => page?.next_page_token ?? undefined,
    placeholderData: keepPreviousData,
  })
  // Of a list of many pages only those are read again on which something goes on.
  useQuery({
    queryKey: ['going on', ...queryKey],
    meta: { op: 'event.range', quiet: true },
    enabled: !query.isPlaceholderData && query.data !== undefined && goingOnTokens(query.data).length > 0,
    // The list was read just now.
    initialData: null,
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: goingOnMs,
    queryFn: async ({ signal }) => {
      const list = client.getQueryData<EventPages>(queryKey)
      for (const token of list ? goingOnTokens(list) : []) {
        const fresh = await readPage(asked, token, signal)
        client.setQueryData<EventPages>(queryKey, (now) => now && withPage(now, token, fresh))
      }
      return null
    },
  })
  return {
    query,
    events: query.data?.pages.flatMap(({ events }) => events),
    /** Undefined before the first page; null when there are too many to count. */
    total: query.data?.pages[0]?.page?.total,
  }
}
