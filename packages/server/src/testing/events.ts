import { randomBytes } from 'node:crypto'
import type { EventRecord, RecordKind } from '@sightline/contract/edge'
import { uuidv7 } from '@sightline/domain'
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Database } from '../db/database.ts'

/** A record as an edge server sends it; a test names what it is about. */
export function eventRecord(given: Partial<EventRecord> & { channel_id: string; observed_at: number }): EventRecord {
  const kind: RecordKind = given.kind ?? 'window'
  const event_uuid = given.event_uuid ?? uuidv7(given.observed_at, randomBytes(10))
  return {
    event_uuid,
    occasion_id: kind === 'window' ? null : event_uuid,
    kind,
    observed_ms: kind === 'window' ? 5000 : 0,
    clock_offset_ms: 0,
    detector: 'hog',
    detector_state: 'ok',
    state_cause: null,
    model_version: null,
    metrics: {},
    levels: null,
    details: null,
    snapshot_id: null,
    clip_id: null,
    ...given,
  }
}

export type RolledUp = {
  channel_id: number
  bucket: Date
  series: number
  n: number
  sum: number
  min: number | null
  max: number | null
  last: number | null
  last_at: Date | null
  observed_ms: number
}

type Reader = Kysely<Database> | Transaction<Database>

/**
 * What the roll-up tables must hold, computed from the raw events by the definition and by nothing of the product's code.
 * @param unit `1 minute` or `1 hour`
 */
export async function rolledUpFromRaw(db: Reader, unit: '1 minute' | '1 hour'): Promise<RolledUp[]> {
  const { rows } = await sql<RolledUp>`
    with number as (
      select e.channel_id, e.kind, e.ts, e.observed_ms, date_bin(${unit}::interval, case when e.kind = 0 then e.ts - interval '1 ms' else e.ts end, 'epoch') as bucket,
        e.numbers[i]::int >> 2 as series, e.numbers[i]::int & 3 as role, e.numbers[i + 1] as value
      from event e, generate_series(1, cardinality(e.numbers), 2) i
    )
    select channel_id, bucket, series, count(*) filter (where role = 0) as n,
      coalesce(sum(floor(value::float8 * 1000 + 0.5) * observed_ms) filter (where role = 0), 0)::bigint as sum,
      min(value) filter (where role <> 2) as min, max(value) filter (where role <> 1) as max,
      (array_agg(value order by ts desc, value desc) filter (where role = 0))[1] as last,
      max(ts) filter (where role = 0) as last_at, coalesce(sum(observed_ms) filter (where role = 0), 0)::bigint as observed_ms
    from number where kind = 0 and observed_ms > 0 group by 1, 2, 3
    union all
    select channel_id, bucket, series, count(*), sum(floor(value::float8 * 1000 + 0.5))::bigint, min(value), max(value), null, null, 0
    from number where kind = 1 and role = 0 group by 1, 2, 3
    union all
    select channel_id, date_bin(${unit}::interval, ts - interval '1 ms', 'epoch'), 0, count(*), 0, null, null, null, max(ts), sum(observed_ms)
    from event where kind = 0 group by 1, 2
    order by 1, 2, 3`.execute(db)
  return rows
}

export async function rolledUp(db: Reader, table: 'event_1m' | 'event_1h'): Promise<RolledUp[]> {
  const { rows } = await sql<RolledUp>`
    select channel_id, bucket, series, n, sum, min, max, last, last_at, observed_ms from ${sql.table(table)}
    order by 1, 2, 3`.execute(db)
  return rows
}
