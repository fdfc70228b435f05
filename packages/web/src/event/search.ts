import type { Customer } from '@sightline/contract'
import { metricIds, readMoment, usecaseKeys } from '@sightline/domain'
import { moment, oneOf, optional, search, uuid } from '../app/search.ts'

export const pageSize = 50
export const periods = { h1: '-1h', h24: '-24h', d7: '-7d', d30: '-30d' } as const
/** What is listed: what began (unless said otherwise), what was measured in each window, or every record. */
export const shows = ['window', 'all'] as const

/** What the event list and the gallery keep in their address. */
export const eventSearch = search({
  cid: optional(uuid),
  uid: optional(uuid),
  sid: optional(uuid),
  uc: optional(oneOf(usecaseKeys)),
  key: optional(oneOf(metricIds)),
  show: optional(oneOf(shows)),
  period: optional(oneOf(['h1', 'h24', 'd7', 'd30'])),
  /** A period of one's own, instead of the one that ends now. */
  from: optional(moment),
  to: optional(moment),
})
export type EventSearch = ReturnType<typeof eventSearch.parse>

export type Change = (change: Partial<EventSearch>) => void

/**
 * The events that an address speaks of, as the API is asked for them.
 * @param readAt where a period that ends now ends, in ms since the epoch: with it both ends stand still, and what is
 *   asked for again is the same. Without it the period begins so long before the server's now, and has no end.
 */
export function selectionOf(
  { cid, sid, uc, key, from, to, period = 'h24' }: EventSearch,
  customer: Customer | null,
  readAt?: number,
) {
  const beginsAt = readAt === undefined ? null : readMoment(periods[period], readAt)
  return {
    usecase_key: uc,
    usecase_meta_key: key ? [key] : undefined,
    channel_id: cid ? [cid] : undefined,
    site_id: sid,
    customer_id: cid || sid ? undefined : customer?.customer_id,
    ...(from && to
      ? { start: from, end: to }
      : readAt === undefined || beginsAt === null
        ? { start: periods[period], end: undefined }
        : { start: new Date(beginsAt).toISOString(), end: new Date(readAt).toISOString() }),
  }
}

/** What narrows or changes the list, in the order in which it is told; `period` is one of one's own. */
const filterIds = ['sid', 'uc', 'cid', 'key', 'show', 'period'] as const
export type FilterId = (typeof filterIds)[number]

/** Every filter that an address has, wherever it came from. Half a period of one's own is none. */
export const filtersOf = (search: EventSearch): FilterId[] =>
  filterIds.filter((id) => (id === 'period' ? search.from && search.to : search[id]))

/** The change that takes a filter away, with what says nothing without it. */
export const without = (id: FilterId): Partial<EventSearch> =>
  id === 'period'
    ? { from: undefined, to: undefined }
    : id === 'cid'
      ? { cid: undefined, uid: undefined }
      : { [id]: undefined }

/** Whether anything but the period narrows the list. */
export const isFiltered = (search: EventSearch): boolean => filtersOf(search).some((id) => id !== 'period')
export const noFilter: Partial<EventSearch> = Object.assign({}, ...filterIds.map(without))
