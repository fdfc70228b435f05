import type { Site, SitePlace } from '@sightline/contract'
import { mostPlaces, siteGrade, type UsecaseKey } from '@sightline/domain'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { joinActive, joinReports, needsAttention } from '../channel/store.ts'
import type { Trx } from '../db/database.ts'
import { siteStandings } from '../device/store.ts'
import { heardNimbles, type Links } from '../nimble/store.ts'
import { mostCounted, mostRows, type Paging } from '../page.ts'
import { numbersOf, ofChannels, within } from '../reach.ts'
import { notFound } from '../refusal.ts'
import type { Scope } from '../scope.ts'

const sites = (trx: Trx, scope: Scope) =>
  trx
    .selectFrom('site')
    .innerJoin('organization', 'organization.tenant_id', 'site.tenant_id')
    .innerJoin('customer', (on) =>
      on.onRef('customer.tenant_id', '=', 'site.tenant_id').onRef('customer.id', '=', 'site.customer_id'),
    )
    .selectAll('site')
    .select(['organization.uid as organization_uid', 'customer.uid as customer_uid'])
    .where(within(scope, 'site', 'site.id'))
export type SiteRow = Awaited<ReturnType<ReturnType<typeof sites>['execute']>>[number]

/** What a list may be narrowed to: a customer, an organization, part of its name or its customer's, a use case on its cameras. */
export type SiteFilter = {
  customer_id?: string | undefined
  organization_id?: string | undefined
  site_id?: string | undefined
  uids?: readonly string[] | undefined
  q?: string | undefined
  usecase_key?: UsecaseKey | undefined
}

function conditionsOf(filter: SiteFilter, scope: Scope): RawBuilder<SqlBool>[] {
  const { customer_id, organization_id, site_id, uids, q, usecase_key } = filter
  const conditions: RawBuilder<SqlBool>[] = []
  if (customer_id !== undefined)
    conditions.push(sql`site.customer_id in (select id from customer where uid = ${customer_id})`)
  if (organization_id !== undefined)
    conditions.push(sql`site.tenant_id = (select tenant_id from organization where uid = ${organization_id})`)
  if (site_id !== undefined) conditions.push(sql`site.uid = ${site_id}`)
  if (uids) conditions.push(sql`site.uid = any(${[...uids]}::uuid[])`)
  if (q)
    conditions.push(sql`(position(folded(${q}) in folded(site.name)) > 0 or (site.tenant_id, site.customer_id) in
      (select tenant_id, id from customer where position(folded(${q}) in folded(name)) > 0))`)
  if (usecase_key)
    conditions.push(sql`exists (select from channel
      join usecase on usecase.id = channel.usecase_id
      where channel.tenant_id = site.tenant_id and channel.site_id = site.id and ${ofChannels(scope)}
        and usecase.key = ${usecase_key})`)
  return conditions
}

