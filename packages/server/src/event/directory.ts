import type { EventRecord } from '@sightline/contract/edge'
import { eventWindowSeconds, type UsecaseKey } from '@sightline/domain'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'

/** What the writer needs to know of a channel. */
export type KnownChannel = {
  id: number
  uid: string
  /** The edge server that runs it. */
  nimbleId: number
  /** Those that did, by their number, each with the moment (ms since the epoch) until which it did. */
  former: Readonly<Record<number, number>>
  siteId: number
  siteUid: string
  usecaseId: number
  usecaseKey: UsecaseKey
  /** Length of its window records. */
  windowS: number
}

const keepMs = 60_000
/** A channel that was not there is asked for again soon: it may just have been created. */
const keepDoubtMs = 5000
/** Whoever names ever new channels fills no memory: beyond this all are asked for anew. */
const mostKnown = 50_000

/** How far the clock of an edge server may be off, and how long it may go on until it hears of a change. */
export const slackMs = 5 * 60_000

/** Whether records of an edge server count: of the one that runs the channel all, of one that did those from that time. */
export const isHeardOf = ({ nimbleId, former }: KnownChannel, sender: number, observedAt: number): boolean =>
  sender === nimbleId || observedAt <= (former[sender] ?? Number.NEGATIVE_INFINITY) + slackMs

/** Channels by public id, remembered for a minute. */
export function channelDirectory(db: Db, now: () => number) {
  const known = new Map<string, { channel: KnownChannel | null; at: number }>()
  /** One that belongs to another edge server may just have been moved. */
  const isFresh = ({ channel, at }: { channel: KnownChannel | null; at: number }, nimbleIds: ReadonlySet<number>) =>
    now() - at < (channel && [...nimbleIds].every((id) => id === channel.nimbleId) ? keepMs : keepDoubtMs)
  let forgotten = 0
  return {
    /** What was known of it is out of date, and what is being asked may be. */
    forget(tenantId: number, uid: string) {
      forgotten++
      known.delete(`${tenantId} ${uid}`)
    },
    /** @param wanted channels by public id, each with the edge servers that sent records of it */
    async lookUp(
      tenantId: number,
      wanted: ReadonlyMap<string, ReadonlySet<number>>,
    ): Promise<Map<string, KnownChannel>> {
      const found = new Map<string, KnownChannel>()
      const asked: string[] = []
      for (const [uid, nimbleIds] of wanted) {
        const entry = known.get(`${tenantId} ${uid}`)
        if (!entry || !isFresh(entry, nimbleIds)) asked.push(uid)
        else if (entry.channel) found.set(uid, entry.channel)
      }
      if (asked.length === 0) return found
      const forgottenBefore = forgotten
      const { rows } = await db.ingest((trx) =>
        sql<KnownChannel>`
          select c.id, c.uid, c.nimble_id as "nimbleId", c.site_id as "siteId", s.uid as "siteUid", u.id as "usecaseId",
            u.key as "usecaseKey", coalesce((p.elements->>'analytic.window_s')::float8, ${eventWindowSeconds}) as "windowS", coalesce((
              select json_object_agg(f.nimble_id, extract(epoch from f.until) * 1000) from channel_former f
              where f.tenant_id = c.tenant_id and f.channel_id = c.id), '{}') as former
          from channel c join site s on (s.tenant_id, s.id) = (c.tenant_id, c.site_id) join usecase u on u.id = c.usecase_id
            left join pipeline p on (p.tenant_id, p.id) = (c.tenant_id, c.pipeline_id)
          where c.tenant_id = ${tenantId} and c.uid = any(${asked}::uuid[])`.execute(trx),
      )
      for (const channel of rows) found.set(channel.uid, channel)
      if (forgotten !== forgottenBefore) return found
      if (known.size > mostKnown) known.clear()
      for (const uid of asked) {
        known.set(`${tenantId} ${uid}`, { channel: found.get(uid) ?? null, at: now() })
      }
      return found
    },
  }
}

