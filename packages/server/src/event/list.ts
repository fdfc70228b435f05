import type { EventEntity, eventViews, Occasion } from '@sightline/contract'
import { type RecordKind, recordKinds } from '@sightline/contract/edge'
import { type MetricId, type UsecaseKey, usecases, uuidv7Ms } from '@sightline/domain'
import { type RawBuilder, sql } from 'kysely'
import type { Trx } from '../db/database.ts'
import type { SelectedChannel } from './select.ts'
import { codeOf, keyOf } from './series.ts'
import type { Period } from './time.ts'

export type ListQuery = {
  channels: readonly SelectedChannel[]
  period: Period
  kinds: readonly RecordKind[] | undefined
  /** Only records that carry one of them above 0. */
  metrics: readonly MetricId[] | undefined
  /** Those that opened alone, with what became of them; `gallery`: with a picture. */
  view: (typeof eventViews)[number]
  /** Only what is older than this event. */
  after: string | undefined
  /** False: `total` is not wanted, for which one reads on beyond the page. */
  isCounted?: boolean
  limit: number
  offset: number
  details: boolean
}

/** `total` is null above this. */
export const countedRows = 10_000
const firstWindowMs = 5 * 60_000
const windowGrowth = 6

/**
 * Events newest first. Looks back over growing pieces of the period until the page is full: how much is read depends on
 * the page, not on the period. In each piece a channel gives its newest, of which the newest are taken.
 */
export async function listEvents(
  trx: Trx,
  asked: ListQuery,
  mediaPath: string,
): Promise<{ events: EventEntity[]; total: number | null }> {
  const query = narrowed(asked)
  const { channels, period, offset, limit } = query
  if (channels.length === 0) return { events: [], total: 0 }
  const wanted = offset + limit
  let from = period.end
  let found = 0
  for (
    let width = channels.length === 1 ? Number.POSITIVE_INFINITY : firstWindowMs;
    found < wanted;
    width *= windowGrowth
  ) {
    const piece = { start: Math.max(period.start, from - width), end: from }
    found += await count(trx, { ...query, period: piece }, wanted - found)
    from = piece.start
    if (from === period.start) break
  }
  const newest = keysOf({ ...query, period: { start: from, end: period.end } }, wanted)
  const page = sql`select * from (${newest}) k order by ts desc, eid desc limit ${limit} offset ${offset}`
  const events = await describe(trx, page, query, mediaPath)
  // Further pages have the count of the first.
  const total = query.after || query.isCounted === false ? null : found < wanted ? found : await countAll(trx, query)
  return { events, total }
}

function narrowed(asked: ListQuery): ListQuery {
  const { after, period, view } = asked
  return {
    ...asked,
    channels: asked.channels.filter((channel) => mayCarry(channel, asked.metrics)),
    kinds: view === 'records' ? asked.kinds : ['open'],
    period: after ? { start: period.start, end: Math.min(period.end, uuidv7Ms(after) + 1) } : period,
  }
}

/** How many there are, `most` at most. */
export const countEvents = (trx: Trx, asked: ListQuery, most: number): Promise<number> => {
  const query = narrowed(asked)
  return query.channels.length === 0 ? Promise.resolve(0) : count(trx, query, most)
}

/** Null when there are too many, and for what no index can count. */
async function countAll(trx: Trx, query: ListQuery): Promise<number | null> {
  if (query.metrics) return null
  const found = await count(trx, query, countedRows + 1)
  return found > countedRows ? null : found
}

