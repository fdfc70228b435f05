/** How an edge server that dials the portal is let in: a one-time token, and the exchange of keys that uses it up. */
import type { EnrolFault, Enrolled, Enrolment } from '@sightline/contract/edge'
import type { OpeningSelf } from '@sightline/contract/opening'
import { sql } from 'kysely'
import { hashOf, newToken } from '../auth/store.ts'
import type { Db, Trx } from '../db/database.ts'

const tokenSeconds = 60 * 60
const purpose = 'enrol'

/** A new token for this configuration; the one before it is void. Only its hash is kept. */
export async function renewEnrolToken(
  trx: Trx,
  nimble: { tenant_id: number; id: number },
): Promise<{ token: string; expiresAt: Date }> {
  const token = newToken()
  const values = {
    token_hash: hashOf(token),
    created_at: sql<Date>`now()`,
    expires_at: sql<Date>`now() + make_interval(secs => ${tokenSeconds})`,
    used_at: null,
  }
  const { expires_at } = await trx
    .insertInto('one_time_token')
    .values({ tenant_id: nimble.tenant_id, nimble_id: nimble.id, purpose, ...values })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'nimble_id']).doUpdateSet(values))
    .returning('expires_at')
    .executeTakeFirstOrThrow()
  return { token, expiresAt: expires_at }
}

export type Claimed = Enrolled & { tenantId: number }

/** Uses the token up and pins the edge server's key. Two calls at once: one of them is told that it was used. */
export async function claim(db: Db, portal: OpeningSelf, enrolment: Enrolment): Promise<Claimed | EnrolFault> {
  return db.instance(async (trx) => {
    const found = await trx
      .selectFrom('one_time_token')
      .selectAll()
      .select(sql<boolean>`expires_at < now()`.as('is_over'))
      .where('purpose', '=', purpose)
      .where('token_hash', '=', hashOf(enrolment.token))
      .forUpdate()
      .executeTakeFirst()
    if (!found || found.nimble_id === null) return 'token_unknown'
    if (found.used_at !== null) return 'token_used'
    if (found.is_over) return 'token_expired'
    await trx
      .updateTable('one_time_token')
      .set({ used_at: sql`now()` })
      .where('tenant_id', '=', found.tenant_id)
      .where('id', '=', found.id)
      .execute()
    const nimble = await trx
      .updateTable('nimble')
      .set({
        mode: 'enrolled',
        address: null,
        port: null,
        public_key: enrolment.public_key,
        offered_key: null,
        key_state: 'pinned',
      })
      .where('tenant_id', '=', found.tenant_id)
      .where('id', '=', found.nimble_id)
      .returning(['uid', 'name'])
      .executeTakeFirstOrThrow()
    return {
      tenantId: found.tenant_id,
      nimble_id: nimble.uid,
      name: nimble.name,
      instance_id: portal.id as string,
      portal_key: portal.key.publicKey,
    }
  })
}
