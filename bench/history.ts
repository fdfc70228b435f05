/** A day of stored events, written straight into the tables; the hours are then made by the product's own job. */
import { metricRule, metricsOf } from '@sightline/domain'
import { sql } from 'kysely'
import pg from 'pg'
import type { Db } from '../packages/server/src/db/database.ts'
import { hourlyJob } from '../packages/server/src/event/hourly.ts'
import { seriesOf } from '../packages/server/src/event/series.ts'
import { connectionOf, type Store, type StoredChannel } from './store.ts'

export const channelsStored = 120
const dayMs = 86_400_000
/** Of a channel; between two events that open something. */
const openEverySeconds = 600

/** What the windows of a channel carry: for each level its place in `numbers`, which begins with the value. */
function levelsOf({ usecase_key }: StoredChannel) {
  const numbers: string[] = []
  const levels: { series: number; place: number }[] = []
  for (const [index, metric] of metricsOf(usecase_key).entries()) {
    const kind = metricRule(usecase_key, metric).level
    if (kind === null) continue
    const series = seriesOf(metric, 'level')
    const value = `((h >> ${4 * index}) & 15)`
    levels.push({ series, place: numbers.length + 2 })
    // A gauge has its least and greatest beside it.
    for (let role = 0; role < (kind === 'gauge' ? 3 : 1); role++) numbers.push(String(series * 4 + role), value)
  }
  return { numbers: numbers.join(', '), levels }
}

const flowsOf = ({ usecase_key }: StoredChannel): number[] =>
  metricsOf(usecase_key)
    .filter((metric) => metricRule(usecase_key, metric).flow)
    .map((metric) => seriesOf(metric, 'flow'))

/** Version 7, its millisecond the event's; the rest says which event of which channel. */
const idSql = (kind: number) =>
  `(lpad(to_hex((extract(epoch from ts) * 1000)::bigint), 12, '0') || '7000800${kind}' || lpad(to_hex(c * 1000000 + i), 12, '0'))::uuid`

/**
 * The last 24 hours up to now: a window of `stepSeconds` after the other for each channel, and now and then an event that
 * opens something. Seeded by the channel and the number of the event: the same in each run but for the time.
 * @returns how many events
 */
export async function storeHistory(db: Db, store: Store, dataDir: string, stepSeconds: number): Promise<number> {
  const end = Math.floor(Date.now() / 60_000) * 60_000
  const count = 86_400 / stepSeconds
  const channels = store.devices.flatMap((device) => device.channels)
  const source = await db.owner((trx) =>
    trx
      .insertInto('event_source')
      .values({ detector: 'onnx', detector_state: 'ok', state_cause: null, model_version: 'bench' })
      .returning('id')
      .executeTakeFirstOrThrow(),
  )
  const from = new Date(end - dayMs).toISOString()
  const add = (channel: StoredChannel) =>
    db.owner(async (trx) => {
      const { numbers, levels } = levelsOf(channel)
      const flows = flowsOf(channel)
      const { tenant_id: tenant, id, nimble_id: nimble } = channel
      const columns =
        'tenant_id, channel_id, ts, eid, received_at, observed_ms, nimble_id, source, clock_offset_ms, kind, notable, numbers'
      // Windows of a use case that only counts events carry no number.
      await sql
        .raw(
          `insert into event (${columns}, occasion)
          select ${tenant}, ${id}, ts, ${idSql(0)}, ts, ${stepSeconds * 1000}, ${nimble}, ${source.id}, 0, 0, h <> 0, array[${numbers}]::real[], null
          from (select i, ${id}::bigint as c, '${from}'::timestamptz + make_interval(secs => i * ${stepSeconds}) as ts,
            hashint8(${id}::bigint * 1000000 + i) as h from generate_series(1, ${count}) i) e`,
        )
        .execute(trx)
      await sql
        .raw(
          `insert into event (${columns}, occasion)
          select ${tenant}, ${id}, ts, ${idSql(1)}, ts, 0, ${nimble}, ${source.id}, 0, 1, true,
            array[${flows.map((series) => `${series * 4}, 1`).join(', ')}]::real[], ${idSql(1)}
          from (select i, ${id}::bigint as c, '${from}'::timestamptz + make_interval(secs => i * ${openEverySeconds} - 0.5) as ts
            from generate_series(1, ${86_400 / openEverySeconds}) i) e`,
        )
        .execute(trx)
      const rows = [
        '(0, null::bigint, null::real, null::real, null::real)',
        ...levels.map(
          ({ series }, i) => `(${series}, sums[${i + 1}], mins[${i + 1}], maxs[${i + 1}], lasts[${i + 1}])`,
        ),
      ]
      const each = (of: (place: number) => string) => `array[${levels.map(({ place }) => of(place)).join(', ')}]`
      await sql
        .raw(
          `insert into event_1m (tenant_id, channel_id, bucket, series, n, sum, min, max, last, last_at, observed_ms)
          select ${tenant}, ${id}, bucket, s.series, n, coalesce(s.sum, 0), s.min, s.max, s.last, last_at, observed_ms
          from (
            select bucket, n, sums, mins, maxs, ${each((place) => `newest[1][${place}]`)}::real[] as lasts, last_at, observed_ms from (
              select date_bin('1 minute', ts - interval '1 ms', 'epoch') as bucket, count(*) as n, max(ts) as last_at,
                sum(observed_ms) as observed_ms, array_agg(numbers order by ts desc) as newest,
                ${each((place) => `sum(floor(numbers[${place}]::float8 * 1000 + 0.5) * observed_ms)`)}::bigint[] as sums,
                ${each((place) => `min(numbers[${place}])`)}::real[] as mins, ${each((place) => `max(numbers[${place}])`)}::real[] as maxs
              from event where tenant_id = ${tenant} and channel_id = ${id} and kind = 0 group by 1
            ) minute
          ) minutes cross join lateral (values ${rows.join(', ')}) s (series, sum, min, max, last)`,
        )
        .execute(trx)
      for (const series of flows)
        await sql
          .raw(
            `insert into event_1m (tenant_id, channel_id, bucket, series, n, sum, min, max, last, last_at, observed_ms)
            select ${tenant}, ${id}, date_bin('1 minute', ts, 'epoch'), ${series}, count(*), count(*) * 1000, 1, 1, null, null, 0
            from event where tenant_id = ${tenant} and channel_id = ${id} and kind = 1 group by 3`,
          )
          .execute(trx)
    })
  // Two at once: as many as there are cores to count on.
  const waiting = [...channels]
  const work = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) await add(next)
  }
  await Promise.all([work(), work()])
  await db.owner((trx) =>
    sql`insert into channel_heard select tenant_id, channel_id, max(bucket) from event_1m where series = 0 group by 1, 2`.execute(
      trx,
    ),
  )
  await db.owner((trx) =>
    sql`insert into rollup_dirty (tenant_id, channel_id, hour)
      select distinct tenant_id, channel_id, date_bin('1 hour', bucket, 'epoch') from event_1m, rollup_seal
      where bucket < sealed_until on conflict do nothing`.execute(trx),
  )
  await hourlyJob(db, Date.now())
  await tidy(dataDir)
  return channels.length * (count + 86_400 / openEverySeconds)
}

/** What the database does by itself some minutes after such a load. */
async function tidy(dataDir: string): Promise<void> {
  const client = new pg.Client({ connectionString: connectionOf(dataDir) })
  await client.connect()
  try {
    await client.query('vacuum (analyze) event, event_1m, event_1h')
  } finally {
    await client.end()
  }
}
