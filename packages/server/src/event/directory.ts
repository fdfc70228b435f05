import type { EventRecord } from '@sightline/contract/edge'
import type { UsecaseKey } from '@sightline/domain'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'

/** What the writer needs to know of a channel. */
export type KnownChannel = {
  id: number
  uid: string
  nimbleId: number
  siteId: number
  siteUid: string
  usecaseKey: UsecaseKey
}

const keepMs = 60_000
/** A channel that was not there is asked for again soon: it may just have been created. */
const keepMissingMs = 5000

/** Channels by public id, remembered for a minute. */
export function channelDirectory(db: Db, now: () => number) {
  const known = new Map<string, { channel: KnownChannel | null; until: number }>()
  return {
    async lookUp(tenantId: number, uids: ReadonlySet<string>): Promise<Map<string, KnownChannel>> {
      const found = new Map<string, KnownChannel>()
      const asked: string[] = []
      for (const uid of uids) {
        const entry = known.get(`${tenantId} ${uid}`)
        if (!entry || entry.until < now()) asked.push(uid)
        else if (entry.channel) found.set(uid, entry.channel)
      }
      if (asked.length === 0) return found
      const { rows } = await db.ingest((trx) =>
        sql<KnownChannel>`
          select c.id, c.uid, c.nimble_id as "nimbleId", c.site_id as "siteId", s.uid as "siteUid", u.key as "usecaseKey"
          from channel c join site s on (s.tenant_id, s.id) = (c.tenant_id, c.site_id) join usecase u on u.id = c.usecase_id
          where c.tenant_id = ${tenantId} and c.uid = any(${asked}::uuid[])`.execute(trx),
      )
      for (const channel of rows) found.set(channel.uid, channel)
      for (const uid of asked) {
        const channel = found.get(uid) ?? null
        known.set(`${tenantId} ${uid}`, { channel, until: now() + (channel ? keepMs : keepMissingMs) })
      }
      return found
    },
  }
}

type Watcher = Pick<EventRecord, 'detector' | 'detector_state' | 'state_cause' | 'model_version'>
const keyOf = (record: Watcher) =>
  JSON.stringify([record.detector, record.detector_state, record.state_cause, record.model_version])

/** Numbers for what watched: detector, its state and model. New ones are added to the dictionary. */
export function sourceDictionary(db: Db) {
  const ids = new Map<string, number>()
  return {
    async lookUp(records: readonly Watcher[]): Promise<(record: Watcher) => number> {
      const missing = new Map(
        records.filter((record) => !ids.has(keyOf(record))).map((record) => [keyOf(record), record]),
      )
      for (const [key, { detector, detector_state, state_cause, model_version }] of missing)
        ids.set(
          key,
          await db.ingest(async (trx) => {
            await trx
              .insertInto('event_source')
              .values({ detector, detector_state, state_cause, model_version })
              .onConflict((conflict) => conflict.doNothing())
              .execute()
            const row = await trx
              .selectFrom('event_source')
              .select('id')
              .where('detector', '=', detector)
              .where('detector_state', '=', detector_state)
              .where('state_cause', 'is not distinct from', state_cause)
              .where('model_version', 'is not distinct from', model_version)
              .executeTakeFirstOrThrow()
            return row.id
          }),
        )
      return (record) => ids.get(keyOf(record)) as number
    },
  }
}
