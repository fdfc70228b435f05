import type { UiConfig, User, UserInfo } from '@sightline/contract'
import { may, type Permission, permissions, type Role } from '@sightline/domain'
import { type Insertable, type SqlBool, sql } from 'kysely'
import type { Trx } from '../db/database.ts'
import type { UserTable } from '../db/schema.ts'
import { within } from '../reach.ts'
import { notFound } from '../refusal.ts'
import { privilegesOf } from '../role/store.ts'
import type { Scope } from '../scope.ts'
import { newUid } from '../uid.ts'

type Reach = Pick<Scope, 'tenantId' | 'siteIds'>

/** What a user row says beside the wire's shape: keys and what sign-in needs. */
export type UserRow = Awaited<ReturnType<typeof findUser>>

const people = (trx: Trx) =>
  trx
    .selectFrom('app_user as u')
    .innerJoin('organization as o', 'o.tenant_id', 'u.tenant_id')
    .selectAll('u')
    .select([
      'o.uid as organization_uid',
      'o.name as organization_name',
      assigned('user_customer', 'customer_id', 'customer').as('customer_uids'),
      assigned('user_site', 'site_id', 'site').as('site_uids'),
      assigned('user_channel', 'channel_id', 'channel').as('channel_uids'),
      sql<string[]>`array(select t.uid from user_usecase a join usecase t on t.id = a.usecase_id
        where a.tenant_id = u.tenant_id and a.user_id = u.id)`.as('usecase_uids'),
    ])

/** Public ids of what a user is assigned through one of the assignment tables. */
const assigned = (table: string, column: string, target: string) =>
  sql<string[]>`array(select t.uid from ${sql.table(table)} a
    join ${sql.table(target)} t on t.tenant_id = a.tenant_id and t.id = a.${sql.ref(column)}
    where a.tenant_id = u.tenant_id and a.user_id = u.id)`

/** A user by public id, within reach. @throws 404 */
export async function findUser(trx: Trx, scope: Reach, uid: string) {
  const row = await people(trx)
    .where('u.uid', '=', uid)
    .where(within(scope, 'u', null))
    .executeTakeFirst()
  if (!row) throw notFound()
  return row
}

/** As `findUser`; nobody else changes this person until the transaction ends. */
export async function lockUser(trx: Trx, scope: Reach, uid: string): Promise<UserRow> {
  // Apart from the reading, whose joined rows would be those from before the waiting.
  await sql`select from app_user u where uid = ${uid} and ${within(scope, 'u', null)} for update`.execute(trx)
  return findUser(trx, scope, uid)
}

/** Whoever has this user name or e-mail address, whatever its case; for sign-in. */
export const findByName = (trx: Trx, name: string) =>
  trx
    .selectFrom('app_user')
    .selectAll()
    .where((eb) =>
      eb.or([eb(sql`folded(username)`, '=', sql`folded(${name})`), eb(sql`folded(email)`, '=', sql`folded(${name})`)]),
    )
    // Nobody takes another's address as a user name to come first.
    .orderBy(sql`folded(email) = folded(${name})`, 'desc')
    .executeTakeFirst()

/**
 * Keeps when somebody signed in last. Until the transaction ends nobody changes their password, which would end the session
 * that is begun in it.
 * @param passwordHash of the password that they showed
 * @returns whether that is still their password and they may come in
 */
