import type { License } from '@sightline/contract'
import {
  daysUntil,
  type LicenseTerms,
  licenseRefusal,
  licenseState,
  renewalRefusal,
  type UsecaseKey,
} from '@sightline/domain'
import { type Insertable, sql, type Updateable } from 'kysely'
import type { Trx } from '../db/database.ts'
import type { LicenseTable } from '../db/schema.ts'
import { within } from '../reach.ts'
import { notFound, Refusal, stale } from '../refusal.ts'
import type { Scope } from '../scope.ts'

/** Licences with the edge servers bound to them and the channels on those. */
const licenses = (trx: Trx, scope: Scope) =>
  trx
    .selectFrom('license')
    .innerJoin('organization', 'organization.tenant_id', 'license.tenant_id')
    .selectAll('license')
    .select([
      'organization.uid as organization_uid',
      sql<string[]>`array(select nimble.uid from nimble
        where nimble.tenant_id = license.tenant_id and nimble.license_id = license.id order by nimble.id)`.as(
        'nimble_uids',
      ),
      channelsUsed.as('channels_used'),
    ])
    .where(within(scope, 'license', null))
    .orderBy(sql`license.name collate "und-x-icu"`)
const channelsUsed = sql<number>`(select count(*)::int from channel
  join nimble on nimble.tenant_id = channel.tenant_id and nimble.id = channel.nimble_id
  where nimble.tenant_id = license.tenant_id and nimble.license_id = license.id)`
export type LicenseRow = Awaited<ReturnType<ReturnType<typeof licenses>['execute']>>[number]

export const listLicenses = (trx: Trx, scope: Scope): Promise<LicenseRow[]> => licenses(trx, scope).execute()

/** @throws 404 when it does not exist or is out of reach */
export async function readLicense(trx: Trx, scope: Scope, uid: string): Promise<LicenseRow> {
  const row = await licenses(trx, scope).where('license.uid', '=', uid).executeTakeFirst()
  if (!row) throw notFound()
  return row
}

export const insertLicense = (trx: Trx, row: Insertable<LicenseTable>) =>
  trx.insertInto('license').values(row).execute()

/** @throws 412 when a version is given and no longer the newest */
export async function updateLicense(
  trx: Trx,
  license: Pick<LicenseRow, 'tenant_id' | 'id'>,
  change: Updateable<LicenseTable>,
  version?: number,
): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('license')
    .set({ updated_at: sql`now()`, ...change })
    .where('tenant_id', '=', license.tenant_id)
    .where('id', '=', license.id)
    .$if(version !== undefined, (query) => query.where('version', '=', version as number))
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw stale()
}

export const deleteLicense = (trx: Trx, license: Pick<LicenseRow, 'tenant_id' | 'id'>) =>
  trx.deleteFrom('license').where('tenant_id', '=', license.tenant_id).where('id', '=', license.id).execute()

/**
 * Makes sure that the licence of an edge server takes so many more channels of these use cases. Whoever else adds some
 * waits at the licence's row until this transaction ends, so that the limit holds however many come at once.
 * @param nimble as it is while the caller holds its row: another licence may have been bound to it until then
 * @throws 409 with the reason
 */
export async function claimChannels(trx: Trx, nimble: Bound, wanted: readonly UsecaseKey[], now: Date): Promise<void> {
  if (wanted.length === 0) return
  if (nimble.license_id !== null)
    await trx
      .selectFrom('license')
      .select('id')
      .where('tenant_id', '=', nimble.tenant_id)
      .where('id', '=', nimble.license_id)
      .forUpdate()
      .execute()
  // Counted by a statement of its own: it must see what others committed while this one waited for the row.
  const refusal = (await licenseRoom(trx, nimble, now))(wanted)
  if (refusal) throw refusal
}

type Bound = { tenant_id: number; license_id: number | null }

/**
 * What the licence of an edge server has left now. The answer says of each further set of channels why it does not fit,
 * null when it does; what fits is counted before the next.
 */
