import { observedSeries, roleOfCode, seriesOfCode } from './series.ts'

/**
 * From records to roll-up rows, one a (channel, minute, series):
 *
 * | | level | flow | observed |
 * |---|---|---|---|
 * | n | window records | open records | window records |
 * | sum | Σ value × observed_ms | Σ occurrences | 0 |
 * | min, max | least, greatest | of one record | none |
 * | last, last_at | newest value | none | newest time |
 * | observed_ms | Σ | 0 | Σ: the coverage of the channel |
 *
 * `sum` is in thousandths and a whole number, so that merging is exact, and with it independent of order: the same
 * records in any batches give the same rows.
 */
export type RollupRow = {
  channel: number
  /** Start of the minute, ms since the epoch. */
  bucket: number
  series: number
  n: number
  sum: number
  min: number | null
  max: number | null
  last: number | null
  lastAt: number | null
  observedMs: number
}

/** What counts of a record. */
export type Counted = {
  channel: number
  kind: 'window' | 'open' | 'update' | 'close'
  /** ms since the epoch. */
  at: number
  observedMs: number
  /** Metric code and value in turn. */
  numbers: readonly number[]
}

export const minuteMs = 60_000
export const hourMs = 3_600_000
/** Series are small integers in the database. */
const mostSeries = 2 ** 15

/** A window counts in the minute in which it lay: a window that ends on the full minute belongs to the one before. */
export const bucketOf = (kind: Counted['kind'], at: number): number => {
  const inside = kind === 'window' ? at - 1 : at
  return inside - (((inside % minuteMs) + minuteMs) % minuteMs)
}

/** Rows sorted by channel, bucket and series: writers that go in the same order cannot deadlock. */
export function rollUp(records: Iterable<Counted>): RollupRow[] {
  const rows: RollupRow[] = []
  const perChannel = new Map<number, Map<number, RollupRow>>()
  const rowOf = (channel: number, bucket: number, series: number): RollupRow => {
    let own = perChannel.get(channel)
    if (!own) {
      own = new Map()
      perChannel.set(channel, own)
    }
    // A number, not a text: this runs for each number of each record.
    const key = (bucket / minuteMs) * mostSeries + series
    let row = own.get(key)
    if (!row) {
      row = { channel, bucket, series, n: 0, sum: 0, min: null, max: null, last: null, lastAt: null, observedMs: 0 }
      own.set(key, row)
      rows.push(row)
    }
    return row
  }
  for (const record of records) {
    const bucket = bucketOf(record.kind, record.at)
    if (record.kind === 'window') {
      const observed = rowOf(record.channel, bucket, observedSeries)
      observed.n += 1
      observed.observedMs += record.observedMs
      observed.lastAt = Math.max(observed.lastAt ?? record.at, record.at)
      if (record.observedMs > 0) addLevels(record, (series) => rowOf(record.channel, bucket, series))
    } else if (record.kind === 'open') addFlows(record, (series) => rowOf(record.channel, bucket, series))
  }
  return rows.sort((a, b) => a.channel - b.channel || a.bucket - b.bucket || a.series - b.series)
}

const thousandths = (value: number) => Math.floor(value * 1000 + 0.5)
const lesser = (a: number | null, b: number) => (a === null || b < a ? b : a)
const greater = (a: number | null, b: number) => (a === null || b > a ? b : a)

function addLevels(record: Counted, rowOf: (series: number) => RollupRow) {
  for (let i = 0; i < record.numbers.length; i += 2) {
    const code = record.numbers[i] as number
    // Stored as a 4-byte float; the same rounding here makes the sums equal to those over stored rows.
    const value = Math.fround(record.numbers[i + 1] as number)
    const row = rowOf(seriesOfCode(code))
    const role = roleOfCode(code)
    if (role !== 2) row.min = lesser(row.min, value)
    if (role !== 1) row.max = greater(row.max, value)
    if (role !== 0) continue
    row.n += 1
    row.sum += thousandths(value) * record.observedMs
    row.observedMs += record.observedMs
    // Of two at the same moment the greater counts, so that the order of arrival does not matter.
    const isNewer = row.lastAt === null || record.at > row.lastAt || (record.at === row.lastAt && value > row.last!)
    if (isNewer) {
      row.last = value
      row.lastAt = record.at
    }
  }
}

function addFlows(record: Counted, rowOf: (series: number) => RollupRow) {
  for (let i = 0; i < record.numbers.length; i += 2) {
    const code = record.numbers[i] as number
    const value = Math.fround(record.numbers[i + 1] as number)
    if (roleOfCode(code) !== 0) continue
    const row = rowOf(seriesOfCode(code))
    row.n += 1
    row.sum += thousandths(value)
    row.min = lesser(row.min, value)
    row.max = greater(row.max, value)
  }
}
