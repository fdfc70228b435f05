import type { Page } from '@sightline/contract'
import { type KyselyPlugin, SelectModifierNode, SelectQueryNode, sql } from 'kysely'
import { prepared, type Trx } from './db/database.ts'

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
 * @returns the same transaction; what it selects is also prepared, once a connection. Its plans fit whatever the values
 * are because the order of the joins does not depend on them. To be used where texts are few and columns are named.
 */
export function joinAsWritten(trx: Trx): Trx {
  // Not waited for: it goes out ahead of what is asked next, and should it fail, that fails too.
  sql`set local join_collapse_limit = 1`.execute(trx).catch(() => undefined)
  return trx.withPlugin(preparing)
}

const asWritten = SelectModifierNode.createWithExpression(prepared('as_written').toOperationNode())
const preparing: KyselyPlugin = {
  transformQuery: ({ node }) =>
    SelectQueryNode.is(node) ? SelectQueryNode.cloneWithFrontModifier(node, asWritten) : node,
  transformResult: async ({ result }) => result,
}
