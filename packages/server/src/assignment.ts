import { sql } from 'kysely'
import { changed } from './bus.ts'
import type { Trx } from './db/database.ts'
import { notFound } from './refusal.ts'
import type { Services } from './services.ts'

/** Tables of who is assigned what, with what they join. */
const tables = {
  user_customer: ['user_id', 'customer_id'],
  user_site: ['user_id', 'site_id'],
  user_usecase: ['user_id', 'usecase_id'],
  user_channel: ['user_id', 'channel_id'],
  customer_usecase: ['customer_id', 'usecase_id'],
} as const
export type AssignmentTable = keyof typeof tables

type Row = { tenant_id: number; id: number }

/** One tenant's: what lies elsewhere answers as what does not exist. @throws 404 */
function idsWithin(owner: Row, items: readonly (Row | { id: number })[]): number[] {
  if (items.some((item) => 'tenant_id' in item && item.tenant_id !== owner.tenant_id)) throw notFound()
  return [...new Set(items.map((item) => item.id))]
}

/** Assigns each item; one that is assigned already counts as skipped. @throws 404 for one of another organization */
export async function assign(trx: Trx, table: AssignmentTable, owner: Row, items: readonly (Row | { id: number })[]) {
  const ids = idsWithin(owner, items)
  const [left, right] = tables[table]
  const { rows } = await sql`
    insert into ${sql.table(table)} (tenant_id, ${sql.ref(left)}, ${sql.ref(right)})
    select ${owner.tenant_id}::int4, ${owner.id}::int4, item from unnest(${ids}::int4[]) as s (item) order by item
    on conflict do nothing returning tenant_id`.execute(trx)
  return { assigned: rows.length, skipped: ids.length - rows.length }
}

/** Takes each item away; one that was not assigned counts as skipped. @throws 404 for one of another organization */
export async function unassign(trx: Trx, table: AssignmentTable, owner: Row, items: readonly (Row | { id: number })[]) {
  const ids = idsWithin(owner, items)
  const [left, right] = tables[table]
  const { rows } = await sql`
    delete from ${sql.table(table)}
    where tenant_id = ${owner.tenant_id} and ${sql.ref(left)} = ${owner.id} and ${sql.ref(right)} = any(${ids}::int4[])
    returning tenant_id`.execute(trx)
  return { unassigned: rows.length, skipped: ids.length - rows.length }
}

/**
 * Says that somebody was assigned other things than before: to all who see people, and to themselves, who look again at
 * what they reach.
 * @param feature of what was assigned or taken away
 */
export function tellAssigned({ bus }: Pick<Services, 'bus'>, person: Row & { uid: string }, feature: string): void {
  bus.publish(changed({ tenant_id: person.tenant_id }, 'user', person.uid))
  bus.publish({ ...changed({ tenant_id: person.tenant_id }, feature, null), userId: person.id })
}
