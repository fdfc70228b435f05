import type { UiConfig } from '@sightline/contract'
import { grantable, may, type Role, unblurMinutes } from '@sightline/domain'
import { sql } from 'kysely'
import { clientOf, endSession, endSessionsOf, listSessions, openSession, setUnblurred } from '../auth/store.ts'
import { changed } from '../bus.ts'
import { giveSession } from '../cookie.ts'
import type { Trx } from '../db/database.ts'
import { type Ctx, type Handlers, reply } from '../mount.ts'
import { targetTenant } from '../organization/store.ts'
import { isCommon } from '../password.ts'
import { forbidden, invalid, notFound, Refusal, refuseStale } from '../refusal.ts'
import { privilegesOf } from '../role/store.ts'
import type { Principal } from '../scope.ts'
import { readSite } from '../site/store.ts'
import { changeOf, insertTrace } from '../trace.ts'
import { register } from './register.ts'
import {
  addUser,
  findByName,
  findUser,
  listUsers,
  lockUser,
  peopleOfSite,
  toConfig,
  toUser,
  type UserRow,
  userInfo,
} from './store.ts'

export const user: Handlers<'user'> = {
  info: (_, { app, principal }) => app.db.read({ tenantId: principal.tenantId }, (trx) => userInfo(trx, principal)),

  register,

  async create({ password, confirm_password: _, organization_id, ...draft }, ctx) {
    const { app, scope, principal } = ctx
    if (!grantable[principal.role].includes(draft.role_key)) throw forbidden('role_not_grantable')
    refuseCommon(password, draft)
    const password_hash = await app.passwords.hash(password)
    const row = await app.db.as(scope, async (trx) => {
      await refuseSeeingMore(trx, principal, draft.role_key)
      const tenant_id = await targetTenant(trx, scope, organization_id)
      const { uid } = await addUser(trx, { ...draft, tenant_id, password_hash })
      return findUser(trx, scope, uid)
    })
    tell(ctx, row)
    return toUser(row)
  },

  async list({ limit, offset, ...filter }, { app, scope, principal }) {
    return app.db.as(scope, async (trx) => {
      if (!seesOthers(principal.role)) {
        const self = await findUser(trx, scope, principal.userUid)
        return reply([toUser(self)], { page: { limit, offset, total: 1, next_page_token: null } })
      }
      const { rows, total } = await listUsers(trx, scope, filter, { limit, offset })
      return reply(rows.map(toUser), { page: { limit, offset, total, next_page_token: null } })
    })
  },

  id: ({ user_id }, ctx) => ctx.app.db.as(ctx.scope, async (trx) => toUser(await reachable(trx, ctx, user_id))),

  async update({ user_id, version, ...change }, ctx) {
    const row = await ctx.app.db.as(ctx.scope, async (trx) => {
      const target = await reachable(trx, ctx, user_id, lockUser)
      const isSelf = target.uid === ctx.principal.userUid
      const { role_key = target.role_key, status = target.status } = change
      const losesRank = role_key !== target.role_key || status !== target.status
      if (!isSelf) refuseHigher(ctx, target)
      // Nobody raises or locks out themselves, not even by mistake.
      if (isSelf && losesRank) throw forbidden('own_role')
      if (role_key !== target.role_key && !grantable[ctx.principal.role].includes(role_key))
        throw forbidden('role_not_grantable')
      if (role_key !== target.role_key) await refuseSeeingMore(trx, ctx.principal, role_key)
      refuseStale(target, version)
      if (losesRank) await keepOneSuperAdmin(trx, target)
      if (Object.values(change).some((value) => value !== undefined))
        await trx
          .updateTable('app_user')
          .set(change)
          .where('tenant_id', '=', target.tenant_id)
          .where('id', '=', target.id)
          .execute()
      if (losesRank) await endSessionsOf(trx, { tenantId: target.tenant_id, userId: target.id })
      const row = await findUser(trx, ctx.scope, user_id)
      ctx.note({ object_name: target.username, ...changeOf(toUser(target), toUser(row)) })
      return row
    })
    tell(ctx, row)
    return toUser(row)
  },

  async delete({ user_id }, ctx) {
    const row = await ctx.app.db.as(ctx.scope, async (trx) => {
      const target = await reachable(trx, ctx, user_id, lockUser)
      if (target.uid === ctx.principal.userUid) throw forbidden('own_account')
      refuseHigher(ctx, target)
      await keepOneSuperAdmin(trx, target)
      await trx.deleteFrom('app_user').where('tenant_id', '=', target.tenant_id).where('id', '=', target.id).execute()
      return target
    })
    ctx.note({ object_name: row.username })
    tell(ctx, row)
    return { user_id }
  },

  config: ({ user_id }, ctx) =>
    ctx.app.db.as(ctx.scope, async (trx) =>
      toConfig((await reachable(trx, ctx, user_id ?? ctx.principal.userUid)).ui_config),
    ),
  configReplace: ({ ui_config }, ctx) => saveConfig(ctx, () => ui_config),
  configUpdate: ({ ui_config }, ctx) => saveConfig(ctx, (stored) => ({ ...stored, ...ui_config })),

  async password({ current, password }, ctx) {
    const { app, principal, scope, request } = ctx
    const self = await app.db.as(scope, (trx) => findUser(trx, scope, principal.userUid))
    if (!(await app.passwords.verify(self.password_hash, current))) throw invalid({ current: ['wrong_password'] })
    refuseCommon(password, self)
    const password_hash = await app.passwords.hash(password)
    const who = { tenantId: principal.tenantId, userId: principal.userId }
    const session = await app.db.as(scope, async (trx) => {
      const { numUpdatedRows } = await trx
        .updateTable('app_user')
        .set({ password_hash })
        .where('tenant_id', '=', who.tenantId)
        .where('id', '=', who.userId)
        // Another session may have changed it while it was compared.
        .where('password_hash', '=', self.password_hash)
        .executeTakeFirst()
      if (numUpdatedRows === 0n) throw invalid({ current: ['wrong_password'] })
      await endSessionsOf(trx, who)
      return openSession(trx, who, clientOf(request), principal.csrf)
    })
    giveSession(ctx.reply, app.env, session.token)
    return { user_id: principal.userUid }
  },

  async sessions({ user_id }, ctx) {
    return ctx.app.db.as(ctx.scope, async (trx) => {
      const target = await reachable(trx, ctx, user_id ?? ctx.principal.userUid)
      const sessions = await listSessions(trx, { tenantId: target.tenant_id, userId: target.id })
      return sessions.map((session) => ({
        ...session,
        user_id: target.uid,
        is_current: session.session_id === ctx.principal.sessionUid,
      }))
    })
  },

  async unblur(_, { app, scope, principal, note, request }) {
    if (!principal.privileges.includes('picture.unblur')) throw forbidden('unblur_not_allowed')
    note({ object_kind: 'session', object_id: principal.sessionUid, isTraced: true })
    const until = new Date(Date.now() + unblurMinutes * 60_000)
    return app.db.as(scope, async (trx) => {
      // Nobody sees clearly whose reason is not written down.
      await insertTrace(trx, request, { id: 'user.unblur', result: 'ok', status: 200 })
      return setUnblurred(trx, principal, until)
    })
  },

  async blur(_, { app, scope, principal, note }) {
    note({ object_kind: 'session', object_id: principal.sessionUid })
    return app.db.as(scope, (trx) => setUnblurred(trx, principal, null))
  },

  async sessionRevoke({ session_id }, ctx) {
    return ctx.app.db.as(ctx.scope, async (trx) => {
      const owner = await trx
        .selectFrom('session as s')
        .innerJoin('app_user as u', (on) => on.onRef('u.tenant_id', '=', 's.tenant_id').onRef('u.id', '=', 's.user_id'))
        .select(['u.uid', 's.tenant_id'])
        .where('s.uid', '=', session_id)
        .executeTakeFirst()
      if (!owner) throw notFound()
      const target = await reachable(trx, ctx, owner.uid)
      if (target.uid !== ctx.principal.userUid) refuseHigher(ctx, target)
      const { numUpdatedRows } = await endSession(trx, owner.tenant_id, session_id)
      if (numUpdatedRows === 0n) throw notFound()
      ctx.note({ object_kind: 'session', object_id: session_id, object_name: target.username })
      return { session_id }
    })
  },

  email: ({ email }, { app, scope }) =>
    app.db.as(scope, async (trx) => {
      const found = await findByName(trx, email)
      const account = found && (scope.tenantId === null || found.tenant_id === scope.tenantId) ? found : null
      return {
        exists: account !== null,
        user_id: account?.uid ?? null,
        firstname: account?.firstname ?? null,
        lastname: account?.lastname ?? null,
      }
    }),

  bySite: ({ site_id }, { app, scope, principal }) =>
    app.db.as(scope, async (trx) => {
      const people = await peopleOfSite(trx, await readSite(trx, scope, site_id))
      // Who is locked out is the administrators' affair.
      return seesOthers(principal.role) ? people : people.filter(({ status }) => status === 'active')
    }),
}

