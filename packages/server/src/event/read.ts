import { sql } from 'kysely'
import type { Trx } from '../db/database.ts'
import { hourMs } from './rollup.ts'
import type { SelectedChannel } from './select.ts'

/** A series of a channel inside one bucket; `sum` in thousandths, as stored. */
export type SlotRow = {
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
}

type Channels = readonly Pick<SelectedChannel, 'tenant_id' | 'id'>[]
type Query = {
  channels: Channels
  /** Borders of the buckets, ms since the epoch, ascending. */
  borders: readonly number[]
  series: readonly number[]
}

const keys = (channels: Channels) => ({
  tenants: [...new Set(channels.map((channel) => channel.tenant_id))],
  ids: channels.map((channel) => channel.id),
})
const isHour = (at: number) => at % hourMs === 0

/**
 * Roll-ups of channels by bucket. Where all borders inside are full hours, closed hours come from `event_1h`; the hours
 * that are open or marked as changed, and broken ones at the ends, are made of minutes in the same statement.
 * @param withLast whether `last` is wanted: ordering costs more than all the rest
 */
export async function readSlots(trx: Trx, query: Query, withLast: boolean): Promise<SlotRow[]> {
  const { channels, borders, series } = query
  if (channels.length === 0) return []
  const rows =
    borders.slice(1, -1).every(isHour) && borders.length > 2 ? await fromHours(trx, query) : fromMinutes(query)
  const last = withLast ? sql`(array_agg(last order by last_at desc nulls last, last desc))[1]` : sql`null::real`
  const result = await sql<SlotRow>`
    select channel_id, width_bucket(bucket, ${dates(borders)}::timestamptz[]) - 1 as slot, series,
      sum(n) as n, sum(sum)::float8 as sum, min(min) as min, max(max) as max, ${last} as last, max(last_at) as last_at,
      sum(observed_ms)::float8 as observed_ms
    from (${rows}) r where series = any(${[...series]}::int2[])
    group by 1, 2, 3`.execute(trx)
  return result.rows
}

const dates = (borders: readonly number[]) => borders.map((at) => new Date(at).toISOString())
const columns = sql.raw('tenant_id, channel_id, bucket, series, n, sum, min, max, last, last_at, observed_ms')

function minutes({ channels, series }: Query, from: number, to: number) {
  const { tenants, ids } = keys(channels)
  return sql`select ${columns} from event_1m
    where tenant_id = any(${tenants}::int4[]) and channel_id = any(${ids}::int4[]) and series = any(${[...series]}::int2[])
      and bucket >= ${new Date(from)} and bucket < ${new Date(to)}`
}

const fromMinutes = (query: Query) => minutes(query, query.borders[0] as number, query.borders.at(-1) as number)

/** The seal is read first; an hour that is closed meanwhile is simply read from its minutes. */
async function fromHours(trx: Trx, query: Query) {
  const [start, end] = [query.borders[0] as number, query.borders.at(-1) as number]
  const seal = await trx.selectFrom('rollup_seal').select('sealed_until').executeTakeFirstOrThrow()
  const firstHour = Math.ceil(start / hourMs) * hourMs
  const lastHour = Math.min(Math.floor(end / hourMs) * hourMs, seal.sealed_until.getTime())
  if (firstHour >= lastHour) return fromMinutes(query)
  const { tenants, ids } = keys(query.channels)
  const [from, to] = [new Date(firstHour), new Date(lastHour)]
  const marked = sql`select d.tenant_id, d.channel_id, d.hour from rollup_dirty d
    where d.tenant_id = any(${tenants}::int4[]) and d.channel_id = any(${ids}::int4[]) and d.hour >= ${from} and d.hour < ${to}`
  return sql`
    select ${columns} from event_1h h
    where tenant_id = any(${tenants}::int4[]) and channel_id = any(${ids}::int4[])
      and bucket >= ${from} and bucket < ${to}
      and not exists (select from (${marked}) d where (d.tenant_id, d.channel_id, d.hour) = (h.tenant_id, h.channel_id, h.bucket))
    union all
    select m.tenant_id, m.channel_id, m.bucket, m.series, m.n, m.sum, m.min, m.max, m.last, m.last_at, m.observed_ms
    from (${marked}) d join event_1m m on m.tenant_id = d.tenant_id and m.channel_id = d.channel_id
      and m.bucket >= d.hour and m.bucket < d.hour + interval '1 hour' and m.bucket >= ${from} and m.bucket < ${to}
    union all ${minutes(query, start, firstHour)}
    union all ${minutes(query, lastHour, end)}`
}

/**
 * Of several channels together: the greatest sum of their means inside one minute, by series and bucket. From minutes
 * only; hours do not know which channels were busy at the same time.
 */
export async function readMinutePeaks(trx: Trx, query: Query): Promise<Map<string, number>> {
  if (query.channels.length === 0 || query.series.length === 0) return new Map()
  const { rows } = await sql<{ series: number; slot: number; peak: number }>`
    select series, width_bucket(bucket, ${dates(query.borders)}::timestamptz[]) - 1 as slot, max(together) as peak
    from (
      select series, bucket, sum(sum::float8 / observed_ms) / 1000 as together
      from (${fromMinutes(query)}) m where observed_ms > 0
      group by series, bucket
    ) t group by 1, 2`.execute(trx)
  return new Map(rows.map(({ series, slot, peak }) => [peakKey(series, slot), peak]))
}
export const peakKey = (series: number, slot: number): string => `${series} ${slot}`
