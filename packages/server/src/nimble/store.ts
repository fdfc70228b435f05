import type { Nimble, NimbleStatus } from '@sightline/contract'
import { fingerprintOf } from '@sightline/contract/key'
import { type Judged, nimbleUnreachable, type UsecaseKey } from '@sightline/domain'
import { type Insertable, type Selectable, type SqlBool, sql, type Updateable } from 'kysely'
import type { Trx } from '../db/database.ts'
import type { NimbleTable } from '../db/schema.ts'
import { within } from '../reach.ts'
import { notFound, stale } from '../refusal.ts'
import type { Scope } from '../scope.ts'
import type { LinkStatus, Links } from './links.ts'
import { linkStatusOf, neverSeen } from './states.ts'

/** What other features need of the link. */
export { healthHistory, openStretches } from './health.ts'
export { unreachable } from './link.ts'
export type * from './links.ts'

/** `link_state` is what was stored last, by whichever portal has the link. */
export type NimbleRow = Selectable<NimbleTable> & {
  organization_uid: string
  license_uid: string | null
  link_state: string | null
}

const nimbles = (trx: Trx, scope: Scope) =>
  trx
    .selectFrom('nimble')
    .innerJoin('organization', 'organization.tenant_id', 'nimble.tenant_id')
    .leftJoin('license', (on) =>
      on.onRef('license.tenant_id', '=', 'nimble.tenant_id').onRef('license.id', '=', 'nimble.license_id'),
    )
    .leftJoin('nimble_state', (on) =>
      on.onRef('nimble_state.tenant_id', '=', 'nimble.tenant_id').onRef('nimble_state.nimble_id', '=', 'nimble.id'),
    )
    .selectAll('nimble')
    .select(['organization.uid as organization_uid', 'license.uid as license_uid', 'nimble_state.state as link_state'])
    .where(within(scope, 'nimble', null))

export const listNimbles = (trx: Trx, scope: Scope): Promise<NimbleRow[]> =>
  nimbles(trx, scope).orderBy(sql`nimble.name collate "und-x-icu"`).execute()

/** @throws 404 when it does not exist or is out of reach */
export async function readNimble(trx: Trx, scope: Scope, uid: string): Promise<NimbleRow> {
  const row = await nimbles(trx, scope).where('nimble.uid', '=', uid).executeTakeFirst()
  if (!row) throw notFound()
  return row
}

/** @throws 412 when a version is given and no longer the newest */
export async function updateNimble(
  trx: Trx,
  nimble: Pick<NimbleRow, 'tenant_id' | 'id'>,
  change: Updateable<NimbleTable>,
  version?: number,
): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('nimble')
    .set(change)
    .where('tenant_id', '=', nimble.tenant_id)
    .where('id', '=', nimble.id)
    .$if(version !== undefined, (query) => query.where('version', '=', version as number))
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw stale()
}

/** As `readNimble`; nobody else changes it, nor what it should run, until the transaction ends. */
export async function lockNimble(trx: Trx, scope: Scope, uid: string): Promise<NimbleRow> {
  // Apart from the reading, whose joined rows would be those from before the waiting.
  await sql`select from nimble where uid = ${uid} and ${within(scope, 'nimble', null)} for update`.execute(trx)
  return readNimble(trx, scope, uid)
}

/**
 * Says that what this edge server should run has changed. To be called in the transaction of the change; `reconfigure`
 * of the link sends it after the commit. Answers the new version of the desired state, and the licence of the edge
 * server, which stays that one until the transaction ends.
 */
export const raiseDesired = (
  trx: Trx,
  row: { tenant_id: number; nimble_id: number },
): Promise<Pick<NimbleRow, 'tenant_id' | 'license_id' | 'desired_version'>> =>
  trx
    .updateTable('nimble')
    .set({ desired_version: sql`desired_version + 1` })
    .where('tenant_id', '=', row.tenant_id)
    .where('id', '=', row.nimble_id)
    .returning(['tenant_id', 'license_id', 'desired_version'])
    .executeTakeFirstOrThrow()

/** The same for all edge servers of an organization; answers their public ids. */
export async function raiseAll(trx: Trx, tenantId: number): Promise<string[]> {
  const rows = await trx
    .updateTable('nimble')
    .set({ desired_version: sql`desired_version + 1` })
    .where('tenant_id', '=', tenantId)
    .returning('uid')
    .execute()
  return rows.map(({ uid }) => uid)
}

/** Whether the edge server is connected now; `link_state` is what was stored last, by whichever portal has the link. */
export const isReachable = (links: Links, row: { nimble_uid: string; link_state: string | null }): boolean =>
  (links.status(row.nimble_uid)?.state ?? row.link_state) === 'online'