async function count(trx: Trx, query: ListQuery, most: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (select from (${keysOf(query, most)}) k limit ${most}) c`.execute(trx)
  return rows[0]?.count ?? 0
}

/** Whether records of the channel can carry one of the metrics. */
const mayCarry = ({ usecase_key }: SelectedChannel, metrics: ListQuery['metrics']) =>
  !metrics ||
  metrics.some(
    (metric) => metric in usecases[usecase_key].metrics || usecases[usecase_key].lineMetrics.includes(metric),
  )

/** Primary keys of the newest matching events of each channel. */
function keysOf(query: ListQuery, perChannel: number): RawBuilder<unknown> {
  const { channels, period, kinds, metrics, view, after } = query
  const conditions = [sql`ts >= ${new Date(period.start)} and ts < ${new Date(period.end)}`]
  if (after) conditions.push(sql`(ts, eid) < (${new Date(uuidv7Ms(after))}, ${after}::uuid)`)
  if (view === 'gallery') conditions.push(sql`snapshot is not null`)
  if (kinds) conditions.push(sql`kind = any(${kinds.map((kind) => recordKinds.indexOf(kind))}::int2[])`)
  // Each of these names a partial index.
  if (kinds && !kinds.includes('window')) conditions.push(sql`kind <> 0`)
  else if (metrics || !kinds) conditions.push(sql`notable`)
  if (metrics) {
    const codes = metrics.flatMap((metric) => [codeOf(metric, 'level'), codeOf(metric, 'flow')])
    conditions.push(sql`exists (select from generate_series(1, cardinality(numbers), 2) i
      where numbers[i] = any(${codes}::float4[]) and numbers[i + 1] > 0)`)
  }
  return sql`
    select k.* from unnest(${channels.map((channel) => channel.tenant_id)}::int4[], ${channels.map((channel) => channel.id)}::int4[])
      as c (tenant_id, channel_id),
    lateral (select tenant_id, channel_id, ts, eid from event e
      where e.tenant_id = c.tenant_id and e.channel_id = c.channel_id and ${sql.join(conditions, sql` and `)}
      order by ts desc, eid desc limit ${perChannel}) k`
}

/**
 * One event by its public id. The id carries its millisecond, so one partition and one key per channel within reach are
 * looked at, which is the permission too.
 */
export async function findEvent(
  trx: Trx,
  channels: readonly SelectedChannel[],
  uid: string,
  mediaPath: string,
): Promise<EventEntity | undefined> {
  const key = keyOfEvent(channels, uid)
  return key && (await describe(trx, key, { details: true, view: 'occasions' }, mediaPath))[0]
}

/** The events of the same kind and channel just before and just after one; undefined for one out of reach. */
export async function findNeighbours(
  trx: Trx,
  channels: readonly SelectedChannel[],
  uid: string,
): Promise<{ older: string | null; newer: string | null } | undefined> {
  const key = keyOfEvent(channels, uid)
  const { rows: [found] = [] } = key
    ? await sql<{ tenant_id: number; channel_id: number; ts: Date; kind: number }>`${key}`.execute(trx)
    : {}
  if (!found) return undefined
  // Each of these names a partial index.
  const isListed = found.kind === 0 ? sql`notable` : sql`kind <> 0`
  const alike = sql`from event
    where tenant_id = ${found.tenant_id} and channel_id = ${found.channel_id} and kind = ${found.kind} and ${isListed}`
  const place = sql`(${found.ts}, ${uid}::uuid)`
  const { rows } = await sql<{ older: string | null; newer: string | null }>`select
    (select eid ${alike} and (ts, eid) < ${place} order by ts desc, eid desc limit 1) as older,
    (select eid ${alike} and (ts, eid) > ${place} order by ts, eid limit 1) as newer`.execute(trx)
  return rows[0]
}

function keyOfEvent(channels: readonly SelectedChannel[], uid: string): RawBuilder<unknown> | undefined {
  const at = new Date(uuidv7Ms(uid))
  if (channels.length === 0 || Number.isNaN(at.getTime())) return undefined
  return sql`select tenant_id, channel_id, ts, eid, kind from event
    where tenant_id = any(${[...new Set(channels.map((channel) => channel.tenant_id))]}::int4[])
      and channel_id = any(${channels.map((channel) => channel.id)}::int4[]) and ts = ${at} and eid = ${uid}`
}

type EventRow = {
  event_uuid: string
  occasion_id: string | null
  kind: number
  organization_id: string
  customer_id: string
  site_id: string
  device_id: string
  nimble_id: string
  channel_id: string
  usecase_key: UsecaseKey
  observed_at: Date
  received_at: Date
  clock_offset_ms: number
  observed_ms: number
  detector: string
  detector_state: string
  state_cause: string | null
  model_version: string | null
  numbers: number[]
  levels: Record<string, number> | null
  details: EventEntity['details']
  snapshot: string | null
  clip: string | null
  occasion: (Omit<Occasion, 'peak' | keyof Content> & { numbers: number[][]; content: EventEntity['details'] }) | null
}

/** What a record says of what happened, beside its numbers. */
export type Content = Pick<
  Occasion,
  | ('zone' | 'direction' | 'from_side' | 'to_side' | 'finding' | 'item')
  | ('distance_m' | 'time_to_collision_s' | 'likeness')
>

const saidOf = [
  ...['zone', 'zone_label', 'line', 'direction', 'from_side', 'to_side', 'finding', 'item'],
  ...['distance_m', 'time_to_collision_s', 'likeness'],
]

/** @param details of a record: what an edge server wrote, so anything */
export function contentOf(details: EventEntity['details']): Content {
  const text = (name: string) => (typeof details?.[name] === 'string' ? details[name] : null)
  const number = (name: string) => (typeof details?.[name] === 'number' ? details[name] : null)
  return {
    zone: text('zone_label') ?? text('zone') ?? text('line'),
    direction: text('direction'),
    from_side: text('from_side'),
    to_side: text('to_side'),
    finding: text('finding'),
    item: text('item'),
    distance_m: number('distance_m'),
    time_to_collision_s: number('time_to_collision_s'),
    likeness: number('likeness'),
  }
}

/** The events of a query for their keys, in its order, with the names of everything around them. */
async function describe(
  trx: Trx,
  keys: RawBuilder<unknown>,
  { details, view }: Pick<ListQuery, 'details' | 'view'>,
  mediaPath: string,
): Promise<EventEntity[]> {
  const { rows } = await sql<EventRow>`
    select e.eid as event_uuid, e.occasion as occasion_id, e.kind, o.uid as organization_id, cu.uid as customer_id,
      s.uid as site_id, d.uid as device_id, coalesce(en.uid, n.uid) as nimble_id, c.uid as channel_id, u.key as usecase_key,
      e.ts as observed_at, e.received_at, e.clock_offset_ms, e.observed_ms, w.detector, w.detector_state, w.state_cause,
      w.model_version, e.numbers, e.levels, ${details ? sql`e.details` : sql`null::jsonb`} as details, e.snapshot, e.clip,
      ${view === 'records' ? sql`null::json` : sql`f.occasion`} as occasion
    from (${keys}) k
    join event e on (e.tenant_id, e.channel_id, e.ts, e.eid) = (k.tenant_id, k.channel_id, k.ts, k.eid)
    join organization o on o.tenant_id = e.tenant_id
    join channel c on (c.tenant_id, c.id) = (e.tenant_id, e.channel_id)
    join usecase u on u.id = c.usecase_id
    join site s on (s.tenant_id, s.id) = (c.tenant_id, c.site_id)
    join customer cu on (cu.tenant_id, cu.id) = (s.tenant_id, s.customer_id)
    join device d on (d.tenant_id, d.id) = (c.tenant_id, c.device_id)
    join nimble n on (n.tenant_id, n.id) = (c.tenant_id, c.nimble_id)
    left join nimble en on (en.tenant_id, en.id) = (e.tenant_id, e.nimble_id)
    join event_source w on w.id = e.source
    ${view === 'records' ? sql`` : sql`left join lateral (${fate}) f on e.kind = ${recordKinds.indexOf('open')}`}
    order by e.ts desc, e.eid desc`.execute(trx)
  return rows.map(({ numbers, snapshot, clip, occasion, ...row }) => ({
    ...row,
    occasion: occasion && occasionOf(occasion),
    kind: recordKinds[row.kind] as RecordKind,
    observed_at: row.observed_at.toISOString(),
    received_at: row.received_at.toISOString(),
    metrics: metricsOfNumbers(numbers),
    snapshot_url: snapshot && `${mediaPath}/${snapshot}`,
    clip_url: clip && `${mediaPath}/${clip}`,
  }))
}

/** More updates of one occasion are not looked at. */
const mostUpdates = 2000

/** PostgreSQL 15 has no `pg_input_is_valid`. */
const uuidPattern = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'

/**
 * What became of the occasion that `e` of the channel `c` opened, from its later records. The newest may be an update after
 * a close: it came back. Who was recognised is named at the site that knows them alone.
 */
const fate = sql`
  select json_build_object(
    'is_instant', coalesce(e.details->'instant' = 'true'::jsonb, false),
    'content', json_build_object(${sql.join(saidOf.flatMap((name) => [sql.lit(name), sql`e.details->${sql.lit(name)}`]))}),
    'person', case when e.details->>'identity' ~ ${uuidPattern} then (
      select face.name from face where face.tenant_id = e.tenant_id and face.site_id = c.site_id
        and face.uid = (e.details->>'identity')::uuid) end,
    'ended_at', case when last.kind = ${recordKinds.indexOf('close')} then last.ts end,
    'end_cause', case when last.kind = ${recordKinds.indexOf('close')} then last.details->>'cause' end,
    'updates', coalesce(later.updates, 0),
    'numbers', coalesce(later.numbers, '[]')) as occasion
  from (select count(*) filter (where r.kind = ${recordKinds.indexOf('update')}) as updates, json_agg(r.numbers) as numbers
    from (${laterRecords(mostUpdates)}) r) later
  left join lateral (${laterRecords(1)}) last on true`

function laterRecords(most: number) {
  return sql`select u.kind, u.ts, u.details, u.numbers from event u
    where u.tenant_id = e.tenant_id and u.channel_id = e.channel_id and u.occasion = e.eid and u.kind > 1 and u.ts >= e.ts
    order by u.ts desc, u.eid desc limit ${most}`
}

function occasionOf({ numbers, ended_at, content, ...rest }: NonNullable<EventRow['occasion']>): Occasion {
  const peak: Record<string, number> = {}
  for (const [metric, value] of numbers.flatMap((one) => Object.entries(metricsOfNumbers(one))))
    peak[metric] = Math.max(peak[metric] ?? Number.NEGATIVE_INFINITY, value)
  return { ...rest, ...contentOf(content), peak, ended_at: ended_at && new Date(ended_at).toISOString() }
}

function metricsOfNumbers(numbers: readonly number[]): Record<string, number> {
  const metrics: Record<string, number> = {}
  for (let i = 0; i + 1 < numbers.length; i += 2) metrics[keyOf(numbers[i] as number)] = numbers[i + 1] as number
  return metrics
}
