/**
 * Whether cameras still look where they did when zones were drawn, looked at from time to time: a turned camera goes on
 * counting, and nobody would know. Everything is read anew each round, so a portal that restarts goes on where it was.
 */
import { join } from 'node:path'
import { turnedCause, type View } from '@sightline/domain'
import { type SqlBool, sql } from 'kysely'
import { type Bus, changed } from '../bus.ts'
import type { Db, Trx } from '../db/database.ts'
import type { Links } from '../nimble/store.ts'
import { Refusal } from '../refusal.ts'
import { repeat } from '../repeat.ts'
import { masksOfDevice } from '../static/store.ts'
import { createTurns } from '../turns.ts'
import { compareStills } from './view.ts'

export type ViewWatchOptions = {
  db: Db
  bus: Pick<Bus, 'publish'>
  links: Pick<Links, 'status' | 'snapshot'>
  /** Where the pictures are that zones were drawn on. */
  env: { dataDir: string }
  /** Cameras of one round. */
  most?: number
  log: { warn(about: object, sentence: string): void }
}

const roundMs = 60_000
/** Of one round; who was never tried, or the longest time ago, comes first. */
const mostCameras = 100
/** A picture costs a camera that rests a decoded one; the comparison costs the portal some 50 ms. */
const atOnce = 4
/** A camera that looked elsewhere is looked at again so soon before it is said: somebody may just have stood before it. */
const confirmMs = 5 * 60_000

/** One that looks elsewhere is soon right again, or mended; the others are looked at each hour and after an outage. */
const isDue = sql<SqlBool>`(state.viewed_at is null
  or state.viewed_at < now() - case when state.view in ('moved', 'different') then interval '10 min' else interval '1 hour' end
  or (state.viewed_at < source_state.since and state.viewed_at < now() - interval '5 min'))`

/** Edge servers that are connected, to this portal or to another one. */
const online = (trx: Trx) =>
  trx
    .selectFrom('nimble')
    .innerJoin('nimble_state as link', (on) =>
      on.onRef('link.tenant_id', '=', 'nimble.tenant_id').onRef('link.nimble_id', '=', 'nimble.id'),
    )
    .select('nimble.uid')
    .where('link.state', '=', 'online')
    .execute()

/**
 * Channels of edge servers that count by a picture of their own, and that it is time to look at. Dark and covered
 * pictures say so themselves.
 */
const dueChannels = (trx: Trx, nimbleUids: readonly string[]) =>
  trx
    .selectFrom('channel')
    .innerJoin('nimble', (on) =>
      on.onRef('nimble.tenant_id', '=', 'channel.tenant_id').onRef('nimble.id', '=', 'channel.nimble_id'),
    )
    .innerJoin('source', (on) =>
      on.onRef('source.tenant_id', '=', 'channel.tenant_id').onRef('source.id', '=', 'channel.source_id'),
    )
    .innerJoin('channel_state as state', (on) =>
      on.onRef('state.tenant_id', '=', 'channel.tenant_id').onRef('state.channel_id', '=', 'channel.id'),
    )
    .innerJoin('source_state', (on) =>
      on
        .onRef('source_state.tenant_id', '=', 'channel.tenant_id')
        .onRef('source_state.source_id', '=', 'channel.source_id'),
    )
    .innerJoin('media', (on) =>
      on.onRef('media.tenant_id', '=', 'channel.tenant_id').onRef('media.uid', '=', 'channel.reference_uid'),
    )
    .select(['channel.tenant_id', 'channel.id', 'channel.uid', 'channel.site_id', 'channel.usecase_id'])
    .select(['channel.device_id', 'channel.reference_uid', 'nimble.uid as nimble_uid', 'source.uid as source_uid'])
    .select(['media.path', 'state.view'])
    .where(sql<SqlBool>`nimble.uid = any(${[...nimbleUids]}::uuid[])`)
    .where('source_state.state', '=', 'streaming')
    .where('state.state', '=', 'running')
    .where(
      sql<SqlBool>`coalesce(state.cause, '') not in ('degraded:black', 'degraded:covered', 'degraded:scene_changed')`,
    )
    .where(isDue)
    .orderBy(sql`state.viewed_at nulls first`)
    .orderBy('channel.id')
    .execute()
