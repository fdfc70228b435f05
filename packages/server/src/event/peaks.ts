/** Of several channels together: the greatest sum of their means inside one minute, by series and bucket. */
import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Trx } from '../db/database.ts'
import { cutHours, dates, hourOf, keys, minutes, type Query } from './read.ts'
import { hourMs } from './rollup.ts'

export const peakKey = (series: number, slot: number): string => `${series} ${slot}`

/**
 * Peaks of closed hours, by channels and series; each holds as long as the rows of its hour are the same. Null: nothing
 * was seen in that hour.
 */
type Peak = { rows: string; peak: number | null }
const closed = new Map<string, Map<number, Peak>>()
/** Of so many channels together with a series; beyond this the one unused for longest is forgotten. */
const mostKept = 5000
/** Two days of hours, and those that have just left them. */
const hoursKept = 60

/**
 * From minutes; an hour alone does not know which channels were busy at the same time. What a closed hour said is
 * remembered with the transaction that wrote its rows in `event_1h`: they are written anew with every change of its
 * minutes, and until then the hour is marked. So whatever comes late, on whichever portal, is seen by the next question.
 */
export async function readPeaks(trx: Trx, query: Query): Promise<Map<string, number>> {
  const { channels, borders, series } = query
  if (channels.length === 0 || series.length === 0) return new Map()
  const [start, end] = [borders[0] as number, borders.at(-1) as number]
  const cut = cutHours(borders)
  const states = cut.size * hourMs < end - start ? await closedHours(trx, query) : new Map<number, string>()
  const of = hash('sha1', channels.map(({ tenant_id, id }) => `${tenant_id}/${id}`).join())
  const kept = new Map(series.map((one) => [one, keptOf(`${of} ${one}`)]))
  const isKnown = (hour: number, rows: string) => series.every((one) => kept.get(one)?.get(hour)?.rows === rows)
  const slotOf = (hour: number) => borders.findLastIndex((at) => at <= hour)
  const peaks = new Map<string, number>()
  const add = (one: number, slot: number, peak: number | null) => {
    const key = peakKey(one, slot)
    if (peak !== null) peaks.set(key, Math.max(peaks.get(key) ?? peak, peak))
  }

  const asked: number[] = []
  for (let hour = hourOf(start); hour < end; hour += hourMs) {
    const rows = cut.has(hour) ? undefined : states.get(hour)
    if (rows === undefined || !isKnown(hour, rows)) asked.push(hour)
    else for (const one of series) add(one, slotOf(hour), kept.get(one)?.get(hour)?.peak ?? null)
  }
  const found = await fromMinutes(trx, query, asked)
  for (const { series: one, slot, peak } of found) add(one, slot, peak)
  for (const hour of asked) {
    const rows = cut.has(hour) ? undefined : states.get(hour)
    if (rows === undefined) continue
    for (const one of series) {
      const own = found.find((row) => row.series === one && row.hour.getTime() === hour)
      keep(kept.get(one) as Map<number, Peak>, hour, { rows, peak: own?.peak ?? null })
    }
  }
  return peaks
}

function keptOf(key: string): Map<number, Peak> {
  const hours = closed.get(key) ?? new Map<number, Peak>()
  closed.delete(key)
  closed.set(key, hours)
  const [oldest] = closed.keys()
  if (closed.size > mostKept) closed.delete(oldest as string)
  return hours
}

function keep(hours: Map<number, Peak>, hour: number, peak: Peak) {
  hours.set(hour, peak)
  if (hours.size > hoursKept) hours.delete(Math.min(...hours.keys()))
}

/**
 * Closed hours of a period in which none of the channels is marked, each with the transaction that wrote rows of that hour
 * last, of these channels or of others of their organizations. Transactions have their numbers once: as long as it is
 * the same, so are the rows.
 */
export async function closedHours(
  trx: Trx,
  { channels, borders }: Omit<Query, 'series'>,
): Promise<Map<number, string>> {
  const { tenants, ids } = keys(channels)
  const [start, end] = [borders[0] as number, borders.at(-1) as number]
  const { rows } = await sql<{ hour: Date; rows: string | null }>`
    with seal as materialized (select sealed_until from rollup_seal)
    select hour, (select string_agg(tenant_id || ':' || written::text, ' ' order by tenant_id) from hour_written w
      where w.tenant_id = any(${tenants}::int4[]) and w.hour = hour.hour) as rows
    from seal, generate_series(${new Date(hourOf(start))}::timestamptz, ${new Date(end)}::timestamptz, '1 hour') hour
    where hour < sealed_until and not exists (select from rollup_dirty d
      where d.tenant_id = any(${tenants}::int4[]) and d.channel_id = any(${ids}::int4[]) and d.hour = hour.hour)`.execute(
    trx,
  )
  return new Map(rows.map(({ hour, rows }) => [hour.getTime(), rows ?? '']))
}

async function fromMinutes(trx: Trx, query: Query, hours: readonly number[]) {
  if (hours.length === 0) return []
  const [start, end] = [query.borders[0] as number, query.borders.at(-1) as number]
  // Hours that follow each other are read together.
  const firsts = hours.filter((hour, i) => hours[i - 1] !== hour - hourMs)
  const lasts = hours.filter((hour, i) => hours[i + 1] !== hour + hourMs)
  const ranges = firsts.map((first, i) =>
    minutes(query, Math.max(first, start), Math.min((lasts[i] as number) + hourMs, end)),
  )
  const { rows } = await sql<{ series: number; slot: number; hour: Date; peak: number }>`
    select series, width_bucket(bucket, ${dates(query.borders)}::timestamptz[]) - 1 as slot,
      date_bin('1 hour', bucket, 'epoch') as hour, max(together) as peak
    from (
      select series, bucket, sum(sum::float8 / observed_ms) / 1000 as together
      from (${sql.join(ranges, sql` union all `)}) m where observed_ms > 0
      group by series, bucket
    ) t group by 1, 2, 3`.execute(trx)
  return rows
}
