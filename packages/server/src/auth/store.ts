import { createHash, randomBytes } from 'node:crypto'
import { type Role, reachesEveryOrganization, sessionHours, sessionIdleMinutes } from '@sightline/domain'
import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { prepared, type Trx } from '../db/database.ts'
import { once } from '../db/once.ts'
import type { Caller, Principal } from '../scope.ts'
import { newUid } from '../uid.ts'

/** A session ends this long after its last request, and this long after its start. */
const idleSeconds = sessionIdleMinutes * 60
const absoluteSeconds = sessionHours * 60 * 60
/** `last_seen_at` is exact to this much, which spares most requests a write. */
const seenSeconds = 5

export const hashOf = (token: string) => createHash('sha256').update(token).digest()
export const newToken = () => randomBytes(32).toString('base64url')
/** What `newToken` makes. */
export const tokenPattern = /^[\w-]{43}$/

/** What a session remembers of the browser that began it. */
export type Client = { ip: string; userAgent: string; method: 'form' }
export const clientOf = (request: FastifyRequest): Client => ({
  ip: request.ip,
  userAgent: (request.headers['user-agent'] ?? '').slice(0, 200),
  method: 'form',
})

export type OpenedSession = { token: string; uid: string; csrf: string; authTime: Date }

/**
 * Begins a session. The token goes to the browser and is kept as a hash only.
 * @param csrf of the session that this one replaces, where its pages stay open
 */
export async function openSession(
  trx: Trx,
  user: { tenantId: number; userId: number },
  from: Client,
  csrf = randomBytes(24).toString('base64url'),
): Promise<OpenedSession> {
  const token = newToken()
  const { uid, auth_time } = await trx
    .insertInto('session')
    .values({
      tenant_id: user.tenantId,
      uid: newUid(),
      user_id: user.userId,
      token_hash: hashOf(token),
      csrf,
      auth_method: from.method,
      auth_time: sql`clock_timestamp()`,
      ip: from.ip,
      user_agent: from.userAgent,
      // Not the transaction's time: it must lie after a `sessions_valid_from` of the same transaction.
      created_at: sql`clock_timestamp()`,
      last_seen_at: sql`clock_timestamp()`,
      expires_at: sql`clock_timestamp() + make_interval(secs => ${absoluteSeconds})`,
    })
    .returning(['uid', 'auth_time'])
    .executeTakeFirstOrThrow()
  return { token, uid, csrf, authTime: auth_time }
}

/** Sessions that hold, with their people and what these reach. */
const live = (trx: Trx) =>
  trx
    .selectFrom('session as s')
    .modifyFront(prepared('auth.session'))
    .innerJoin('app_user as u', (on) => on.onRef('u.tenant_id', '=', 's.tenant_id').onRef('u.id', '=', 's.user_id'))
    .innerJoin('organization as o', 'o.tenant_id', 's.tenant_id')
    .innerJoin('role_privilege as r', 'r.role_key', 'u.role_key')
    .where('s.revoked_at', 'is', null)
    .where('s.expires_at', '>', sql<Date>`now()`)
    .where('s.last_seen_at', '>', sql<Date>`now() - make_interval(secs => ${idleSeconds})`)
    .where('u.status', '=', 'active')
    .whereRef('s.created_at', '>=', 'u.sessions_valid_from')
    .select([
      's.tenant_id',
      's.uid as session_uid',
      's.csrf',
      's.auth_time',
      's.unblurred_until',
      'r.privileges',
      'u.id as user_id',
      'u.uid as user_uid',
      'u.role_key',
      'o.uid as organization_uid',
      sql<boolean>`s.last_seen_at < now() - make_interval(secs => ${seenSeconds})`.as('is_due'),
      // Assigned sites, and the sites of assigned customers; everybody above reaches all sites of the organization.
      sql<number[] | null>`case when u.role_key in ('user', 'viewer') then array(
        select site.id from site where site.tenant_id = u.tenant_id and (
          exists (select from user_site a where a.tenant_id = u.tenant_id and a.user_id = u.id and a.site_id = site.id)
          or exists (select from user_customer a
            where a.tenant_id = u.tenant_id and a.user_id = u.id and a.customer_id = site.customer_id))) end`.as(
        'site_ids',
      ),
      // Without an assignment, all.
      sql<number[] | null>`case when u.role_key in ('user', 'viewer') then (
        select array_agg(a.usecase_id::int4) from user_usecase a where a.tenant_id = u.tenant_id and a.user_id = u.id) end`.as(
        'usecase_ids',
      ),
      // The same; but whose channels were all deleted sees none.
      sql<string[] | null>`case when u.role_key in ('user', 'viewer') then (
        select array_remove(array_agg(c.uid), null) from user_channel a
        left join channel c on c.tenant_id = a.tenant_id and c.id = a.channel_id
        where a.tenant_id = u.tenant_id and a.user_id = u.id) end`.as('channel_uids'),
    ])
type LiveSession = Awaited<ReturnType<ReturnType<typeof live>['execute']>>[number]

const callerOf = (row: LiveSession): Caller => {
  const principal = {
    userId: row.user_id,
    userUid: row.user_uid,
    tenantId: row.tenant_id,
    organizationId: row.organization_uid,
    role: row.role_key as Role,
    sessionUid: row.session_uid,
    csrf: row.csrf,
    authTime: row.auth_time,
    privileges: row.privileges,
    unblurredUntil: row.unblurred_until,
  }
  const tenantId = reachesEveryOrganization(principal.role) ? null : row.tenant_id
  const { site_ids: siteIds, usecase_ids: usecaseIds, channel_uids: channelUids } = row
  return { principal, scope: { principal, tenantId, siteIds, usecaseIds, channelUids } }
}

