import type { Page } from '@sightline/contract'

/** Rows that a list answers at most when nobody says how many. */
export const mostRows = 500
/** Totals are counted up to this, and null above. */
export const mostCounted = 10_000

export type Paging = { limit?: number | undefined; offset?: number | undefined }

export const pageOf = ({ limit = mostRows, offset = 0 }: Paging, counted: number): Page => ({
  limit,
  offset,
  total: counted > mostCounted ? null : counted,
  next_page_token: null,
})
