import type { Bundle, bundle, Reply, UsecaseEntity } from '@sightline/contract'
import type { Elements } from '@sightline/contract/edge'
import {
  cooldownSeconds,
  eventWindowSeconds,
  isBuiltIn,
  metricsOf,
  pipelineDefaults,
  type UsecaseKey,
  usecases,
} from '@sightline/domain'
import { type SqlBool, sql } from 'kysely'
import type { Trx } from '../db/database.ts'
import { within } from '../reach.ts'
import { notFound, Refusal } from '../refusal.ts'
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

/**
 * What a customer may not attach comes to none of its cameras.
 * @param of the customer, or one of its sites
 * @throws 409 that names what was not assigned, 404 when that is out of reach
 */
export async function refuseUnassigned(
  trx: Trx,
  scope: Scope,
  of: Parameters<typeof assignedUsecases>[2],
  wanted: readonly Pick<UsecaseRow, 'id' | 'key'>[],
): Promise<void> {
  const assigned = await assignedUsecases(trx, scope, of)
  const missing = wanted.filter(({ id }) => assigned !== null && !assigned.has(id)).map(({ key }) => key)
  const usecases = [...new Set(missing)].join(', ')
  if (usecases === '') return
  throw new Refusal(409, `The customer may not attach: ${usecases}.`, {
    code: 'usecase_not_assigned',
    args: { usecases },
  })
}

/** Use cases of the channels at sites of one organization. */
export const usecasesAtSites = (
  trx: Trx,
  sites: readonly { tenant_id: number; id: number }[],
): Promise<Pick<UsecaseRow, 'id' | 'key'>[]> =>
  trx
    .selectFrom('usecase')
    .select(['usecase.id', 'usecase.key'])
    .where(
      sql<SqlBool>`exists (select from channel where channel.tenant_id = ${sites[0]?.tenant_id ?? null}
        and channel.site_id = any(${sites.map((site) => site.id)}::int4[]) and channel.usecase_id = usecase.id)`,
    )
    .orderBy('usecase.id')
    .execute()

/** What a use case starts with in an organization: complete elements, its own over the factory's. */
export async function readDefaults(trx: Trx, tenantId: number, key: UsecaseKey) {
  const own = await trx
    .selectFrom('bundle_default')
    .innerJoin('usecase', 'usecase.id', 'bundle_default.usecase_id')
    .select(['bundle_default.elements', 'bundle_default.auto_recovery'])
    .where('bundle_default.tenant_id', '=', tenantId)
    .where('usecase.key', '=', key)
    .executeTakeFirst()
  return {
    isOwn: own !== undefined,
    elements: { ...pipelineDefaults(key), ...own?.elements },
    autoRecovery: own?.auto_recovery ?? factoryAutoRecovery,
  }
}
export type Defaults = Awaited<ReturnType<typeof readDefaults>>

const factoryAutoRecovery = true

/** Sets what a use case starts with in an organization; null brings the factory's back. */
export async function writeDefaults(
  trx: Trx,
  tenantId: number,
  key: UsecaseKey,
  own: { elements: Elements; autoRecovery: boolean } | null,
): Promise<void> {
  const { id } = await trx.selectFrom('usecase').select('id').where('key', '=', key).executeTakeFirstOrThrow()
  if (own === null) {
    await trx.deleteFrom('bundle_default').where('tenant_id', '=', tenantId).where('usecase_id', '=', id).execute()
    return
  }
  const values = { elements: JSON.stringify(own.elements), auto_recovery: own.autoRecovery }
  await trx
    .insertInto('bundle_default')
    .values({ tenant_id: tenantId, usecase_id: id, ...values })
    .onConflict((conflict) =>
      conflict.columns(['tenant_id', 'usecase_id']).doUpdateSet({ ...values, updated_at: sql`now()` }),
    )
    .execute()
}

/** The window stands among the elements and, as alerts read it, beside; nobody sets what alerts alone go by yet. */
export const defaultsEntity = (
  key: UsecaseKey,
  { isOwn, elements, autoRecovery }: Defaults,
): Reply<typeof bundle.defaultsGet> => ({
  bundle_usecase: key,
  is_own: isOwn,
  factory: { pipeline_elements: pipelineDefaults(key), auto_recovery: factoryAutoRecovery },
  defaults: {
    pipeline_elements: elements,
    thresholds: [],
    window_s: Number(elements['analytic.window_s'] ?? eventWindowSeconds),
    cooldown_s: cooldownSeconds,
    auto_recovery: autoRecovery,
  },
})

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
    built_in: isBuiltIn(row.key),
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
