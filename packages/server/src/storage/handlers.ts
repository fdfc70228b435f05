import { readChannel } from '../channel/store.ts'
import { findCustomer } from '../customer/store.ts'
import { type Handlers, reply } from '../mount.ts'
import { pageOf } from '../page.ts'
import { findSite } from '../site/store.ts'
import { pageOfStorage } from './store.ts'

export const storage: Handlers<'storage'> = {
  data: ({ group, limit, offset, ...filter }, { app, scope }) =>
    app.db.read(scope, async (trx) => {
      if (filter.customer_id !== undefined) await findCustomer(trx, scope, filter.customer_id)
      if (filter.site_id !== undefined) await findSite(trx, scope, filter.site_id)
      if (filter.channel_id !== undefined) await readChannel(trx, scope, filter.channel_id)
      const paging = { limit, offset }
      const { rows, counted } = await pageOfStorage(trx, scope, { group, filter, paging, now: Date.now() })
      return reply(rows, { page: pageOf(paging, counted) })
    }),
}