type Watcher = Pick<EventRecord, 'detector' | 'detector_state' | 'state_cause' | 'model_version'>
const keyOf = (record: Watcher) =>
  JSON.stringify([record.detector, record.detector_state, record.state_cause, record.model_version])
/** An edge server of ours has a few dozen; one that makes them up must fill neither the memory nor the dictionary. */
const mostRemembered = 10_000
const mostStored = 100_000

/**
 * Numbers for what watched: detector, its state and model. New ones are added to the dictionary; when it is full they
 * count as the same detector in the same state, without cause and model.
 */
export function sourceDictionary(db: Db, most = mostStored) {
  const ids = new Map<string, number>()
  return {
    async lookUp(records: readonly Watcher[]): Promise<(record: Watcher) => number> {
      if (ids.size > mostRemembered) ids.clear()
      const missing = new Map<string, Watcher>()
      for (const record of changes(records)) {
        const key = keyOf(record)
        if (!ids.has(key)) missing.set(key, storable(record))
      }
      const stored = missing.size > 0 && (await addSources(db, [...missing.values()], most))
      if (stored)
        for (const [key, watcher] of missing)
          ids.set(key, (stored.get(keyOf(watcher)) ?? stored.get(keyOf(plain(watcher)))) as number)
      let last: Watcher | null = null
      let id = 0
      return (record) => {
        if (last === null || !isSame(record, last)) {
          last = record
          id = ids.get(keyOf(record)) as number
        }
        return id
      }
    },
  }
}

const isSame = (a: Watcher, b: Watcher) =>
  a.detector === b.detector &&
  a.detector_state === b.detector_state &&
  a.state_cause === b.state_cause &&
  a.model_version === b.model_version

/** Of records that follow each other and say the same, the first: most frames say the same all through. */
const changes = (records: readonly Watcher[]) =>
  records.filter((record, i) => i === 0 || !isSame(record, records[i - 1] as Watcher))

const plain = (watcher: Watcher): Watcher => ({
  detector: watcher.detector,
  detector_state: watcher.detector_state,
  state_cause: null,
  model_version: null,
})

/** PostgreSQL has no U+0000 in text. */
const storable = (watcher: Watcher): Watcher => ({
  detector: watcher.detector,
  detector_state: watcher.detector_state,
  state_cause: watcher.state_cause?.replaceAll('\0', '\ufffd') ?? null,
  model_version: watcher.model_version?.replaceAll('\0', '\ufffd') ?? null,
})

/** One step for however many there are. */
async function addSources(db: Db, watchers: readonly Watcher[], most: number): Promise<Map<string, number>> {
  // In one order for all replicas, so that none waits for another in a circle.
  const distinct = new Map([...watchers, ...watchers.map(plain)].map((watcher) => [keyOf(watcher), watcher]))
  const sorted = [...distinct.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  const column = (key: keyof Watcher) => sorted.map((watcher) => watcher[key])
  return db.ingest(async (trx) => {
    const given = sql`unnest(${column('detector')}::text[], ${column('detector_state')}::text[],
      ${column('state_cause')}::text[], ${column('model_version')}::text[])`
    await sql`insert into event_source (detector, detector_state, state_cause, model_version)
      select * from ${given} as g (detector, detector_state, state_cause, model_version)
      where (state_cause is null and model_version is null) or (select count(*) from event_source) < ${most}
      on conflict do nothing`.execute(trx)
    const { rows } = await sql<Watcher & { id: number }>`
      select w.* from ${given} as g (detector, detector_state, state_cause, model_version)
      join event_source w on w.detector = g.detector and w.detector_state = g.detector_state
        and (w.state_cause is null, coalesce(w.state_cause, '')) = (g.state_cause is null, coalesce(g.state_cause, ''))
        and (w.model_version is null, coalesce(w.model_version, '')) = (g.model_version is null, coalesce(g.model_version, ''))`.execute(
      trx,
    )
    return new Map(rows.map((row) => [keyOf(row), row.id]))
  })
}
