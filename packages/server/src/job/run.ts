import type { FastifyBaseLogger } from 'fastify'
import type { Bus } from '../bus.ts'
import type { Db } from '../db/database.ts'
import { Refusal } from '../refusal.ts'
import type { Principal } from '../scope.ts'
import { createSharedTurns, type Turns } from '../turns.ts'
import { beatJobs, insertJob, type JobProgress, type JobRow, jobEntity, tidyJobs, updateJob } from './store.ts'

/** What long work can say and hear. */
export type JobHandle = {
  /** Aborted when the job is cancelled or the portal stops. */
  signal: AbortSignal
  /** Shown at once on the live channel, stored as fast as the database takes it. */
  report(progress: Pick<JobProgress, 'done' | 'total' | 'result'>): void
}

/** Long work of this portal: each piece has a row that says how far it is, and messages about it go to its owner. */
export type Jobs = {
  /** From now on marks what a portal that died left unfinished, and forgets old jobs. */
  start(): Promise<void>
  /**
   * Writes a job down and answers its public id; its `work` begins when it is its turn among those of its kind. What it
   * throws ends the job as failed.
   * @throws 503 `busy` where 250 of the kind are waiting for the organization, or a thousand for all
   */
  run(
    owner: Principal,
    kind: string,
    input: Record<string, unknown>,
    work: (job: JobHandle) => Promise<void>,
  ): Promise<string>
  /** Stops a running job; the row says so before this resolves. */
  cancel(row: JobRow): Promise<void>
  /** Cancels everything and waits for it. */
  stop(): Promise<void>
}

const beatMs = 15_000
/** Of one kind, at this portal: some look at the database every second, or keep an edge server busy. */
const mostOfKind = { atOnce: 64, waiting: 1000 }
/** Of one organization: those of another begin also while it waits for an edge server that says nothing. */
const mostOfOne = { atOnce: 16, waiting: 250 }

export function createJobs({ db, bus, log }: { db: Db; bus: Bus; log: FastifyBaseLogger }): Jobs {
  const running = new Map<string, { abort: AbortController; ended: Promise<void> }>()

  const turns = new Map<string, (tenantId: number) => Turns>()
  const turnsOf = (kind: string, tenantId: number): Turns => {
    const known = turns.get(kind) ?? createSharedTurns<number>(mostOfKind, mostOfOne)
    turns.set(kind, known)
    return known(tenantId)
  }
  let beating: NodeJS.Timeout | undefined
  // A job may be cancelled at another portal than the one that works on it.
  bus.subscribe(({ message }) => {
    if (message.type === 'job' && message.state === 'cancelled') running.get(message.job_id)?.abort.abort()
  })

  const beat = () =>
    db.instance(async (trx) => {
      if (running.size > 0) await beatJobs(trx, [...running.keys()])
      await tidyJobs(trx)
    })

  const announce = (row: JobRow) =>
    bus.publish({
      tenantId: row.tenant_id,
      siteId: null,
      userId: row.created_by ?? undefined,
      message: { type: 'job', ...jobEntity(row) },
    })

  async function end(row: JobRow, progress: JobProgress): Promise<void> {
    const ended = await db.as({ tenantId: row.tenant_id }, (trx) => updateJob(trx, row, progress))
    if (ended) announce(ended)
  }

  async function perform(row: JobRow, abort: AbortController, work: (job: JobHandle) => Promise<void>): Promise<void> {
    let shown = row
    let unstored: JobProgress | null = null
    let storing: Promise<void> = Promise.resolve()
    const store = async () => {
      const progress = unstored
      unstored = null
      try {
        if (progress) await db.as({ tenantId: row.tenant_id }, (trx) => updateJob(trx, row, progress))
      } catch (error) {
        // Shown already; the end of the job stores the whole result again.
        log.warn({ err: error, job: row.uid }, 'the progress of a job could not be stored')
      }
    }
    const tell = (progress: JobProgress) => {
      shown = { ...shown, ...progress, updated_at: new Date() }
      // Who cancelled it was told that it is over; what its work still found comes with the end.
      if (abort.signal.aborted) return
      announce(shown)
      // While one write is under way, later reports gather into the next.
      if (!unstored) storing = storing.then(store)
      unstored = { ...unstored, ...progress }
    }
    try {
      await turnsOf(row.kind, row.tenant_id).take(() => {
        tell({ state: 'running' })
        return work({ signal: abort.signal, report: tell })
      }, abort.signal)
      await storing
      const { done, total, result } = shown
      await end(row, { done, total, result, state: abort.signal.aborted ? 'cancelled' : 'completed' })
    } catch (error) {
      await storing
      if (!(error instanceof Refusal) && !abort.signal.aborted) log.error({ err: error, job: row.uid }, 'a job failed')
      await end(row, abort.signal.aborted ? { state: 'cancelled' } : { state: 'failed', error: errorCode(error) })
    }
  }

  return {
    async start() {
      await beat()
      beating ??= setInterval(() => {
        beat().catch((error: unknown) => log.warn({ err: error }, 'the heartbeat of jobs could not be stored'))
      }, beatMs)
    },

    async run(owner, kind, input, work) {
      turnsOf(kind, owner.tenantId).refuseMore()
      const row = await db.as({ tenantId: owner.tenantId }, (trx) => insertJob(trx, owner, kind, input))
      const abort = new AbortController()
      const ended = perform(row, abort, work)
        // The database went away: the row stays as it is and the next start marks it.
        .catch((error: unknown) => log.error({ err: error, job: row.uid }, 'the end of a job could not be stored'))
        .finally(() => running.delete(row.uid))
      running.set(row.uid, { abort, ended })
      announce(row)
      return row.uid
    },

    async cancel(row) {
      const job = running.get(row.uid)
      job?.abort.abort()
      await end(row, { state: 'cancelled' })
    },

    async stop() {
      clearInterval(beating)
      for (const { abort } of running.values()) abort.abort()
      await Promise.all([...running.values()].map((job) => job.ended))
    },
  }
}

/** A stable id where the failure has one; what went wrong inside is for the log. */
const errorCode = (error: unknown) => (error instanceof Refusal && error.code) || 'internal'
