import { sql } from 'kysely'
import { boolArray, float4Lists, instantArray, int2Array, int4Array, jsonbArray, uuidArray } from '../db/array.ts'
import type { Trx } from '../db/database.ts'
import { serverAnswer } from '../db/refusal.ts'
import type { Counted } from './rollup.ts'

/** A record as it is stored, with the portal's own numbers instead of public ids. */
export type StoredEvent = Counted & {
  eid: string
  kindCode: number
  notable: boolean
  nimble: number
  source: number
  clockOffsetMs: number
  receivedAt: number
  occasion: string | null
  /** JSON texts. */
  levels: string | null
  details: string | null
  snapshot: string | null
  clip: string | null
}

/** The rows of events as a relation of the columns of table `event`, and their position. */
function relation(tenantId: number, events: readonly StoredEvent[]) {
  let end = 0
  const ends = int4Array(events, (event) => {
    end += event.numbers.length
    return end
  })
  const numbers = float4Lists(events, (event) => event.numbers)
  return sql`
    select ${tenantId}::int4 as tenant_id, channel_id, ts, eid, received_at, observed_ms, nimble_id, source, clock_offset_ms,
      kind, notable, (${numbers}::float4[])[ends - length + 1:ends] as numbers, occasion, levels, details, snapshot, clip,
      position
    from unnest(
      ${int4Array(events, (event) => event.channel)}::int4[], ${instantArray(events, (event) => event.at)}::timestamptz[],
      ${uuidArray(events, (event) => event.eid)}::uuid[], ${instantArray(events, (event) => event.receivedAt)}::timestamptz[],
      ${int4Array(events, (event) => event.observedMs)}::int4[], ${int4Array(events, (event) => event.nimble)}::int4[],
      ${int4Array(events, (event) => event.source)}::int4[], ${int4Array(events, (event) => event.clockOffsetMs)}::int4[],
      ${int2Array(events, (event) => event.kindCode)}::int2[], ${boolArray(events, (event) => Number(event.notable))}::bool[],
      ${ends}::int4[], ${int4Array(events, (event) => event.numbers.length)}::int4[],
      ${uuidArray(events, (event) => event.occasion)}::uuid[], ${jsonbArray(events, (event) => event.levels)}::jsonb[],
      ${jsonbArray(events, (event) => event.details)}::jsonb[], ${uuidArray(events, (event) => event.snapshot)}::uuid[],
      ${uuidArray(events, (event) => event.clip)}::uuid[]
    ) with ordinality as s (channel_id, ts, eid, received_at, observed_ms, nimble_id, source, clock_offset_ms, kind, notable,
      ends, length, occasion, levels, details, snapshot, clip, position)`
}

const columns =
  sql.raw(`tenant_id, channel_id, ts, eid, received_at, observed_ms, nimble_id, source, clock_offset_ms, kind,
  notable, numbers, occasion, levels, details, snapshot, clip`)

/**
 * Stores events of one tenant, none of which may be there yet: the usual case, and a fifth cheaper than asking.
 * @throws what `isRepeat` tells when one of them is there, and with it the transaction is lost
 */
export async function storeNewEvents(trx: Trx, tenantId: number, events: readonly StoredEvent[]): Promise<void> {
  await sql`/* event.store_new */
    insert into event (${columns}) select ${columns} from (${relation(tenantId, events)}) r
    order by channel_id, ts, eid`.execute(trx)
}

/** Whether a transaction failed because an event was there already. */
export const isRepeat = (error: unknown): boolean => {
  const { code, constraint } = serverAnswer(error)
  return code === '23505' && /^event_\d+_pkey$/.test(constraint ?? '')
}

/**
 * Stores events of one tenant that are not there yet.
 * @param events no two with the same id
 * @returns positions in `events` of those that were there already
 */
export async function storeEvents(trx: Trx, tenantId: number, events: readonly StoredEvent[]): Promise<number[]> {
  const { rows } = await sql<{ position: number }>`/* event.store */
    with src as (${relation(tenantId, events)}),
    stored as (
      insert into event (${columns}) select ${columns} from src order by channel_id, ts, eid
      on conflict do nothing returning eid
    )
    select position - 1 as position from src where not exists (select from stored where stored.eid = src.eid)`.execute(
    trx,
  )
  return rows.map((row) => row.position)
}
