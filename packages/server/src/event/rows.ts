/** What becomes of records: rows of events, of their pictures, of what was rejected, and the news of them. */
import type { StreamMessage } from '@sightline/contract'
import { type EventRecord, recordKinds } from '@sightline/contract/edge'
import { type Insertable, type SqlBool, sql } from 'kysely'
import type { Trx } from '../db/database.ts'
import { serverAnswer } from '../db/refusal.ts'
import type { MediaTable } from '../db/schema.ts'
import type { KnownChannel } from './directory.ts'
import { noteMinutes } from './minutes.ts'
import { rollUp } from './rollup.ts'
import { codeOf } from './series.ts'
import { type StoredEvent, storeEvents, storeNewEvents } from './write.ts'

/** What one nimble sent: any number of records, new or repeated. */
export type EventBatch = {
  tenantId: number
  nimbleId: number
  records: readonly EventRecord[]
  receivedAt: Date
}
export type StorableRecord<B extends EventBatch = EventBatch> = {
  batch: B
  record: EventRecord
  channel: KnownChannel
  event: StoredEvent
}
export type RejectedRecord<B extends EventBatch = EventBatch> = { batch: B; record: EventRecord; reason: string }

/** The row of a record; null when it carries a metric that this version does not know, or something not a number. */
export function toEvent(
  record: EventRecord,
  batch: EventBatch,
  channel: KnownChannel,
  source: number,
): StoredEvent | null {
  const face = record.kind === 'open' ? 'flow' : 'level'
  const numbers: number[] = []
  let notable = record.kind !== 'window'
  for (const key in record.metrics) {
    const code = codeOf(key, face)
    const value = record.metrics[key]
    if (code === undefined || !Number.isFinite(value)) return null
    numbers.push(code, value as number)
    notable ||= value !== 0
  }
  return {
    channel: channel.id,
    kind: record.kind,
    at: record.observed_at,
    observedMs: record.observed_ms,
    numbers,
    eid: record.event_uuid,
    kindCode: recordKinds.indexOf(record.kind),
    notable,
    nimble: batch.nimbleId,
    source,
    clockOffsetMs: Math.round(record.clock_offset_ms),
    receivedAt: batch.receivedAt.getTime(),
    occasion: record.occasion_id,
    levels: record.levels && JSON.stringify(record.levels),
    details: record.details && writtenDetails(record.details),
    snapshot: record.snapshot_id,
    clip: record.clip_id,
  }
}

const longestText = 200

/** As JSON. Lists of events carry texts of it in each row: longer ones end early. */
function writtenDetails(details: NonNullable<EventRecord['details']>): string {
  const json = JSON.stringify(details)
  // The usual ones hold no text that long.
  return json.length <= longestText
    ? json
    : JSON.stringify(details, (_, value) =>
        // Half a pair of surrogates is no text for the database.
        typeof value === 'string' && value.length > longestText ? value.slice(0, longestText).toWellFormed() : value,
      )
}

/** Raw rows, then a note of what those that were new add to the minutes. Answers the new ones. */
export async function insert<R extends StorableRecord>(
  trx: Trx,
  tenantId: number,
  candidates: R[],
  mayRepeat: boolean,
): Promise<R[]> {
  if (candidates.length === 0) return []
  await forgetDeleted(trx, tenantId, candidates)
  const events = candidates.map(({ event }) => event)
  let fresh = candidates
  if (mayRepeat) {
    const repeated = new Set(await storeEvents(trx, tenantId, events))
    fresh = candidates.filter((_, position) => !repeated.has(position))
  } else await storeNewEvents(trx, tenantId, events)
  await noteMinutes(trx, tenantId, rollUp(fresh.map(({ event }) => event)))
  await announceMedia(trx, tenantId, fresh)
  return fresh
}

/**
 * Who was deleted meanwhile, or is not known at the channel's site, is nobody in an event that comes in; so is everybody
 * where the site allows no faces or the channel recognises none. The others are not deleted until the transaction ends.
 */
async function forgetDeleted(trx: Trx, tenantId: number, candidates: readonly StorableRecord[]): Promise<void> {
  const named = candidates.filter(({ record }) => record.details?.identity != null)
  if (named.length === 0) return
  const known = await trx
    .selectFrom('face')
    .innerJoin('site', (on) => on.onRef('site.tenant_id', '=', 'face.tenant_id').onRef('site.id', '=', 'face.site_id'))
    .select(['face.uid', 'face.site_id'])
    .where('face.tenant_id', '=', tenantId)
    .where('site.faces_allowed', '=', true)
    .where(sql<SqlBool>`face.uid::text = any(${named.map(({ record }) => String(record.details?.identity))}::text[])`)
    .forKeyShare('face')
    .execute()
  for (const { record, channel, event } of named) {
    const isKnown =
      channel.usecaseKey === 'fcrecog' &&
      known.some(({ uid, site_id }) => uid === record.details?.identity && site_id === channel.siteId)
    if (!isKnown) event.details = writtenDetails({ ...unnamed(record.details ?? {}), identity: null })
  }
}

