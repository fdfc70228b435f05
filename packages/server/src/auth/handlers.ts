import { giveSession, takeSession } from '../cookie.ts'
import { type Handlers, type PublicCtx, unauthorized } from '../mount.ts'
import { Refusal } from '../refusal.ts'
import { findByName, noteSignIn, userInfo } from '../user/store.ts'
import { clientOf, endSession, openSession } from './store.ts'
import { countTry, forgive, type Try, tryOf } from './throttle.ts'

export const auth: Handlers<'auth'> = {
  async login({ username, email, password }, ctx) {
    const { db, env, passwords } = ctx.app
    const name = username ?? email ?? ''
    const user = (await db.instance((trx) => findByName(trx, name))) ?? null
    const attempt = tryOf(user, name, ctx.ip)
    // Before it counts as a try, as it is none.
    passwords.refuseMore()
    await throttle(ctx, attempt)
    const matches = await passwords.verify(user?.password_hash ?? null, password)
    ctx.note({ object_kind: 'user', object_id: user?.uid, object_name: name })
    if (!user || !matches || user.status !== 'active') throw badCredentials()

    const who = { tenantId: user.tenant_id, userId: user.id }
    ctx.note({ actor: who })
    const { session, info } = await db.instance(async (trx) => {
      // The password may have become another while it was compared, which ended all sessions but this one.
      if (!(await noteSignIn(trx, who, user.password_hash))) throw badCredentials()
      await forgive(trx, attempt)
      if (ctx.principal) await endSession(trx, ctx.principal.tenantId, ctx.principal.sessionUid)
      const session = await openSession(trx, who, clientOf(ctx.request))
      return { session, info: await userInfo(trx, { ...session, userUid: user.uid, unblurredUntil: null }) }
    })
    giveSession(ctx.reply, env, session.token)
    return info
  },

  async logout(_, { app, principal, reply }) {
    await app.db.instance((trx) => endSession(trx, principal.tenantId, principal.sessionUid))
    takeSession(reply, app.env)
    reply.header('clear-site-data', '"storage"')
    return {}
  },
}

/** One answer for a name that is unknown, a password that is wrong and an account that is switched off. */
const badCredentials = () => unauthorized('wrong user name or password', 'bad_credentials')

/** Counts this try for the account and for the address. @throws 429 with the seconds to wait */
async function throttle(ctx: PublicCtx, attempt: Try): Promise<void> {
  const wait = await ctx.app.db.instance((trx) => countTry(trx, attempt))
  if (wait > 0)
    throw new Refusal(429, 'Too many attempts, wait before the next one.', {
      code: 'throttled',
      args: { seconds: wait },
      headers: { 'retry-after': String(wait) },
    })
}
