import { sql } from 'kysely'
import { assign, tellAssigned, unassign } from '../assignment.ts'
import { changed } from '../bus.ts'
import { channelRowsOfDevices, judgeChannel } from '../channel/store.ts'
import type { Trx } from '../db/database.ts'
import { type DeviceRow, deviceHealths, pageOfDevices, tagName } from '../device/store.ts'
import { mediaUrl } from '../media/store.ts'
import { type Ctx, type Handlers, reply } from '../mount.ts'
import { targetTenant } from '../organization/store.ts'
import { joinAsWritten, pageOf } from '../page.ts'
import { notFound, Refusal, refuseStale } from '../refusal.ts'
import type { Scope } from '../scope.ts'
import type { Services } from '../services.ts'
import { findSite, headsOfSites, lockSites, moveSites, pageOfSites, type SiteRow } from '../site/store.ts'
import { changeOf } from '../trace.ts'
import { newUid } from '../uid.ts'
import { assignedUsecases, bundlesOf, listUsecases, refuseUnassigned, usecasesAtSites } from '../usecase/store.ts'
import { findUser, type UserRow } from '../user/store.ts'
import {
  type CustomerRow,
  clearDefault,
  customerTotals,
  lockCustomer,
  pageOfCustomers,
  readCustomer,
  readCustomers,
  toCustomer,
} from './store.ts'

export const customer: Handlers<'customer'> = {
  async create({ customer_name: name, customer_address, organization_id, is_default, description }, ctx) {
    const { app, scope } = ctx
    const row = await app.db.as(scope, async (trx) => {
      const tenant_id = await targetTenant(trx, scope, organization_id)
      if (is_default) await clearDefault(trx, tenant_id)
      const { uid } = await trx
        .insertInto('customer')
        .values({
          tenant_id,
          uid: newUid(),
          name,
          description,
          is_default,
          address: JSON.stringify(customer_address),
        })
        .returning('uid')
        .executeTakeFirstOrThrow()
      return readCustomer(trx, scope, uid)
    })
    tell(ctx, row)
    return toCustomer(row)
  },

  list: ({ limit, offset, ...filter }, { app, scope }) =>
    app.db.read(scope, async (trx) => {
      const { rows, counted } = await pageOfCustomers(trx, scope, filter, { limit, offset })
      return reply(rows.map(toCustomer), { page: pageOf({ limit, offset }, counted) })
    }),

  get: ({ customer_id }, { app, scope }) =>
    app.db.read(scope, async (trx) => toCustomer(await readCustomer(trx, scope, customer_id))),

  async update({ customer_id, customer_name, customer_address, version, ...change }, ctx) {
    const { app, scope, note } = ctx
    const row = await app.db.as(scope, async (trx) => {
      const stored = await lockCustomer(trx, scope, customer_id)
      refuseStale(stored, version)
      if (change.is_default && !stored.is_default) await clearDefault(trx, stored.tenant_id)
      await trx
        .updateTable('customer')
        .set({
          ...change,
          name: customer_name ?? sql`name`,
          ...(customer_address ? { address: JSON.stringify(customer_address) } : {}),
        })
        .where('tenant_id', '=', stored.tenant_id)
        .where('id', '=', stored.id)
        .execute()
      const row = await readCustomer(trx, scope, customer_id)
      note(changeOf(toCustomer(stored), toCustomer(row)))
      return row
    })
    tell(ctx, row)
    return toCustomer(row)
  },

  async destroy({ customer_id }, ctx) {
    const { app, scope, note } = ctx
    const row = await app.db.as(scope, async (trx) => {
      const stored = await lockCustomer(trx, scope, customer_id)
      if (stored.sites > 0)
        throw new Refusal(409, 'A customer that has sites cannot be deleted.', { code: 'customer_has_sites' })
      await trx.deleteFrom('customer').where('tenant_id', '=', stored.tenant_id).where('id', '=', stored.id).execute()
      return stored
    })
    note({ object_name: row.name })
    tell(ctx, row)
    return { customer_id }
  },

  view: ({ customer_id, type: _, site_id, limit, offset, ...filter }, { app, scope }) =>
    app.db.read(scope, async (trx) => {
      const asWritten = joinAsWritten(trx)
      const of = { customer_id, site_id, ...filter }
      const [stored, { rows, count }] = await Promise.all([
        readCustomer(trx, scope, customer_id),
        pageOfDevices(asWritten, scope, app.links, of, { limit, offset }),
        site_id === undefined ? null : findSite(trx, scope, site_id),
      ])
      // Whoever turns the pages has the other sites from the first.
      const uids = offset ? [...new Set(rows.map((row) => row.site_uid))] : undefined
      const { totals, channels } = await customerTotals(trx, scope, app.links, stored, site_id)
      const sitesOfPage = async () => {
        const found = await pageOfSites(trx, scope, { customer_id, site_id, uids }, {})
        if (site_id !== undefined && found.rows.length === 0) throw notFound()
        return headsOfSites(trx, scope, app.links, found.rows, channels)
      }
      const [sites, shown, counted] = await Promise.all([
        sitesOfPage(),
        camerasOfView(asWritten, scope, app, rows),
        count(),
      ])
      const cameras = Map.groupBy(shown, ({ site_id }) => site_id)
      const view = [...sites.values()].map((site) => ({
        ...site,
        devices: cameras.get(site.site_id) ?? [],
      }))
      return reply({ customer: toCustomer(stored), sites: view, totals }, { page: pageOf({ limit, offset }, counted) })
    }),

  bundle: ({ customer_id }, { app, scope }) =>
    app.db.as(scope, async (trx) => {
      await readCustomer(trx, scope, customer_id)
      const assigned = await assignedUsecases(trx, scope, { customerUid: customer_id })
      return bundlesOf((await listUsecases(trx)).filter((row) => assigned?.has(row.id) ?? true))
    }),

  async assign({ user_id, customer_id }, ctx) {
    const { app, scope } = ctx
    const { person, customers, result } = await app.db.as(scope, async (trx) => {
      const person = await findUser(trx, scope, user_id)
      const customers = await readCustomers(trx, scope, customer_id)
      return { person, customers, result: await assign(trx, 'user_customer', person, customers) }
    })
    tellAbout(ctx, person, customers)
    return result
  },

  async unassign({ user_id, customer_id }, ctx) {
    const { app, scope } = ctx
    const { person, customers, result } = await app.db.as(scope, async (trx) => {
      const person = await findUser(trx, scope, user_id)
      const customers = await readCustomers(trx, scope, customer_id)
      return { person, customers, result: await unassign(trx, 'user_customer', person, customers) }
    })
    tellAbout(ctx, person, customers)
    return result
  },

  async siteAssign({ customer_id, site_id }, ctx) {
    const { app, scope, note } = ctx
    const { moved, skipped } = await app.db.as(scope, async (trx) => {
      const target = await lockCustomer(trx, scope, customer_id)
      const sites = await lockSites(trx, scope, site_id)
      if (sites.some((site) => site.tenant_id !== target.tenant_id)) throw notFound()
      const moved = sites.filter((site) => site.customer_id !== target.id)
      await giveSites(trx, scope, target, moved)
      note({ object_name: target.name })
      return { moved, skipped: sites.length - moved.length }
    })
    tellMoved(ctx, moved)
    return { assigned: moved.length, skipped }
  },

  async siteUnassign({ customer_id, site_id }, ctx) {
    const { app, scope, note } = ctx
    const { moved, skipped } = await app.db.as(scope, async (trx) => {
      const owner = await lockCustomer(trx, scope, customer_id)
      const sites = await lockSites(trx, scope, site_id)
      const moved = sites.filter((site) => site.tenant_id === owner.tenant_id && site.customer_id === owner.id)
      if (moved.length > 0) await giveSites(trx, scope, await defaultBeside(trx, owner), moved)
      note({ object_name: owner.name })
      return { moved, skipped: sites.length - moved.length }
    })
    tellMoved(ctx, moved)
    return { unassigned: moved.length, skipped }
  },
}

