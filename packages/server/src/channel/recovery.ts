/**
 * Auto recovery, as far as the portal has to help: an edge server restarts cameras and analyses that end by themselves,
 * but one that runs and counts nothing is only noticed here. Everything is read anew each round, so a portal that
 * restarts goes on where the last one was.
 */
import { type SqlBool, sql } from 'kysely'
import type { Db, Trx } from '../db/database.ts'
import type { Links } from '../nimble/store.ts'
import { Refusal } from '../refusal.ts'
import { repeat } from '../repeat.ts'
import { createTurns } from '../turns.ts'

export type RecoveryOptions = {
  db: Db
  links: Pick<Links, 'status' | 'channelDo'>
  /** Attempts of one round. */
  most?: number
  log: { info(about: object, sentence: string): void; warn(about: object, sentence: string): void }
}

const roundMs = 30_000
/** Attempts of one round; who was never tried, or the longest time ago, comes first. */
const mostAttempts = 100
/** Each may take its edge server some seconds. */
const attemptsAtOnce = 8
/** A channel that runs sends a record every few seconds, also when nothing happens. */
const silentSeconds = 90
/** Waits after the first, second … attempt that did not help, in rounds; the last goes on. */
const waits = [2, 4, 8, 16, 60]

/** Channels that ought to count, whose camera sends pictures and whose edge server is there, and that are silent. */
export const silentChannels = (trx: Trx) =>
  trx
    .selectFrom('channel')
    .innerJoin('nimble', (on) =>
      on.onRef('nimble.tenant_id', '=', 'channel.tenant_id').onRef('nimble.id', '=', 'channel.nimble_id'),
    )
    .innerJoin('nimble_state as link', (on) =>
      on.onRef('link.tenant_id', '=', 'channel.tenant_id').onRef('link.nimble_id', '=', 'channel.nimble_id'),
    )
    .innerJoin('channel_state as state', (on) =>
      on.onRef('state.tenant_id', '=', 'channel.tenant_id').onRef('state.channel_id', '=', 'channel.id'),
    )
    .innerJoin('source_state as source', (on) =>
      on.onRef('source.tenant_id', '=', 'channel.tenant_id').onRef('source.source_id', '=', 'channel.source_id'),
    )
    .select(['channel.uid', 'channel.name', 'nimble.uid as nimble_uid'])
    .where('channel.auto_recovery', '=', true)
    .where('link.state', '=', 'online')
    .where('link.journal_events', '=', 0)
    .where('source.state', '=', 'streaming')
    .where('state.state', 'in', ['running', 'stopped'])
    .where('state.detector_state', 'in', ['ok', 'degraded'])
    .where(
      sql<SqlBool>`greatest(state.since, source.since, link.since) < now() - make_interval(secs => ${silentSeconds})`,
    )
    .where(
      sql<SqlBool>`not exists (select from event_1m e
        where e.tenant_id = channel.tenant_id and e.channel_id = channel.id and e.series = 0
          and e.bucket > now() - make_interval(secs => ${silentSeconds + 60})
          and e.last_at > now() - make_interval(secs => ${silentSeconds}))`,
    )
    .orderBy('channel.id')
    .execute()

/** Helps until it is stopped, which waits for attempts that are under way. */
export const startRecovery = (options: RecoveryOptions) =>
  repeat(roundMs, createRecovery(options), (error) =>
    options.log.warn({ err: error }, 'auto recovery failed and is tried again'),
  )

/** Answers one round. Only the portal that holds the link of an edge server asks it. */
export function createRecovery({ db, links, log, most = mostAttempts }: RecoveryOptions) {
  const tried = new Map<string, { attempts: number; wait: number; inRound: number }>()
  let rounds = 0

  /** @param signal ends the round before its next attempt */
  async function round(signal?: AbortSignal): Promise<void> {
    const silent = await db.instance(silentChannels)
    const known = new Set(silent.map(({ uid }) => uid))
    // One that counts again begins anew.
    for (const uid of tried.keys()) if (!known.has(uid)) tried.delete(uid)
    rounds++
    const due = silent.filter(({ uid, nimble_uid }) => {
      if (links.status(nimble_uid)?.state !== 'online') return false
      const before = tried.get(uid)
      return !before || before.wait-- <= 0
    })
    const lastIn = ({ uid }: { uid: string }) => tried.get(uid)?.inRound ?? 0
    const now = due.sort((a, b) => lastIn(a) - lastIn(b)).slice(0, most)
    const turns = createTurns({ atOnce: attemptsAtOnce, waiting: most })
    await Promise.all(
      now.map(({ uid, name, nimble_uid }) => {
        const attempts = (tried.get(uid)?.attempts ?? 0) + 1
        tried.set(uid, { attempts, wait: waits[Math.min(attempts, waits.length) - 1] as number, inRound: rounds })
        return turns.take(async () => signal?.aborted || attempt(uid, name, nimble_uid, attempts))
      }),
    )
  }

  /** Never fails: what goes wrong with one channel is logged, and keeps none of the others waiting. */
  async function attempt(uid: string, name: string, nimbleUid: string, attempts: number): Promise<void> {
    try {
      // The first time the analysis alone; then the connection to the camera too.
      await links.channelDo(nimbleUid, uid, 'revive', attempts > 1)
      log.info({ channel: uid, attempts }, `auto recovery started ${name} anew: it ran without counting`)
    } catch (error) {
      const why = error instanceof Refusal ? { cause: error.code } : { err: error }
      log.warn({ channel: uid, attempts, ...why }, `auto recovery could not start ${name} anew`)
    }
  }

  return round
}
