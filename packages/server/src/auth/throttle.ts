import { normalizeIP } from '@fastify/rate-limit'
import { sql } from 'kysely'
import type { Trx } from '../db/database.ts'

/** So many tries are free; after them each has to wait longer, from 10 seconds to 15 minutes. Nothing locks for ever. */
const free = { account: 5, address: 50 } as const
const firstWaitSeconds = 10
const longestWaitSeconds = 15 * 60
/** Old failures are forgotten. */
const memorySeconds = 24 * 60 * 60

export type ThrottleKey = { kind: keyof typeof free; key: string }

/** Names count as typed, without case, whether there is such an account or not. */
export const accountKey = (name: string): ThrottleKey => ({
  kind: 'account',
  key: `account:${name.normalize('NFKC').trim().toLowerCase()}`,
})
/** All addresses of one IPv6 /64 are one client. */
export const addressKey = (ip: string): ThrottleKey => ({ kind: 'address', key: `address:${normalizeIP(ip)}` })

/** Seconds that the next try has to wait after this many. */
const waitAfter = (tries: number, most: number): number =>
  tries < most ? 0 : Math.min(longestWaitSeconds, firstWaitSeconds * 2 ** Math.min(tries - most, 20))

/**
 * Counts a try before it is made, under a lock, so that many at once cannot slip by.
 * @returns seconds that it has to wait; 0: go ahead
 */
export async function countTry(trx: Trx, { kind, key }: ThrottleKey): Promise<number> {
  const now = sql<Date>`clock_timestamp()`
  await trx
    .insertInto('login_fail')
    .values({ key, count: 0, last_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const before = await trx
    .selectFrom('login_fail')
    .select([
      'count',
      sql<number>`coalesce(ceil(extract(epoch from blocked_until - ${now})), 0)::int`.as('wait'),
      sql<boolean>`last_at < ${now} - make_interval(secs => ${memorySeconds})`.as('is_forgotten'),
    ])
    .where('key', '=', key)
    .forUpdate()
    .executeTakeFirstOrThrow()
  if (before.wait > 0) return before.wait
  const count = (before.is_forgotten ? 0 : before.count) + 1
  const wait = waitAfter(count, free[kind])
  await trx
    .updateTable('login_fail')
    .set({
      count,
      last_at: now,
      blocked_until: wait > 0 ? sql<Date>`${now} + make_interval(secs => ${wait})` : null,
    })
    .where('key', '=', key)
    .execute()
  return 0
}

/** The try was right: the account starts anew, the address gets this one back. */
export async function forgive(trx: Trx, { kind, key }: ThrottleKey): Promise<void> {
  if (kind === 'account') await trx.deleteFrom('login_fail').where('key', '=', key).execute()
  else
    await trx
      .updateTable('login_fail')
      .set({ count: sql`count - 1`, blocked_until: null })
      .where('key', '=', key)
      .execute()
}
