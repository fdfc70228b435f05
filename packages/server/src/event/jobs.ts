import { randomBytes } from 'node:crypto'
import { type DiskLevel, uuidv7 } from '@sightline/domain'
import { sql } from 'kysely'
import type { Db, Trx } from '../db/database.ts'
import { diskNews, readDisk } from '../disk.ts'
import { repeat } from '../repeat.ts'
import { hourlyJob } from './hourly.ts'
import type { EventWriter } from './ingest.ts'
import { endLeftovers } from './leftovers.ts'
import { dropPartition, ensurePartitions, keptDays, partitionsBefore, rawCutoff } from './partitions.ts'
import { hourMs } from './rollup.ts'

export type EventJobs = { stop(): Promise<void> }
export type EventJobsOptions = {
  db: Db
  writer: Pick<EventWriter, 'pause'>
  /** The data folder when the database is under it; null for a server elsewhere, whose disk is its operator's. */
  dataDir: string | null
  /** The folder of kept files, whether the database is in it or not. */
  filesDir: string
  log: { info(sentence: string): void; warn(sentence: string): void; error(error: unknown, sentence: string): void }
  now?: () => number
}

const minute = 60_000
const dayMs = 24 * hourMs
const statHours = 25
const rejectedDays = 30

/**
 * Keeps events in order: hours from minutes each minute, partitions and retention each hour, an eye on the disk. Each
 * replica watches its disk; minutes and hours are safe beside other replicas; what runs each hour runs on one at a time.
 * Failures are logged and tried again in the next round.
 */
export function startEventJobs(options: EventJobsOptions): EventJobs {
  const { db, log, now = Date.now } = options
  let level: DiskLevel = 'ok'

  const everyMinute = async () => {
    await watchDisk()
    await hourlyJob(db, now())
  }
  const everyHour = () =>
    alone(db, async () => {
      await retain(db, now())
      await endLeftovers(db, now(), options.filesDir)
      if (level === 'dropping' || level === 'stopped') await giveUpOldestDay(db, now(), log)
    })

  async function watchDisk() {
    if (options.dataDir === null) return
    const disk = await readDisk(options.dataDir)
    const news = diskNews(level, disk, options.dataDir)
    level = disk.level
    if (news) log[level === 'ok' ? 'info' : 'warn'](news)
    const percent = `${Math.floor(disk.use * 100)} %`
    options.writer.pause(
      level === 'stopped' ? `The data volume is ${percent} full: events stay on the edge servers.` : null,
    )
  }

  const failed = (error: unknown) =>
    log.error(error, 'A job of the event store failed; it runs again in its next round')
  const minutes = repeat(minute, everyMinute, failed)
  const hours = repeat(hourMs, everyHour, failed)
  return {
    async stop() {
      await Promise.all([minutes.stop(), hours.stop()])
    },
  }
}

/**
 * Does the work of the hour unless another replica is at it. The lock ends with its connection: a portal that dies
 * holds up nobody. Should only the connection break, two rounds may meet: what one has ended the other does not find.
 */
export async function alone(db: Db, work: () => Promise<void>): Promise<void> {
  await db.owner(async (trx) => {
    // The transaction only holds the lock: it waits for the work, however long that takes, and keeps no row from anyone.
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(trx)
    const { rows } = await sql<{ mine: boolean }>`
      select pg_try_advisory_xact_lock(hashtext('sightline.hour')) as mine`.execute(trx)
    if (rows[0]?.mine) await work()
  })
}

