/** A list of events piece by piece, and reading again of it what has changed. */
import type { EventEntity, Page } from '@sightline/contract'
import type { InfiniteData } from '@tanstack/react-query'
import { isGoingOn } from '../ui/analytics/occasion-end.ts'

export type EventPage = { events: EventEntity[]; page: Pick<Page, 'total' | 'next_page_token'> | null }
/** A page by the token after which it goes on, a text; the first has none. */
export type EventPages = InfiniteData<EventPage>

/** The pages on which something goes on, by their tokens: what else is listed stays as it is. */
export const goingOnTokens = ({ pages, pageParams }: EventPages): (string | undefined)[] =>
  pageParams.filter((_, index) => pages[index]?.events.some((event) => isGoingOn(event))) as (string | undefined)[]

/**
 * The list with one of its pages as it was just read. Where the next page does not go on from its end, because something
 * came or went, the rows stay and only what is said of them is new: else some would be listed twice, or not at all.
 */
export function withPage(list: EventPages, token: string | undefined, fresh: EventPage): EventPages {
  const index = list.pageParams.indexOf(token)
  const before = list.pages[index]
  if (!before) return list
  const isWhole = index === list.pages.length - 1 || fresh.page?.next_page_token === list.pageParams[index + 1]
  const byId = new Map(fresh.events.map((event) => [event.event_uuid, event]))
  const page = isWhole
    ? fresh
    : { ...before, events: before.events.map((event) => byId.get(event.event_uuid) ?? event) }
  return { ...list, pages: list.pages.with(index, page) }
}