/**
 * Whether the edge server may be there, as far as the health of its cameras goes: lost is only who lost the link and did
 * not answer when called again.
 */
export function isHeard(
  links: Links,
  row: { nimble_uid: string; link_state: string | null; link_cause: string | null },
): boolean {
  const { state, cause } = links.status(row.nimble_uid) ?? { state: row.link_state, cause: row.link_cause }
  return state === 'online' || (state === 'connecting' && cause === 'connection_lost')
}

/** Numbers of the edge servers in reach of which `isHeard` is true. */
export async function heardNimbles(trx: Trx, scope: Scope, links: Links): Promise<number[]> {
  const rows = await nimbles(trx, scope)
    .clearSelect()
    .select(['nimble.id', 'nimble.uid as nimble_uid'])
    .select(['nimble_state.state as link_state', 'nimble_state.cause as link_cause'])
    .execute()
  return rows.filter((row) => isHeard(links, row)).map((row) => row.id)
}

export const nimbleEntity = async (row: NimbleRow): Promise<Nimble> => ({
  nimble_id: row.uid,
  name: row.name,
  address: row.address,
  port: row.port,
  license_id: row.license_uid,
  connection_timeout: row.connection_timeout,
  wait_between_retry: row.wait_between_retry,
  retry_times: row.retry_times,
  pipelines: row.pipelines as Nimble['pipelines'],
  sinks: row.sinks as Nimble['sinks'],
  sources: row.sources as Nimble['sources'],
  mode: row.mode,
  key_fingerprint: await fingerprint(row.offered_key ?? row.public_key),
  key_state: row.key_state,
  is_local: row.is_local,
  organization_id: row.organization_uid,
  version: row.version,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})

const fingerprint = (key: string | null) => (key === null ? null : fingerprintOf(key))

type NimbleKey = Pick<NimbleRow, 'tenant_id' | 'id'>

const isOneOf = (keys: readonly NimbleKey[], table: string) => sql<SqlBool>`
  (${sql.ref(`${table}.tenant_id`)}, ${sql.ref(`${table}.nimble_id`)}) in (
    select * from unnest(${keys.map((row) => row.tenant_id)}::int[], ${keys.map((row) => row.id)}::int[]))`

type Counted = { channels: number; running: number; refused: number }

/** Channels of edge servers, and how many of them run as they should, by the edge server's number. */
async function countChannels(trx: Trx, keys: readonly NimbleKey[]): Promise<Map<number, Counted>> {
  const rows = await trx
    .selectFrom('channel')
    .leftJoin('channel_state', (on) =>
      on
        .onRef('channel_state.tenant_id', '=', 'channel.tenant_id')
        .onRef('channel_state.channel_id', '=', 'channel.id'),
    )
    .select((eb) => [
      'channel.nimble_id',
      eb.fn.countAll<number>().as('channels'),
      eb.fn.countAll<number>().filterWhere('channel_state.state', '=', 'running').as('running'),
      eb.fn.countAll<number>().filterWhere('channel_state.state', '=', 'refused').as('refused'),
    ])
    .where(isOneOf(keys, 'channel'))
    .groupBy('channel.nimble_id')
    .execute()
  return new Map(rows.map((row) => [row.nimble_id, row]))
}

/** Events that will never come, as far as anybody has heard. */
type Missing = Pick<NimbleStatus, 'lost_events' | 'rejected_events'>

/** What was stored of edge servers by whichever portal had the link last, by the edge server's number. */
async function storedStates(trx: Trx, keys: readonly NimbleKey[]): Promise<Map<number, LinkStatus & Missing>> {
  const rows = await trx.selectFrom('nimble_state').selectAll().where(isOneOf(keys, 'nimble_state')).execute()
  return new Map(
    rows.map((row) => {
      const isKnown = row.last_contact_at !== null
      const missing: Missing = {
        // It says so with its figures, the first of which come after some seconds.
        lost_events: row.journal_events === null ? null : row.lost_events,
        rejected_events: isKnown ? row.rejected_events : null,
      }
      return [row.nimble_id, { ...linkStatusOf(row), ...missing }]
    }),
  )
}

