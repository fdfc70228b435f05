import { sql } from 'kysely'
import type { Trx } from '../db/database.ts'

/** A partitioned table and the length of its partitions, in UTC. */
const partitioned = { event: 'day', event_1m: 'month', event_1h: 'year' } as const
type Partitioned = keyof typeof partitioned
type Unit = (typeof partitioned)[Partitioned]

export type Partition = { name: string; from: Date; to: Date }

const dayMs = 86_400_000
/** Partitions exist this far ahead, so that a portal whose jobs stand still goes on storing. */
const daysAhead = 3
/** A new database takes in what edge servers kept in their journals so far back. */
const daysBack = 7

const floor = (at: number, unit: Unit, step = 0): Date => {
  const date = new Date(at)
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
  if (unit === 'day') return new Date(Date.UTC(year, month, day + step))
  if (unit === 'month') return new Date(Date.UTC(year, month + step, 1))
  return new Date(Date.UTC(year + step, 0, 1))
}

/** The partitions of a table that cover `from` to `to`. */
export function partitionsOf(table: Partitioned, from: number, to: number): Partition[] {
  const unit = partitioned[table]
  const digits = { day: 10, month: 7, year: 4 }[unit]
  const list: Partition[] = []
  for (let start = floor(from, unit); start.getTime() <= to; start = floor(start.getTime(), unit, 1)) {
    const suffix = start.toISOString().slice(0, digits).replaceAll('-', '')
    list.push({ name: `${table}_${suffix}`, from: start, to: floor(start.getTime(), unit, 1) })
  }
  return list
}

const present = async (trx: Trx, table: Partitioned): Promise<string[]> => {
  const { rows } = await sql<{ name: string }>`
    select inhrelid::regclass::text as name from pg_inherits where inhparent = ${table}::regclass order by 1`.execute(
    trx,
  )
  return rows.map((row) => row.name)
}

/** Rows of the current minute are updated with every batch: room on their page keeps the index out of it. */
const roomForUpdates = 'with (fillfactor = 60)'

/** Creates what is missing for events of the next days; on an empty database also for the last ones. */
export async function ensurePartitions(trx: Trx, now: number): Promise<string[]> {
  const created: string[] = []
  for (const table of Object.keys(partitioned) as Partitioned[]) {
    const there = await present(trx, table)
    // A minute or an hour may begin before the event that is counted in it.
    const back = there.length > 0 ? 0 : (table === 'event' ? daysBack : daysBack + 1) * dayMs
    for (const { name, from, to } of partitionsOf(table, now - back, now + daysAhead * dayMs)) {
      if (there.includes(name)) continue
      await sql
        .raw(
          `create table ${name} partition of ${table} for values from ('${from.toISOString()}') to ('${to.toISOString()}')
            ${table === 'event' ? '' : roomForUpdates}`,
        )
        .execute(trx)
      created.push(name)
    }
  }
  return created
}

const startOf = (name: string): number => {
  const [, year, month = '01', day = '01'] = /_(\d{4})(\d\d)?(\d\d)?$/.exec(name) ?? []
  return Date.parse(`${year}-${month}-${day}T00:00:00Z`)
}

/** Days of raw events that are kept now, oldest first; events before the first are refused. */
export async function keptDays(trx: Trx): Promise<{ name: string; start: number }[]> {
  return (await present(trx, 'event')).map((name) => ({ name, start: startOf(name) }))
}

/** Start of the day before which a tenant's raw events are gone or going. */
export const rawCutoff = (now: number, rawDays: number): number => floor(now - rawDays * dayMs, 'day').getTime()

/**
 * The oldest moment of which events are taken in, per tenant. What is older may have been stored, counted and dropped
 * already: taking it in again would count it twice.
 */
export async function oldestAccepted(trx: Trx, now: number): Promise<Map<number, number>> {
  const kept = (await keptDays(trx))[0]?.start ?? Number.POSITIVE_INFINITY
  const tenants = await trx.selectFrom('organization').select(['tenant_id', 'raw_days']).execute()
  return new Map(tenants.map(({ tenant_id, raw_days }) => [tenant_id, Math.max(kept, rawCutoff(now, raw_days))]))
}

/** Partitions of a table that end at or before `time`, oldest first. */
export async function partitionsBefore(trx: Trx, table: Partitioned, time: number): Promise<string[]> {
  const names = await present(trx, table)
  return names.filter((name) => floor(startOf(name), partitioned[table], 1).getTime() <= time)
}

/**
 * Takes a partition away. Detaching needs a moment alone with the parent table: rather than making writers queue behind
 * a long read, it gives up after 2 s, and the next round tries again.
 */
export async function dropPartition(trx: Trx, table: Partitioned, name: string): Promise<void> {
  await sql`set local lock_timeout = '2s'`.execute(trx)
  await sql.raw(`alter table ${table} detach partition ${name}`).execute(trx)
  await sql.raw(`drop table ${name}`).execute(trx)
}
