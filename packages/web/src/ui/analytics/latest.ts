/** The latest events, as they come. */
import type { Api, EventEntity, Send, StreamMessage } from '@sightline/contract'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../app/client.ts'
import { useTopic } from '../../live.ts'
import { useSoon } from '../soon.ts'
import { goingOnMs, isGoingOn } from './occasion-end.ts'

type Asked = Omit<Send<Api['event']['range']>, 'view' | 'kind' | 'type' | 'is_counted'>
type Told = Extract<StreamMessage, { type: 'event' }>

const listOf = (data: unknown): EventEntity[] | null => (Array.isArray(data) ? data : null)

/**
 * What happened, each with what became of it.
 * @param concerns whether what the stream tells may be one of them
 */
export function useHappened(asked: Asked, concerns: (told: Told) => boolean) {
  const query = useQuery({
    ...api.event.range.query({ ...asked, view: 'occasions', type: 1, is_counted: false }),
    refetchInterval: ({ state }) => (listOf(state.data)?.some((event) => isGoingOn(event)) ? goingOnMs : false),
  })
  const soon = useSoon()
  useTopic('event', (told) => {
    if (told.opened > 0 && concerns(told)) soon(query.refetch)
  })
  return { query, events: listOf(query.data) }
}

/** What happened at analytics; where nothing begins and ends, because they only count, what they counted. */
export function useLatest(channelIds: readonly string[], most: number) {
  const asked = { channel_id: [...channelIds], event_limit: most }
  const concerns = ({ channel_id }: Told) => channelIds.includes(channel_id)
  const happened = useHappened(asked, concerns)
  const onlyCounts = happened.events?.length === 0
  const query = useQuery({
    ...api.event.range.query({ ...asked, type: 1, is_counted: false }),
    enabled: onlyCounts,
  })
  const soon = useSoon()
  useTopic('event', (told) => {
    if (onlyCounts && concerns(told)) soon(query.refetch)
  })
  return onlyCounts ? { query, events: listOf(query.data) } : happened
}