/** Details of a record without whose face it was. */
const unnamed = ({ identity: _, likeness: __, ...rest }: NonNullable<EventRecord['details']>) => rest

/** Pictures and clips stay at the edge; their rows say where, and who may see them. */
async function announceMedia(trx: Trx, tenant_id: number, candidates: StorableRecord[]) {
  const pictured = candidates.filter(({ event }) => event.snapshot !== null || event.clip !== null)
  if (pictured.length === 0) return
  const siteOf = await sitesOf(trx, tenant_id, pictured)
  // Events of one moment share a picture, also those of several channels.
  const found = new Map<string, Insertable<MediaTable> & { channel_id: number; shared_with: number[] }>()
  for (const { channel, event } of pictured) {
    const site_id = siteOf.get(channel.id) ?? channel.siteId
    for (const [kind, uid, content_type] of [
      ['snapshot', event.snapshot, 'image/jpeg'],
      ['clip', event.clip, 'video/mp4'],
    ] as const) {
      if (uid === null) continue
      const known = found.get(uid)
      if (!known)
        found.set(uid, {
          tenant_id,
          uid,
          kind,
          content_type,
          site_id,
          channel_id: channel.id,
          nimble_id: event.nimble,
          path: null,
          shared_with: [],
        })
      // No edge server opens to others what another one keeps.
      else if (known.nimble_id === event.nimble && known.site_id === site_id && !isOf(known, channel.id))
        known.shared_with.push(channel.id)
    }
  }
  const rows = [...found.values()].sort((a, b) => (a.uid < b.uid ? -1 : 1))
  await trx
    .insertInto('media')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['uid', 'tenant_id'])
        .doUpdateSet({
          shared_with: sql<number[]>`array(
            select distinct c from unnest(media.shared_with || excluded.channel_id || excluded.shared_with) c
            where c <> media.channel_id)`,
        })
        // The same here, and what comes again changes nothing.
        .where(sql<SqlBool>`media.nimble_id = excluded.nimble_id and media.site_id = excluded.site_id
          and not (excluded.channel_id || excluded.shared_with) <@ (media.channel_id || media.shared_with)`),
    )
    .execute()
}

/** Sites of channels as they are now, by the channel's number: what is remembered of one that just moved may be old. */
async function sitesOf(trx: Trx, tenantId: number, of: readonly StorableRecord[]): Promise<Map<number, number>> {
  const channels = await trx
    .selectFrom('channel')
    .select(['id', 'site_id'])
    .where('tenant_id', '=', tenantId)
    .where(sql<SqlBool>`id = any(${[...new Set(of.map(({ channel }) => channel.id))]}::int4[])`)
    .execute()
  return new Map(channels.map(({ id, site_id }) => [id, site_id]))
}

const isOf = (row: { channel_id: number; shared_with: readonly number[] }, channelId: number) =>
  row.channel_id === channelId || row.shared_with.includes(channelId)

/** Values that cannot be stored (classes 22 and 23 of PostgreSQL's error codes), or not even be sent. */
export const isDataError = (error: unknown): boolean =>
  error instanceof TypeError || error instanceof RangeError || /^2[23]/.test(serverAnswer(error).code ?? '')

export async function keepRejects(trx: Trx, tenant_id: number, rejects: readonly RejectedRecord[], now: number) {
  if (rejects.length === 0) return
  const received_at = new Date(now)
  await trx
    .insertInto('event_rejected')
    .values(
      rejects.map(({ batch, record, reason }) => ({
        tenant_id,
        nimble_id: batch.nimbleId,
        reason: reason.slice(0, 500),
        record: JSON.stringify({ ...record, details: record.details && unnamed(record.details) }),
        received_at,
      })),
    )
    .execute()
  const counts = Map.groupBy(rejects, ({ batch }) => batch.nimbleId)
  for (const [nimble_id, { length }] of [...counts].sort(([a], [b]) => a - b))
    await trx
      .insertInto('nimble_state')
      .values({ tenant_id, nimble_id, rejected_events: length })
      .onConflict((conflict) =>
        conflict
          .columns(['tenant_id', 'nimble_id'])
          .doUpdateSet((eb) => ({ rejected_events: eb('nimble_state.rejected_events', '+', length) })),
      )
      .execute()
}

/** What the live channel says of a channel's part of a commit: its newest record speaks for it. */
export function summary(channel: KnownChannel, newest: EventRecord, list: StorableRecord[]): StreamMessage {
  const numbers = newest.kind === 'window' ? newest.metrics : (newest.levels ?? {})
  return {
    type: 'event',
    channel_id: channel.uid,
    site_id: channel.siteUid,
    usecase_key: channel.usecaseKey,
    records: list.length,
    opened: list.filter(({ record }) => record.kind === 'open').length,
    levels: Object.fromEntries(Object.entries(numbers).filter(([key]) => !/_(min|max)$/.test(key))),
    window_s: channel.windowS,
    event_uuid: newest.event_uuid,
    observed_at: new Date(newest.observed_at).toISOString(),
  }
}
