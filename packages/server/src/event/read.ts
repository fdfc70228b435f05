import { sql } from 'kysely'
import type { Trx } from '../db/database.ts'
import { hourMs } from './rollup.ts'
import type { SelectedChannel } from './select.ts'

/** A series inside one bucket, of one channel or of several together; `sum` in thousandths, as stored. */
export type SlotRow = {
  /** 0: together. */
  channel_id: number
  /** Position of the bucket, from 0. */
  slot: number
  series: number
  n: number
  sum: number
  min: number | null
  max: number | null
  last: number | null
  last_at: Date | null
  observed_ms: number
  /** Together: the sum of the channels' means, in thousandths. */
  means: number | null
}

export type Channels = readonly Pick<SelectedChannel, 'tenant_id' | 'id'>[]
export type Query = {
  channels: Channels
  /** Borders of the buckets, ms since the epoch, ascending. */
  borders: readonly number[]
  series: readonly number[]
}
export type SlotOptions = {
  /** Whether `last` is wanted: ordering costs more than all the rest. */
  last?: boolean
  /** One row for all channels; `last` is not known then. */
  together?: boolean
}

export const keys = (channels: Channels) => ({
  tenants: [...new Set(channels.map((channel) => channel.tenant_id))],
  ids: channels.map((channel) => channel.id),
})

/** Roll-ups of channels by bucket: from hours where a closed hour lies inside one bucket, else from minutes. */
export async function readSlots(trx: Trx, query: Query, { last, together }: SlotOptions = {}): Promise<SlotRow[]> {
  if (query.channels.length === 0) return []
  const newest = sql`(array_agg(last order by last_at desc nulls last, last desc))[1] as last, max(last_at) as last_at`
  const slots = sql`
    select channel_id, width_bucket(bucket, ${dates(query.borders)}::timestamptz[]) - 1 as slot, series, sum(n) as n,
      sum(sum)::float8 as sum, min(min) as min, max(max) as max,
      ${last ? newest : sql`null::real as last, null::timestamptz as last_at`}, sum(observed_ms)::float8 as observed_ms
    from (${await rollups(trx, query)}) r group by 1, 2, 3`
  const { rows } = await sql<SlotRow>`${
    together
      ? sql`select 0 as channel_id, slot, series, sum(n)::float8 as n, sum(sum) as sum, min(min) as min, max(max) as max,
          null as last, null as last_at, sum(observed_ms) as observed_ms,
          sum(sum / observed_ms) filter (where observed_ms > 0) as means
        from (${slots}) s group by slot, series`
      : sql`select *, null::float8 as means from (${slots}) s`
  }`.execute(trx)
  return rows
}

export const dates = (borders: readonly number[]) => borders.map((at) => new Date(at).toISOString())
const names = 'tenant_id channel_id bucket series n sum min max last last_at observed_ms'.split(' ')
const columns = (table: string) => sql.join(names.map((name) => sql.ref(`${table}.${name}`)))

/** Rows of minutes, from a moment up to another. */
export function minutes({ channels, series }: Query, from: number, to: number) {
  const { tenants, ids } = keys(channels)
  return sql`select ${columns('m')} from event_1m m
    where m.tenant_id = any(${tenants}::int4[]) and m.channel_id = any(${ids}::int4[])
      and m.series = any(${[...series]}::int2[]) and m.bucket >= ${new Date(from)} and m.bucket < ${new Date(to)}`
}

const fromMinutes = (query: Query) => minutes(query, query.borders[0] as number, query.borders.at(-1) as number)
export const hourOf = (at: number): number => at - (at % hourMs)
/** Hours with a border inside: no row of an hour tells what lies on either side. */
export const cutHours = (borders: readonly number[]): Set<number> =>
  new Set(borders.filter((at) => at % hourMs !== 0).map(hourOf))

/**
 * Closed hours come from `event_1h`. Hours that are open, marked as changed, or cut by a border are made of their minutes
 * in the same statement. The seal is read before: an hour that is closed meanwhile is simply read from its minutes.
 */
async function rollups(trx: Trx, query: Query) {
  const [start, end] = [query.borders[0] as number, query.borders.at(-1) as number]
  const cut = cutHours(query.borders)
  // Nearly every hour is cut: minutes alone are quicker.
  if (cut.size * 2 * hourMs > end - start) return fromMinutes(query)
  const seal = await trx.selectFrom('rollup_seal').select('sealed_until').executeTakeFirstOrThrow()
  const first = Math.ceil(start / hourMs) * hourMs
  const past = Math.min(hourOf(end), seal.sealed_until.getTime())
  if (first >= past) return fromMinutes(query)
  const { tenants, ids } = keys(query.channels)
  const series = sql`any(${[...query.series]}::int2[])`
  const marked = sql`select d.tenant_id, d.channel_id, d.hour from rollup_dirty d
    where d.tenant_id = any(${tenants}::int4[]) and d.channel_id = any(${ids}::int4[])
      and d.hour >= ${new Date(first)} and d.hour < ${new Date(past)}`
  const inside = [...cut].filter((hour) => hour >= first && hour < past)
  const insideDates = sql`${dates(inside)}::timestamptz[]`
  return sql`
    select ${columns('h')} from event_1h h
    where h.tenant_id = any(${tenants}::int4[]) and h.channel_id = any(${ids}::int4[]) and h.series = ${series}
      and h.bucket >= ${new Date(first)} and h.bucket < ${new Date(past)} and h.bucket <> all(${insideDates})
      and not exists (select from (${marked}) d where (d.tenant_id, d.channel_id, d.hour) = (h.tenant_id, h.channel_id, h.bucket))
    union all
    select ${columns('m')} from (${marked}) d
      join event_1m m on m.tenant_id = d.tenant_id and m.channel_id = d.channel_id and m.series = ${series}
        and m.bucket >= d.hour and m.bucket < d.hour + interval '1 hour'
    where d.hour <> all(${insideDates})
    ${sql.join(
      inside.map((hour) => sql`union all ${minutes(query, hour, hour + hourMs)}`),
      sql` `,
    )}
    union all ${minutes(query, start, first)}
    union all ${minutes(query, past, end)}`
}
