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
/** Failures are forgotten one after the other, evenly: of as many as are remembered at most, none is left after this. */
const memorySeconds = 24 * 60 * 60
const mostRemembered = { account: 12, address: 2 * mostFailures } as const

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

/**
 * Counts a try before it is made, under a lock, so that many at once cannot slip by. One that has to wait is not made and
 * does not count.
 * @returns seconds that it has to wait; 0: go ahead
 */
export async function countTry(trx: Trx, { account, address }: Try): Promise<number> {
  const ofAddress = await failuresOf(trx, address, mostRemembered.address)
  const ofAccount = await failuresOf(trx, account, mostRemembered.account)
  if (ofAccount.wait > 0) return ofAccount.wait
  const wait = waitAfter(ofAccount.count + 1, ofAddress.count >= mostFailures ? 1 : freeTries)
  for (const key of [address, account])
    await trx
      .updateTable('login_fail')
      .set({
        count: sql`count + 1`,
        blocked_until: key === account && wait > 0 ? sql<Date>`${now} + make_interval(secs => ${wait})` : null,
      })
      .where('key', '=', key)
      .execute()
  return 0
}

/** The failures that are remembered, any part of one as a whole, and the seconds to wait. Locks them until the commit. */
async function failuresOf(trx: Trx, key: string, most: number): Promise<{ count: number; wait: number }> {
  const elapsed = sql`greatest(extract(epoch from ${now} - login_fail.last_at), 0)::float8`
  const left = sql<number>`greatest(least(login_fail.count, ${most}) - ${elapsed} * ${most / memorySeconds}::float8, 0)`
  return trx
    .insertInto('login_fail')
    .values({ key, count: 0, last_at: now })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ count: left, last_at: now }))
    .returning([
      sql<number>`ceil(count)::int`.as('count'),
      sql<number>`coalesce(ceil(extract(epoch from blocked_until - ${now})), 0)::int`.as('wait'),
    ])
    .executeTakeFirstOrThrow()
}

/**
 * The try was right: the account starts anew, the address gets this one back. In the order in which a try is counted:
 * the other way two at once would wait for each other.
 */
export async function forgive(trx: Trx, { account, address }: Try): Promise<void> {
  await trx.updateTable('login_fail').set({ count: sql`greatest(count - 1, 0)` }).where('key', '=', address).execute()
  await trx.deleteFrom('login_fail').where('key', '=', account).execute()
}
