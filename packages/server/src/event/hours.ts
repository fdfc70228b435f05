/** Closed hours: which they are, and what they say of single channels, kept in memory. */
import { sql } from 'kysely'
import type { Trx } from '../db/database.ts'
import type { Amount, Amounts } from './figures.ts'
import { hourMs, minuteMs } from './rollup.ts'
import type { SelectedChannel } from './select.ts'
import type { RollupTable } from './tables.ts'

export type Channels = readonly Pick<SelectedChannel, 'tenant_id' | 'id'>[]

export const hourOf = (at: number): number => at - (at % hourMs)
/** Hours with a border inside: no row of an hour tells what lies on either side. */
export const cutHours = (borders: readonly number[]): Set<number> =>
  new Set(borders.filter((at) => at % hourMs !== 0).map(hourOf))

/** The full hours of a period, from the first on. */
export function fullHours(borders: readonly number[]): number[] {
  const [start, end] = [borders[0] as number, borders.at(-1) as number]
  const cut = cutHours(borders)
  const hours: number[] = []
  for (let hour = Math.ceil(start / hourMs) * hourMs; hour + hourMs <= end; hour += hourMs)
    if (!cut.has(hour)) hours.push(hour)
  return hours
}

export const keys = (channels: Channels) => ({
  tenants: [...new Set(channels.map((channel) => channel.tenant_id))],
  ids: channels.map((channel) => channel.id),
})

/** A piece of one hour, cut at full minutes; `from` up to `to`. */
export type Piece = { hour: number; from: number; to: number }
const isFull = ({ from, to }: Piece) => to - from === hourMs
/** More pieces of cut hours than this are not worth keeping. */
const mostParts = 8

/** Minutes begin there or later that begin at a moment or later. */
const minuteAfter = (at: number): number => Math.ceil(at / minuteMs) * minuteMs

/** The hours of a period up to a moment, those that borders cut in their parts; in order. */
export function piecesOf(borders: readonly number[], until: number): Piece[] {
  // Of a minute that a border cuts all belongs to what is before.
  const cuts = borders.map(minuteAfter)
  const [start, end] = [cuts[0] as number, cuts.at(-1) as number]
  const pieces: Piece[] = []
  for (let hour = hourOf(start); hour < Math.min(end, until); hour += hourMs) {
    const past = Math.min(hour + hourMs, end)
    const edges = [Math.max(hour, start), ...cuts.filter((at) => at > Math.max(hour, start) && at < past), past]
    for (let i = 1; i < edges.length; i++) {
      const [from, to] = [edges[i - 1] as number, edges[i] as number]
      if (from < to) pieces.push({ hour, from, to })
    }
  }
  const full = pieces.filter(isFull)
  return pieces.length - full.length > mostParts ? full : pieces
}

/** What lies between pieces. */
export function rangesBeside(borders: readonly number[], pieces: readonly Piece[]): { from: number; to: number }[] {
  const edges = pieces.flatMap(({ from, to }) => [from, to])
  const all = [minuteAfter(borders[0] as number), ...edges, minuteAfter(borders.at(-1) as number)]
  return all.flatMap((from, i) => {
    const to = all[i + 1]
    return i % 2 === 0 && to !== undefined && from < to ? { from, to } : []
  })
}

/** How the hours of a period stand, as one moment saw it. */
export type Standing = {
  /** Hours before it are closed. */
  sealedUntil: number
  /** Hours in which rows of one of the channels are to be written anew, with these channels. */
  marked: ReadonlyMap<number, ReadonlySet<number>>
  /** By organization and hour the transaction that wrote rows of it last; none where nothing was written. */
  written: ReadonlyMap<string, string>
}

const place = (of: number, at: number) => `${of} ${at}`

/**
 * Whoever changes the minutes of a closed hour marks it in the same transaction; its rows are written anew later, and the
 * transaction that does so takes the mark away and leaves its number. Numbers come once. So as long as a channel is not
 * marked and the number is the same, so are its rows, whichever portal wrote them.
 */
