import { sql } from 'kysely'
import { changed } from '../bus.ts'
import { removeFiles } from '../media/store.ts'
import type { Ctx, Handlers } from '../mount.ts'
import { raiseAll } from '../nimble/store.ts'
import { Refusal, refuseStale } from '../refusal.ts'
import { changeOf } from '../trace.ts'
import { newUid } from '../uid.ts'
import {
  findOrganization,
  listOrganizations,
  type OrganizationRow,
  removeOrganization,
  toOrganization,
} from './store.ts'

export const organization: Handlers<'organization'> = {
  async create({ organization_name: name, ...draft }, ctx) {
    const row = await ctx.app.db.as(ctx.scope, (trx) =>
      trx
        .insertInto('organization')
        .values({ ...draft, name, uid: newUid() })
        .returningAll()
        .executeTakeFirstOrThrow(),
    )
    tell(ctx, row)
    return toOrganization(row)
  },

  list: (_, { app, scope }) =>
    app.db.as(scope, async (trx) => (await listOrganizations(trx, scope)).map(toOrganization)),

  async update({ organization_id, organization_name, version, ...change }, ctx) {
    const { app, scope, note } = ctx
    const { row, told } = await app.db.as(scope, async (trx) => {
      const { tenant_id } = await findOrganization(trx, scope, organization_id)
      await trx.selectFrom('organization').select('tenant_id').where('tenant_id', '=', tenant_id).forUpdate().execute()
      // As whoever changed it meanwhile left it.
      const stored = await findOrganization(trx, scope, organization_id)
      refuseStale(stored, version)
      const row = await trx
        .updateTable('organization')
        .set({ ...change, name: organization_name ?? sql`name` })
        .where('tenant_id', '=', stored.tenant_id)
        .returningAll()
        .executeTakeFirstOrThrow()
      note(changeOf(toOrganization(stored), toOrganization(row)))
      // Edge servers keep pictures and clips as long as their events are kept.
      return { row, told: row.raw_days === stored.raw_days ? [] : await raiseAll(trx, row.tenant_id) }
    })
    for (const uid of told) app.links.reconfigure(uid)
    tell(ctx, row)
    return toOrganization(row)
  },

  async delete({ organization_id }, ctx) {
    const { app, scope, note } = ctx
    const { is_default, name } = await app.db.as(scope, (trx) => findOrganization(trx, scope, organization_id))
    if (is_default) throw new Refusal(409, 'The default organization stays.', { code: 'default_organization' })
    const { tenant_id, files } = await app.db.owner((trx) => removeOrganization(trx, organization_id))
    await removeFiles(app.env, files)
    note({ object_name: name })
    tell(ctx, { tenant_id, uid: organization_id })
    return { organization_id }
  },
}

const tell = ({ app }: Ctx, { tenant_id, uid }: Pick<OrganizationRow, 'tenant_id' | 'uid'>) =>
  app.bus.publish(changed({ tenant_id }, 'organization', uid))
