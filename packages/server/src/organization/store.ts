import type { Organization } from '@sightline/contract'
import { may } from '@sightline/domain'
import { type Selectable, sql } from 'kysely'
import type { Trx } from '../db/database.ts'
import type { OrganizationTable } from '../db/schema.ts'
import { notFound } from '../refusal.ts'
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