/** A page of sites by name, and how many there are in all, counted up to one more than `mostCounted`. */
export async function pageOfSites(
  trx: Trx,
  scope: Scope,
  filter: SiteFilter,
  { limit = mostRows, offset = 0 }: Paging,
): Promise<{ rows: SiteRow[]; counted: number }> {
  const conditions = conditionsOf(filter, scope)
  let query = sites(trx, scope)
  let all = trx
    .selectFrom('site')
    .select('site.id')
    .where(within(scope, 'site', 'site.id'))
  for (const condition of conditions) {
    query = query.where(condition)
    all = all.where(condition)
  }
  const rows = await query
    .orderBy(sql`site.name collate "und-x-icu"`)
    .orderBy('site.tenant_id')
    .orderBy('site.id')
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

/** Sites by name as a map needs them, `mostPlaces` at most. */
export async function placesOfSites(
  trx: Trx,
  scope: Scope,
  links: Links,
  filter: Pick<SiteFilter, 'customer_id' | 'usecase_key'>,
): Promise<SitePlace[]> {
  let query = trx
    .selectFrom('site')
    .select(['site.tenant_id', 'site.id', 'site.uid', 'site.name'])
    .select([
      sql<number | null>`(site.address->>'lat')::float8`.as('lat'),
      sql<number | null>`(site.address->>'long')::float8`.as('long'),
    ])
    .where(within(scope, 'site', 'site.id'))
  for (const condition of conditionsOf(filter, scope)) query = query.where(condition)
  const rows = await query.orderBy(sql`site.name collate "und-x-icu"`).orderBy('site.id').limit(mostPlaces).execute()
  const figures = await figuresOfSites(trx, scope, links, rows, await channelsOfSites(trx, scope, links, rows))
  return rows.map(({ id, uid, name, lat, long }) => {
    return { site_id: uid, site_name: name, lat, long, ...figures(id) }
  })
}

/** That a site exists in reach, without its figures. @throws 404 */
export async function findSite(trx: Trx, scope: Scope, uid: string): Promise<{ tenant_id: number; id: number }> {
  const row = await trx
    .selectFrom('site')
    .select(['tenant_id', 'id'])
    .where('uid', '=', uid)
    .where(within(scope, 'site', 'site.id'))
    .executeTakeFirst()
  if (!row) throw notFound()
  return row
}

/** @throws 404 when it does not exist or is out of reach */
export async function readSite(trx: Trx, scope: Scope, uid: string): Promise<SiteRow> {
  const row = await sites(trx, scope).where('site.uid', '=', uid).executeTakeFirst()
  if (!row) throw notFound()
  return row
}

/** One site as the API shows it. @throws 404 */
export async function describeSite(trx: Trx, scope: Scope, links: Links, uid: string): Promise<Site> {
  const [entity] = await describeSites(trx, scope, links, [await readSite(trx, scope, uid)])
  return entity as Site
}

/** As `findSite`; until the transaction ends it stays, and with its customer. Others may hold it so, too. */
export async function holdSite(trx: Trx, scope: Scope, uid: string) {
  const row = await trx
    .selectFrom('site')
    .select(['tenant_id', 'id', 'customer_id', 'timezone'])
    .where('uid', '=', uid)
    .where(within(scope, 'site', 'site.id'))
    .forShare()
    .executeTakeFirst()
  if (!row) throw notFound()
  return row
}

/** As `readSite`; nobody else changes it, nor adds a device, until the transaction ends. */
export async function lockSite(trx: Trx, scope: Scope, uid: string): Promise<SiteRow> {
  const [row] = await lockSites(trx, scope, [uid])
  return row as SiteRow
}

/** @throws 404 when one of them does not exist or is out of reach */
export async function readSites(trx: Trx, scope: Scope, uids: readonly string[]): Promise<SiteRow[]> {
  const wanted = [...new Set(uids)]
  const rows = await sites(trx, scope).where(sql<SqlBool>`site.uid = any(${wanted}::uuid[])`).execute()
  if (rows.length < wanted.length) throw notFound()
  return rows
}

/** As `readSites`, locked as by `lockSite`. */
export async function lockSites(trx: Trx, scope: Scope, uids: readonly string[]): Promise<SiteRow[]> {
  // Apart from the reading: a joined row would be the one from before the waiting. In one order, so that two who lock the same sites wait for each other and do not block each other for ever.
  await sql`select from site where uid = any(${[...uids]}::uuid[]) and ${within(scope, 'site', 'site.id')}
    order by tenant_id, id for update`.execute(trx)
  return readSites(trx, scope, uids)
}

/** Whether a camera stands there. */
export async function hasDevices(trx: Trx, site: { tenant_id: number; id: number }): Promise<boolean> {
  const device = await trx
    .selectFrom('device')
    .select('id')
    .where('tenant_id', '=', site.tenant_id)
    .where('site_id', '=', site.id)
    .limit(1)
    .executeTakeFirst()
  return device !== undefined
}

/** Gives sites to another customer of their organization. */
export async function moveSites(
  trx: Trx,
  customer: { tenant_id: number; id: number },
  sites: readonly SiteRow[],
): Promise<void> {
  await trx
    .updateTable('site')
    .set({ customer_id: customer.id })
    .where('tenant_id', '=', customer.tenant_id)
    .where(sql<SqlBool>`id = any(${sites.map((site) => site.id)}::int4[])`)
    .execute()
}

/** Sites as the API shows them, with their health of now. */
export async function describeSites(trx: Trx, scope: Scope, links: Links, rows: readonly SiteRow[]): Promise<Site[]> {
  const channels = await channelsOfSites(trx, scope, links, rows)
  const [heads, tags] = await Promise.all([headsOfSites(trx, scope, links, rows, channels), tagsOfSites(trx, rows)])
  return rows.map((row) => ({
    ...(heads.get(row.id) as SiteHead),
    customer_id: row.customer_uid,
    faces_allowed: row.faces_allowed,
    faces_allowed_by: row.faces_allowed_by,
    faces_allowed_at: row.faces_allowed_at?.toISOString() ?? null,
    faces_notice: row.faces_notice,
    faces_days: row.faces_days,
    site_tags: tags.get(row.id) ?? [],
    organization_id: row.organization_uid,
    version: row.version,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }))
}

type SiteHead = Pick<Site, 'site_id' | 'site_name' | 'site_address' | 'site_image' | 'site_notifications'> & SiteFigures

/** What is said of sites wherever they stand, by the site's number and in the order of the rows. */
export async function headsOfSites(
  trx: Trx,
  scope: Scope,
  links: Links,
  rows: readonly SiteRow[],
  channels: ChannelCounts,
): Promise<Map<number, SiteHead>> {
  const figures = await figuresOfSites(trx, scope, links, rows, channels)
  const head = (row: SiteRow): SiteHead => ({
    site_id: row.uid,
    site_name: row.name,
    site_address: row.address as Site['site_address'],
    site_image: row.image,
    // Nothing notifies in this version: not even none.
    site_notifications: null,
    ...figures(row.id),
  })
  return new Map(rows.map((row) => [row.id, head(row)]))
}

/** By the site's number; one without channels is missing. */
export type ChannelCounts = ReadonlyMap<number, { active: number; ailing: number }>

/** How many channels of sites sent something in the last hours, and how many need attention. */
async function channelsOfSites(
  trx: Trx,
  scope: Scope,
  links: Links,
  sites: readonly { tenant_id: number; id: number }[],
): Promise<ChannelCounts> {
  const { tenants, ids } = numbersOf(sites)
  const ailing = needsAttention(await heardNimbles(trx, scope, links))
  const { rows } = await sql<{ site_id: number; active: number; ailing: number }>`
    select channel.site_id, count(h.at) as active, count(*) filter (where ${ailing}) as ailing
    from channel ${joinActive} ${joinReports}
    where channel.tenant_id = any(${tenants}::int4[]) and channel.site_id = any(${ids}::int4[]) and ${ofChannels(scope)}
    group by 1`.execute(trx)
  return new Map(rows.map((row) => [row.site_id, row]))
}

type SiteFigures = Pick<Site, 'site_total_devices' | 'site_active_channels' | 'site_attention_channels' | 'site_health'>

/** What sites have and how they fare with all of it, by the site's number. */
async function figuresOfSites(
  trx: Trx,
  scope: Scope,
  links: Links,
  sites: readonly { tenant_id: number; id: number }[],
  channels: ChannelCounts,
): Promise<(id: number) => SiteFigures> {
  const standings = await siteStandings(trx, await heardNimbles(trx, scope, links), sites)
  return (id) => {
    const { devices, health } = standings.get(id) ?? { devices: 0, health: 'unknown' }
    const { active, ailing } = channels.get(id) ?? { active: 0, ailing: 0 }
    return {
      site_total_devices: devices,
      site_active_channels: active,
      site_attention_channels: ailing,
      site_health: siteGrade(health, ailing),
    }
  }
}

/** Tags of the cameras of sites, as a person reads them, by the site's number. */
async function tagsOfSites(trx: Trx, sites: readonly SiteRow[]): Promise<Map<number, string[]>> {
  const { tenants, ids } = numbersOf(sites)
  // Many cameras of a site have the same tags.
  const { rows } = await sql<{ site_id: number; tags: string[] }>`
    select site_id, array_agg(distinct t.key || ' ' || t.value order by t.key || ' ' || t.value) as tags
    from (select distinct site_id, tags from device where tags <> '{}' and tenant_id = any(${tenants}::int4[])
      and site_id = any(${ids}::int4[])) tagged, jsonb_each_text(tagged.tags) t
    group by 1`.execute(trx)
  return new Map(rows.map(({ site_id, tags }) => [site_id, tags]))
}