export async function licenseRoom(trx: Trx, nimble: Bound, now: Date) {
  const held =
    nimble.license_id === null
      ? null
      : await trx
          .selectFrom('license')
          .select([
            'name',
            'is_foreign',
            'channel_limit',
            'valid_from',
            'expires_at',
            'bundles',
            channelsUsed.as('used'),
          ])
          .where('tenant_id', '=', nimble.tenant_id)
          .where('id', '=', nimble.license_id)
          .executeTakeFirstOrThrow()
  let used = held?.used ?? 0
  return (wanted: readonly UsecaseKey[]): Refusal | null => {
    if (wanted.length === 0) return null
    if (!held) return new Refusal(409, 'The edge server has no licence.', { code: 'license_missing' })
    const why = licenseRefusal(termsOf(held, used), wanted, now.getTime())
    if (why) {
      const { code, ...args } = why
      return new Refusal(409, words[code], { code, args: { limit: held.channel_limit, name: held.name, ...args } })
    }
    used += wanted.length
    return null
  }
}

/** A stored licence as the rules of the domain see it. */
export const termsOf = (
  row: Pick<LicenseRow, 'is_foreign' | 'channel_limit' | 'valid_from' | 'expires_at' | 'bundles'>,
  used: number,
): LicenseTerms => ({
  isForeign: row.is_foreign,
  limit: row.channel_limit,
  used,
  validFrom: row.valid_from?.getTime() ?? null,
  expiresAt: row.expires_at?.getTime() ?? null,
  bundles: row.bundles,
})

/**
 * Makes sure that what runs on a licence fits other terms. Whoever calls holds its row.
 * @throws 409 with the reason
 */
export async function checkInUse(
  trx: Trx,
  license: Pick<LicenseRow, 'tenant_id' | 'id'>,
  terms: { channel_limit: number; bundles: string[] | null },
): Promise<void> {
  const rows = await trx
    .selectFrom('channel')
    .innerJoin('nimble', (on) =>
      on.onRef('nimble.tenant_id', '=', 'channel.tenant_id').onRef('nimble.id', '=', 'channel.nimble_id'),
    )
    .innerJoin('usecase', 'usecase.id', 'channel.usecase_id')
    .select('usecase.key')
    .where('nimble.tenant_id', '=', license.tenant_id)
    .where('nimble.license_id', '=', license.id)
    .execute()
  const why = renewalRefusal(
    { limit: terms.channel_limit, bundles: terms.bundles },
    rows.map(({ key }) => key),
  )
  if (!why) return
  const { code, ...args } = why
  throw new Refusal(409, words[code], { code, args: { used: rows.length, limit: terms.channel_limit, ...args } })
}

const words = {
  license_foreign: 'The key of the licence is signed by somebody whose keys do not count here.',
  license_limit: 'The licence allows no more channels.',
  license_expired: 'The licence has expired.',
  license_not_yet_valid: 'The licence is not valid yet.',
  license_bundle: 'The licence does not cover the bundle of this use case.',
  license_too_small: 'The key allows fewer channels than are in use.',
  license_bundle_in_use: 'The key does not cover a bundle that is in use.',
}

export const licenseEntity = (row: LicenseRow, now: Date): License => ({
  license_id: row.uid,
  license_name: row.name,
  license_key: row.license_key === null ? '' : '****',
  key_tail: row.key_tail,
  customer: row.customer,
  bundles: row.bundles as License['bundles'],
  channel_limit: row.channel_limit,
  channels_used: row.channels_used,
  valid_from: row.valid_from?.toISOString() ?? null,
  expires_at: row.expires_at?.toISOString() ?? null,
  expires_in_days: row.expires_at && daysUntil(row.expires_at.getTime(), now.getTime()),
  is_builtin: row.is_builtin,
  state: licenseState(termsOf(row, row.channels_used), now.getTime()),
  nimble_ids: row.nimble_uids,
  organization_id: row.organization_uid,
  version: row.version,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})