/** Partitions of the coming days, and the end of what is older than its time. */
export async function retain(db: Db, now: number): Promise<void> {
  await db.owner((trx) => ensurePartitions(trx, now))
  const tenants = await db.owner((trx) =>
    trx.selectFrom('organization').select(['tenant_id', 'raw_days', 'rollup_days']).execute(),
  )
  const rawDays = Math.max(...tenants.map((tenant) => tenant.raw_days))
  const rollupDays = Math.max(rawDays + 1, ...tenants.map((tenant) => tenant.rollup_days))
  const ends = {
    event: rawCutoff(now, rawDays),
    event_1m: now - rollupDays * dayMs,
    event_1h: now - rollupDays * dayMs,
  } as const
  for (const table of ['event', 'event_1m', 'event_1h'] as const)
    for (const name of await db.owner((trx) => partitionsBefore(trx, table, ends[table])))
      await db.owner(async (trx) => {
        await dropPartition(trx, table, name)
        if (table === 'event_1h')
          await sql`update hour_written set written = pg_current_xact_id() where hour < ${new Date(ends[table])}`.execute(
            trx,
          )
      })
  for (const tenant of tenants) {
    if (tenant.raw_days < rawDays) await endRaw(db, tenant.tenant_id, rawCutoff(now, tenant.raw_days) - hourMs)
    // Minutes live at least as long as the raw events that may still be added to them.
    const days = Math.max(tenant.rollup_days, tenant.raw_days + 1)
    if (days < rollupDays) await endRollups(db, tenant.tenant_id, now - days * dayMs)
  }
  await db.owner(async (trx) => {
    await trx
      .deleteFrom('nimble_stat')
      .where('at', '<', new Date(now - statHours * hourMs))
      .execute()
    await trx
      .deleteFrom('channel_heard')
      .where('at', '<', new Date(now - statHours * hourMs))
      .execute()
    await trx
      .deleteFrom('event_rejected')
      .where('received_at', '<', new Date(now - rejectedDays * dayMs))
      .execute()
  })
}

/** Raw events of a tenant that keeps them shorter than others; a transaction a day. */
async function endRaw(db: Db, tenantId: number, before: number) {
  for (const { start } of await db.owner(keptDays))
    if (start < before)
      await db.owner((trx) =>
        trx
          .deleteFrom('event')
          .where('tenant_id', '=', tenantId)
          .where('ts', '>=', new Date(start))
          .where('ts', '<', new Date(Math.min(start + dayMs, before)))
          .execute(),
      )
}

async function endRollups(db: Db, tenantId: number, before: number) {
  const old = sql`tenant_id = ${tenantId} and bucket < ${new Date(before)}`
  await db.owner((trx) => sql`delete from event_1m where ${old}`.execute(trx))
  await db.owner((trx) =>
    sql`
      with gone as (delete from event_1h where ${old} returning tenant_id, bucket)
      insert into hour_written (tenant_id, hour, written)
      select distinct tenant_id, bucket, pg_current_xact_id() from gone order by 1, 2
      on conflict (tenant_id, hour) do update set written = excluded.written`.execute(trx),
  )
}

/** The disk is nearly full: the oldest raw day goes before its time, never today's. Roll-ups stay. */
export async function giveUpOldestDay(db: Db, now: number, log: EventJobsOptions['log']): Promise<string | null> {
  const [oldest] = await db.owner(keptDays)
  if (!oldest || oldest.start > now - dayMs) return null
  await db.owner(async (trx) => {
    await dropPartition(trx, 'event', oldest.name)
    await traceForAll(trx, now, new Date(oldest.start).toISOString().slice(0, 10))
  })
  log.warn(`Raw events of ${oldest.name} were dropped early because the data volume is nearly full`)
  return oldest.name
}

async function traceForAll(trx: Trx, now: number, day: string) {
  const tenants = await trx.selectFrom('organization').select('tenant_id').execute()
  await trx
    .insertInto('trace')
    .values(
      tenants.map(({ tenant_id }) => ({
        tenant_id,
        uid: uuidv7(now, randomBytes(10)),
        at: new Date(now),
        code: 'event.day_dropped',
        object_kind: 'event',
        object_name: day,
        result: 'ok' as const,
        response_code: 200,
      })),
    )
    .execute()
}
