import type { Api, Send, StreamMessage } from '@sightline/contract'
import { useQuery } from '@tanstack/react-query'
import { api } from '../app/client.ts'
import { useTopic } from '../live.ts'
import { useSoon } from '../ui/soon.ts'
import { countNew, type Listed } from './newer.ts'

type Asked = Omit<Send<Api['event']['range']>, 'page_token' | 'type' | 'end'>

/**
 * How many events reading the list again would bring, `event_limit` at most. The stream cannot tell: it says that
 * something came, not whether the list asks for it, so the list's first page is read beside it.
 * @param concerns whether what the stream tells may be one of them
 */
export function useNewer(
  asked: Asked,
  listed: readonly Listed[] | undefined,
  concerns: (told: Extract<StreamMessage, { type: 'event' }>) => boolean,
): { waiting: number; look: () => void } {
  const { data, refetch } = useQuery({
    ...api.event.range.query({ ...asked, type: 1, is_counted: false }),
    enabled: false,
  })
  const soon = useSoon()
  useTopic('event', (told) => {
    if (concerns(told)) soon(refetch)
  })
  return {
    waiting: Array.isArray(data) && listed ? countNew(data, listed) : 0,
    /** After a time in which the stream may have told nothing. */
    look: () => void refetch(),
  }
}
