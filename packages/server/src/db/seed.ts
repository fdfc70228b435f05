import { nimbleExample } from '@sightline/contract'
import {
  bundles,
  communityChannels,
  communityLicenseId,
  defaultOrganizationId,
  localNimbleId,
  usecaseKeys,
  usecases,
} from '@sightline/domain'
import { sql } from 'kysely'
import { seriesRows } from '../event/series.ts'
import { newUid } from '../uid.ts'
import type { Trx } from './database.ts'
import { DatabaseTrouble } from './trouble.ts'

export type SeedOptions = {
  /** Where the edge server listens that runs beside the portal; null: none does. */
  nimble?: { host: string; port: number } | null
}

/** Ids of use cases and bundles, the same on every instance: the position in the domain's list is part of them. */
const fixedUid = (group: 1 | 2, n: number) => `00000000-0000-7000-8000-0000000${group}${String(n).padStart(4, '0')}`
export const usecaseUid = (key: (typeof usecaseKeys)[number]) => fixedUid(1, usecaseKeys.indexOf(key) + 1)
const bundleKeys = Object.keys(bundles) as (keyof typeof bundles)[]
export const bundleUid = (key: (typeof bundleKeys)[number]) => fixedUid(2, bundleKeys.indexOf(key) + 1)

/** What every instance has from its first start. Runs at each start; what is there stays as it is. */
export async function seed(trx: Trx, options: SeedOptions): Promise<void> {
  await dictionaries(trx)
  await trx
    .insertInto('instance')
    .values({
      uid: newUid(),
      name: 'Sightline',
      map_center: JSON.stringify({ lat: 20, long: 0, zoom: 2 }),
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await trx
    .insertInto('organization')
    .values({ uid: defaultOrganizationId, name: 'Default', is_default: true })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const { tenant_id } = await trx
    .selectFrom('organization')
    .select('tenant_id')
    .where('uid', '=', defaultOrganizationId)
    .executeTakeFirstOrThrow()
  await trx
    .insertInto('license')
    .values({
      tenant_id,
      uid: communityLicenseId,
      name: 'Community licence',
      channel_limit: communityChannels,
      is_builtin: true,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  if (options.nimble) await localNimble(trx, tenant_id, options.nimble)
}

async function dictionaries(trx: Trx) {
  await trx
    .insertInto('bundle')
    .values(bundleKeys.map((key, i) => ({ id: i + 1, uid: bundleUid(key), key, name: bundles[key] })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await trx
    .insertInto('usecase')
    .values(
      usecaseKeys.map((key, i) => ({
        id: i + 1,
        uid: usecaseUid(key),
        key,
        name: usecases[key].name,
        bundle_id: bundleKeys.indexOf(usecases[key].bundle) + 1,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await trx
    .insertInto('series')
    .values(seriesRows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const stored = await trx.selectFrom('series').selectAll().execute()
  const inCode = new Map(seriesRows.map((row) => [row.id, row]))
  for (const row of stored) {
    const known = inCode.get(row.id)
    if (known && (known.metric !== row.metric || known.face !== row.face))
      throw new DatabaseTrouble(
        `The metrics of this portal do not match the stored ones (series ${row.id} is ${row.metric}, not ${known.metric}). Start the version that wrote the database.`,
      )
  }
}

/** The edge server beside the portal; its port may change from start to start. */
async function localNimble(trx: Trx, tenant_id: number, { host, port }: { host: string; port: number }) {
  const { id: license_id } = await trx
    .selectFrom('license')
    .select('id')
    .where('uid', '=', communityLicenseId)
    .executeTakeFirstOrThrow()
  await trx
    .insertInto('nimble')
    .values({
      tenant_id,
      uid: localNimbleId,
      name: 'Local edge server',
      address: host,
      port,
      license_id,
      is_local: true,
      pipelines: JSON.stringify(nimbleExample.pipelines),
      sinks: JSON.stringify(nimbleExample.sinks),
      sources: '[]',
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await sql`
    update nimble set address = ${host}, port = ${port}
    where uid = ${localNimbleId} and (address, port) <> (${host}, ${port})
      and not exists (select from nimble o
        where o.tenant_id = nimble.tenant_id and o.uid <> nimble.uid and (folded(o.address), o.port) = (folded(${host}), ${port}))`.execute(
    trx,
  )
}
