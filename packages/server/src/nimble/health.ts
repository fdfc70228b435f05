/** How cameras fare over time: written as edge servers report, read by the page of a camera and of a site. */
import { cameraHealth, type HealthGrade, type SourceReport, sourceHealth } from '@sightline/domain'
import { sql } from 'kysely'
import type { BusMessage } from '../bus.ts'
import type { Db, Trx } from '../db/database.ts'
import type { Target } from './states.ts'

const keptDays = 30

type Camera = {
  id: number
  uid: string
  site_id: number
  site_uid: string
  known_state: HealthGrade | null
  known_cause: string | null
  sources: (Omit<SourceReport, 'state'> & { state: SourceReport['state'] | null })[]
}

/**
 * Ends the stretch of each camera that fares otherwise than noted, and begins the next.
 * @param heard whether the edge server is there; false only when it is known to be away
 * @param deviceUids null: all cameras of the edge server
 * @returns messages for who watches: the new grade
 */
export function noteHealth(
  db: Db,
  target: Pick<Target, 'tenantId' | 'id'>,
  heard: boolean,
  deviceUids: readonly string[] | null,
): Promise<BusMessage[]> {
  return db.ingest(async (trx) => {
    const cameras = await readCameras(trx, target, deviceUids)
    const changes = cameras.flatMap((camera) => {
      const now = cameraHealth(
        camera.sources.map(({ state, ...rest }) => sourceHealth(state && { state, ...rest }, heard)),
      )
      return now.health === camera.known_state && now.cause === camera.known_cause ? [] : [{ camera, now }]
    })
    if (changes.length === 0) return []
    const ids = changes.map(({ camera }) => camera.id)
    // People may have been told since the cameras were read.
    const { rows: ended } = await sql<{ device_id: number; told_at: Date | null }>`
      update device_health set ended_at = now()
      where tenant_id = ${target.tenantId} and device_id = any(${ids}::int4[]) and ended_at is null
      returning device_id, told_at`.execute(trx)
    const toldAt = new Map(ended.map(({ device_id, told_at }) => [device_id, told_at]))
    await sql`insert into device_health (tenant_id, device_id, state, cause, told_at)
      select ${target.tenantId}::int4, * from unnest(${ids}::int4[], ${changes.map(({ now }) => now.health)}::text[],
        ${changes.map(({ now }) => now.cause)}::text[], ${ids.map((id) => toldAt.get(id) ?? null)}::timestamptz[])`.execute(
      trx,
    )
    await sql`delete from device_health where tenant_id = ${target.tenantId} and device_id = any(${ids}::int4[])
      and ended_at < now() - make_interval(days => ${keptDays})`.execute(trx)
    return changes.map(({ camera, now }) => ({
      tenantId: target.tenantId,
      siteId: camera.site_id,
      message: {
        type: 'health' as const,
        device_id: camera.uid,
        site_id: camera.site_uid,
        health: now.health,
        cause: now.cause,
        before: camera.known_state,
      },
    }))
  })
}

async function readCameras(trx: Trx, target: Pick<Target, 'tenantId' | 'id'>, uids: readonly string[] | null) {
  const which = uids === null ? sql`true` : sql`device.uid = any(${[...uids]}::uuid[])`
  const { rows } = await sql<Camera>`
    select device.id, device.uid, device.site_id, site.uid as site_uid, h.state as known_state, h.cause as known_cause,
      (select coalesce(jsonb_agg(jsonb_build_object('state', st.state, 'cause', st.cause,
          'lastFrameAt', extract(epoch from st.last_frame_at) * 1000,
          'failedAt', extract(epoch from st.failed_at) * 1000) order by so.is_default desc, so.id), '[]')
        from source so left join source_state st on st.tenant_id = so.tenant_id and st.source_id = so.id
        where so.tenant_id = device.tenant_id and so.device_id = device.id) as sources
    from device
    join site on site.tenant_id = device.tenant_id and site.id = device.site_id
    left join device_health h on h.tenant_id = device.tenant_id and h.device_id = device.id and h.ended_at is null
    where device.tenant_id = ${target.tenantId} and device.nimble_id = ${target.id} and ${which}
    order by device.id`.execute(trx)
  return rows
}

export type Stretch = { start: string; end: string | null; state: HealthGrade; cause: string | null }

/** How a camera fared in the last 24 hours, oldest first. What began earlier begins with them. */
export async function healthHistory(trx: Trx, device: { tenant_id: number; id: number }): Promise<Stretch[]> {
  const { rows } = await sql<{ start: Date; end: Date | null; state: HealthGrade; cause: string | null }>`
    select greatest(started_at, now() - interval '1 day') as start, ended_at as end, state, cause from device_health
    where tenant_id = ${device.tenant_id} and device_id = ${device.id}
      and (ended_at is null or ended_at > now() - interval '1 day')
    order by started_at, id`.execute(trx)
  return rows.map((row) => ({ ...row, start: row.start.toISOString(), end: row.end?.toISOString() ?? null }))
}

/** Since when cameras fare as noted last, by the camera's number. */
export async function openStretches(
  trx: Trx,
  devices: readonly { tenant_id: number; id: number }[],
): Promise<Map<number, { state: HealthGrade; since: Date }>> {
  if (devices.length === 0) return new Map()
  const { rows } = await sql<{ device_id: number; state: HealthGrade; since: Date }>`
    select device_id, state, started_at as since from device_health
    where tenant_id = any(${[...new Set(devices.map((row) => row.tenant_id))]}::int4[])
      and device_id = any(${devices.map((row) => row.id)}::int4[]) and ended_at is null`.execute(trx)
  return new Map(rows.map(({ device_id, ...stretch }) => [device_id, stretch]))
}
