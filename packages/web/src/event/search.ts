import type { Customer } from '@sightline/contract'
import { metricIds, usecaseKeys } from '@sightline/domain'
import * as z from 'zod'

export const pageSize = 50
export const periods = { h1: '-1h', h24: '-24h', d7: '-7d', d30: '-30d' } as const
/** What is listed: what began (unless said otherwise), what was measured in each window, or every record. */
export const shows = ['window', 'all'] as const

/** What the event list and the gallery keep in their address. */
export const eventSearch = z.object({
  cid: z.uuid().optional(),
  uid: z.uuid().optional(),
  sid: z.uuid().optional(),
  uc: z.enum(usecaseKeys).optional(),
  key: z.enum(metricIds).optional(),
  show: z.enum(shows).optional(),
  period: z.enum(['h1', 'h24', 'd7', 'd30']).optional(),
  /** A period of one's own, instead of the one that ends now. */
  from: z.iso.datetime().optional(),
  to: z.iso.datetime().optional(),
})
export type EventSearch = z.infer<typeof eventSearch>

export type Change = (change: Partial<EventSearch>) => void

/** The events that an address speaks of, as the API is asked for them. */
export function selectionOf({ cid, sid, uc, key, from, to, period = 'h24' }: EventSearch, customer: Customer | null) {
  return {
    usecase_key: uc,
    usecase_meta_key: key ? [key] : undefined,
    channel_id: cid ? [cid] : undefined,
    site_id: sid,
    customer_id: cid || sid ? undefined : customer?.customer_id,
    ...(from && to ? { start: from, end: to } : { start: periods[period] }),
  }
}

/** Whether anything but the period narrows the list. */
export const isFiltered = ({ cid, uc, key, show }: EventSearch): boolean => Boolean(cid || uc || key || show)
export const noFilter: Partial<EventSearch> = {
  ...{ cid: undefined, uid: undefined, uc: undefined, key: undefined, show: undefined },
}
