import { type StorageData, storageGroups } from '@sightline/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Trx } from '../db/database.ts'
import { eventBytes, storedOf } from '../event/store.ts'
import { mostCounted, mostRows, type Paging } from '../page.ts'
import { numbersOf, within, withinChannels } from '../reach.ts'
import type { Scope } from '../scope.ts'

type Group = (typeof storageGroups)[number]
export type StorageFilter = Partial<Record<`${Group}_id`, string | undefined>>
type Owner = {
  tenant_id: number
  id: number
  name: string
  customer_uid: string
  site_uid: string | null
  channel_uid: string | null
}

const uidColumns = ['customer_uid', 'site_uid', 'channel_uid'] as const
const joins = [
  sql`customer`,
  sql`join site on site.tenant_id = customer.tenant_id and site.customer_id = customer.id`,
  sql`join channel on channel.tenant_id = site.tenant_id and channel.site_id = site.id`,
]

/** Customers, sites or channels in reach that are, hold or belong to what the filter names; each once. */
function owners(scope: Scope, group: Group, filter: StorageFilter): RawBuilder<Owner> {
  const named = storageGroups.filter((one) => filter[`${one}_id`] !== undefined)
  const conditions: RawBuilder<SqlBool>[] = named.map(
    (one) => sql<SqlBool>`${sql.ref(`${one}.uid`)} = ${filter[`${one}_id`]}`,
  )
  // Who sees some sites only sees customers by them.
  const deepest = Math.max(
    ...[group, ...named].map((one) => storageGroups.indexOf(one)),
    scope.siteIds === null ? 0 : 1,
  )
  const reach = [within(scope, 'customer', null), within(scope, 'site', 'site.id'), withinChannels(scope)]
  const columns = uidColumns.map((column, depth) =>
    depth > storageGroups.indexOf(group)
      ? sql`null::uuid as ${sql.ref(column)}`
      : sql`${sql.ref(`${storageGroups[depth]}.uid`)} as ${sql.ref(column)}`,
  )
  return sql<Owner>`select distinct ${sql.ref(`${group}.tenant_id`)}, ${sql.ref(`${group}.id`)}, ${sql.ref(`${group}.name`)},
      ${sql.join(columns)}
    from ${sql.join(joins.slice(0, deepest + 1), sql` `)}
    where ${sql.join([...reach.slice(0, deepest + 1), ...conditions], sql` and `)}`
}

async function pageOfOwners(trx: Trx, all: RawBuilder<Owner>, { limit = mostRows, offset = 0 }: Paging) {
  const { rows } = await sql<Owner>`select * from (${all}) o
    order by name collate "und-x-icu", tenant_id, id limit ${limit} offset ${offset}`.execute(trx)
  if (rows.length < limit && (rows.length > 0 || offset === 0)) return { rows, counted: offset + rows.length }
  const { rows: count } = await sql<{ counted: number }>`
    select count(*) as counted from (select from (${all}) o limit ${mostCounted + 1}) c`.execute(trx)
  return { rows, counted: count[0]?.counted ?? 0 }
}

/** The number of the customer, site or channel that a row of `channel` or `site` counts for. */
const ownerOf = {
  customer: sql.ref('site.customer_id'),
  site: sql.ref('site.id'),
  channel: sql.ref('channel.id'),
} as const
const numbered = (group: Group, { tenants, ids }: ReturnType<typeof numbersOf>) =>
  sql<SqlBool>`site.tenant_id = any(${tenants}::int4[]) and ${ownerOf[group]} = any(${ids}::int4[])`

/** A page of what is stored, and how many rows there are in all, counted up to one more than `mostCounted`. */
export async function pageOfStorage(
  trx: Trx,
  scope: Scope,
  { group, now, ...asked }: { group: Group; filter: StorageFilter; paging: Paging; now: number },
): Promise<{ rows: StorageData[]; counted: number }> {
  const { rows, counted } = await pageOfOwners(trx, owners(scope, group, asked.filter), asked.paging)
  const numbers = numbersOf(rows)
  const { rows: channels } = await sql<{ owner: number; tenant_id: number; id: number }>`
    select ${ownerOf[group]} as owner, channel.tenant_id, channel.id
    from channel join site on site.tenant_id = channel.tenant_id and site.id = channel.site_id
    where ${numbered(group, numbers)} and ${withinChannels(scope)}`.execute(trx)
  const [stored, bytes, kept] = await Promise.all([
    storedOf(trx, channels, now),
    eventBytes(trx),
    keptBytes(trx, group, numbers),
  ])
  const byOwner = Map.groupBy(channels, ({ owner }) => owner)
  return {
    counted,
    rows: rows.map(({ id, name, ...uids }) => {
      const own = (byOwner.get(id) ?? []).flatMap((channel) => stored.get(channel.id) ?? [])
      const events = own.reduce((sum, one) => sum + one.events, 0)
      const oldest = own.flatMap((one) => one.oldest?.getTime() ?? [])
      const newest = own.flatMap((one) => one.newest?.getTime() ?? [])
      return {
        customer_id: uids.customer_uid,
        site_id: uids.site_uid,
        channel_id: uids.channel_uid,
        name,
        events,
        // Of none the size is known without having measured one.
        events_bytes: events === 0 ? 0 : bytes && Math.round(events * bytes),
        media_bytes: kept.get(id) ?? 0,
        oldest_at: oldest.length > 0 ? new Date(Math.min(...oldest)).toISOString() : null,
        newest_at: newest.length > 0 ? new Date(Math.max(...newest)).toISOString() : null,
        held_bytes: null,
      }
    }),
  }
}

/**
 * Bytes of the kept pictures that something of each shows. Found from what shows them: most rows of `media` are pictures
 * of events, which lie on edge servers, and there may be millions.
 */
async function keptBytes(trx: Trx, group: Group, numbers: ReturnType<typeof numbersOf>): Promise<Map<number, number>> {
  const ofSite = (table: string, uid: RawBuilder<unknown>) => sql`
    select ${ownerOf[group]} as owner, site.tenant_id, ${uid} as uid
    from ${sql.table(table)} join site on site.tenant_id = ${sql.ref(`${table}.tenant_id`)} and site.id = ${sql.ref(`${table}.site_id`)}
    where ${numbered(group, numbers)}`
  const shown = [ofSite('channel', sql`channel.reference_uid`)]
  if (group !== 'channel')
    shown.push(
      ofSite('device', sql`device.snapshot_uid`),
      sql`select ${ownerOf[group]}, site.tenant_id, right(site.image, 36)::uuid from site where ${numbered(group, numbers)}`,
      sql`select ${ownerOf[group]}, site.tenant_id, picture.uid
        from face join site on site.tenant_id = face.tenant_id and site.id = face.site_id
        join face_picture on face_picture.tenant_id = face.tenant_id and face_picture.face_id = face.id
        join media picture on picture.tenant_id = face.tenant_id and picture.id = face_picture.media_id
        where ${numbered(group, numbers)}`,
    )
  const { rows } = await sql<{ owner: number; bytes: number }>`
    select owner, sum(size) as bytes from (${sql.join(shown, sql` union `)}) shown
    join media on media.uid = shown.uid and media.tenant_id = shown.tenant_id where media.path is not null
    group by owner`.execute(trx)
  return new Map(rows.map(({ owner, bytes }) => [owner, bytes]))
}
