import { type RawBuilder, sql } from 'kysely'
import type { Trx } from '../db/database.ts'
import { type Amounts, amountsTogether } from './figures.ts'
import {
  type AmountRow,
  amountOf,
  type Channels,
  cutHours,
  hourOf,
  isKept,
  keys,
  piecesOf,
  rangesBeside,
  readPieces,
  type Standing,
  sums,
} from './hours.ts'
import { hourMs } from './rollup.ts'

export type Query = {
  channels: Channels
  /** Borders of the buckets, ms since the epoch, ascending. */
  borders: readonly number[]
  series: readonly number[]
  /** From `standingOf`. */
  standing: Standing | null
}
/** A series of a channel, or of several together as channel 0, inside one bucket. */
type SlotRow = AmountRow & { slot: number; means: number | null }

const emptySlots = (count: number) =>
  Array.from({ length: count }, () => new Map<number, ReturnType<typeof amountOf>>())

/**
 * What channels amount to in each bucket; nothing where they sent nothing. Closed hours that lie inside one bucket come
 * from memory or `event_1h`, the rest from minutes. Where `last` is not asked for, it means nothing.
 */
export async function readSlots(
  trx: Trx,
  query: Query,
  { last = false }: { last?: boolean } = {},
): Promise<ReadonlyMap<number, readonly Amounts[]>> {
  const { channels, borders, standing } = query
  if (channels.length === 0) return new Map()
  if (standing && isKept(channels, borders)) return fromMemory(trx, query, standing, last)
  const slots = new Map(channels.map(({ id }) => [id, emptySlots(borders.length - 1)]))
  const { rows } = await slotRows(borders, rollups(query), last).execute(trx)
  for (const row of rows) slots.get(row.channel_id)?.[row.slot]?.set(row.series, amountOf(row))
  return slots
}

/** As `readSlots`, of all channels as of one; `last` is not known. */
export async function readTogether(trx: Trx, query: Query): Promise<readonly Amounts[]> {
  const slots = emptySlots(query.borders.length - 1)
  if (query.channels.length === 0) return slots
  const { rows } = await sql<SlotRow>`
    select 0 as channel_id, slot, series, sum(n)::float8 as n, sum(sum) as sum, min(min) as min, max(max) as max,
      null as last, null as last_at, sum(observed_ms) as observed_ms,
      sum(sum / observed_ms) filter (where observed_ms > 0) as means
    from (${slotRows(query.borders, rollups(query))}) s group by slot, series`.execute(trx)
  for (const row of rows) slots[row.slot]?.set(row.series, { ...amountOf(row), means: row.means })
  return slots
}

/** Rows of roll-ups added up by channel, bucket and series. */
const slotRows = (borders: readonly number[], of: RawBuilder<unknown>, last = false) => sql<SlotRow>`
  select channel_id, width_bucket(bucket, ${dates(borders)}::timestamptz[]) - 1 as slot, series, ${sums(last)}
  from (${of}) r group by 1, 2, 3`

async function fromMemory(trx: Trx, query: Query, standing: Standing, last: boolean) {
  const { channels, borders } = query
  const pieces = piecesOf(borders, standing.sealedUntil)
  const marked = pieces.flatMap(({ hour, from, to }) =>
    [...(standing.marked.get(hour) ?? [])].map((id) => ({ id, from, to })),
  )
  const parts = [
    // The hours that are open.
    ...rangesBeside(borders, pieces).map(({ from, to }) => minutes(query, from, to)),
    ...(marked.length > 0 ? [minutesOf(query, marked)] : []),
  ]
  const [ofPiece, { rows }] = await Promise.all([
    readPieces(trx, channels, pieces, standing, last),
    parts.length > 0 ? slotRows(borders, sql`${sql.join(parts, sql` union all `)}`, last).execute(trx) : { rows: [] },
  ])
  const rest = new Map(channels.map(({ id }) => [id, emptySlots(borders.length - 1)]))
  for (const row of rows) rest.get(row.channel_id)?.[row.slot]?.set(row.series, amountOf(row))
  const placed = pieces.map((piece) => ({ piece, slot: borders.findLastIndex((at) => at <= piece.from) }))
  return new Map(
    channels.map((channel) => {
      const slots: Amounts[][] = (rest.get(channel.id) ?? []).map((amounts) => (amounts.size > 0 ? [amounts] : []))
      for (const { piece, slot } of placed) {
        const amounts = ofPiece(channel, piece)
        if (amounts) slots[slot]?.push(amounts)
      }
      return [channel.id, slots.map((own) => (own.length === 1 ? (own[0] as Amounts) : amountsTogether(own)))]
    }),
  )
}

export const dates = (borders: readonly number[]) => borders.map((at) => new Date(at).toISOString())
const names = 'tenant_id channel_id bucket series n sum min max last last_at observed_ms'.split(' ')
const columns = (table: string) => sql.join(names.map((name) => sql.ref(`${table}.${name}`)))

/** Rows of minutes, from a moment up to another. */
export function minutes({ channels, series }: Omit<Query, 'standing'>, from: number, to: number) {
  const { tenants, ids } = keys(channels)
  return sql`select ${columns('m')} from event_1m m
    where m.tenant_id = any(${tenants}::int4[]) and m.channel_id = any(${ids}::int4[])
      and m.series = any(${[...series]}::int2[]) and m.bucket >= ${new Date(from)} and m.bucket < ${new Date(to)}`
}

/** Rows of minutes, of pieces of time of single channels. */
function minutesOf({ channels, series }: Query, of: readonly { id: number; from: number; to: number }[]) {
  const { tenants } = keys(channels)
  const [ids, from, to] = [of.map(({ id }) => id), dates(of.map(({ from }) => from)), dates(of.map(({ to }) => to))]
  return sql`select ${columns('m')} from unnest(${ids}::int4[], ${from}::timestamptz[], ${to}::timestamptz[]) d (id, "from", "to")
    join event_1m m on m.tenant_id = any(${tenants}::int4[]) and m.channel_id = d.id
      and m.series = any(${[...series]}::int2[]) and m.bucket >= d.from and m.bucket < d.to`
}

const fromMinutes = (query: Query) => minutes(query, query.borders[0] as number, query.borders.at(-1) as number)
/**
 * Closed hours come from `event_1h`. Hours that are open, marked as changed, or cut by a border are made of their minutes
 * in the same statement. The seal was read before: an hour that is closed meanwhile is simply read from its minutes.
 */
function rollups(query: Query) {
  const [start, end] = [query.borders[0] as number, query.borders.at(-1) as number]
  const cut = cutHours(query.borders)
  // Nearly every hour is cut: minutes alone are quicker.
  if (!query.standing || cut.size * 2 * hourMs > end - start) return fromMinutes(query)
  const first = Math.ceil(start / hourMs) * hourMs
  const past = Math.min(hourOf(end), query.standing.sealedUntil)
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
