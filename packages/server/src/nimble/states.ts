/** What edge servers say about themselves, their streams and channels: into the tables, and on to who watches. */
import type { ChannelState, NimbleStats, SourceState } from '@sightline/contract/edge'
import { type Selectable, sql } from 'kysely'
import { type BusMessage, changed } from '../bus.ts'
import type { Db } from '../db/database.ts'
import type { NimbleStateTable } from '../db/schema.ts'
import type { LinkStatus } from './links.ts'

/** A nimble configuration as the link needs it. */
export type Target = {
  id: number
  uid: string
  tenantId: number
  /** `enrolled`: it dials us. */
  mode: 'dial' | 'enrolled'
  /** Null for one that dials us. */
  address: string | null
  port: number | null
  connectionTimeoutSeconds: number
  waitBetweenRetrySeconds: number
  retryTimes: number
  isLocal: boolean
  /** Null while none is trusted yet. */
  publicKey: string | null
}

/** Every nimble, of every organization. */
export async function listTargets(db: Db): Promise<Target[]> {
  const rows = await db.ingest((trx) => trx.selectFrom('nimble').selectAll().execute())
  return rows.map((row) => ({
    id: row.id,
    uid: row.uid,
    tenantId: row.tenant_id,
    mode: row.mode,
    address: row.address,
    port: row.port,
    connectionTimeoutSeconds: row.connection_timeout,
    waitBetweenRetrySeconds: row.wait_between_retry,
    retryTimes: row.retry_times,
    isLocal: row.is_local,
    publicKey: row.public_key,
  }))
}

/** Version of what each nimble should run, by public id. */
export async function desiredVersions(db: Db): Promise<Map<string, number>> {
  const rows = await db.ingest((trx) => trx.selectFrom('nimble').select(['uid', 'desired_version']).execute())
  return new Map(rows.map((row) => [row.uid, row.desired_version]))
}

/** Trusts this key from now on. */
export async function pinKey(db: Db, target: Target, publicKey: string): Promise<void> {
  await db.instance((trx) =>
    trx
      .updateTable('nimble')
      .set({ public_key: publicKey, offered_key: null, key_state: 'pinned' })
      .where('tenant_id', '=', target.tenantId)
      .where('id', '=', target.id)
      .execute(),
  )
}

/** Keeps the key that was shown instead of the trusted one, for a person to compare and accept. */
export async function offerKey(db: Db, target: Target, publicKey: string): Promise<void> {
  await db.instance((trx) =>
    trx
      .updateTable('nimble')
      .set({ offered_key: publicKey, key_state: 'changed' })
      .where('tenant_id', '=', target.tenantId)
      .where('id', '=', target.id)
      .execute(),
  )
}

/** What was kept of the link, by this portal or another; null when nothing ever was. */
export async function loadLink(db: Db, target: Target): Promise<{ status: LinkStatus; lostEvents: number } | null> {
  const row = await db.ingest((trx) =>
    trx
      .selectFrom('nimble_state')
      .selectAll()
      .where('tenant_id', '=', target.tenantId)
      .where('nimble_id', '=', target.id)
      .executeTakeFirst(),
  )
  return row ? { status: linkStatusOf(row), lostEvents: row.lost_events } : null
}

/** Of a nimble that was never heard. */
export const neverSeen: LinkStatus = {
  state: 'new',
  since: null,
  last_contact_at: null,
  cause: null,
  clock_offset_ms: null,
  engine_version: null,
  protocol: null,
  interfaces: [],
  capacity: null,
  journal_events: null,
  applied_version: null,
}

export const linkStatusOf = (row: Selectable<NimbleStateTable>): LinkStatus => ({
  state: row.state,
  since: row.since.toISOString(),
  last_contact_at: row.last_contact_at?.toISOString() ?? null,
  cause: row.cause,
  clock_offset_ms: row.clock_offset_ms,
  engine_version: row.engine_version,
  protocol: row.protocol,
  interfaces: row.interfaces,
  capacity: row.capacity,
  journal_events: row.journal_events,
  applied_version: row.applied_version,
})

/** Keeps the link's view for portals that do not hold the link, and for after a restart. */
export async function saveLink(db: Db, target: Target, status: LinkStatus, lostEvents: number): Promise<void> {
  const values = {
    state: status.state,
    since: status.since ? new Date(status.since) : new Date(),
    last_contact_at: status.last_contact_at ? new Date(status.last_contact_at) : null,
    cause: status.cause,
    clock_offset_ms: status.clock_offset_ms,
    engine_version: status.engine_version,
    protocol: status.protocol,
    interfaces: JSON.stringify(status.interfaces),
    capacity: status.capacity,
    journal_events: status.journal_events,
    lost_events: lostEvents,
    applied_version: status.applied_version,
    updated_at: new Date(),
  }
  await db.ingest(async (trx) => {
    // It may have been deleted meanwhile.
    const exists = await trx
      .selectFrom('nimble')
      .select('id')
      .where('tenant_id', '=', target.tenantId)
      .where('id', '=', target.id)
      .executeTakeFirst()
    if (!exists) return
    await trx
      .insertInto('nimble_state')
      .values({ tenant_id: target.tenantId, nimble_id: target.id, ...values })
      .onConflict((conflict) => conflict.columns(['tenant_id', 'nimble_id']).doUpdateSet(values))
      .execute()
  })
}