const tell = ({ app }: Ctx, { tenant_id, uid }: UserRow) => app.bus.publish(changed({ tenant_id }, 'user', uid))

const seesOthers = (role: Ctx['principal']['role']) => may(role, 'super_and_admin_access')

/** Oneself; for admin and above, and super_viewer, anybody of the organizations in reach. @throws 404 for all others */
async function reachable(trx: Trx, { scope, principal }: Ctx, uid: string, find = findUser): Promise<UserRow> {
  if (uid !== principal.userUid && !seesOthers(principal.role)) throw notFound()
  return find(trx, scope, uid)
}

/** Only who could have given a role may touch an account that has it. @throws 403 */
function refuseHigher({ principal }: Ctx, target: UserRow): void {
  if (!grantable[principal.role].includes(target.role_key)) throw forbidden('higher_rank')
}

/** The instance always keeps somebody who can do everything. @throws 409 */
async function keepOneSuperAdmin(trx: Trx, target: UserRow): Promise<void> {
  if (target.role_key !== 'super_admin' || target.status !== 'active') return
  // Whose target is another waits here, and counts what the first one left. The others' rows would be locked in two orders.
  await sql`select pg_advisory_xact_lock(hashtext('sightline.super_admin'))`.execute(trx)
  const active = await trx
    .selectFrom('app_user')
    .select('id')
    .where('role_key', '=', 'super_admin')
    .where('status', '=', 'active')
    .execute()
  if (active.length <= 1) throw new Refusal(409, 'The last super administrator stays.', { code: 'last_super_admin' })
}

