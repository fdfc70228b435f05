import type { License } from '@sightline/contract'
import { changed } from '../bus.ts'
import type { Ctx, Handlers } from '../mount.ts'
import { targetTenant } from '../organization/store.ts'
import { invalid, Refusal } from '../refusal.ts'
import { changeOf } from '../trace.ts'
import { newUid } from '../uid.ts'
import { type Order, orderFault, signOrder } from './issue.ts'
import { type LicenseTerms, verifyLicense } from './key.ts'
import { keyPlace, readSigners } from './signer.ts'
import {
  checkInUse,
  deleteLicense,
  insertLicense,
  type LicenseRow,
  licenseEntity,
  listLicenses,
  readLicense,
  updateLicense,
} from './store.ts'

export const license: Handlers<'license'> = {
  async list(_, { app, scope }) {
    const rows = await app.db.read(scope, (trx) => listLicenses(trx, scope))
    const now = new Date()
    return rows.map((row) => licenseEntity(row, now))
  },

  async create({ license_name, license_key, organization_id }, ctx) {
    const { app, scope } = ctx
    const terms = verifyLicense(license_key, await readSigners(app), new Date())
    const row = await app.db.as(scope, async (trx) => {
      const tenant_id = await targetTenant(trx, scope, organization_id)
      const uid = newUid()
      const sealed = app.secrets.seal(license_key, keyPlace(uid))
      await insertLicense(trx, {
        tenant_id,
        uid,
        name: license_name,
        license_key: sealed,
        ...columns(terms, license_key),
      })
      return readLicense(trx, scope, uid)
    })
    tell(ctx, row)
    return licenseEntity(row, new Date())
  },

  async issue({ channels, customer, bundles, from, until }, { app, note }) {
    if (app.env.licensePublicKey !== null)
      throw new Refusal(409, 'Licences of this portal come from its vendor: only keys signed by the vendor count.', {
        code: 'license_vendor',
      })
    const order = {
      customer,
      channels,
      bundles,
      instance: null,
      from: from ? new Date(from) : null,
      until: until ? new Date(until) : null,
    }
    const fault = orderFault(order, new Date())
    if (fault) throw invalid({ until: [fault] })
    const row = await app.db.instance((trx) =>
      trx.selectFrom('instance').select(['uid', 'link_private_key', 'link_public_key']).executeTakeFirstOrThrow(),
    )
    if (row.link_private_key === null)
      throw new Refusal(409, 'This instance has no key yet.', { code: 'instance_key_missing' })
    note({ object_name: customer })
    return { license_key: signOrder(row, app.secrets, order), ...terms(order) }
  },

  async update({ license_id, license_name, license_key, version, dry_run }, ctx) {
    const { app, scope } = ctx
    // Forms send back the mask of a key that stays.
    const key = license_key === '****' ? undefined : license_key
    const terms = key === undefined ? undefined : verifyLicense(key, await readSigners(app), new Date())
    const { before, row } = await app.db.try(scope, { dry_run }, async (trx) => {
      const before = await readLicense(trx, scope, license_id)
      if (terms && before.is_builtin) throw builtin()
      const renewed = terms && {
        ...columns(terms, key as string),
        license_key: app.secrets.seal(key as string, keyPlace(license_id)),
      }
      await updateLicense(trx, before, { name: license_name, ...renewed }, version)
      // The row is held by now: nobody adds a channel between this and the end.
      if (renewed) await checkInUse(trx, before, renewed)
      return { before, row: await readLicense(trx, scope, license_id) }
    })
    const [was, is] = [before, row].map((one) => licenseEntity(one, new Date())) as [License, License]
    if (dry_run) {
      ctx.note({ object_id: was.license_id, object_name: was.license_name })
      return is
    }
    tell(ctx, row)
    ctx.note(changeOf(was, is))
    return is
  },

  async delete({ license_id }, ctx) {
    const { app, scope } = ctx
    const row = await app.db.as(scope, async (trx) => {
      const before = await readLicense(trx, scope, license_id)
      if (before.is_builtin) throw builtin()
      if (before.nimble_uids.length > 0)
        throw new Refusal(409, 'Edge servers use this licence.', {
          code: 'license_in_use',
          args: { count: before.nimble_uids.length },
        })
      await deleteLicense(trx, before)
      return before
    })
    tell(ctx, row)
    return { license_id }
  },
}

const terms = ({ customer, channels, bundles, from, until }: Order) => ({
  customer,
  channels,
  bundles,
  from: from?.toISOString() ?? null,
  until: until?.toISOString() ?? null,
})

const builtin = () =>
  new Refusal(409, 'The licence that comes with the product stays as it is.', { code: 'license_builtin' })

const columns = ({ channels, from, until, serial, customer, bundles }: LicenseTerms, key: string) => ({
  customer,
  bundles,
  key_tail: key.replace(/\s+/g, '').slice(-4),
  channel_limit: channels,
  valid_from: from === null ? null : new Date(from),
  expires_at: until === null ? null : new Date(until),
  serial,
  is_foreign: false,
})

function tell({ app, note }: Ctx, row: LicenseRow): void {
  app.bus.publish(changed(row, 'license', row.uid))
  note({ object_id: row.uid, object_name: row.name })
}
