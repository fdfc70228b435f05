import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Bus } from '../bus.ts'
import type { Db } from '../db/database.ts'
import { isUnavailable } from '../db/refusal.ts'
import { Refusal } from '../refusal.ts'
import { channelDirectory, isHeardOf, slackMs, sourceDictionary } from './directory.ts'
import { addAllMinutes } from './minutes.ts'
import { oldestAccepted } from './partitions.ts'
import {
  type EventBatch,
  insert,
  isDataError,
  keepRejects,
  type RejectedRecord,
  type StorableRecord,
  summary,
  toEvent,
} from './rows.ts'
import { isRepeat } from './write.ts'

/** What became of a batch. Every record is in exactly one of them. */
export type Ingested = { stored: number; repeated: number; rejected: number }

export type EventWriter = {
  /**
   * Resolves when the batch is committed: only then may it be acknowledged.
   * @throws Refusal 503 or 507 when nothing was stored and the sender has to keep it
   */
  write(batch: EventBatch): Promise<Ingested>
  /** Refuses every batch with this reason until called with null: the disk is nearly full. */
  pause(reason: string | null): void
  /** Resolves when all that was written before is in the minutes too, which charts read: otherwise a second or so later. */
  settled(): Promise<void>
  /** Ends after the batches that wait. */
  stop(): Promise<void>
}

const maxRows = 5000
const boundsMs = 60_000
/**
 * Between two rounds of adding to the minutes: the longer a round takes, the longer the pause, so that it stays at a tenth
 * of a processor and a minute is changed the less often the more there is to do.
 */
const minutesPauseMs = { least: 1000, most: 10_000, timesRound: 9 }
/** Where one repeat comes, more come: an edge server is catching up after its link broke. */
const repeatsMs = 10_000

type Waiting = EventBatch & { resolve(result: Ingested): void; reject(error: unknown): void }
type Candidate = StorableRecord<Waiting>
type Reject = RejectedRecord<Waiting>

/**
 * The event writer of this replica: one transaction at a time, and whatever arrives during a commit goes into the next
 * (group commit), tenant by tenant. Without load a batch waits for nothing.
 */
