import type { Page } from '@sightline/contract'
import { sql } from 'kysely'
import type { Trx } from './db/database.ts'

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

/**
 * Takes joins in the order in which they are written, until the transaction ends. Where a dozen of them are lookups by
 * key, the planner's search for a better order costs several times what the query does.
 */
export const joinAsWritten = (trx: Trx) => sql`set local join_collapse_limit = 1`.execute(trx)
