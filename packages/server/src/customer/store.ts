import type { Customer, CustomerView } from '@sightline/contract'
import type { UsecaseKey } from '@sightline/domain'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { joinActive, joinReports, needsAttention } from '../channel/store.ts'
import type { Trx } from '../db/database.ts'
import { heardNimbles, type Links } from '../nimble/store.ts'
import { mostCounted, mostRows, type Paging } from '../page.ts'
import { ofChannels, within, withinChannels } from '../reach.ts'
import { notFound } from '../refusal.ts'
import type { Scope } from '../scope.ts'
import type { ChannelCounts } from '../site/store.ts'

/** A user or viewer reaches the customers assigned to them, and those of sites that they reach. */
const reached = (scope: Scope): RawBuilder<SqlBool> =>
  scope.siteIds === null
    ? sql<SqlBool>`true`
    : sql<SqlBool>`(
        exists (select from user_customer a where a.tenant_id = customer.tenant_id
          and a.customer_id = customer.id and a.user_id = ${scope.principal.userId})
        or exists (select from site where site.tenant_id = customer.tenant_id
          and site.customer_id = customer.id and ${within(scope, 'site', 'site.id')}))`

const customers = (trx: Trx, scope: Scope) =>
  trx
    .selectFrom('customer')
    .innerJoin('organization', 'organization.tenant_id', 'customer.tenant_id')
    .selectAll('customer')
    .select([
      'organization.uid as organization_uid',
      sql<number>`(select count(*) from site where site.tenant_id = customer.tenant_id
        and site.customer_id = customer.id and ${within(scope, 'site', 'site.id')})`.as('sites'),
      sql<number>`(select count(*) from device join site on site.tenant_id = device.tenant_id and site.id = device.site_id
        where site.tenant_id = customer.tenant_id and site.customer_id = customer.id
        and ${within(scope, 'site', 'site.id')})`.as('devices'),
      sql<number>`(select count(*) from channel join site on site.tenant_id = channel.tenant_id and site.id = channel.site_id
        where site.tenant_id = customer.tenant_id and site.customer_id = customer.id
        and ${within(scope, 'site', 'site.id')} and ${ofChannels(scope)})`.as('channels'),
      sql<number>`(select count(*) from user_customer a where a.tenant_id = customer.tenant_id
        and a.customer_id = customer.id)`.as('users'),
    ])
    .where(within(scope, 'customer', null))
    .where(reached(scope))
export type CustomerRow = Awaited<ReturnType<ReturnType<typeof customers>['execute']>>[number]

/** A page of customers by name, and how many there are in all, counted up to one more than `mostCounted`. */
export async function pageOfCustomers(
  trx: Trx,
  scope: Scope,
  filter: { organization_id?: string | undefined; is_default?: boolean | undefined; q?: string | undefined },
  { limit = mostRows, offset = 0 }: Paging,
): Promise<{ rows: CustomerRow[]; counted: number }> {
  const conditions: RawBuilder<SqlBool>[] = []
  if (filter.organization_id !== undefined)
    conditions.push(
      sql`customer.tenant_id in (select tenant_id from organization where uid = ${filter.organization_id})`,
    )
  if (filter.is_default !== undefined) conditions.push(sql`customer.is_default = ${filter.is_default}`)
  if (filter.q) conditions.push(sql`position(folded(${filter.q}) in folded(customer.name)) > 0`)
  let query = customers(trx, scope)
  let all = trx
    .selectFrom('customer')
    .select('customer.id')
    .where(within(scope, 'customer', null))
    .where(reached(scope))
  for (const condition of conditions) {
    query = query.where(condition)
    all = all.where(condition)
  }
  const rows = await query
    .orderBy(sql`customer.name collate "und-x-icu"`)
    .orderBy('customer.tenant_id')
    .orderBy('customer.id')
    .limit(limit)
    .offset(offset)
    .execute()
  if (rows.length < limit && (rows.length > 0 || offset === 0)) return { rows, counted: offset + rows.length }
  const { counted } = await trx
    .selectFrom(all.limit(mostCounted + 1).as('all'))
    .select((eb) => eb.fn.countAll<number>().as('counted'))
    .executeTakeFirstOrThrow()
  return { rows, counted }
}

/** @throws 404 when it does not exist or is out of reach */
export async function readCustomer(trx: Trx, scope: Scope, uid: string): Promise<CustomerRow> {
  const row = await customers(trx, scope).where('customer.uid', '=', uid).executeTakeFirst()
  if (!row) throw notFound()
  return row
}