export async function noteSignIn(
  trx: Trx,
  user: { tenantId: number; userId: number },
  passwordHash: string | null,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('app_user')
    .set({ last_login_at: sql`clock_timestamp()` })
    .where('tenant_id', '=', user.tenantId)
    .where('id', '=', user.userId)
    .where('password_hash', '=', passwordHash)
    .where('status', '=', 'active')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export const addUser = (trx: Trx, row: Omit<Insertable<UserTable>, 'uid'>): Promise<{ id: number; uid: string }> =>
  trx
    .insertInto('app_user')
    .values({ ...row, uid: newUid() })
    .returning(['id', 'uid'])
    .executeTakeFirstOrThrow()

export type UserFilter = {
  role_key?: Role
  organization_id?: string
  customer_id?: string
  q?: string
  status?: User['status']
}

/** People in reach by name; `total` is null above 10,000. */
export async function listUsers(trx: Trx, scope: Scope, filter: UserFilter, page: { limit: number; offset: number }) {
  const like = filter.q && `%${filter.q.replace(/[\\%_]/g, '\\$&')}%`
  const terms = [
    within(scope, 'u', null),
    ...(filter.role_key ? [sql<SqlBool>`u.role_key = ${filter.role_key}`] : []),
    ...(filter.status ? [sql<SqlBool>`u.status = ${filter.status}`] : []),
    ...(like ? [sql<SqlBool>`concat_ws(' ', u.firstname, u.lastname, u.email, u.username) ilike ${like}`] : []),
    ...(filter.organization_id
      ? [sql<SqlBool>`u.tenant_id = (select tenant_id from organization where uid = ${filter.organization_id})`]
      : []),
    ...(filter.customer_id ? [assignedTo(filter.customer_id)] : []),
  ]
  const matches = sql<SqlBool>`(${sql.join(terms, sql` and `)})`
  const rows = await people(trx)
    .where(matches)
    .orderBy(sql`u.lastname collate "und-x-icu", u.firstname collate "und-x-icu", u.id`)
    .limit(page.limit)
    .offset(page.offset)
    .execute()
  const { n } = await trx
    .selectFrom((eb) => eb.selectFrom('app_user as u').select('u.id').where(matches).limit(10_001).as('some'))
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow()
  return { rows, total: n > 10_000 ? null : n }
}

const assignedTo = (customerUid: string) => sql<SqlBool>`exists (select from user_customer a
  join customer c on c.tenant_id = a.tenant_id and c.id = a.customer_id
  where a.tenant_id = u.tenant_id and a.user_id = u.id and c.uid = ${customerUid})`

/**
 * People of the site's organization who reach it, by name, and by what each does. Who is not active is among them where
 * something is assigned to them: it counts again when they are let in again.
 */
export const peopleOfSite = (trx: Trx, site: { tenant_id: number; id: number; customer_id: number }) =>
  trx
    .selectFrom(
      trx
        .selectFrom('app_user as u')
        .selectAll()
        .select(
          sql<('role' | 'customer' | 'site')[]>`array_remove(array[
            case when u.role_key not in ('user', 'viewer') and u.status = 'active' then 'role' end,
            case when exists (select from user_customer a
              where a.tenant_id = u.tenant_id and a.user_id = u.id and a.customer_id = ${site.customer_id}) then 'customer' end,
            case when exists (select from user_site a
              where a.tenant_id = u.tenant_id and a.user_id = u.id and a.site_id = ${site.id}) then 'site' end], null)`.as(
            'by',
          ),
        )
        .where('u.tenant_id', '=', site.tenant_id)
        .as('u'),
    )
    .select(['u.uid as user_id', 'u.firstname', 'u.lastname', 'u.username', 'u.role_key', 'u.status', 'u.by'])
    .where(sql<SqlBool>`cardinality(u.by) > 0`)
    .orderBy(sql`u.lastname collate "und-x-icu", u.firstname collate "und-x-icu", u.id`)
    .execute()

/** The row as everybody who may see it sees it: no hash, no surrogate. */
export const toUser = (row: UserRow): User => ({
  user_id: row.uid,
  firstname: row.firstname,
  lastname: row.lastname,
  email: row.email,
  username: row.username,
  role_key: row.role_key,
  phone: row.phone,
  status: row.status,
  last_login_at: row.last_login_at?.toISOString() ?? null,
  auth_methods: row.auth_methods,
  user_config: toConfig(row.ui_config),
  customer_ids: row.customer_uids,
  site_ids: row.site_uids,
  usecase_ids: row.usecase_uids,
  channel_ids: row.channel_uids,
  organization_id: row.organization_uid,
  version: row.version,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})

export const toConfig = (stored: Record<string, unknown>): { ui_config: UiConfig } => ({
  ui_config: { dark: false, ...stored },
})

/** What a page needs of the person who looks at it, the token for its changes included. */
export async function userInfo(
  trx: Trx,
  session: { userUid: string; csrf: string; authTime: Date; unblurredUntil: Date | null },
): Promise<UserInfo> {
  const row = await people(trx).where('u.uid', '=', session.userUid).executeTakeFirstOrThrow()
  return {
    ...toUser(row),
    privileges: [
      ...(Object.keys(permissions) as Permission[]).filter((rule) => may(row.role_key, rule)),
      ...(await privilegesOf(trx, row.role_key)),
    ],
    organization: { organization_id: row.organization_uid, organization_name: row.organization_name },
    csrf_token: session.csrf,
    auth_time: session.authTime.toISOString(),
    unblurred_until: session.unblurredUntil?.toISOString() ?? null,
  }
}
