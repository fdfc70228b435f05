/** Of several channels together: the greatest sum of their means inside one minute, by series and bucket. */
import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Trx } from '../db/database.ts'
import { createMemory, type Piece, piecesOf, rangesBeside, writtenBy } from './hours.ts'
import { dates, minutes, type Query } from './read.ts'

export const peakKey = (series: number, slot: number): string => `${series} ${slot}`

/** By channels and series, of so many channels together with a series. Null: nothing was seen. */
const ofSets = createMemory<{ peak: number | null }>(5000)

/**
 * From minutes; an hour alone does not know which channels were busy at the same time. What a piece of a closed hour said
 * is remembered with the transaction that wrote its rows in `event_1h`: they are written anew with every change of its
 * minutes, and until then the hour is marked. So whatever comes late, on whichever portal, is seen by the next question.
 */
export async function readPeaks(trx: Trx, query: Query): Promise<Map<string, number>> {
  const { channels, borders, series, standing } = query
  if (channels.length === 0 || series.length === 0) return new Map()
  const of = hash('sha1', channels.map(({ tenant_id, id }) => `${tenant_id}/${id}`).join())
  const kept = series.map((one) => ({ one, own: ofSets(`${of} ${one}`) }))
  const peaks = new Map<string, number>()
  const add = (one: number, from: number, peak: number | null) => {
    const key = peakKey(
      one,
      borders.findLastIndex((at) => at <= from),
    )
    if (peak !== null) peaks.set(key, Math.max(peaks.get(key) ?? peak, peak))
  }

  const pieces = standing ? piecesOf(borders, standing.sealedUntil) : []
  const known: Piece[] = []
  const asked: { piece: Piece; by: string }[] = []
  for (const piece of pieces) {
    const by = standing && writtenBy(standing, channels, piece.hour)
    if (by === null) continue
    const found = kept.map(({ own }) => own.find(piece, by))
    if (found.includes(undefined)) asked.push({ piece, by })
    else {
      known.push(piece)
      for (const [i, { one }] of kept.entries()) add(one, piece.from, found[i]?.peak ?? null)
    }
  }
  const edges = [...new Set([...borders, ...pieces.flatMap(({ from, to }) => [from, to])])].sort((a, b) => a - b)
  const found = await fromMinutes(trx, query, edges, rangesBeside(borders, known))
  for (const { series: one, part, peak } of found) add(one, edges[part] as number, peak)
  for (const { piece, by } of asked)
    for (const { one, own } of kept) {
      const row = found.find(({ series, part }) => series === one && edges[part] === piece.from)
      own.keep(piece, by, { peak: row?.peak ?? null })
    }
  return peaks
}

/** @param edges where times are cut into parts */
async function fromMinutes(
  trx: Trx,
  query: Query,
  edges: readonly number[],
  ranges: readonly { from: number; to: number }[],
) {
  if (ranges.length === 0) return []
  const each = ranges.map(({ from, to }) => minutes(query, from, to))
  const { rows } = await sql<{ series: number; part: number; peak: number }>`
    select series, width_bucket(bucket, ${dates(edges)}::timestamptz[]) - 1 as part, max(together) as peak
    from (
      select series, bucket, sum(sum::float8 / observed_ms) / 1000 as together
      from (${sql.join(each, sql` union all `)}) m where observed_ms > 0
      group by series, bucket
    ) t group by 1, 2`.execute(trx)
  return rows
}
