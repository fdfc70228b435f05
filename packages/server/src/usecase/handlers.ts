import type { Receive, bundle as rows } from '@sightline/contract'
import { type AssignmentTable, assign, tellAssigned, unassign } from '../assignment.ts'
import { changed } from '../bus.ts'
import { readChannel } from '../channel/store.ts'
import { lockCustomer, readCustomer } from '../customer/store.ts'
import type { Trx } from '../db/database.ts'
import type { Ctx, Handlers } from '../mount.ts'
import { targetTenant } from '../organization/store.ts'
import { checkElements } from '../pipeline/store.ts'
import { notFound, Refusal } from '../refusal.ts'
import type { Scope } from '../scope.ts'
import { changeOf } from '../trace.ts'
import { findUser } from '../user/store.ts'
import { report } from './report.ts'
import {
  assignedUsecases,
  bundlesOf,
  type Defaults,
  defaultsEntity,
  listUsecases,
  readDefaults,
  usecaseEntity,
  writeDefaults,
} from './store.ts'

type Owner = { tenant_id: number; id: number; uid: string }

/** Whom an assignment is about, and through which table. @throws 404 */
async function ownerOf(
  trx: Trx,
  scope: Scope,
  { user_id, customer_id }: { user_id?: string | undefined; customer_id?: string | undefined },
): Promise<{ table: AssignmentTable; owner: Owner; name: string }> {
  if (user_id !== undefined) {
    const owner = await findUser(trx, scope, user_id)
    return { table: 'user_usecase', owner, name: owner.username }
  }
  const owner = await readCustomer(trx, scope, customer_id as string)
  return { table: 'customer_usecase', owner, name: owner.name }
}

/** Of a person they decide what that one sees, of a customer what may be attached. */
function tell({ app, note }: Ctx, { table, owner, name }: Awaited<ReturnType<typeof ownerOf>>): void {
  note({ object_name: name })
  if (table === 'user_usecase') tellAssigned(app, owner, 'channel')
  app.bus.publish(changed({ tenant_id: owner.tenant_id }, 'usecase', null))
}

/** Use cases by public id. @throws 404 */
async function named(trx: Trx, uids: readonly string[]) {
  const all = (await listUsecases(trx)).filter((row) => uids.includes(row.uid))
  if (all.length < new Set(uids).size) throw notFound()
  return all
}

export const usecase: Handlers<'usecase'> = {
  report,

  list({ customer_id, site_id, channel_id, bundle_id }, { app, scope }) {
    return app.db.as(scope, async (trx) => {
      const customer =
        customer_id === undefined ? null : await assignedUsecases(trx, scope, { customerUid: customer_id })
      const site = site_id === undefined ? null : await assignedUsecases(trx, scope, { siteUid: site_id })
      const channel = channel_id === undefined ? null : await readChannel(trx, scope, channel_id)
      const all = await listUsecases(trx)
      return all
        .filter((row) => customer?.has(row.id) ?? true)
        .filter((row) => site?.has(row.id) ?? true)
        .filter((row) => channel === null || row.id === channel.usecase_id)
        .filter((row) => scope.usecaseIds?.includes(row.id) ?? true)
        .filter((row) => bundle_id === undefined || row.bundle_uid === bundle_id)
        .map(usecaseEntity)
    })
  },

  async get({ usecase_id }, { app, scope }) {
    const all = await app.db.as(scope, listUsecases)
    const row = all.find((one) => one.uid === usecase_id)
    if (!row) throw notFound()
    return usecaseEntity(row)
  },

  async assign({ usecase_id, ...to }, ctx) {
    const { app, scope } = ctx
    const { of, result } = await app.db.as(scope, async (trx) => {
      const of = await ownerOf(trx, scope, to)
      return { of, result: await assign(trx, of.table, of.owner, await named(trx, usecase_id)) }
    })
    tell(ctx, of)
    return result
  },

  async unassign({ usecase_id, all, ...from }, ctx) {
    const { app, scope } = ctx
    const { of, result } = await app.db.as(scope, async (trx) => {
      // Two who take different ones: the second waits, and finds what the first left.
      if (from.customer_id !== undefined) await lockCustomer(trx, scope, from.customer_id)
      const of = await ownerOf(trx, scope, from)
      const result = await unassign(trx, of.table, of.owner, await named(trx, usecase_id))
      const { customer_id: customerUid } = from
      if (customerUid === undefined || all || result.unassigned === 0) return { of, result }
      if ((await assignedUsecases(trx, scope, { customerUid })) === null)
        throw new Refusal(409, 'This would leave the customer none, which allows all.', { code: 'usecases_all_taken' })
      return { of, result }
    })
    tell(ctx, of)
    return result
  },
}

type Wanted = NonNullable<Receive<typeof rows.defaultsSet>['defaults']>

/** @throws 400 naming each element that is unknown or out of range */
function ownOf({ pipeline_elements, window_s, auto_recovery }: Wanted) {
  const elements = {
    ...pipeline_elements,
    ...(window_s !== undefined && { 'analytic.window_s': window_s }),
  }
  checkElements(elements, 'defaults.pipeline_elements')
  return { elements, autoRecovery: auto_recovery }
}

const shown = ({ elements, autoRecovery }: Defaults) => ({ ...elements, auto_recovery: autoRecovery })

export const bundle: Handlers<'bundle'> = {
  defaultsGet: ({ bundle_usecase, organization_id }, { app, scope }) =>
    app.db.as(scope, async (trx) => {
      const tenant = await targetTenant(trx, scope, organization_id)
      return defaultsEntity(bundle_usecase, await readDefaults(trx, tenant, bundle_usecase))
    }),

  async defaultsSet({ bundle_usecase, defaults, organization_id }, { app, scope, note }) {
    const { tenant_id, before, after } = await app.db.as(scope, async (trx) => {
      const tenant_id = await targetTenant(trx, scope, organization_id)
      const before = await readDefaults(trx, tenant_id, bundle_usecase)
      await writeDefaults(trx, tenant_id, bundle_usecase, defaults && ownOf(defaults))
      return { tenant_id, before, after: await readDefaults(trx, tenant_id, bundle_usecase) }
    })
    note({ object_name: bundle_usecase, ...changeOf(shown(before), shown(after)) })
    app.bus.publish(changed({ tenant_id }, 'bundle', null))
    return defaultsEntity(bundle_usecase, after)
  },

  async list({ type }, { app, scope }) {
    const all = await app.db.as(scope, listUsecases)
    return bundlesOf(all).filter((one) => type === undefined || one.type === type)
  },
}
