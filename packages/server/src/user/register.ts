import type { Receive, userOps } from '@sightline/contract'
import { defaultOrganizationId } from '@sightline/domain'
import { useToken } from '../auth/store.ts'
import { changed } from '../bus.ts'
import type { Trx } from '../db/database.ts'
import type { PublicCtx } from '../mount.ts'
import { isCommon } from '../password.ts'
import { invalid, Refusal } from '../refusal.ts'
import { addUser, findUser, toUser } from './store.ts'

/**
 * Registration without an account. While nobody has the instance, the one-time token of the start makes the first
 * super_admin. Afterwards it is closed unless self-registration was switched on, and then nobody gets above viewer,
 * whatever role they ask for.
 */
export async function register(draft: Receive<(typeof userOps)['register']>, ctx: PublicCtx) {
  const { db, passwords } = ctx.app
  const isWaiting = await db.instance(isOnboarding)
  if (!isWaiting && !(await db.instance(allowsSelfRegistration)))
    throw new Refusal(403, 'Registration is closed', { code: 'registration_closed' })
  if (isCommon(draft.password, [draft.firstname, draft.lastname, draft.username, draft.email]))
    throw invalid({ password: ['password_common'] })
  const password_hash = await passwords.hash(draft.password)
  const { firstname, lastname, email, username } = draft

  const row = await db.instance(async (trx) => {
    if (isWaiting) await takeInstance(trx, draft.token)
    const { tenant_id } = await trx
      .selectFrom('organization')
      .select('tenant_id')
      .where('uid', '=', defaultOrganizationId)
      .executeTakeFirstOrThrow()
    const role_key = isWaiting ? 'super_admin' : 'viewer'
    const { id, uid } = await addUser(trx, { tenant_id, firstname, lastname, email, username, password_hash, role_key })
    ctx.note({ actor: { tenantId: tenant_id, userId: id } })
    return findUser(trx, { tenantId: tenant_id, siteIds: null }, uid)
  })
  ctx.app.bus.publish(changed({ tenant_id: row.tenant_id }, 'user', row.uid))
  return toUser(row)
}

const isOnboarding = async (trx: Trx): Promise<boolean> =>
  (await trx.selectFrom('instance').select('onboarded_at').executeTakeFirstOrThrow()).onboarded_at === null

const allowsSelfRegistration = async (trx: Trx): Promise<boolean> =>
  (await trx.selectFrom('instance').select('settings').executeTakeFirstOrThrow()).settings.self_registration === true

/** Uses the token up and ends the onboarding, once; a refused registration rolls both back. */
async function takeInstance(trx: Trx, token: string | undefined): Promise<void> {
  if (!token || !(await useToken(trx, 'setup', token)))
    throw new Refusal(
      403,
      'The setup link is wrong, used or older than an hour: start the portal again for a new one.',
      {
        code: 'setup_token',
      },
    )
  await trx.updateTable('instance').set({ onboarded_at: new Date() }).where('onboarded_at', 'is', null).execute()
}