type Due = Awaited<ReturnType<typeof dueChannels>>[number]

/** Looks at cameras until it is stopped, which waits for those that are being looked at. */
export const startViewWatch = (options: ViewWatchOptions) => {
  const round = createViewWatch(options)
  return repeat(
    roundMs,
    (signal) => round(performance.now(), signal),
    (error) => options.log.warn({ err: error }, 'cameras could not be looked at and are tried again'),
  )
}

/** Answers one round. Only the portal that holds the link of an edge server asks it. */
export function createViewWatch({ db, bus, links, env, log, most = mostCameras }: ViewWatchOptions) {
  /** Channels that are left alone for a while, by id: what was wrong then and until when. */
  const put = new Map<string, { view: View | null; until: number }>()

  /** Of what was tried and is due again, what looked elsewhere comes first: it is to be said soon. */
  const lastTry = ({ uid }: Due) => {
    const before = put.get(uid)
    return before?.view ? -1 : (before?.until ?? 0)
  }

  /**
   * @param now ms of a clock that never goes back
   * @param signal ends the round before its next camera
   */
  async function round(now: number, signal?: AbortSignal): Promise<void> {
    const here = (await db.instance(online))
      .map(({ uid }) => uid)
      .filter((uid) => links.status(uid)?.state === 'online')
    const due = here.length === 0 ? [] : await db.instance((trx) => dueChannels(trx, here))
    const known = new Set(due.map(({ uid }) => uid))
    for (const uid of put.keys()) if (!known.has(uid)) put.delete(uid)
    const bySource = new Map<string, Due[]>()
    for (const row of due) {
      if ((put.get(row.uid)?.until ?? 0) > now) continue
      bySource.set(row.source_uid, [...(bySource.get(row.source_uid) ?? []), row])
    }
    const turnOf = (rows: Due[]) => Math.min(...rows.map(lastTry))
    const cameras = [...bySource.values()].sort((a, b) => turnOf(a) - turnOf(b)).slice(0, most)
    const turns = createTurns({ atOnce, waiting: most })
    await Promise.all(cameras.map((rows) => turns.take(async () => signal?.aborted || look(rows, now))))
  }

  /** Never fails: what goes wrong with one camera keeps none of the others waiting. */
  async function look(rows: Due[], now: number): Promise<void> {
    const [first] = rows as [Due]
    try {
      const { jpeg } = await links.snapshot(first.nimble_uid, first.source_uid)
      const masks = await db.instance((trx) => masksOfDevice(trx, first))
      for (const row of rows) {
        const view = row.path && (await compareStills(join(env.dataDir, row.path), jpeg, masks))
        await conclude(row, view || null, now)
      }
    } catch (error) {
      for (const { uid } of rows) put.set(uid, { view: null, until: now + confirmMs })
      // A camera or an edge server that is away is said elsewhere.
      if (!(error instanceof Refusal)) log.warn({ err: error }, 'a camera could not be looked at')
    }
  }

  async function conclude(row: Due, view: View | null, now: number): Promise<void> {
    const isNew = turnedCause(view) !== null && turnedCause(row.view) === null
    if (isNew && (put.get(row.uid)?.view ?? null) === null) {
      put.set(row.uid, { view, until: now + confirmMs })
      return
    }
    put.delete(row.uid)
    const { numUpdatedRows } = await db.ingest((trx) =>
      trx
        .updateTable('channel_state')
        .set({ view, viewed_at: sql`now()` })
        .where('tenant_id', '=', row.tenant_id)
        .where('channel_id', '=', row.id)
        // Unless zones were saved meanwhile: then it was compared with a picture that does not count any more.
        .where(
          sql<SqlBool>`exists (select from channel where tenant_id = ${row.tenant_id} and id = ${row.id}
            and reference_uid = ${row.reference_uid})`,
        )
        .executeTakeFirst(),
    )
    if (numUpdatedRows > 0n && view !== row.view) bus.publish(changed(row, 'channel', row.uid))
  }

  return round
}