const ofToken = once((trx, { hash }: { hash: Buffer }) => live(trx).where('s.token_hash', '=', hash))

/**
 * Who holds this token, in one statement; null when the session ended, by time or by anyone's hand.
 * @returns also whether `noteActivity` is due
 */
export async function findCaller(trx: Trx, token: string): Promise<(Caller & { isDue: boolean }) | null> {
  const [row] = await ofToken(trx, { hash: hashOf(token) })
  return row ? { ...callerOf(row), isDue: row.is_due } : null
}

/**
 * Keeps a session open. The commit is not waited for until it is on the disk, which took 50 ms of a call every five
 * seconds: a machine that loses its power takes the last second of it along, and the session goes on.
 */
export async function noteActivity(trx: Trx, { tenantId, sessionUid }: Pick<Principal, 'tenantId' | 'sessionUid'>) {
  await Promise.all([
    sql`set local synchronous_commit = off`.execute(trx),
    trx
      .updateTable('session')
      .set({ last_seen_at: sql`now()` })
      .where('tenant_id', '=', tenantId)
      .where('uid', '=', sessionUid)
      .execute(),
  ])
}

/** Those of the sessions that still hold, as they are now. Does not count as activity. */
export async function callersOf(trx: Trx, sessionUids: string[]): Promise<Map<string, Caller>> {
  const rows = await live(trx).where('s.uid', 'in', sessionUids).execute()
  return new Map(rows.map((row) => [row.session_uid, callerOf(row)]))
}

export const endSession = (trx: Trx, tenantId: number, sessionUid: string) =>
  trx
    .updateTable('session')
    .set({ revoked_at: sql`now()` })
    .where('tenant_id', '=', tenantId)
    .where('uid', '=', sessionUid)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()

/** Until when a session sees pictures clearly that are blurred for its role; null: no longer. */
export async function setUnblurred(
  trx: Trx,
  { tenantId, sessionUid }: Pick<Principal, 'tenantId' | 'sessionUid'>,
  until: Date | null,
): Promise<{ unblurred_until: string | null }> {
  await trx
    .updateTable('session')
    .set({ unblurred_until: until })
    .where('tenant_id', '=', tenantId)
    .where('uid', '=', sessionUid)
    .execute()
  return { unblurred_until: until?.toISOString() ?? null }
}

/** Ends every session of somebody, those of this very transaction's past included. */
export const endSessionsOf = (trx: Trx, user: { tenantId: number; userId: number }) =>
  trx
    .updateTable('app_user')
    .set({ sessions_valid_from: sql`clock_timestamp()` })
    .where('tenant_id', '=', user.tenantId)
    .where('id', '=', user.userId)
    .execute()

/** Somebody's sessions that hold, newest first, without anything that could be used as one. */
export async function listSessions(trx: Trx, user: { tenantId: number; userId: number }) {
  const rows = await live(trx)
    .where('s.tenant_id', '=', user.tenantId)
    .where('s.user_id', '=', user.userId)
    .select(['s.created_at', 's.last_seen_at', 's.ip', 's.user_agent', 's.auth_method'])
    .select(sql<Date>`least(s.expires_at, s.last_seen_at + make_interval(secs => ${idleSeconds}))`.as('ends_at'))
    .orderBy('s.created_at', 'desc')
    .execute()
  return rows.map((row) => ({
    session_id: row.session_uid,
    created_at: row.created_at.toISOString(),
    last_seen_at: row.last_seen_at.toISOString(),
    expires_at: row.ends_at.toISOString(),
    ip: row.ip,
    user_agent: row.user_agent,
    auth_method: row.auth_method,
  }))
}

/** Throws away what nobody asks for again: sessions a month after their end, failures and one-time tokens a day after. */
export async function forgetOld(trx: Trx): Promise<void> {
  await trx.deleteFrom('session').where('expires_at', '<', sql<Date>`now() - interval '30 days'`).execute()
  await trx.deleteFrom('login_fail').where('last_at', '<', sql<Date>`now() - interval '1 day'`).execute()
  await trx.deleteFrom('one_time_token').where('expires_at', '<', sql<Date>`now() - interval '1 day'`).execute()
}

/* ── one-time tokens ─────────────────────────────────────────────────────────────────── */

const setupSeconds = 60 * 60

/**
 * The token with which the first administrator registers: a new one at each start until somebody did, valid for an hour.
 * @returns null when the instance has its administrator
 */
export async function renewSetupToken(trx: Trx): Promise<string | null> {
  const waiting = await trx.selectFrom('instance').select('id').where('onboarded_at', 'is', null).executeTakeFirst()
  await trx.deleteFrom('one_time_token').where('purpose', '=', 'setup').execute()
  if (!waiting) return null
  const token = newToken()
  await trx
    .insertInto('one_time_token')
    .columns(['tenant_id', 'purpose', 'token_hash', 'expires_at'])
    .expression((eb) =>
      eb
        .selectFrom('organization')
        .where('is_default', '=', true)
        .select([
          'tenant_id',
          sql.lit('setup').as('purpose'),
          eb.val(hashOf(token)).as('token_hash'),
          sql<Date>`now() + make_interval(secs => ${setupSeconds})`.as('expires_at'),
        ]),
    )
    .execute()
  return token
}

/** Uses a token up. Two calls at once: one of them is told that there is none. */
export async function useToken(trx: Trx, purpose: 'setup', token: string): Promise<{ tenantId: number } | null> {
  const used = await trx
    .updateTable('one_time_token')
    .set({ used_at: sql`now()` })
    .where('purpose', '=', purpose)
    .where('token_hash', '=', hashOf(token))
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .returning('tenant_id')
    .executeTakeFirst()
  return used ? { tenantId: used.tenant_id } : null
}
