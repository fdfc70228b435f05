import type { RolePrivilege } from '@sightline/contract'
import { type Privilege, type Role, roles } from '@sightline/domain'
import { sql } from 'kysely'
import type { Trx } from '../db/database.ts'
import { notFound } from '../refusal.ts'

const select = (trx: Trx) =>
  trx
    .selectFrom('role_privilege as r')
    .select(['r.role_key', 'r.privileges', 'r.version'])
    .select(
      sql<number>`(select count(*)::int from app_user where role_key = r.role_key and status = 'active')`.as('people'),
    )

/** One row a role, in their order. */
export async function listRolePrivileges(trx: Trx): Promise<RolePrivilege[]> {
  const rows = await select(trx).execute()
  return rows.toSorted((a, b) => roles.indexOf(a.role_key) - roles.indexOf(b.role_key))
}

/** Held until the transaction ends, so that two changes do not cross. @throws 404 */
export async function lockRolePrivilege(trx: Trx, role_key: Role): Promise<RolePrivilege> {
  const row = await select(trx).where('r.role_key', '=', role_key).forUpdate('r').executeTakeFirst()
  if (!row) throw notFound()
  return row
}

export const setPrivileges = (trx: Trx, role_key: Role, privileges: Privilege[]) =>
  trx
    .updateTable('role_privilege')
    .set({ privileges, version: sql`version + 1` })
    .where('role_key', '=', role_key)
    .execute()

/** What a role holds beyond its permissions. */
export async function privilegesOf(trx: Trx, role_key: Role): Promise<Privilege[]> {
  const row = await trx
    .selectFrom('role_privilege')
    .select('privileges')
    .where('role_key', '=', role_key)
    .executeTakeFirstOrThrow()
  return row.privileges
}
