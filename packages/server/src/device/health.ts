/** The health of many cameras at once, in SQL; says the same as `sourceHealth` and `cameraHealth` of the domain. */
import { gravity, type HealthGrade, silentMs } from '@sightline/domain'
import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import type { Database, Trx } from '../db/database.ts'
import { numbersOf } from '../reach.ts'

/** How grave a stream's state is, of the tables `device` and `st` (its `source_state`). */
const graveness = (heard: readonly number[]) => sql<number>`case
  when device.nimble_id <> all(${heard}::int4[]) or st.state is null then ${sql.lit(gravity.unknown)}
  when st.state = 'offline' then case
    when st.failed_at is not null and (st.last_frame_at is null
      or st.failed_at - st.last_frame_at >= make_interval(secs => ${sql.lit(silentMs / 1000)}))
    then ${sql.lit(gravity.offline)} else ${sql.lit(gravity['needs attention'])} end
  when st.state = 'refused' or st.cause is not null then ${sql.lit(gravity['needs attention'])}
  when st.state = 'connecting' then ${sql.lit(gravity.unknown)}
  else ${sql.lit(gravity.healthy)} end`

/** How grave a camera's is, over its streams. */
const cameraGraveness = (heard: readonly number[]) => sql<number>`case
  when max(${graveness(heard)}) = ${sql.lit(gravity.offline)} and min(${graveness(heard)}) = ${sql.lit(gravity.healthy)}
  then ${sql.lit(gravity['needs attention'])} else coalesce(max(${graveness(heard)}), ${sql.lit(gravity.unknown)}) end`

/** Of these cameras those of one of these grades. @param heard numbers of the edge servers that are there */
export const ofHealth = <O>(
  query: SelectQueryBuilder<Database, 'device', O>,
  heard: readonly number[],
  graves: readonly number[],
) =>
  query
    .leftJoin('source as so', (on) =>
      on.onRef('so.tenant_id', '=', 'device.tenant_id').onRef('so.device_id', '=', 'device.id'),
    )
    .leftJoin('source_state as st', (on) =>
      on.onRef('st.tenant_id', '=', 'so.tenant_id').onRef('st.source_id', '=', 'so.id'),
    )
    .groupBy(['device.tenant_id', 'device.id'])
    .having(sql<SqlBool>`${cameraGraveness(heard)} = any(${graves}::int4[])`) as unknown as typeof query

const grades = Object.fromEntries(Object.entries(gravity).map(([grade, n]) => [n, grade])) as Record<
  number,
  HealthGrade
>

type SiteStanding = { devices: number; health: HealthGrade }

/**
 * How many cameras sites have and how they fare: what all of them are, the site is; where they differ, it needs
 * attention. A site without cameras is missing.
 * @returns by the site's number
 */
export async function siteStandings(
  trx: Trx,
  heard: readonly number[],
  sites: readonly { tenant_id: number; id: number }[],
): Promise<Map<number, SiteStanding>> {
  if (sites.length === 0) return new Map()
  const { tenants, ids } = numbersOf(sites)
  const { rows } = await sql<{ site_id: number; devices: number; best: number; worst: number }>`
    select site_id, count(*) as devices, min(grave) as best, max(grave) as worst from (
      select device.site_id, ${cameraGraveness(heard)} as grave from device
      left join source so on so.tenant_id = device.tenant_id and so.device_id = device.id
      left join source_state st on st.tenant_id = so.tenant_id and st.source_id = so.id
      where device.tenant_id = any(${tenants}::int4[]) and device.site_id = any(${ids}::int4[])
      group by device.tenant_id, device.id) graded
    group by site_id`.execute(trx)
  return new Map(
    rows.map(({ site_id, devices, best, worst }) => [
      site_id,
      { devices, health: best === worst ? (grades[best] as HealthGrade) : 'needs attention' },
    ]),
  )
}
