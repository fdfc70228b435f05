import type { Handlers } from '../mount.ts'
import { jobEntity, listJobs, readJob } from './store.ts'

export const job: Handlers<'job'> = {
  async get({ job_id }, { app, principal }) {
    return jobEntity(await app.db.as(principal, (trx) => readJob(trx, principal, job_id)))
  },

  async list(page, { app, principal }) {
    const rows = await app.db.as(principal, (trx) => listJobs(trx, principal, page))
    return rows.map(jobEntity)
  },

  async cancel({ job_id }, { app, principal }) {
    const row = await app.db.as(principal, (trx) => readJob(trx, principal, job_id))
    await app.jobs.cancel(row)
    return jobEntity(await app.db.as(principal, (trx) => readJob(trx, principal, job_id)))
  },
}
