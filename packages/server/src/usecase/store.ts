import type { Bundle, UsecaseEntity } from '@sightline/contract'
import { metricsOf, usecaseGap, usecases } from '@sightline/domain'
import { type SqlBool, sql } from 'kysely'
import type { Trx } from '../db/database.ts'
import { within } from '../reach.ts'
import { notFound } from '../refusal.ts'
import type { Scope } from '../scope.ts'

const rows = (trx: Trx) =>
  trx
    .selectFrom('usecase')
    .innerJoin('bundle', 'bundle.id', 'usecase.bundle_id')
    .select([
      'usecase.id',
      'usecase.uid',
      'usecase.key',
      'usecase.name',
      'bundle.uid as bundle_uid',
      'bundle.key as bundle_key',
      'bundle.name as bundle_name',
    ])
    .orderBy(sql`lower(usecase.name)`)
export type UsecaseRow = Awaited<ReturnType<ReturnType<typeof rows>['execute']>>[number]

/** Every use case, by name without regard to case. They are the instance's, the same for every organization. */
export const listUsecases = (trx: Trx): Promise<UsecaseRow[]> => rows(trx).execute()

/**
 * Numbers of the use cases that were assigned to a customer, or to the customer of a site; null when none was, which
 * leaves them all.
 * @throws 404 when no site of that customer, or not that site, is in reach
 */
export async function assignedUsecases(
  trx: Trx,
  scope: Scope,
  of: { customerUid: string } | { siteUid: string },
): Promise<ReadonlySet<number> | null> {
  const owner = await trx
    .selectFrom('customer')
    .leftJoin('site', (on) =>
      on.onRef('site.tenant_id', '=', 'customer.tenant_id').onRef('site.customer_id', '=', 'customer.id'),
    )
    .select(['customer.tenant_id', 'customer.id'])
    .where(within(scope, 'customer', 'site.id'))
    .where('siteUid' in of ? sql<SqlBool>`site.uid = ${of.siteUid}` : sql<SqlBool>`customer.uid = ${of.customerUid}`)
    .executeTakeFirst()
  if (!owner) throw notFound()
  const assigned = await trx
    .selectFrom('customer_usecase')
    .select('usecase_id')
    .where('tenant_id', '=', owner.tenant_id)
    .where('customer_id', '=', owner.id)
    .execute()
  return assigned.length > 0 ? new Set(assigned.map((row) => row.usecase_id)) : null
}

export function usecaseEntity(row: UsecaseRow): UsecaseEntity {
  const { needsModel, needsCalibration, needsLine, experimental } = usecases[row.key]
  return {
    usecase_id: row.uid,
    usecase_key: row.key,
    usecase_name: row.name,
    usecase_meta_key: metricsOf(row.key),
    bundle_id: row.bundle_uid,
    needs_model: needsModel,
    needs_calibration: needsCalibration,
    needs_line: needsLine,
    experimental,
    built_in: usecaseGap[row.key] === null,
  }
}

/** Bundles of the given use cases, in the order of the bundles' names. */
export function bundlesOf(all: readonly UsecaseRow[]): Bundle[] {
  return [...Map.groupBy(all, (row) => row.bundle_uid).values()]
    .map((members) => {
      const [{ bundle_uid, bundle_name, bundle_key }] = members as [UsecaseRow, ...UsecaseRow[]]
      return {
        bundle_id: bundle_uid,
        bundle_name,
        type: bundle_key as Bundle['type'],
        bundle_usecases: members.map(usecaseEntity),
      }
    })
    .sort((a, b) => a.bundle_name.localeCompare(b.bundle_name, 'en'))
}
