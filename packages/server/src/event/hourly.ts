import { sql } from 'kysely'
import type { Db, Trx } from '../db/database.ts'
import { addAllMinutes, mostInt4, mostInt8 } from './minutes.ts'
import { hourMs } from './rollup.ts'

/** An hour is closed this long after its end, so that its last windows have arrived. */
const graceMs = 2 * 60_000
const keysPerRound = 5000

/**
 * Closes the hours that are over: from now on they are read from `event_1h`, and writers mark the ones they change.
 * Who adds to the minutes holds the row shared until the commit, so every minute added without a mark is visible here.
 */
export async function sealHours(trx: Trx, now: number): Promise<void> {
  const until = new Date(now - graceMs - ((now - graceMs) % hourMs))
  const { rows } = await sql<{ from: Date }>`
    with before as (select sealed_until from rollup_seal for update)
    update rollup_seal set sealed_until = ${until} from before
    where rollup_seal.sealed_until < ${until} returning before.sealed_until as from`.execute(trx)
  const from = rows[0]?.from
  if (!from) return
  await sql`
    insert into rollup_dirty (tenant_id, channel_id, hour)
    select distinct tenant_id, channel_id, date_bin('1 hour', bucket, 'epoch') from event_1m
    where bucket >= ${from} and bucket < ${until} order by 1, 2, 3
    on conflict do nothing`.execute(trx)
}

/**
 * Computes marked hours again from their minutes: idempotent, and safe beside other replicas and the writer. The mark
 * is locked until its minutes are committed, and `skip locked` passes over it.
 * @returns how many marks were worked off
 */
export async function rollUpHours(trx: Trx): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with taken as (
      delete from rollup_dirty where (tenant_id, channel_id, hour) in (
        select tenant_id, channel_id, hour from rollup_dirty order by 1, 2, 3 limit ${keysPerRound} for update skip locked)
      returning tenant_id, channel_id, hour
    ), stored as (
      insert into event_1h (tenant_id, channel_id, bucket, series, n, sum, min, max, last, last_at, observed_ms)
      select m.tenant_id, m.channel_id, t.hour, m.series, least(sum(m.n), ${mostInt4}::int8),
        greatest(least(sum(m.sum), ${mostInt8}::numeric), -${mostInt8}::numeric), min(m.min), max(m.max),
        (array_agg(m.last order by m.last_at desc nulls last, m.last desc))[1], max(m.last_at),
        least(sum(m.observed_ms), ${mostInt8}::numeric)
      from taken t join event_1m m on m.tenant_id = t.tenant_id and m.channel_id = t.channel_id
        and m.bucket >= t.hour and m.bucket < t.hour + interval '1 hour'
      group by 1, 2, 3, 4 order by 1, 2, 3, 4
      on conflict (tenant_id, channel_id, bucket, series) do update set
        n = excluded.n, sum = excluded.sum, min = excluded.min, max = excluded.max, last = excluded.last,
        last_at = excluded.last_at, observed_ms = excluded.observed_ms
    ), noted as (
      insert into hour_written (tenant_id, hour, written)
      select distinct tenant_id, hour, pg_current_xact_id() from taken order by 1, 2
      on conflict (tenant_id, hour) do update set written = excluded.written
    )
    select count(*) as count from taken`.execute(trx)
  return rows[0]?.count ?? 0
}

/** Adds to the minutes what a killed portal left, closes hours and works off all marks, a transaction a round. */
export async function hourlyJob(db: Db, now: number): Promise<void> {
  await addAllMinutes(db)
  await db.ingest((trx) => sealHours(trx, now))
  while ((await db.ingest(rollUpHours)) === keysPerRound);
}
