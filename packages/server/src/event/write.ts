import { sql } from 'kysely'
import {
  boolArray,
  float4Array,
  float4OrNullArray,
  instantArray,
  instantOrNullArray,
  int2Array,
  int4Array,
  int8Array,
  jsonbArray,
  uuidArray,
} from '../db/array.ts'
import type { Trx } from '../db/database.ts'
import { type Counted, hourMs, type RollupRow } from './rollup.ts'

/** A record as it is stored, with the portal's own numbers instead of public ids. */
export type StoredEvent = Counted & {
  eid: string
  kindCode: number
  notable: boolean
  nimble: number
  source: number
  clockOffsetMs: number
  receivedAt: number
  occasion: string | null
  /** JSON texts. */
  levels: string | null
  details: string | null
  snapshot: string | null
  clip: string | null
}

const column = <K extends keyof StoredEvent>(events: readonly StoredEvent[], key: K) =>
  events.map((event) => event[key])

/**
 * Stores events of one tenant that are not there yet.
 * @param events no two with the same id
 * @returns positions in `events` of those that were there already
 */
export async function storeEvents(trx: Trx, tenantId: number, events: readonly StoredEvent[]): Promise<number[]> {
  const ends: number[] = []
  let end = 0
  for (const event of events) {
    end += event.numbers.length
    ends.push(end)
  }
  const { rows } = await sql<{ position: number }>`/* event.store */
    with src as (
      select * from unnest(
        ${int4Array(column(events, 'channel'))}::int4[], ${instantArray(column(events, 'at'))}::timestamptz[],
        ${uuidArray(column(events, 'eid'))}::uuid[], ${int2Array(column(events, 'kindCode'))}::int2[],
        ${boolArray(column(events, 'notable').map(Number))}::bool[], ${int4Array(column(events, 'observedMs'))}::int4[],
        ${int4Array(column(events, 'nimble'))}::int4[], ${int4Array(column(events, 'source'))}::int4[],
        ${int4Array(column(events, 'clockOffsetMs'))}::int4[], ${instantArray(column(events, 'receivedAt'))}::timestamptz[],
        ${int4Array(ends)}::int4[], ${int4Array(events.map((event) => event.numbers.length))}::int4[],
        ${uuidArray(column(events, 'occasion'))}::uuid[], ${jsonbArray(column(events, 'levels'))}::jsonb[],
        ${jsonbArray(column(events, 'details'))}::jsonb[], ${uuidArray(column(events, 'snapshot'))}::uuid[],
        ${uuidArray(column(events, 'clip'))}::uuid[]
      ) with ordinality as s (channel_id, ts, eid, kind, notable, observed_ms, nimble_id, source, clock_offset_ms,
        received_at, ends, length, occasion, levels, details, snapshot, clip, position)
    ), stored as (
      insert into event (tenant_id, channel_id, ts, eid, kind, notable, observed_ms, nimble_id, source, clock_offset_ms,
        received_at, numbers, occasion, levels, details, snapshot, clip)
      select ${tenantId}::int4, channel_id, ts, eid, kind, notable, observed_ms, nimble_id, source, clock_offset_ms, received_at,
        (${float4Array(events.flatMap((event) => event.numbers))}::float4[])[ends - length + 1:ends],
        occasion, levels, details, snapshot, clip
      from src order by channel_id, ts, eid
      on conflict do nothing
      returning eid
    )
    select position - 1 as position from src where not exists (select from stored where stored.eid = src.eid)`.execute(
    trx,
  )
  return rows.map((row) => row.position)
}

/**
 * Adds to the minutes and marks their hours for the hourly job.
 * The mark is updated although nothing in it changes: that takes its lock, without which the job could delete the mark
 * while these minutes are not committed yet, and the hour would stay wrong for ever.
 */
export async function addRollup(trx: Trx, tenantId: number, rows: readonly RollupRow[]): Promise<void> {
  if (rows.length === 0) return
  const hours = new Map<string, { channel: number; hour: number }>()
  for (const { channel, bucket } of rows) {
    const hour = bucket - (bucket % hourMs)
    hours.set(`${channel} ${hour}`, { channel, hour })
  }
  const dirty = [...hours.values()]
  await sql`/* event.rollup */
    with seal as materialized (select sealed_until from rollup_seal for share),
    dirty as (
      insert into rollup_dirty (tenant_id, channel_id, hour)
      select ${tenantId}::int4, channel_id, hour from unnest(${int4Array(dirty.map((row) => row.channel))}::int4[],
        ${instantArray(dirty.map((row) => row.hour))}::timestamptz[]) as s (channel_id, hour), seal
      where hour < sealed_until
      order by channel_id, hour
      on conflict (tenant_id, channel_id, hour) do update set hour = excluded.hour
    )
    insert into event_1m as r (tenant_id, channel_id, bucket, series, n, sum, min, max, last, last_at, observed_ms)
    select ${tenantId}::int4, * from unnest(
      ${int4Array(rows.map((row) => row.channel))}::int4[], ${instantArray(rows.map((row) => row.bucket))}::timestamptz[],
      ${int2Array(rows.map((row) => row.series))}::int2[], ${int4Array(rows.map((row) => row.n))}::int4[],
      ${int8Array(rows.map((row) => row.sum))}::int8[], ${float4OrNullArray(rows.map((row) => row.min))}::float4[],
      ${float4OrNullArray(rows.map((row) => row.max))}::float4[], ${float4OrNullArray(rows.map((row) => row.last))}::float4[],
      ${instantOrNullArray(rows.map((row) => row.lastAt))}::timestamptz[], ${int8Array(rows.map((row) => row.observedMs))}::int8[]
    ) as s (channel_id, bucket, series, n, sum, min, max, last, last_at, observed_ms)
    order by channel_id, bucket, series
    on conflict (tenant_id, channel_id, bucket, series) do update set
      n = r.n + excluded.n,
      sum = r.sum + excluded.sum,
      min = least(r.min, excluded.min),
      max = greatest(r.max, excluded.max),
      last = case when r.last_at is null or (excluded.last_at, excluded.last) > (r.last_at, r.last) then excluded.last else r.last end,
      last_at = greatest(r.last_at, excluded.last_at),
      observed_ms = r.observed_ms + excluded.observed_ms`.execute(trx)
}