async function readStanding(
  trx: Trx,
  { channels, borders }: { channels: Channels; borders: readonly number[] },
): Promise<Standing> {
  const { tenants, ids } = keys(channels)
  const [start, end] = [new Date(hourOf(borders[0] as number)), new Date(borders.at(-1) as number)]
  type Row = { sealed_until: Date; marked: [number, number][]; written: [number, number, string][] }
  const { rows } = await sql<Row>`/* event.standing */
    select sealed_until,
      (select coalesce(json_agg(json_build_array(channel_id, extract(epoch from hour)::int8 * 1000)), '[]') from rollup_dirty
        where tenant_id = any(${tenants}::int4[]) and channel_id = any(${ids}::int4[]) and hour >= ${start}::timestamptz
          and hour < ${end}::timestamptz) as marked,
      (select coalesce(json_agg(json_build_array(tenant_id, extract(epoch from hour)::int8 * 1000, written::text)), '[]')
        from hour_written where tenant_id = any(${tenants}::int4[]) and hour >= ${start}::timestamptz
          and hour < ${end}::timestamptz) as written
    from rollup_seal`.execute(trx)
  const [row] = rows
  if (!row) throw new Error('the seal of the hours has no row')
  const marked = new Map<number, Set<number>>()
  for (const [id, hour] of row.marked) marked.set(hour, (marked.get(hour) ?? new Set()).add(id))
  return {
    sealedUntil: row.sealed_until.getTime(),
    marked,
    written: new Map(row.written.map(([tenant, hour, by]) => [place(tenant, hour), by])),
  }
}

/** The same; null where no hour of the period is full, so that nothing depends on it. */
export const standingOf = (trx: Trx, channels: Channels, borders: readonly number[]): Promise<Standing | null> =>
  channels.length === 0 || fullHours(borders).length === 0
    ? Promise.resolve(null)
    : readStanding(trx, { channels, borders })

/** What the rows of an hour were last written by, of all these channels; null unless it is closed for each of them. */
export function writtenBy({ sealedUntil, marked, written }: Standing, channels: Channels, hour: number): string | null {
  if (hour >= sealedUntil || marked.has(hour)) return null
  return keys(channels)
    .tenants.map((tenant) => `${tenant}:${written.get(place(tenant, hour)) ?? ''}`)
    .join()
}

/* ── in memory ───────────────────────────────────────────────────────────────────────── */

/** Two days of hours, and those that have just left them. */
const mostHours = 60

/** Something about pieces of closed hours, each with the transaction that wrote its hour last. */
type Known<T> = { by: string; value: T }
type Own<T> = {
  /** Undefined where it is not known, or of rows that were written again since. */
  find(piece: Piece, by: string): T | undefined
  keep(piece: Piece, by: string, value: T): void
}

/** @param most of so many things pieces are kept; beyond this those of the one unused for longest are forgotten */
export function createMemory<T>(most: number): (of: string) => Own<T> {
  const memory = new Map<string, Own<T>>()
  const create = (): Own<T> => {
    const [full, parts] = [new Map<number, Known<T>>(), new Map<number, Known<T>>()]
    // A part is less than an hour long.
    const keyOf = ({ from, to }: Piece) => from + (to - from) / minuteMs
    return {
      find(piece, by) {
        const known = (isFull(piece) ? full : parts).get(keyOf(piece))
        return known?.by === by ? known.value : undefined
      },
      keep(piece, by, value) {
        if (isFull(piece)) keepNewest(full, keyOf(piece), { by, value }, mostHours)
        else keepNewest(parts, keyOf(piece), { by, value }, mostParts)
      },
    }
  }
  return (of) => {
    const own = memory.get(of) ?? create()
    keepNewest(memory, of, own, most)
    return own
  }
}

function keepNewest<K, V>(map: Map<K, V>, key: K, value: V, most: number): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > most) map.delete(oldest as K)
}

/** About 50 KB each. */
const mostChannels = 1000
const ofChannels = createMemory<Amounts>(mostChannels)

/** Whether single hours of so many channels are better kept than added up by the database each time. */
export const isKept = (channels: Channels, borders: readonly number[]): boolean =>
  channels.length <= mostChannels / 2 && (borders.at(-1) as number) - (borders[0] as number) <= mostHours * hourMs

/**
 * What pieces of closed hours say of channels, all their series; undefined where the channel is marked in the hour. What
 * is not remembered, or was written again since, is read: full hours from `event_1h`, parts from their minutes.
 * @param last whether `last` is wanted of the parts
 */