export async function saveStats(db: Db, target: Target, stats: NimbleStats): Promise<void> {
  const { tenantId, id } = target
  await db.ingest((trx) =>
    sql`
      insert into nimble_stat (tenant_id, nimble_id, at, cpu, memory_bytes, disk_free_bytes, queue, inference_ms, fps,
        expected_fps, drops, reconnects, clock_offset_ms, journal_events)
      select tenant_id, id, now(), ${stats.cpu}, ${stats.memory_bytes}, ${stats.disk_free_bytes}, ${stats.queue},
        ${stats.inference_ms}, ${stats.fps}, ${stats.expected_fps}, ${stats.drops}, ${stats.reconnects},
        ${stats.clock_offset_ms}, ${stats.journal_events}
      from nimble where tenant_id = ${tenantId} and id = ${id}`.execute(trx),
  )
}

/** @returns messages about the cameras whose state became another; a nimble can only speak of its own */
export async function saveSources(db: Db, target: Target, states: readonly SourceState[]): Promise<BusMessage[]> {
  const { rows } = await db.ingest((trx) =>
    sql<{ uid: string; site_id: number }>`
      with said as (
        select source.tenant_id, source.id, source.device_id, x.*
        from jsonb_to_recordset(${JSON.stringify(states)}::jsonb) as x (source_id uuid, version int, state text, cause text, codec text,
          width int, height int, fps real, last_frame_at double precision, failed_at double precision, reconnects int, drops int)
        join source on source.tenant_id = ${target.tenantId} and source.uid = x.source_id
          and source.nimble_id = ${target.id}
      ), before as (
        select said.id, row(s.version, s.state, s.cause, s.codec, s.width, s.height) as known from said
        join source_state s on s.tenant_id = said.tenant_id and s.source_id = said.id
      ), stored as (
        insert into source_state as s (tenant_id, source_id, version, state, cause, codec, width, height, fps, last_frame_at,
          failed_at, reconnects, drops)
        select tenant_id, id, version, state, cause, codec, width, height, fps, to_timestamp(last_frame_at / 1000),
          to_timestamp(failed_at / 1000), reconnects, drops
        from said order by id
        on conflict (tenant_id, source_id) do update set version = excluded.version, state = excluded.state, cause = excluded.cause,
          codec = coalesce(excluded.codec, s.codec), width = coalesce(excluded.width, s.width),
          height = coalesce(excluded.height, s.height), fps = excluded.fps,
          last_frame_at = coalesce(excluded.last_frame_at, s.last_frame_at), failed_at = excluded.failed_at,
          reconnects = excluded.reconnects, drops = excluded.drops,
          since = case when s.state = excluded.state then s.since else excluded.since end, updated_at = now()
      )
      select distinct device.uid, device.site_id from said
      left join before on before.id = said.id
      join device on device.tenant_id = said.tenant_id and device.id = said.device_id
      where before.known is distinct from row(said.version, said.state, said.cause, said.codec, said.width, said.height)`.execute(
      trx,
    ),
  )
  return rows.map(({ uid, site_id }) => changed({ tenant_id: target.tenantId, site_id }, 'device', uid))
}

/** Public ids of the cameras whose streams these are. */
export async function devicesOf(db: Db, target: Target, states: readonly SourceState[]): Promise<string[]> {
  if (states.length === 0) return []
  const { rows } = await db.ingest((trx) =>
    sql<{ uid: string }>`
      select distinct device.uid from source
      join device on device.tenant_id = source.tenant_id and device.id = source.device_id
      where source.tenant_id = ${target.tenantId} and source.nimble_id = ${target.id}
        and source.uid = any(${states.map((state) => state.source_id)}::uuid[])`.execute(trx),
  )
  return rows.map((row) => row.uid)
}

/** @returns messages about the channels whose state became another */
export async function saveChannels(db: Db, target: Target, states: readonly ChannelState[]): Promise<BusMessage[]> {
  const { rows } = await db.ingest((trx) =>
    sql<{ uid: string; site_id: number; usecase_id: number }>`
      with said as (
        select channel.tenant_id, channel.id, channel.uid, channel.site_id, channel.usecase_id, x.*,
          -- Said before the channel was given another pipeline it is the version of that one.
          case when x.pipeline ->> 'pipeline_id' = pipeline.uid::text then (x.pipeline ->> 'version')::int end
            as pipeline_version
        from jsonb_to_recordset(${JSON.stringify(states)}::jsonb) as x (channel_id uuid, version int, pipeline jsonb, state text,
          detector_state text, cause text, fps real, expected_fps real, drops int)
        join channel on channel.tenant_id = ${target.tenantId} and channel.uid = x.channel_id
          and channel.nimble_id = ${target.id}
        join pipeline on pipeline.tenant_id = channel.tenant_id and pipeline.id = channel.pipeline_id
      ), before as (
        select said.id, row(c.version, c.pipeline_version, c.state, c.detector_state, c.cause) as known from said
        join channel_state c on c.tenant_id = said.tenant_id and c.channel_id = said.id
      ), stored as (
        insert into channel_state as c (tenant_id, channel_id, version, pipeline_version, state, detector_state, cause, fps,
          expected_fps, drops)
        select tenant_id, id, version, pipeline_version, state, detector_state, cause, fps, expected_fps, drops from said order by id
        on conflict (tenant_id, channel_id) do update set version = excluded.version, pipeline_version = excluded.pipeline_version,
          state = excluded.state, detector_state = excluded.detector_state, cause = excluded.cause, fps = excluded.fps,
          expected_fps = excluded.expected_fps, drops = excluded.drops,
          since = case when c.state = excluded.state then c.since else excluded.since end, updated_at = now()
      )
      select said.uid, said.site_id, said.usecase_id from said left join before on before.id = said.id
      where before.known is distinct from row(said.version, said.pipeline_version, said.state, said.detector_state, said.cause)`.execute(
      trx,
    ),
  )
  return rows.map(({ uid, ...row }) => changed({ tenant_id: target.tenantId, ...row }, 'channel', uid))
}
