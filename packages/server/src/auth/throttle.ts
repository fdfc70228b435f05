/**
 * Slows guessing down. What waits is always one account: no attacker can keep others out, also where all people come from
 * one address because a proxy in front is not declared. An address with many failures only loses its accounts' free tries.
 */
import { normalizeIP } from '@fastify/rate-limit'
import { sql } from 'kysely'
import type { Trx } from '../db/database.ts'

/** So many tries of an account are free; after them each has to wait longer. Nothing locks for ever. */
const freeTries = 5
/** Failures of an address, over all accounts, after which only the first try of an account is free. */
const mostFailures = 50
const firstWaitSeconds = 10
const longestWaitSeconds = 15 * 60
/** Old failures are forgotten. */
const memorySeconds = 24 * 60 * 60

/** Who tries what, as kept in `login_fail`. */
export type Try = { account: string; address: string }

/**
 * @param user whom the name belongs to: user name and e-mail address are one account; null counts the name as typed,
 *   without case, so that an answer does not tell whether there is such an account
 */
export const tryOf = (user: { uid: string } | null, name: string, ip: string): Try => ({
  account: `account:${user?.uid ?? name.normalize('NFKC').trim().toLowerCase()}`,
  // All addresses of one IPv6 /64 are one client.
  address: `address:${normalizeIP(ip)}`,
})

/** Seconds that the next try has to wait after this many. */
const waitAfter = (tries: number, most: number): number =>
  tries < most ? 0 : Math.min(longestWaitSeconds, firstWaitSeconds * 2 ** Math.min(tries - most, 20))

const now = sql<Date>`clock_timestamp()`
const isForgotten = sql<boolean>`login_fail.last_at < ${now} - make_interval(secs => ${memorySeconds})`

/**
 * Counts a try before it is made, under a lock, so that many at once cannot slip by.
 * @returns seconds that it has to wait; 0: go ahead
 */
export async function countTry(trx: Trx, { account, address }: Try): Promise<number> {
  const { count: failures } = await trx
    .insertInto('login_fail')
    .values({ key: address, count: 1, last_at: now })
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet({ count: sql`case when ${isForgotten} then 1 else login_fail.count + 1 end`, last_at: now }),
    )
    .returning('count')
    .executeTakeFirstOrThrow()
  return countAccount(trx, account, failures > mostFailures ? 1 : freeTries)
}

async function countAccount(trx: Trx, key: string, free: number): Promise<number> {
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
      isForgotten.as('is_forgotten'),
    ])
    .where('key', '=', key)
    .forUpdate()
    .executeTakeFirstOrThrow()
  if (before.wait > 0) return before.wait
  const count = (before.is_forgotten ? 0 : before.count) + 1
  const wait = waitAfter(count, free)
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

/**
 * The try was right: the account starts anew, the address gets this one back. In the order in which a try is counted:
 * the other way two at once would wait for each other.
 */
export async function forgive(trx: Trx, { account, address }: Try): Promise<void> {
  await trx.updateTable('login_fail').set({ count: sql`greatest(count - 1, 0)` }).where('key', '=', address).execute()
  await trx.deleteFrom('login_fail').where('key', '=', account).execute()
}
