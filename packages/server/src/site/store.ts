import type { Site } from '@sightline/contract'
import { activeHours, gravest, type HealthGrade, sourceHealth } from '@sightline/domain'
import { type SqlBool, sql } from 'kysely'
import type { Trx } from '../db/database.ts'
import { deviceRows } from '../device/store.ts'
import { isReachable, type Links } from '../nimble/store.ts'
import { within } from '../reach.ts'
import { notFound } from '../refusal.ts'
import type { Scope } from '../scope.ts'
import { sourcesOfDevices } from '../source/store.ts'

const sites = (trx: Trx, scope: Scope) =>
  trx
    .selectFrom('site')
    .innerJoin('organization', 'organization.tenant_id', 'site.tenant_id')
    .innerJoin('customer', (on) =>
      on.onRef('customer.tenant_id', '=', 'site.tenant_id').onRef('customer.id', '=', 'site.customer_id'),
    )
    .selectAll('site')
    .select([
      'organization.uid as organization_uid',
      'customer.uid as customer_uid',
      sql<number>`(select count(*) from device
        where device.tenant_id = site.tenant_id and device.site_id = site.id)`.as('devices'),
      // Series 0 is the observed time: a row for every minute in which anything was sent.
      sql<number>`(select count(*) from channel where channel.tenant_id = site.tenant_id and channel.site_id = site.id
        and exists (select from event_1m e where e.tenant_id = channel.tenant_id and e.channel_id = channel.id
          and e.series = 0 and e.bucket > now() - make_interval(hours => ${activeHours})))`.as('active_channels'),
    ])
    .where(within(scope, 'site', 'site.id'))
export type SiteRow = Awaited<ReturnType<ReturnType<typeof sites>['execute']>>[number]

/** By name. */
export function siteRows(trx: Trx, scope: Scope, filter: { customerUid?: string | undefined }): Promise<SiteRow[]> {
  let query = sites(trx, scope)
  if (filter.customerUid !== undefined) query = query.where('customer.uid', '=', filter.customerUid)
  return query.orderBy(sql`site.name collate "und-x-icu"`).execute()
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
  const health = await healthOf(
    trx,
    scope,
    links,
    rows.map((row) => row.uid),
  )
  return rows.map((row) => siteEntity(row, health.get(row.uid) ?? []))
}

/** Grades of the cameras of each site. */
async function healthOf(trx: Trx, scope: Scope, links: Links, siteUids: string[]): Promise<Map<string, HealthGrade[]>> {
  const cameras = await deviceRows(trx, scope, { siteUids })
  const streams = await sourcesOfDevices(
    trx,
    scope,
    cameras.map((camera) => camera.id),
  )
  const graded = cameras.map((camera) => {
    const reachable = isReachable(links, camera)
    const judged = (streams.get(camera.id) ?? []).map(({ state, cause }) =>
      sourceHealth(state && { state, cause }, reachable),
    )
    return { site: camera.site_uid, health: gravest(judged).health }
  })
  const bySite = Map.groupBy(graded, ({ site }) => site)
  return new Map([...bySite].map(([site, all]) => [site, all.map(({ health }) => health)]))
}

/** What all cameras of a site are, it is; where they differ, it needs attention. A site without cameras is unknown. */
const siteHealth = (cameras: readonly HealthGrade[]): HealthGrade => {
  const [first = 'unknown'] = cameras
  return cameras.every((one) => one === first) ? first : 'needs attention'
}

const siteEntity = (row: SiteRow, cameras: readonly HealthGrade[]): Site => ({
  site_id: row.uid,
  site_name: row.name,
  customer_id: row.customer_uid,
  site_address: row.address as Site['site_address'],
  site_image: row.image,
  faces_allowed: row.faces_allowed,
  site_total_devices: row.devices,
  // Nothing notifies in this version.
  site_notifications: 0,
  site_active_channels: row.active_channels,
  site_health: siteHealth(cameras),
  organization_id: row.organization_uid,
  version: row.version,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})
