/** How much is stored of channels' events, reckoned from roll-ups: it costs the same however many events an hour holds. */
import { metricIds, openedBy } from '@sightline/domain'
import { type RawBuilder, sql } from 'kysely'
import type { Trx } from '../db/database.ts'
import { type Channels, hourOf, keys, standingOf } from './hours.ts'
import { readSlots } from './read.ts'
import { observedSeries, seriesOf } from './series.ts'

export type Stored = { events: number; oldest: Date | null; newest: Date | null }

/** Updates and ends of occasions are in no roll-up. */
const counted = [observedSeries, ...openedBy(metricIds).map((metric) => seriesOf(metric, 'flow'))]

/** By number of channel. Roll-ups outlive the raw events: what they say of the time before the oldest one is left out. */
export async function storedOf(trx: Trx, channels: Channels, now: number): Promise<Map<number, Stored>> {
  if (channels.length === 0) return new Map()
  const all = await ends(trx, channels)
  const stored = new Map<number, Stored>(all.map(({ id, oldest, newest }) => [id, { events: 0, oldest, newest }]))
  // Raw events of an organization end together.
  for (const own of Map.groupBy(all, ({ tenant_id }) => tenant_id).values()) {
    const oldest = Math.min(...own.flatMap((channel) => channel.oldest?.getTime() ?? []))
    if (oldest === Number.POSITIVE_INFINITY) continue
    const borders = [hourOf(oldest), now]
    const standing = await standingOf(trx, own, borders)
    const slots = await readSlots(trx, { channels: own, borders, series: counted, standing })
    for (const { id, oldest, newest } of own) {
      const amounts = slots.get(id)?.[0]
      const events = counted.reduce((sum, series) => sum + (amounts?.get(series)?.n ?? 0), 0)
      if (oldest) stored.set(id, { events, oldest, newest })
    }
  }
  return stored
}

/** The key of events begins with channel and time: two look-ups a channel. */
async function ends(trx: Trx, channels: Channels) {
  const { ids } = keys(channels)
  const tenants = channels.map(({ tenant_id }) => tenant_id)
  const end = (order: RawBuilder<unknown>) => sql`(select ts from event
    where event.tenant_id = c.tenant_id and event.channel_id = c.id order by ts ${order} limit 1)`
  const { rows } = await sql<{ tenant_id: number; id: number; oldest: Date | null; newest: Date | null }>`
    select c.tenant_id, c.id, ${end(sql`asc`)} as oldest, ${end(sql`desc`)} as newest
    from unnest(${tenants}::int4[], ${ids}::int4[]) c (tenant_id, id)`.execute(trx)
  return rows
}

/**
 * Bytes of a mean event with its share of the indexes, over all days: what the database counted when it last looked at
 * each (`pg_class`). Null until it has looked at one that holds any.
 */
export async function eventBytes(trx: Trx): Promise<number | null> {
  const { rows } = await sql<{ bytes: number | null }>`
    with days as materialized (
      select c.oid, c.reltoastrelid, c.reltuples from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'event'::regclass and c.reltuples > 0
    ), stored as materialized (select oid from days union all select reltoastrelid from days)
    select current_setting('block_size')::int * sum(relpages)::float8 / (select sum(reltuples) from days) as bytes
    from pg_class where oid in (
      select oid from stored union all select indexrelid from pg_index where indrelid in (select oid from stored))`.execute(
    trx,
  )
  return rows[0]?.bytes ?? null
}