export async function readPieces(
  trx: Trx,
  channels: Channels,
  pieces: readonly Piece[],
  { marked, written }: Standing,
  last: boolean,
): Promise<(channel: Channels[number], piece: Piece) => Amounts | undefined> {
  const version = ({ tenant_id }: Channels[number], { hour }: Piece) => written.get(place(tenant_id, hour)) ?? ''
  const found = new Map<number, Map<Piece, Amounts>>()
  const lacking: { channel: Channels[number]; own: Own<Amounts>; gone: Piece[] }[] = []
  for (const channel of channels) {
    const own = ofChannels(`${channel.tenant_id}/${channel.id}${last ? '' : ' without last'}`)
    const known = new Map<Piece, Amounts>()
    const gone: Piece[] = []
    for (const piece of pieces) {
      if (marked.get(piece.hour)?.has(channel.id)) continue
      const amounts = own.find(piece, version(channel, piece))
      if (amounts) known.set(piece, amounts)
      else gone.push(piece)
    }
    found.set(channel.id, known)
    if (gone.length > 0) lacking.push({ channel, own, gone })
  }
  const asked = new Set(lacking.flatMap(({ gone }) => gone))
  const missing = pieces.filter((piece) => asked.has(piece))
  const of = lacking.map(({ channel }) => channel)
  const rows = await Promise.all([
    rowsOfHours(trx, of, missing.filter(isFull)),
    rowsOfParts(
      trx,
      of,
      missing.filter((piece) => !isFull(piece)),
      last,
    ),
  ])
  const read = new Map<string, Map<number, Amount>>()
  for (const row of rows.flat()) {
    const key = place(row.channel_id, row.at.getTime())
    const amounts = read.get(key) ?? new Map<number, Amount>()
    read.set(key, amounts.set(row.series, amountOf(row)))
  }
  for (const { channel, own, gone } of lacking)
    for (const piece of gone) {
      const amounts = read.get(place(channel.id, piece.from)) ?? new Map<number, Amount>()
      found.get(channel.id)?.set(piece, amounts)
      own.keep(piece, version(channel, piece), amounts)
    }
  return (channel, piece) => found.get(channel.id)?.get(piece)
}

/** As `event_1h` and `event_1m` hold a series of a channel. */
export type AmountRow = Omit<RollupTable, 'tenant_id' | 'bucket'>

export const amountOf = (row: AmountRow): Amount => ({
  n: row.n,
  sum: row.sum,
  min: row.min,
  max: row.max,
  last: row.last,
  lastAt: row.last_at?.getTime() ?? null,
  observedMs: row.observed_ms,
})

type PieceRow = AmountRow & { at: Date }

async function rowsOfHours(trx: Trx, channels: Channels, pieces: readonly Piece[]): Promise<PieceRow[]> {
  const [first, last] = [pieces[0], pieces.at(-1)]
  if (!first || !last) return []
  const { tenants, ids } = keys(channels)
  const { rows } = await sql<PieceRow>`
    select channel_id, bucket as at, series, n, sum, min, max, last, last_at, observed_ms from event_1h
    where tenant_id = any(${tenants}::int4[]) and channel_id = any(${ids}::int4[])
      and bucket >= ${new Date(first.from)} and bucket < ${new Date(last.to)}`.execute(trx)
  return rows
}

async function rowsOfParts(trx: Trx, channels: Channels, pieces: readonly Piece[], last: boolean) {
  if (pieces.length === 0) return []
  const { tenants, ids } = keys(channels)
  const each = pieces.map(
    ({ from, to }) => sql`
      select m.channel_id, ${new Date(from)}::timestamptz as at, m.series, ${sums(last)} from event_1m m
      where m.tenant_id = any(${tenants}::int4[]) and m.channel_id = any(${ids}::int4[])
        and m.bucket >= ${new Date(from)} and m.bucket < ${new Date(to)} group by m.channel_id, m.series`,
  )
  const { rows } = await sql<PieceRow>`${sql.join(each, sql` union all `)}`.execute(trx)
  return rows
}

/** Rows of a channel's series as one; without `last` that is null, as ordering costs more than all the rest. */
export const sums = (last: boolean) => sql`sum(n) as n, sum(sum)::float8 as sum, min(min) as min, max(max) as max,
  ${
    last
      ? sql`(array_agg(last order by last_at desc nulls last, last desc))[1] as last, max(last_at) as last_at`
      : sql`null::real as last, null::timestamptz as last_at`
  }, sum(observed_ms)::float8 as observed_ms`