export function createEventWriter(options: {
  db: Db
  bus: Bus
  /** Milliseconds since the epoch. */
  now?: () => number
}): EventWriter {
  const { db, bus, now = Date.now } = options
  const channels = channelDirectory(db, now)
  // Of a channel that was just deleted nothing more is stored.
  const unsubscribe = bus.subscribe(({ tenantId, message }) => {
    if (message.type === 'changed' && message.feature === 'channel' && message.id) channels.forget(tenantId, message.id)
  })
  const sources = sourceDictionary(db)
  /** Newest moment published per channel: what an edge server catches up on must not overwrite live numbers. */
  const published = new Map<number, number>()
  let queue: Waiting[] = []
  let working: Promise<void> | null = null
  let paused: string | null = null
  let stopped = false
  let oldest = new Map<number, number>()
  let boundsReadAt = Number.NEGATIVE_INFINITY
  let repeatsUntil = Number.NEGATIVE_INFINITY
  let adding: Promise<void> | null = null
  let addingAgain: NodeJS.Timeout | null = null
  let addsFrom = 0
  /** Since the last round began. */
  let isNoted = false

  async function drain() {
    while (queue.length > 0) {
      // Those whose batch was just committed send the next one right away: together, not one ahead of the others.
      await nextTurn()
      const group = takeGroup()
      try {
        await commit(group)
      } catch (error) {
        for (const batch of group) batch.reject(error)
      }
    }
    // In the same turn as the last look at the queue: a batch that comes between the two would wait for ever.
    working = null
  }

  /** Adds to the minutes beside the commits: at once after a quiet time, after a pause when it was done just now. */
  function addSoon() {
    isNoted = true
    if (adding || addingAgain || stopped) return
    const waitMs = addsFrom - performance.now()
    if (waitMs > 0) {
      addingAgain = setTimeout(() => {
        addingAgain = null
        addSoon()
      }, waitMs).unref()
      return
    }
    isNoted = false
    const begun = performance.now()
    adding = addAllMinutes(db)
      // The notes are kept; the next commit and the job of each minute, which reports what goes wrong, try again.
      .catch(() => undefined)
      .finally(() => {
        const { least, most, timesRound } = minutesPauseMs
        const took = performance.now() - begun
        addsFrom = begun + took + Math.min(most, Math.max(least, timesRound * took))
        adding = null
        if (isNoted) addSoon()
      })
  }

  /** The batches of the tenant that waits longest, up to a transaction's size. */
  function takeGroup(): Waiting[] {
    const tenantId = queue[0]?.tenantId
    const group: Waiting[] = []
    let rows = 0
    queue = queue.filter((batch) => {
      const fits = group.length === 0 || rows + batch.records.length <= maxRows
      if (batch.tenantId !== tenantId || !fits) return true
      rows += batch.records.length
      group.push(batch)
      return false
    })
    return group
  }

  async function commit(group: Waiting[]) {
    const tenantId = (group[0] as Waiting).tenantId
    const results = new Map(group.map((batch) => [batch, { stored: 0, repeated: 0, rejected: 0 }]))
    const { candidates, rejects } = await sort(tenantId, group, results)
    const stored = await store(tenantId, candidates, rejects)
    for (const { batch } of candidates) (results.get(batch) as Ingested).repeated += 1
    for (const { batch } of stored) {
      const result = results.get(batch) as Ingested
      result.repeated -= 1
      result.stored += 1
    }
    for (const { batch } of rejects) (results.get(batch) as Ingested).rejected += 1
    publish(tenantId, stored)
    if (stored.length > 0) addSoon()
    for (const [batch, result] of results) batch.resolve(result)
  }

  /** Tells what can be stored from what cannot, and what is here twice. */
  async function sort(tenantId: number, group: Waiting[], results: Map<Waiting, Ingested>) {
    await readBounds()
    const records = group.flatMap((batch) => batch.records)
    const wanted = new Map<string, Set<number>>()
    for (const { records, nimbleId } of group)
      for (const { channel_id } of records) wanted.set(channel_id, (wanted.get(channel_id) ?? new Set()).add(nimbleId))
    const known = await channels.lookUp(tenantId, wanted)
    const sourceOf = await sources.lookUp(records)
    const newest = now() + slackMs
    const seen = new Set<string>()
    const candidates: Candidate[] = []
    const rejects: Reject[] = []
    for (const batch of group)
      for (const record of batch.records) {
        const channel = known.get(record.channel_id)
        const event = channel && toEvent(record, batch, channel, sourceOf(record))
        const reason = !channel
          ? 'channel_unknown'
          : !isHeardOf(channel, batch.nimbleId, record.observed_at)
            ? 'channel_elsewhere'
            : record.observed_at < (oldest.get(tenantId) ?? Number.POSITIVE_INFINITY)
              ? 'too_old'
              : record.observed_at > newest
                ? 'too_new'
                : !event
                  ? 'metric_unknown'
                  : null
        if (reason !== null) rejects.push({ batch, record, reason })
        else if (seen.has(record.event_uuid)) (results.get(batch) as Ingested).repeated += 1
        else candidates.push({ batch, record, channel, event } as Candidate)
        seen.add(record.event_uuid)
      }
    return { candidates, rejects }
  }

  async function readBounds() {
    if (now() - boundsReadAt < boundsMs) return
    oldest = await db.ingest((trx) => oldestAccepted(trx, now()))
    boundsReadAt = now()
  }

  /**
   * Stores the candidates and answers those that were not there yet. When one of them cannot be stored, halves the batch
   * until it is found; it joins the rejects, the others are stored.
   */
  async function store(tenantId: number, candidates: Candidate[], rejects: Reject[]): Promise<Candidate[]> {
    const found: Reject[] = []
    const attempt = async (part: Candidate[], rejected: Reject[], mayRepeat: boolean): Promise<Candidate[]> => {
      try {
        return await db.ingest(async (trx) => {
          const fresh = await insert(trx, tenantId, part, mayRepeat)
          await keepRejects(trx, tenantId, rejected, now())
          return fresh
        })
      } catch (error) {
        if (isRepeat(error) && !mayRepeat) {
          repeatsUntil = now() + repeatsMs
          return attempt(part, rejected, true)
        }
        if (isUnavailable(error) || !isDataError(error)) throw error
        const [only, ...more] = part
        if (only && more.length === 0) {
          const reason = error instanceof Error ? error.message : String(error)
          found.push({ ...only, reason: `unstorable: ${reason}` })
          return []
        }
        const middle = part.length >> 1
        return [
          ...(await attempt(part.slice(0, middle), rejected, mayRepeat)),
          ...(await attempt(part.slice(middle), [], mayRepeat)),
        ]
      }
    }
    const stored = await attempt(candidates, rejects, now() < repeatsUntil)
    if (found.length > 0) await db.ingest((trx) => keepRejects(trx, tenantId, found, now()))
    for (const reject of found)
      candidates.splice(
        candidates.findIndex(({ record }) => record === reject.record),
        1,
      )
    rejects.push(...found)
    return stored
  }

  function publish(tenantId: number, stored: Candidate[]) {
    const perChannel = new Map<number, Candidate[]>()
    for (const candidate of stored) {
      const list = perChannel.get(candidate.channel.id)
      if (list) list.push(candidate)
      else perChannel.set(candidate.channel.id, [candidate])
    }
    for (const [id, list] of perChannel) {
      const { channel, record } = list.reduce((a, b) => (b.record.observed_at >= a.record.observed_at ? b : a))
      if (record.observed_at < (published.get(id) ?? 0)) continue
      published.set(id, record.observed_at)
      bus.publish({
        tenantId,
        siteId: channel.siteId,
        usecaseId: channel.usecaseId,
        message: summary(channel, record, list),
      })
    }
  }

  return {
    write(batch) {
      if (stopped) return Promise.reject(new Refusal(503, 'The portal is shutting down.', { code: 'shutting_down' }))
      if (paused) return Promise.reject(new Refusal(507, paused, { code: 'disk_full' }))
      const result = new Promise<Ingested>((resolve, reject) => queue.push({ ...batch, resolve, reject }))
      working ??= drain()
      return result
    },
    pause(reason) {
      paused = reason
    },
    async settled() {
      await working
      await adding
      await addAllMinutes(db)
    },
    async stop() {
      unsubscribe()
      stopped = true
      await working
      if (addingAgain) clearTimeout(addingAgain)
      await adding
    },
  }
}
