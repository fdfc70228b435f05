import type { Job } from '@sightline/contract'
import { type Selectable, type SqlBool, sql } from 'kysely'
import type { Trx } from '../db/database.ts'
import type { JobTable } from '../db/schema.ts'
import { notFound } from '../refusal.ts'
import type { Principal } from '../scope.ts'
import { newUid } from '../uid.ts'

export type JobRow = Selectable<JobTable>

/** Whose jobs: everybody sees and stops their own alone. */
type Owner = Pick<Principal, 'tenantId' | 'userId'>

const jobs = (trx: Trx, owner: Owner) =>
  trx.selectFrom('job').selectAll().where('tenant_id', '=', owner.tenantId).where('created_by', '=', owner.userId)

/** Newest first. */
export const listJobs = (trx: Trx, owner: Owner, page: { limit: number; offset: number }): Promise<JobRow[]> =>
  jobs(trx, owner).orderBy('id', 'desc').limit(page.limit).offset(page.offset).execute()

/** @throws 404 when it does not exist or is another's */
export async function readJob(trx: Trx, owner: Owner, uid: string): Promise<JobRow> {
  const row = await jobs(trx, owner).where('uid', '=', uid).executeTakeFirst()
  if (!row) throw notFound()
  return row
}

export const insertJob = (trx: Trx, owner: Owner, kind: string, input: Record<string, unknown>): Promise<JobRow> =>
  trx
    .insertInto('job')
    .values({
      tenant_id: owner.tenantId,
      uid: newUid(),
      kind,
      state: 'queued',
      input: JSON.stringify(input),
      created_by: owner.userId,
    })
    .returningAll()
    .executeTakeFirstOrThrow()

export type JobProgress = Partial<Pick<JobRow, 'state' | 'done' | 'total' | 'result' | 'error'>>

/** Changes a job that has not ended; answers the row, or nothing when it had. */
export const updateJob = (trx: Trx, row: JobRow, { result, ...change }: JobProgress): Promise<JobRow | undefined> =>
  trx
    .updateTable('job')
    .set({
      ...change,
      ...(result !== undefined && { result: JSON.stringify(result) }),
      updated_at: sql`now()`,
    })
    .where('tenant_id', '=', row.tenant_id)
    .where('id', '=', row.id)
    .where('state', 'in', ['queued', 'pending', 'running'])
    .returningAll()
    .executeTakeFirst()

const keptDays = 30

/** Nobody works on a job that was silent for longer. */
const silentSeconds = 60

/** Says that these jobs are still worked on; to be called several times within `silentSeconds`. */
export const beatJobs = (trx: Trx, uids: readonly string[]) =>
  trx
    .updateTable('job')
    .set({ heartbeat_at: sql`now()` })
    .where(sql<SqlBool>`uid = any(${[...uids]}::uuid[])`)
    .execute()

/** What a portal that died left running will never end; what ended long ago interests nobody. Of every organization. */
export async function tidyJobs(trx: Trx): Promise<void> {
  await trx
    .updateTable('job')
    .set({ state: 'failed', error: 'interrupted', updated_at: sql`now()` })
    .where('state', 'in', ['queued', 'pending', 'running'])
    .where('heartbeat_at', '<', sql<Date>`now() - make_interval(secs => ${silentSeconds})`)
    .execute()
  await trx.deleteFrom('job').where('updated_at', '<', sql<Date>`now() - make_interval(days => ${keptDays})`).execute()
}

export const jobEntity = (row: JobRow): Job => ({
  job_id: row.uid,
  kind: row.kind,
  state: row.state,
  done: row.done,
  total: row.total,
  result: row.result as Job['result'],
  error: row.error,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})