/** The whole status of edge servers, by their number: the link's part, the channels, and whether they are in step. */
export async function nimbleStatuses(
  trx: Trx,
  links: Links,
  rows: readonly Pick<NimbleRow, 'tenant_id' | 'id' | 'uid' | 'desired_version'>[],
): Promise<Map<number, NimbleStatus>> {
  const [counts, stored] = [await countChannels(trx, rows), await storedStates(trx, rows)]
  return new Map(
    rows.map((row) => {
      const link = links.status(row.uid) ?? stored.get(row.id) ?? neverSeen
      const counted = counts.get(row.id) ?? { channels: 0, running: 0, refused: 0 }
      const { health, cause } = judgeLink(link)
      return [
        row.id,
        {
          nimble_id: row.uid,
          state: link.state,
          since: link.since,
          last_contact_at: link.last_contact_at,
          health,
          cause,
          clock_offset_ms: link.clock_offset_ms,
          engine_version: link.engine_version,
          protocol: link.protocol,
          interfaces: link.interfaces,
          channels: counted.channels,
          channels_running: link.state === 'online' ? counted.running : null,
          capacity: link.capacity,
          journal_events: link.journal_events,
          lost_events: stored.get(row.id)?.lost_events ?? null,
          rejected_events: stored.get(row.id)?.rejected_events ?? null,
          desired_version: row.desired_version,
          applied_version: link.applied_version,
          sync: syncOf(link, row.desired_version, counted),
        },
      ]
    }),
  )
}

/** A clock that is off by more than this needs attention; its events are corrected all the same. */
const clockToleranceMs = 2000

function judgeLink({ state, cause, clock_offset_ms }: LinkStatus): Judged {
  if (state === 'new' || state === 'connecting') return { health: 'unknown', cause }
  if (state === 'unreachable') return { health: 'offline', cause: cause ?? nimbleUnreachable }
  if (state === 'refused' || cause !== null) return { health: 'needs attention', cause }
  if (clock_offset_ms !== null && Math.abs(clock_offset_ms) > clockToleranceMs)
    return { health: 'needs attention', cause: 'clock_offset' }
  return { health: 'healthy', cause: null }
}

function syncOf(link: LinkStatus, desired: number, { refused }: Counted): NimbleStatus['sync'] {
  if (link.state === 'new') return 'pending'
  if (link.state !== 'online') return 'unreachable'
  const applied = link.applied_version ?? 0
  if (applied < desired) return 'pending'
  if (applied > desired) return 'drifted'
  return refused > 0 ? 'refused' : 'in_sync'
}

/** What is known of the links of the edge servers of these cameras, by the edge server's public id. */
export async function readLinks(
  trx: Trx,
  links: Links,
  rows: readonly { tenant_id: number; nimble_id: number; nimble_uid: string }[],
): Promise<Map<string, LinkStatus>> {
  const keys = rows.map((row) => ({ tenant_id: row.tenant_id, id: row.nimble_id }))
  const stored = await storedStates(trx, keys)
  return new Map(
    rows.map((row) => [row.nimble_uid, links.status(row.nimble_uid) ?? stored.get(row.nimble_id) ?? neverSeen]),
  )
}

/** Use cases of the channels that an edge server should run, one for each. */
export async function usecasesOf(trx: Trx, nimble: NimbleKey): Promise<UsecaseKey[]> {
  const rows = await trx
    .selectFrom('channel')
    .innerJoin('usecase', 'usecase.id', 'channel.usecase_id')
    .select('usecase.key')
    .where('channel.tenant_id', '=', nimble.tenant_id)
    .where('channel.nimble_id', '=', nimble.id)
    .execute()
  return rows.map((row) => row.key)
}

export const insertNimble = (trx: Trx, row: Insertable<NimbleTable>) => trx.insertInto('nimble').values(row).execute()

/** How much depends on an edge server: channels that it should run, cameras that it reads. */
export async function countDependents(
  trx: Trx,
  nimble: Pick<NimbleRow, 'tenant_id' | 'id'>,
): Promise<{ channels: number; devices: number }> {
  const count = (table: 'channel' | 'device') =>
    trx
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('tenant_id', '=', nimble.tenant_id)
      .where('nimble_id', '=', nimble.id)
      .executeTakeFirstOrThrow()
  const channels = await count('channel')
  const devices = await count('device')
  return { channels: channels.count, devices: devices.count }
}

/** With the pipelines that were made for it. */
export async function deleteNimble(trx: Trx, nimble: Pick<NimbleRow, 'tenant_id' | 'id'>): Promise<void> {
  await trx
    .deleteFrom('pipeline')
    .where('tenant_id', '=', nimble.tenant_id)
    .where('nimble_id', '=', nimble.id)
    .execute()
  await trx.deleteFrom('nimble').where('tenant_id', '=', nimble.tenant_id).where('id', '=', nimble.id).execute()
}