function refuseCommon(password: string, own: { firstname: string; lastname: string; username: string; email: string }) {
  if (isCommon(password, [own.firstname, own.lastname, own.username, own.email]))
    throw invalid({ password: ['password_common'] })
}

async function saveConfig({ app, scope, principal }: Ctx, change: (stored: UiConfig) => Partial<UiConfig>) {
  return app.db.as(scope, async (trx) => {
    // One after the other, so that two changes at once both stay.
    const stored = await trx
      .selectFrom('app_user')
      .select('ui_config')
      .where('tenant_id', '=', principal.tenantId)
      .where('id', '=', principal.userId)
      .forUpdate()
      .executeTakeFirstOrThrow()
    const changed = change(toConfig(stored.ui_config).ui_config)
    await trx
      .updateTable('app_user')
      .set({ ui_config: JSON.stringify(changed) })
      .where('tenant_id', '=', principal.tenantId)
      .where('id', '=', principal.userId)
      .execute()
    return toConfig(changed)
  })
}

/** Nobody gives a role that sees pictures more clearly than their own: it would be a way around a reason. */
async function refuseSeeingMore(trx: Trx, { role, privileges }: Principal, given: Role): Promise<void> {
  if (role === 'super_admin') return
  const held = await privilegesOf(trx, given)
  if (held.some((one) => !privileges.includes(one))) throw forbidden('role_sees_more')
}
