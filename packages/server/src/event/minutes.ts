import { sql } from 'kysely'
import { float4OrNullArray, instantArray, instantOrNullArray, int2Array, int4Array, int8Array } from '../db/array.ts'
import type { Db, Trx } from '../db/database.ts'
import type { RollupRow } from './rollup.ts'

/** Figures beyond sense stay at the border of their type: one bad channel must not hold up the others. */
export const mostInt4 = sql.lit(2 ** 31 - 1)
export const mostInt8 = sql.raw('9223372036854775807')
const rowsPerRound = 64

/**
 * Notes what new events add to the minutes, in the transaction that stores them: one row, whatever the number of minutes.
 * A minute of a channel changes with every second; adding to its row each time took a seventh of all work.
 * At every moment, and after any crash, minutes + notes = what the raw events say.
 */
export async function noteMinutes(trx: Trx, tenantId: number, rows: readonly RollupRow[]): Promise<void> {
  if (rows.length === 0) return
  await sql`/* event.note_minutes */
    insert into rollup_pending (tenant_id, channels, buckets, series, n, sum, min, max, last, last_at, observed_ms)
    values (${tenantId}::int4, ${int4Array(rows, (row) => row.channel)}::int4[],
      ${instantArray(rows, (row) => row.bucket)}::timestamptz[], ${int2Array(rows, (row) => row.series)}::int2[],
      ${int4Array(rows, (row) => row.n)}::int4[], ${int8Array(rows, (row) => row.sum)}::int8[],
      ${float4OrNullArray(rows, (row) => row.min)}::float4[], ${float4OrNullArray(rows, (row) => row.max)}::float4[],
      ${float4OrNullArray(rows, (row) => row.last)}::float4[],
      ${instantOrNullArray(rows, (row) => row.lastAt)}::timestamptz[],
      ${int8Array(rows, (row) => row.observedMs)}::int8[])`.execute(trx)
}

/**
 * Adds the oldest notes to the minutes, takes them away, marks closed hours for the hourly job, and notes once a minute
 * that a channel was heard: one statement, so
 * that each note counts once whoever is killed when. Safe beside other replicas and the hourly job.
 * The mark is updated although nothing in it changes: that takes its lock, without which the job could delete the mark
 * while these minutes are not committed yet, and the hour would stay wrong for ever.
 * @returns how many notes were added
 */
export async function addMinutes(trx: Trx): Promise<number> {
  const { rows } = await sql<{ count: number }>`/* event.add_minutes */
    with taken as (
      delete from rollup_pending where (tenant_id, id) in (
        select tenant_id, id from rollup_pending order by 1, 2 limit ${sql.lit(rowsPerRound)} for update)
      returning *
    ), seal as materialized (select sealed_until from rollup_seal for share),
    sums as materialized (
      select t.tenant_id, s.channel_id, s.bucket, s.series, sum(s.n) as n, sum(s.sum) as sum, min(s.min) as min,
        max(s.max) as max, max(s.last_at) as last_at, sum(s.observed_ms) as observed_ms,
        max(array[extract(epoch from s.last_at)::float8, s.last]) filter (where s.last is not null) as newest
      from taken t, unnest(t.channels, t.buckets, t.series, t.n, t.sum, t.min, t.max, t.last, t.last_at, t.observed_ms)
        as s (channel_id, bucket, series, n, sum, min, max, last, last_at, observed_ms)
      group by 1, 2, 3, 4
    ), dirty as (
      insert into rollup_dirty (tenant_id, channel_id, hour)
      select distinct tenant_id, channel_id, date_bin('1 hour', bucket, 'epoch') from sums, seal
      where bucket < sealed_until order by 1, 2, 3
      on conflict (tenant_id, channel_id, hour) do update set hour = excluded.hour
    ), added as (
      insert into event_1m as r (tenant_id, channel_id, bucket, series, n, sum, min, max, last, last_at, observed_ms)
      select tenant_id, channel_id, bucket, series, least(n, ${mostInt4}), ${clamped(sql`sum`)}, min, max, newest[2], last_at,
        ${clamped(sql`observed_ms`)}
      from sums order by 1, 2, 3, 4
      on conflict (tenant_id, channel_id, bucket, series) do update set
        n = least(r.n::int8 + excluded.n, ${mostInt4}),
        sum = ${clamped(sql`r.sum::numeric + excluded.sum`)},
        min = least(r.min, excluded.min),
        max = greatest(r.max, excluded.max),
        last = case when r.last_at is null or (excluded.last_at, excluded.last) > (r.last_at, r.last) then excluded.last else r.last end,
        last_at = greatest(r.last_at, excluded.last_at),
        observed_ms = ${clamped(sql`r.observed_ms::numeric + excluded.observed_ms`)}
    ), heard as (
      insert into channel_heard as h (tenant_id, channel_id, at)
      select tenant_id, channel_id, max(bucket) from sums where series = 0 group by 1, 2
      having not exists (select from channel_heard k
        where k.tenant_id = sums.tenant_id and k.channel_id = sums.channel_id and k.at >= max(sums.bucket)) order by 1, 2
      on conflict (tenant_id, channel_id) do update set at = greatest(h.at, excluded.at)
    )
    select count(*) as count from taken`.execute(trx)
  return rows[0]?.count ?? 0
}

function clamped(value: ReturnType<typeof sql>) {
  return sql`greatest(least(${value}, ${mostInt8}::numeric), -${mostInt8}::numeric)`
}

/** Adds all notes that were committed before, a transaction a round. */
export async function addAllMinutes(db: Db): Promise<void> {
  while ((await db.ingest(addMinutes)) === rowsPerRound);
}
