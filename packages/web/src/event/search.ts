import { usecaseKeys } from '@sightline/domain'
import * as z from 'zod'

export const pageSize = 50
export const periods = { h1: '-1h', h24: '-24h', d7: '-7d', d30: '-30d' } as const
export const kinds = ['window', 'open', 'update', 'close'] as const

/** What the event list keeps in its address. */
export const eventSearch = z.object({
  cid: z.uuid().optional(),
  uid: z.uuid().optional(),
  sid: z.uuid().optional(),
  uc: z.enum(usecaseKeys).optional(),
  kind: z.enum(kinds).optional(),
  period: z.enum(['h1', 'h24', 'd7', 'd30']).optional(),
})
export type EventSearch = z.infer<typeof eventSearch>
