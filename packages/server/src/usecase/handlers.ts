import { readChannel } from '../channel/store.ts'
import type { Handlers } from '../mount.ts'
import { notFound } from '../refusal.ts'
import { assignedUsecases, bundlesOf, listUsecases, usecaseEntity } from './store.ts'

export const usecase: Handlers<'usecase'> = {
  list({ customer_id, site_id, channel_id, bundle_id }, { app, scope }) {
    return app.db.as(scope, async (trx) => {
      const customer =
        customer_id === undefined ? null : await assignedUsecases(trx, scope, { customerUid: customer_id })
      const site = site_id === undefined ? null : await assignedUsecases(trx, scope, { siteUid: site_id })
      const channel = channel_id === undefined ? null : await readChannel(trx, scope, channel_id)
      const all = await listUsecases(trx)
      return all
        .filter((row) => customer?.has(row.id) ?? true)
        .filter((row) => site?.has(row.id) ?? true)
        .filter((row) => channel === null || row.id === channel.usecase_id)
        .filter((row) => bundle_id === undefined || row.bundle_uid === bundle_id)
        .map(usecaseEntity)
    })
  },

  async get({ usecase_id }, { app, scope }) {
    const all = await app.db.as(scope, listUsecases)
    const row = all.find((one) => one.uid === usecase_id)
    if (!row) throw notFound()
    return usecaseEntity(row)
  },
}

export const bundle: Handlers<'bundle'> = {
  async list({ type }, { app, scope }) {
    const all = await app.db.as(scope, listUsecases)
    return bundlesOf(all).filter((one) => type === undefined || one.type === type)
  },
}