/** That a customer exists in reach, without its figures. @throws 404 */
export async function findCustomer(trx: Trx, scope: Scope, uid: string): Promise<{ tenant_id: number; id: number }> {
  const row = await trx
    .selectFrom('customer')
    .select(['tenant_id', 'id'])
    .where('uid', '=', uid)
    .where(within(scope, 'customer', null))
    .where(reached(scope))
    .executeTakeFirst()
  if (!row) throw notFound()
  return row
}

type Totals = CustomerView['totals']

/**
 * What the sites of a customer have in reach, or one of them: counted, however many there are.
 * @returns also the channels of each site
 */
export async function customerTotals(
  trx: Trx,
  scope: Scope,
  links: Links,
  customer: { tenant_id: number; id: number },
  siteUid?: string,
): Promise<{ totals: Totals; channels: ChannelCounts }> {
  const ailing = needsAttention(await heardNimbles(trx, scope, links))
  const one = siteUid === undefined ? sql`true` : sql`site.uid = ${siteUid}`
  const { rows } = await sql<
    Pick<Totals, 'sites' | 'devices'> & {
      counts: { site_id: number | null; usecase_key: UsecaseKey; channels: number; active: number; ailing: number }[]
    }
  >`
    with reached as materialized (
      select site.id from site where site.tenant_id = ${customer.tenant_id} and site.customer_id = ${customer.id}
        and ${within(scope, 'site', 'site.id')} and ${one})
    select (select count(*) from reached) as sites,
      (select count(*) from device where tenant_id = ${customer.tenant_id} and site_id in (select id from reached)) as devices,
      (select coalesce(json_agg(c), '[]') from (
        select channel.site_id, usecase.key as usecase_key, count(*) as channels, count(h.at) as active,
          count(*) filter (where ${ailing}) as ailing
        from channel join usecase on usecase.id = channel.usecase_id ${joinActive} ${joinReports}
        where channel.tenant_id = ${customer.tenant_id} and channel.site_id in (select id from reached)
          and ${withinChannels(scope)}
        group by grouping sets ((channel.site_id), (usecase.key)) order by 2) c) as counts`.execute(trx)
  const { sites, devices, counts } = rows[0] as (typeof rows)[number]
  const usecases = counts.filter(({ site_id }) => site_id === null)
  const sum = (count: 'channels' | 'active' | 'ailing') => usecases.reduce((n, one) => n + one[count], 0)
  const totals = {
    sites,
    devices,
    channels: sum('channels'),
    active_channels: sum('active'),
    attention_channels: sum('ailing'),
    // Nothing notifies in this version: not even none.
    notifications: null,
    usecases: usecases.map(({ usecase_key, channels }) => ({ usecase_key, channels })),
  }
  const bySite = counts.flatMap(({ site_id, ...count }) => (site_id === null ? [] : [[site_id, count] as const]))
  return { totals, channels: new Map(bySite) }
}

/** @throws 404 when one of them does not exist or is out of reach */
export async function readCustomers(trx: Trx, scope: Scope, uids: readonly string[]): Promise<CustomerRow[]> {
  const wanted = [...new Set(uids)]
  const rows = await customers(trx, scope).where(sql<SqlBool>`customer.uid = any(${wanted}::uuid[])`).execute()
  if (rows.length < wanted.length) throw notFound()
  return rows
}

/** As `readCustomer`; nobody else changes it, nor adds a site, until the transaction ends. */
export async function lockCustomer(trx: Trx, scope: Scope, uid: string): Promise<CustomerRow> {
  const row = await customers(trx, scope).where('customer.uid', '=', uid).forUpdate('customer').executeTakeFirst()
  if (!row) throw notFound()
  return row
}

/**
 * Of an organization's customers one may be the default: it stops being that where another is made it. One who does this
 * waits for the other, so that the second finds what the first did.
 */
export async function clearDefault(trx: Trx, tenantId: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('sightline.default_customer'), ${tenantId})`.execute(trx)
  await trx
    .updateTable('customer')
    .set({ is_default: false })
    .where('tenant_id', '=', tenantId)
    .where('is_default', '=', true)
    .execute()
}

export const toCustomer = (row: CustomerRow): Customer => ({
  customer_id: row.uid,
  customer_name: row.name,
  name: row.name,
  description: row.description,
  is_default: row.is_default,
  customer_address: row.address as Customer['customer_address'],
  customer_total_sites: row.sites,
  customer_total_devices: row.devices,
  customer_total_channels: row.channels,
  customer_total_users: row.users,
  organization_id: row.organization_uid,
  version: row.version,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})
