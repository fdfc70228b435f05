import type { InstanceInfo } from '@sightline/contract'
import type { Selectable } from 'kysely'
import type { Trx } from '../db/database.ts'
import type { InstanceTable } from '../db/schema.ts'
import type { Handlers } from '../mount.ts'
import { changeOf } from '../trace.ts'
import { claimImage } from '../upload/store.ts'

export const instance: Handlers<'instance'> = {
  info: (_, { app }) => app.db.read(null, async (trx) => toInfo(await read(trx))),

  update: ({ map_center, ...change }, { app, scope, principal, note }) =>
    app.db.as(scope, async (trx) => {
      const before = toInfo(await read(trx))
      const use = { tenant_id: principal.tenantId, is_public: true } as const
      await claimImage(trx, scope, 'logo', change.logo, use)
      await claimImage(trx, scope, 'logo_dark', change.logo_dark, use)
      const isChanged = Object.values({ map_center, ...change }).some((value) => value !== undefined)
      if (isChanged)
        await trx
          .updateTable('instance')
          .set({ ...change, ...(map_center ? { map_center: JSON.stringify(map_center) } : {}) })
          .execute()
      const after = toInfo(await read(trx))
      note(changeOf(before, after))
      return after
    }),
}

const read = (trx: Trx) => trx.selectFrom('instance').selectAll().executeTakeFirstOrThrow()

const toInfo = (row: Selectable<InstanceTable>): InstanceInfo => ({
  instance_id: row.uid,
  name: row.name,
  logo: row.logo,
  logo_dark: row.logo_dark,
  default_language: row.default_language,
  default_dark: row.default_dark,
  map_center: row.map_center,
  support_contact: row.support_contact,
})
