import type { Organization } from '@sightline/contract'
import { may } from '@sightline/domain'
import { type Selectable, sql } from 'kysely'
import type { Trx } from '../db/database.ts'
import type { OrganizationTable } from '../db/schema.ts'
import type { MediaRow } from '../media/store.ts'
import { notFound, Refusal } from '../refusal.ts'
import type { Scope } from '../scope.ts'

export type OrganizationRow = Selectable<OrganizationTable>

const organizations = (trx: Trx, scope: Scope) => {
  const all = trx.selectFrom('organization').selectAll()
  return scope.tenantId === null ? all : all.where('tenant_id', '=', scope.tenantId)
}

export const listOrganizations = (trx: Trx, scope: Scope): Promise<OrganizationRow[]> =>
  organizations(trx, scope).orderBy(sql`name collate "und-x-icu"`).execute()

/** @throws 404 when it does not exist or is out of reach */
export async function findOrganization(trx: Trx, scope: Scope, uid: string): Promise<OrganizationRow> {
  const row = await organizations(trx, scope).where('uid', '=', uid).executeTakeFirst()
  if (!row) throw notFound()
  return row
}

/**
 * The tenant in which something new is made: the caller's own, or the one a super_admin names.
 * @throws 404 for any other
 */
export async function targetTenant(trx: Trx, scope: Scope, organizationUid: string | undefined): Promise<number> {
  const { organizationId, role, tenantId } = scope.principal
  if (organizationUid === undefined || organizationUid === organizationId) return tenantId
  if (!may(role, 'super_admin_only')) throw notFound()
  return (await findOrganization(trx, scope, organizationUid)).tenant_id
}

/**
 * Removes an organization in which nothing is left that somebody made. What the log says about it stays, with the
 * default organization.
 * @returns its number, and its files, which go after the commit
 * @throws 409 that counts what it still has: people, customers, edge servers, models
 */
export async function removeOrganization(
  trx: Trx,
  uid: string,
): Promise<{ tenant_id: number; files: Pick<MediaRow, 'path'>[] }> {
  const { tenant_id } = await trx
    .selectFrom('organization')
    .select('tenant_id')
    .where('uid', '=', uid)
    .forUpdate()
    .executeTakeFirstOrThrow(notFound)
  const count = (table: 'app_user' | 'customer' | 'nimble' | 'model') =>
    sql<number>`(select count(*) from ${sql.table(table)} where tenant_id = ${tenant_id})`
  const { rows } = await sql<Record<'people' | 'customers' | 'nimbles' | 'models', number>>`
    select ${count('app_user')} as people, ${count('customer')} as customers, ${count('nimble')} as nimbles,
      ${count('model')} as models`.execute(trx)
  const left = rows[0] as (typeof rows)[number]
  if (Object.values(left).some((n) => n > 0))
    throw new Refusal(409, 'The organization is not empty.', { code: 'organization_not_empty', args: left })
  await trx
    .updateTable('trace')
    .set((eb) => ({ tenant_id: eb.selectFrom('organization').select('tenant_id').where('is_default', '=', true) }))
    .where('tenant_id', '=', tenant_id)
    .execute()
  for (const table of ['license', 'bundle_default', 'job', 'one_time_token'] as const)
    await trx.deleteFrom(table).where('tenant_id', '=', tenant_id).execute()
  const files = await trx.deleteFrom('media').where('tenant_id', '=', tenant_id).returning('path').execute()
  await trx.deleteFrom('organization').where('tenant_id', '=', tenant_id).execute()
  return { tenant_id, files }
}

export const toOrganization = (row: OrganizationRow): Organization => ({
  organization_id: row.uid,
  organization_name: row.name,
  description: row.description,
  is_default: row.is_default,
  raw_days: row.raw_days,
  rollup_days: row.rollup_days,
  version: row.version,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})
