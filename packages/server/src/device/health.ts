/** The health of many cameras at once, in SQL; says the same as `sourceHealth` and `gravest` of the domain. */
import { gravity, type HealthGrade, silentMs } from '@sightline/domain'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Trx } from '../db/database.ts'

/** How grave a stream's state is, of the tables `device` and `st` (its `source_state`). */
const graveness = (heard: readonly number[]) => sql<number>`case
  when device.nimble_id <> all(${[...heard]}::int4[]) or st.state is null then ${sql.lit(gravity.unknown)}
  when st.state = 'offline' then case
    when st.failed_at is not null and (st.last_frame_at is null
      or st.failed_at - st.last_frame_at >= make_interval(secs => ${sql.lit(silentMs / 1000)}))
    then ${sql.lit(gravity.offline)} else ${sql.lit(gravity['needs attention'])} end
  when st.state = 'refused' or st.cause is not null then ${sql.lit(gravity['needs attention'])}
  when st.state = 'connecting' then ${sql.lit(gravity.unknown)}
  else ${sql.lit(gravity.healthy)} end`

/** Whether the row of `device` has one of these grades. @param heard numbers of the edge servers that are there */
export const hasHealth = (
  heard: readonly number[],
  wanted: readonly HealthGrade[],
): RawBuilder<SqlBool> => sql<SqlBool>`
  coalesce((select max(${graveness(heard)}) from source so
    left join source_state st on st.tenant_id = so.tenant_id and st.source_id = so.id
    where so.tenant_id = device.tenant_id and so.device_id = device.id), ${sql.lit(gravity.unknown)})
  = any(${wanted.map((grade) => gravity[grade])}::int4[])`

const grades = Object.fromEntries(Object.entries(gravity).map(([grade, n]) => [n, grade])) as Record<
  number,
  HealthGrade
>

/**
 * What all cameras of a site are, it is; where they differ, it needs attention. A site without cameras is missing: what
 * it is nobody knows.
 * @returns grades by the site's number
 */
export async function siteGrades(
  trx: Trx,
  heard: readonly number[],
  siteIds: readonly number[],
): Promise<Map<number, HealthGrade>> {
  if (siteIds.length === 0) return new Map()
  const { rows } = await sql<{ site_id: number; best: number; worst: number }>`
    select site_id, min(grave) as best, max(grave) as worst from (
      select device.site_id, coalesce(max(${graveness(heard)}), ${sql.lit(gravity.unknown)}) as grave from device
      left join source so on so.tenant_id = device.tenant_id and so.device_id = device.id
      left join source_state st on st.tenant_id = so.tenant_id and st.source_id = so.id
      where device.site_id = any(${[...siteIds]}::int4[])
      group by device.tenant_id, device.id) graded
    group by site_id`.execute(trx)
  return new Map(
    rows.map(({ site_id, best, worst }) => [
      site_id,
      best === worst ? (grades[best] as HealthGrade) : 'needs attention',
    ]),
  )
}