const tell = ({ app }: Ctx, { tenant_id, uid }: CustomerRow) => app.bus.publish(changed({ tenant_id }, 'customer', uid))

/** Somebody was given customers, or lost them; how many people each has is said of it. */
function tellAbout(ctx: Ctx, person: UserRow, customers: readonly CustomerRow[]): void {
  ctx.note({ object_name: person.username })
  for (const row of customers) tell(ctx, row)
  tellAssigned(ctx.app, person, 'customer')
}

type Target = Pick<CustomerRow, 'tenant_id' | 'id' | 'uid'>

/** @throws 409 for analytics at the sites that their new customer may not attach, as where one camera goes to a site of it */
async function giveSites(trx: Trx, scope: Scope, target: Target, sites: readonly SiteRow[]): Promise<void> {
  await refuseUnassigned(trx, scope, { customerUid: target.uid }, await usecasesAtSites(trx, sites))
  await moveSites(trx, target, sites)
}

/** Who reached them by their customer looks again at what is still in reach. */
function tellMoved({ app }: Ctx, sites: readonly SiteRow[]): void {
  for (const { tenant_id, id, uid } of sites) app.bus.publish(changed({ tenant_id, site_id: id }, 'site', uid))
}

/** Where the sites of a customer go that loses them: a site always has a customer. @throws 409 when there is none */
async function defaultBeside(trx: Trx, owner: CustomerRow): Promise<Target> {
  const target = await trx
    .selectFrom('customer')
    .select(['tenant_id', 'id', 'uid'])
    .where('tenant_id', '=', owner.tenant_id)
    .where('is_default', '=', true)
    .where('id', '<>', owner.id)
    .executeTakeFirst()
  if (!target)
    throw new Refusal(409, 'There is no default customer that the sites could go to: assign them to one by name.', {
      code: 'no_default_customer',
    })
  return target
}

/** Cameras as the view of a customer shows them: without their streams and zones. */
async function camerasOfView(trx: Trx, scope: Scope, app: Services, rows: readonly DeviceRow[]) {
  const [healths, found] = await Promise.all([
    deviceHealths(trx, scope, app.links, rows),
    channelRowsOfDevices(trx, scope, rows),
  ])
  const byDevice = Map.groupBy(found, (channel) => channel.device_uid)
  const now = Date.now()
  return rows.map((row) => {
    const { health, cause } = healths.get(row.id) ?? { health: 'unknown', cause: null }
    const channels = (byDevice.get(row.uid) ?? []).map((channel) => ({
      channel_id: channel.uid,
      channel_name: channel.name,
      usecase_key: channel.usecase_key,
      usecase_id: channel.usecase_uid,
      ...judgeChannel(channel, app.links, now),
    }))
    return {
      site_id: row.site_uid,
      device_id: row.uid,
      device_name: row.name,
      tag_name: tagName(row.tags),
      device_tags: row.tags,
      device_health: health,
      health_cause: cause,
      snapshot_url: row.snapshot_uid && mediaUrl(app.env, row.snapshot_uid),
      channels,
    }
  })
}
