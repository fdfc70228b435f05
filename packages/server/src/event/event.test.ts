import type { EventRecord } from '@sightline/contract/edge'
import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { testApp } from '../testing/app.ts'
import { eventRecord } from '../testing/events.ts'
import { hourlyJob } from './hourly.ts'
import { createEventWriter } from './ingest.ts'
import { ensurePartitions } from './partitions.ts'
import { hourMs, minuteMs } from './rollup.ts'

const t = await testApp()
afterAll(() => t.close())
const { db, bus } = t.services
const { make } = t
const admin = await t.signIn('admin')

const now = Math.floor(Date.now() / hourMs) * hourMs + 7 * minuteMs + 30_000
vi.spyOn(Date, 'now')

const customer = await make.customer()
const site = await make.site({}, customer)
const nimble = await make.nimble()
const device = await make.device({}, site, nimble)
const counting = await make.channel({}, device)
const counting2 = await make.channel({}, device)
const occupancy = await make.channel({ usecase_key: 'pplocc' }, device)
const intrusion = await make.channel({ usecase_key: 'intrdtec' }, device)
const writer = createEventWriter({ db, bus })

const store = async (records: EventRecord[]) => {
  const result = await writer.write({
    tenantId: nimble.tenant_id,
    nimbleId: nimble.id,
    records,
    receivedAt: new Date(),
  })
  await writer.settled()
  return result
}
const window = (
  channel: { uid: string },
  at: number,
  metrics: Record<string, number>,
  more: Partial<EventRecord> = {},
) => eventRecord({ channel_id: channel.uid, observed_at: at, metrics, ...more })
const open = (channel: { uid: string }, at: number, metrics: Record<string, number>, more: Partial<EventRecord> = {}) =>
  eventRecord({ channel_id: channel.uid, observed_at: at, kind: 'open', metrics, ...more })

beforeEach(async () => {
  vi.mocked(Date.now).mockReturnValue(now)
  await db.owner(async (trx) => {
    // In the order in which the minutes are added to, which may be under way.
    for (const table of ['rollup_pending', 'event_1m', 'rollup_dirty', 'event_1h', 'event'])
      await sql`truncate ${sql.table(table)}`.execute(trx)
    await sql`update rollup_seal set sealed_until = ${new Date(now - 30 * hourMs)}`.execute(trx)
    // As whoever ends rows of hours says.
    await sql`update hour_written set written = pg_current_xact_id()`.execute(trx)
  })
})

const iso = (at: number) => new Date(at).toISOString()
const range = async (input: Record<string, unknown>) => {
  const { body } = await admin.call('event.range', input)
  expect(body.response_code, JSON.stringify(body)).toBe(200)
  return body
}
const stats = async (input: Record<string, unknown>) => (await admin.call('event.stats', input)).body.response

describe('the list', () => {
  test('is newest first, without windows in which nothing was, unless windows are asked for', async () => {
    const at = now - hourMs
    const records = [
      window(counting, at, { total: 0, total_min: 0, total_max: 0 }),
      window(counting, at + 5000, { total: 1.2, total_max: 2 }),
      open(intrusion, at + 6000, { violation: 1 }, { levels: { violation: 1 } }),
      eventRecord({ channel_id: intrusion.uid, observed_at: at + 7000, kind: 'close', metrics: { violation: 1 } }),
    ]
    await store(records)
    const ids = (body: { response: { event_uuid: string }[] }) => body.response.map((event) => event.event_uuid)
    const [idle, busy, opened, closed] = records.map((record) => record.event_uuid)
    expect(ids(await range({}))).toEqual([closed, opened, busy])
    expect(ids(await range({ kind: 'window' }))).toEqual([busy, idle])
    expect(ids(await range({ kind: 'open,close' }))).toEqual([closed, opened])
    expect(ids(await range({ usecase_meta_key: 'violation' }))).toEqual([closed, opened])
    expect(ids(await range({ usecase_key: 'pplcnt' }))).toEqual([busy])
    expect(ids(await range({ channel_id: intrusion.uid, event_limit: 1 }))).toEqual([closed])
    expect(ids(await range({ event_limit: 1, event_offset: 1 }))).toEqual([opened])
    expect((await range({ event_limit: 1, event_offset: 1 })).page).toEqual({
      limit: 1,
      offset: 1,
      total: 3,
      next_page_token: opened,
    })
    expect(ids(await range({ start: iso(at + 5000), end: iso(at + 6000) }))).toEqual([busy])
  })

  test('tells everything of an event, details only on request', async () => {
    const record = open(
      intrusion,
      now - hourMs,
      { violation: 1 },
      {
        clock_offset_ms: -12,
        levels: { violation: 2 },
        details: { zone: 'zone1', track_id: 7 },
        snapshot_id: crypto.randomUUID(),
        model_version: 'a'.repeat(64),
      },
    )
    await store([record])
    const [event] = (await range({})).response
    expect(event).toMatchObject({
      event_uuid: record.event_uuid,
      occasion_id: record.event_uuid,
      kind: 'open',
      customer_id: customer.uid,
      site_id: site.uid,
      device_id: device.uid,
      nimble_id: nimble.uid,
      channel_id: intrusion.uid,
      usecase_key: 'intrdtec',
      observed_at: iso(record.observed_at),
      clock_offset_ms: -12,
      observed_ms: 0,
      detector: 'hog',
      detector_state: 'ok',
      model_version: record.model_version,
      metrics: { violation: 1 },
      levels: { violation: 2 },
      details: null,
      snapshot_url: `/api/v1/media/${record.snapshot_id}`,
      clip_url: null,
    })
    const [detailed] = (await range({ details: 'true' })).response
    expect(detailed.details).toEqual({ zone: 'zone1', track_id: 7 })
    const found = await admin.call('event.id', { event_uuid: record.event_uuid })
    expect(found.body.response).toEqual({ ...detailed, occasion: expect.objectContaining({ zone: 'zone1' }) })
    // The picture is still at the edge server; its row says where.
    const media = await db.owner((trx) =>
      trx.selectFrom('media').selectAll().where('uid', '=', record.snapshot_id).executeTakeFirst(),
    )
    expect(media).toMatchObject({ kind: 'snapshot', path: null, nimble_id: nimble.id, channel_id: intrusion.id })
  })

  test('a clip of what several analytics saw is shown to who sees one of them, also when they are told of apart', async () => {
    const clip_id = crypto.randomUUID()
    await store([open(intrusion, now - hourMs, { violation: 1 }, { clip_id })])
    const second = open(occupancy, now - hourMs + 1000, { up: 1 }, { clip_id })
    await store([second, open(counting, now - hourMs + 1000, { total: 1 }, { clip_id })])
    const seen = async (channel: typeof counting) => {
      const person = await make.user('viewer')
      await make.assign(person, { site, channel })
      const viewer = await t.signIn(person)
      // The edge server that keeps it is away: 503 is only said to who may see it.
      return (await viewer.send({ method: 'GET', url: `/api/v1/media/${clip_id}` })).status
    }
    expect(await Promise.all([intrusion, occupancy, counting, counting2].map(seen))).toEqual([503, 503, 503, 404])
    // Another edge server opens nothing that this one keeps.
    const stranger = await make.nimble()
    const theirs = await make.channel({ usecase_key: 'ppltrk' }, await make.device({}, site, stranger))
    await writer.write({
      tenantId: stranger.tenant_id,
      nimbleId: stranger.id,
      records: [open(theirs, now - hourMs, { total: 1 }, { clip_id })],
      receivedAt: new Date(),
    })
    await writer.settled()
    expect(await seen(theirs)).toBe(404)
  })

  test('leads from an event to the one of its kind before and after it at the same analytic', async () => {
    const at = now - hourMs
    const [first, second, third] = [0, 20_000, 40_000].map((ms) => open(intrusion, at + ms, { violation: 1 })) as [
      EventRecord,
      EventRecord,
      EventRecord,
    ]
    const between = eventRecord({ channel_id: intrusion.uid, observed_at: at + 10_000, kind: 'close', metrics: {} })
    await store([first, second, third, between, open(occupancy, at + 30_000, { up: 1 })])
    const beside = async (uid: string) => (await admin.call('event.neighbours', { event_uuid: uid })).body.response
    expect(await beside(first.event_uuid)).toEqual({ older: null, newer: second.event_uuid })
    expect(await beside(second.event_uuid)).toEqual({ older: first.event_uuid, newer: third.event_uuid })
    expect(await beside(between.event_uuid)).toEqual({ older: null, newer: null })
    expect((await admin.call('event.neighbours', { event_uuid: crypto.randomUUID() })).status).toBe(404)
  })

  test('and the numbers end at the reach of the caller', async () => {
    const record = window(counting, now - hourMs, { total: 1 })
    await store([record])
    const elsewhere = await make.organization()
    const stranger = await t.signIn(await make.user('admin', {}, elsewhere))
    const viewer = await t.signIn('viewer')
    const assigned = await make.user('viewer')
    await make.assign(assigned, { site })
    const guard = await t.signIn(assigned)
    for (const nobody of [stranger, viewer]) {
      expect((await nobody.call('event.range')).body.response).toEqual([])
      expect((await nobody.call('event.range', { channel_id: counting.uid })).status).toBe(404)
      expect((await nobody.call('event.range', { site_id: site.uid })).status).toBe(404)
      expect((await nobody.call('event.range', { customer_id: customer.uid })).status).toBe(404)
      expect((await nobody.call('event.id', { event_uuid: record.event_uuid })).status).toBe(404)
      const figures = (await nobody.call('event.stats', { usecase_key: 'pplcnt' })).body.response
      expect(figures).toMatchObject({ channels: [], metrics: [{ value: null, coverage_ratio: 0 }] })
    }
    expect((await guard.call('event.range')).body.response).toHaveLength(1)
    expect((await guard.call('event.id', { event_uuid: record.event_uuid })).status).toBe(200)
    const root = await t.signIn('super_viewer')
    expect((await root.call('event.range')).body.response).toHaveLength(1)
  })

  test('refuses what makes no sense, field by field', async () => {
    const refusals: [Record<string, unknown>, Record<string, string[]>][] = [
      [{ start: '0ms', end: '-1h' }, { end: ['end_before_start'] }],
      [{ start: '-1h', end: '-1h' }, { end: ['start_equals_end'] }],
      [{ start: '-367d' }, { start: ['period_too_long'] }],
      [{ event_offset: 10_001 }, { event_offset: ['page_offset'] }],
      [{ type: 2 }, { usecase_key: ['required'] }],
      [{ type: 2, usecase_key: 'pplcnt', usecase_meta_key: 'fire' }, { usecase_meta_key: ['one_of'] }],
      [{ type: 2, usecase_key: 'pplcnt', timezone: 'Mars/Base' }, { timezone: ['timezone_invalid'] }],
      [{ type: 2, usecase_key: 'pplcnt', start: '-30d', agg_frequency: '1m' }, { agg_frequency: ['too_many_points'] }],
    ]
    for (const [input, errors] of refusals)
      expect(await admin.call('event.range', input)).toMatchObject({ status: 400, body: { errors } })
    expect((await admin.call('event.id', { event_uuid: crypto.randomUUID() })).status).toBe(404)
  })
})

type Point = { start: string; end: string; value: number | null; mean: number | null; [key: string]: unknown }
const chart = async (input: Record<string, unknown>) => {
  const { response } = await range({ type: 2, ...input })
  return response as { timezone: string; agg_frequency: string; series: { metric: string; points: Point[] }[] }
}

describe('the chart', () => {
  test('weighs a gauge by the time it was observed, and shows a gap as null, not as 0', async () => {
    const start = now - 5 * minuteMs - 30_000
    await store([
      window(counting, start + 5000, { total: 4, total_max: 6, total_min: 2 }, { observed_ms: 5000 }),
      window(counting, start + 6000, { total: 1 }, { observed_ms: 1000 }),
      window(counting, start + 2 * minuteMs + 5000, { total: 0 }),
    ])
    const { series } = await chart({
      channel_id: counting.uid,
      start: iso(start),
      end: iso(start + 3 * minuteMs),
      agg_frequency: '1m',
    })
    expect(series).toHaveLength(1)
    expect(series[0]).toMatchObject({ metric: 'total', face: 'level', channel_id: null })
    const [first, gap, zero] = series[0]!.points
    expect(first).toEqual({
      start: iso(start),
      end: iso(start + minuteMs),
      value: 3.5,
      mean: 3.5,
      min: 1,
      max: 6,
      last: null,
      sum: null,
      n: 2,
      observed_ms: 6000,
      coverage_ratio: 0.1,
    })
    expect(gap).toMatchObject({ value: null, mean: null, observed_ms: 0, coverage_ratio: 0, n: 0 })
    expect(zero).toMatchObject({ value: 0, mean: 0, n: 1 })
  })

  test('of flows adds up, and says 0 only where somebody watched', async () => {
    const start = now - 2 * minuteMs - 30_000
    await store([
      open(occupancy, start + 1000, { up: 1 }),
      open(occupancy, start + 2000, { up: 1 }),
      open(occupancy, start + 3000, { down: 1 }),
      window(occupancy, start + 5000, { occupancy: 1 }),
    ])
    const { series } = await chart({
      channel_id: occupancy.uid,
      start: iso(start),
      end: iso(start + 2 * minuteMs),
      agg_frequency: '1m',
    })
    const values = Object.fromEntries(series.map(({ metric, points }) => [metric, points.map((point) => point.value)]))
    expect(values).toEqual({ up: [2, null], down: [1, null], occupancy: [1, null] })
  })

  test('carries the last value through time that was watched, never over a gap', async () => {
    const start = now - 5 * minuteMs - 30_000
    await store([
      window(occupancy, start + 5000, { occupancy: 3 }),
      window(occupancy, start + minuteMs + 5000, {}),
      window(occupancy, start + 3 * minuteMs + 5000, {}),
      window(occupancy, start + 4 * minuteMs + 5000, { occupancy: 1 }),
    ])
    const { series } = await chart({
      channel_id: occupancy.uid,
      usecase_meta_key: 'occupancy',
      start: iso(start),
      end: iso(start + 5 * minuteMs),
      agg_frequency: '1m',
    })
    expect(series[0]!.points.map((point) => point.value)).toEqual([3, 3, null, null, 1])
  })

  test('of several channels adds their means, and knows the peak from minutes only', async () => {
    const start = now - 2 * hourMs - 7 * minuteMs - 30_000
    const both = `${counting.uid},${counting2.uid}`
    await store([
      window(counting, start + 5000, { total: 4, total_max: 9 }),
      window(counting2, start + 5000, { total: 2, total_max: 9 }),
      window(counting, start + minuteMs + 5000, { total: 1 }),
      window(counting2, start + minuteMs + 5000, { total: 8 }),
    ])
    const period = { usecase_key: 'pplcnt', channel_id: both, start: iso(start) }
    const minutes = await chart({ ...period, end: iso(start + 5 * minuteMs), agg_frequency: '5m' })
    expect(minutes.series[0]!.points[0]).toMatchObject({
      value: 7.5,
      mean: 7.5,
      max: 9,
      min: null,
      observed_ms: 20_000,
    })
    const hours = await chart({ ...period, end: iso(start + 2 * hourMs), agg_frequency: '1h' })
    expect(hours.series[0]!.points[0]).toMatchObject({ value: 7.5, max: null })
    const apart = await range({
      type: 2,
      ...period,
      end: iso(start + 5 * minuteMs),
      agg_frequency: '5m',
      details: 'true',
    })
    expect(
      apart.response.series.map((one: { channel_id: string; points: Point[] }) => [
        one.channel_id,
        one.points[0]!.value,
      ]),
    ).toEqual([
      [counting.uid, 2.5],
      [counting2.uid, 5],
    ])
  })

  test('chooses its detail by the length of the period', async () => {
    const chosen = async (start: string) => (await chart({ usecase_key: 'pplcnt', start })).agg_frequency
    expect(await chosen('-2h')).toBe('1m')
    expect(await chosen('-12h')).toBe('5m')
    expect(await chosen('-24h')).toBe('15m')
    expect(await chosen('-31d')).toBe('1h')
    expect(await chosen('-32d')).toBe('1d')
  })

  /** The same numbers straight from the raw events, by the definition. */
  async function fromRaw(channel: { id: number }, points: Point[]) {
    const { rows } = await db.owner((trx) =>
      sql<{ mean: number | null; max: number | null; observed: number }>`
        select b.i, round((sum(e.numbers[2]::numeric * e.observed_ms) / nullif(sum(e.observed_ms), 0))::numeric, 3)::float8 as mean,
          max(e.numbers[2]) filter (where e.observed_ms > 0) as max, coalesce(sum(e.observed_ms), 0) as observed
        from unnest(${points.map((point) => point.start)}::timestamptz[], ${points.map((point) => point.end)}::timestamptz[])
          with ordinality as b (first, past, i)
        left join event e on e.channel_id = ${channel.id} and e.ts - interval '1 ms' >= b.first and e.ts - interval '1 ms' < b.past
        group by b.i order by b.i`.execute(trx),
    )
    return rows.map(({ mean, max, observed }) => ({ mean, max, observed_ms: observed }))
  }
  const shown = (points: Point[]) => points.map(({ mean, max, observed_ms }) => ({ mean, max, observed_ms }))

  test('equals the raw events across closed, changed and open hours', async () => {
    const records = (from: number, hours: number, step: number) =>
      Array.from({ length: Math.floor((hours * hourMs) / step) }, (_, i) =>
        window(counting, from + (i + 1) * step, { total: (i * 7) % 11 }, { observed_ms: (i % 5) * 1000 }),
      )
    const start = now - 27 * hourMs
    await store(records(start, 26, 97_000))
    await hourlyJob(db, now)
    const hoursStored = await db.owner((trx) => trx.selectFrom('event_1h').select('bucket').execute())
    expect(hoursStored.length).toBeGreaterThan(20)
    // Late records make closed hours dirty; recent ones go to the open hour.
    await store(records(now - 20 * hourMs, 1.5, 61_000))
    await store(records(now - 10 * minuteMs, 1 / 6, 7000))
    const marks = await db.owner((trx) => trx.selectFrom('rollup_dirty').select('hour').execute())
    expect(marks.length).toBeGreaterThanOrEqual(2)
    for (const agg_frequency of ['1h', '15m', '1d']) {
      const { series } = await chart({ channel_id: counting.uid, start: iso(start), end: iso(now), agg_frequency })
      const { points } = series[0]!
      expect(shown(points)).toEqual(await fromRaw(counting, points))
      expect(points.at(-1)!.end).toBe(iso(now))
    }
  })

  test('equals the raw events each time it is asked for, whatever came late in between', async () => {
    // Both ends cut an hour.
    const [start, end] = [now - 9 * hourMs, now - 2 * hourMs - 20_000]
    const both = (at: number, total: number) => [counting, counting2].map((one) => window(one, at, { total }))
    const check = async () => {
      for (const asked of [1, 2]) {
        const query = { start: iso(start), end: iso(end), agg_frequency: '1h' }
        const { points } = (await chart({ channel_id: counting.uid, ...query })).series[0]!
        const [first, second] = [await fromRaw(counting, points), await fromRaw(counting2, points)]
        expect(shown(points), `asked ${asked}`).toEqual(first)
        const together = (await chart({ usecase_key: 'pplcnt', ...query })).series[0]!.points
        expect(together.map(({ observed_ms }: Point) => observed_ms)).toEqual(
          first.map(({ observed_ms }, i) => observed_ms + second[i]!.observed_ms),
        )
        for (const [i, { mean }] of together.entries()) {
          const means = [first[i]!.mean, second[i]!.mean].filter((one) => one !== null)
          // Each of the two was rounded.
          if (means.length === 0) expect(mean).toBeNull()
          else expect(Math.abs((mean as number) - means.reduce((a, b) => a + b))).toBeLessThan(0.0015)
        }
      }
    }
    await store(Array.from({ length: 40 }, (_, i) => both(start - 20 * minuteMs + i * 11 * minuteMs, i % 7)).flat())
    await check()
    await hourlyJob(db, now)
    await check()
    // In an hour in the middle, in the parts that the ends cut off and leave, in an hour of the other channel alone.
    for (const late of [start + 3 * hourMs, start - minuteMs, start + minuteMs, end - minuteMs, end + minuteMs]) {
      await store([window(counting, late, { total: 9 })])
      await check()
      await hourlyJob(db, now)
      await check()
    }
    await store([window(counting2, start + 5 * hourMs, { total: 4 })])
    await check()
    await hourlyJob(db, now)
    await check()
  })

  const changes: [zone: string, date: string, lengths: number[]][] = [
    ['America/Toronto', '2026-03-08', [24, 23, 24]],
    ['America/Toronto', '2026-11-01', [24, 25, 24]],
    ['Africa/Cairo', '2026-04-24', [24, 23, 24]],
    ['Australia/Lord_Howe', '2026-10-04', [24, 23.5, 24]],
    ['Asia/Kathmandu', '2026-07-01', [24, 24, 24]],
  ]
  test.each(changes)('cuts days in the zone %s also around %s', async (timezone, date, lengths) => {
    // Noon before in UTC is a moment of that or the neighbouring day in every zone.
    const noon = Date.parse(`${date}T12:00:00Z`)
    vi.mocked(Date.now).mockReturnValue(noon + 3 * 24 * hourMs)
    const { series } = await chart({
      usecase_key: 'pplcnt',
      timezone,
      agg_frequency: '1d',
      start: iso(noon - 2 * 24 * hourMs),
      end: iso(noon + 2 * 24 * hourMs),
    })
    const days = series[0]!.points.filter(({ start }) => {
      const local = new Intl.DateTimeFormat('sv', { timeZone: timezone, dateStyle: 'short' }).format(new Date(start))
      return Math.abs(Date.parse(local) - Date.parse(date)) <= 24 * hourMs
    })
    expect(days.map(({ start, end }) => (Date.parse(end) - Date.parse(start)) / hourMs)).toEqual(lengths)
  })

  test('equals the raw events on the day when the clocks change', async () => {
    const change = Date.parse('2026-11-01T06:00:00Z')
    const start = change - 30 * hourMs
    vi.mocked(Date.now).mockReturnValue(change + 30 * hourMs)
    await db.owner(async (trx) => {
      for (const at of [start, change, change + 30 * hourMs]) await ensurePartitions(trx, at)
      await sql`update rollup_seal set sealed_until = ${new Date(start)}`.execute(trx)
    })
    const early = createEventWriter({ db, bus, now: () => change + 30 * hourMs })
    // Their organization keeps raw events long enough for this test.
    await db.owner((trx) => sql`update organization set raw_days = 400`.execute(trx))
    const records = Array.from({ length: 500 }, (_, i) =>
      window(counting, start + (i + 1) * 7 * minuteMs, { total: i % 13 }),
    )
    const written = await early.write({
      tenantId: nimble.tenant_id,
      nimbleId: nimble.id,
      records,
      receivedAt: new Date(),
    })
    expect(written.stored).toBe(500)
    await hourlyJob(db, change + 30 * hourMs)
    for (const agg_frequency of ['1d', '1h'])
      for (const timezone of ['America/Toronto', 'Australia/Lord_Howe', 'Asia/Kathmandu']) {
        const { series } = await chart({
          channel_id: counting.uid,
          timezone,
          agg_frequency,
          start: iso(start),
          end: iso(start + 59 * hourMs),
        })
        const { points } = series[0]!
        expect(shown(points)).toEqual(await fromRaw(counting, points))
      }
  })
})

describe('the card figures', () => {
  const minutesAgo = (minutes: number) => now - minutes * minuteMs

  test('lead with the peak of a gauge and set its mean beside', async () => {
    await store([
      window(counting, minutesAgo(60), { total: 4, total_max: 9 }),
      window(counting, minutesAgo(30), { total: 2 }),
    ])
    const answer = await stats({ channel_id: counting.uid })
    expect(answer).toMatchObject({
      usecase_key: 'pplcnt',
      frequency: '1d',
      start: iso(now - 24 * hourMs),
      end: iso(now),
    })
    expect(answer.metrics).toHaveLength(1)
    expect(answer.metrics[0]).toMatchObject({
      metric: 'total',
      face: 'level',
      value: 9,
      beside: 3,
      faces: { level: { mean: 3, min: 2, max: 9, last: null }, flow: { sum: null } },
      previous: null,
      delta_ratio: null,
      observed_ms: 10_000,
    })
    expect(answer.metrics[0].spark).toHaveLength(24)
    expect(answer.metrics[0].spark.filter((value: number | null) => value !== null)).toEqual([3])
  })

  test('of several channels take the greatest minute, not the sum of peaks of different minutes', async () => {
    await store([
      window(counting, minutesAgo(60), { total: 9 }),
      window(counting2, minutesAgo(60), { total: 1 }),
      window(counting, minutesAgo(30), { total: 2 }),
      window(counting2, minutesAgo(30), { total: 6 }),
    ])
    const [total] = (await stats({ usecase_key: 'pplcnt' })).metrics
    expect(total).toMatchObject({ value: 10, beside: 9 })
  })

  test('of several channels know the greatest minute of a closed hour, also after late records changed it', async () => {
    const busy = (at: number, total: number) => [counting, counting2].map((one) => window(one, at, { total }))
    const greatest = async () => (await stats({ usecase_key: 'pplcnt' })).metrics[0].value
    const at = now - 5 * hourMs
    await store([...busy(at, 3), ...busy(now - 30 * hourMs, 1)])
    await hourlyJob(db, now)
    expect([await greatest(), await greatest()]).toEqual([6, 6])
    // Marked, then rolled up anew: each time the next question knows.
    await store(busy(at + 2 * minuteMs, 5))
    expect(await greatest()).toBe(10)
    await hourlyJob(db, now)
    expect([await greatest(), await greatest()]).toEqual([10, 10])
    // In an hour in which nothing was.
    await store(busy(at - 3 * hourMs, 7))
    await hourlyJob(db, now)
    expect(await greatest()).toBe(14)
    // The same minute again, less than before at one of them: the mean of both falls.
    await store([window(counting, at - 3 * hourMs + 5000, { total: 1 })])
    expect(await greatest()).toBe(11)
    await hourlyJob(db, now)
    expect(await greatest()).toBe(11)
  })

  test('count occasions, crossings per hour watched, and who is inside', async () => {
    await store([
      open(intrusion, minutesAgo(20), { violation: 1 }),
      open(intrusion, minutesAgo(10), { violation: 1 }),
      window(intrusion, minutesAgo(10), { total: 3, violation: 1, violation_max: 2, non_violation: 2 }),
      ...Array.from({ length: 360 }, (_, i) => window(occupancy, minutesAgo(60) + i * 5000, { occupancy: i % 7 })),
      open(occupancy, minutesAgo(20), { up: 1 }),
      open(occupancy, minutesAgo(10), { down: 1 }),
    ])
    const intrusions = (await stats({ channel_id: intrusion.uid })).metrics
    expect(
      Object.fromEntries(
        intrusions.map((m: { metric: string; value: number; beside: number }) => [m.metric, [m.value, m.beside]]),
      ),
    ).toEqual({
      total: [3, 3],
      violation: [2, 2],
      non_violation: [2, 2],
    })
    const inside = (await stats({ channel_id: occupancy.uid })).metrics
    expect(
      Object.fromEntries(
        inside.map((m: { metric: string; value: number; beside: number }) => [m.metric, [m.value, m.beside]]),
      ),
    ).toEqual({
      up: [1, 2],
      occupancy: [359 % 7, 6],
      down: [1, 2],
    })
  })

  test('compare with the period before only when both were watched', async () => {
    const hour = (from: number, total: number) =>
      Array.from({ length: 60 }, (_, i) =>
        window(counting, from + (i + 1) * minuteMs, { total }, { observed_ms: 60_000 }),
      )
    await store([...hour(minutesAgo(120), 4), ...hour(minutesAgo(60), 5)])
    const [total] = (await stats({ channel_id: counting.uid, frequency: '1h' })).metrics
    expect(total).toMatchObject({ value: 5, previous: 4, delta_ratio: 0.25, coverage_ratio: expect.closeTo(1, 1) })
    expect(total.previous_coverage_ratio).toBeCloseTo(1, 1)
    const [longer] = (await stats({ channel_id: counting.uid, frequency: '1d' })).metrics
    expect(longer).toMatchObject({ previous: null, delta_ratio: null, previous_coverage_ratio: 0 })
  })

  const run = (channel: { id: number }) =>
    db.owner((trx) =>
      trx
        .insertInto('channel_state')
        .values({
          tenant_id: nimble.tenant_id,
          channel_id: channel.id,
          version: 1,
          state: 'running',
          detector_state: 'ok',
        })
        .onConflict((conflict) => conflict.doNothing())
        .execute(),
    )

  test('a fire, an intrusion and a collision are in violation without any threshold, until that is over or not known', async () => {
    const [fire, crossing] = [
      await make.channel({ usecase_key: 'frdtec' }, device),
      await make.channel({ usecase_key: 'coldtec' }, device),
    ]
    const inViolation = async (usecase_key: string, channel: { uid: string }) => {
      const { channels } = await stats({ usecase_key })
      return channels.find(({ channel_id }: { channel_id: string }) => channel_id === channel.uid).in_violation
    }
    for (const channel of [fire, crossing, intrusion]) await run(channel)
    await store([
      window(fire, now - 3000, { fire: 1, high_smoke: 0 }),
      window(intrusion, now - 3000, { total: 1, violation: 1, non_violation: 0 }),
      open(crossing, now - 20_000, { total: 1, total_near_miss: 1 }),
      window(crossing, now - 3000, {}),
    ])
    expect(await inViolation('frdtec', fire)).toBe(true)
    expect(await inViolation('intrdtec', intrusion)).toBe(true)
    expect(await inViolation('coldtec', crossing)).toBe(true)
    // Two minutes on the collision is over; of the others nothing was heard for long.
    vi.mocked(Date.now).mockReturnValue(now + 2 * minuteMs)
    await store([window(crossing, now + 2 * minuteMs - 3000, {})])
    expect(await inViolation('coldtec', crossing)).toBe(false)
    expect(await inViolation('frdtec', fire)).toBe(false)
    await store([window(fire, now + 2 * minuteMs - 3000, { fire: 0, high_smoke: 0 })])
    expect(await inViolation('frdtec', fire)).toBe(false)
  })

  test('say of a channel with long windows that it is on until two of them are missing', async () => {
    const [crossing, slow] = [
      await make.channel({ usecase_key: 'coldtec' }, device),
      await make.channel({ usecase_key: 'coldtec' }, device),
    ]
    await db.owner((trx) =>
      trx
        .updateTable('pipeline')
        .set({ elements: sql`elements || '{"analytic.window_s": 60}'` })
        .where('id', '=', slow.pipeline_id)
        .execute(),
    )
    for (const channel of [crossing, slow]) await run(channel)
    const last = now - 3000
    await store([crossing, slow].map((channel) => window(channel, last, {}, { observed_ms: 5000 })))
    const on = async (ageMs: number) => {
      vi.mocked(Date.now).mockReturnValue(last + ageMs)
      const { channels } = await stats({ usecase_key: 'coldtec' })
      const isOn = ({ uid }: { uid: string }) =>
        channels.find(({ channel_id }: { channel_id: string }) => channel_id === uid).is_active
      return [isOn(crossing), isOn(slow)]
    }
    expect(await on(20_000)).toEqual([true, true])
    expect(await on(40_000)).toEqual([false, true])
    expect(await on(118_000)).toEqual([false, true])
    expect(await on(122_000)).toEqual([false, false])
  })

  test('say which channels are on and which are over their threshold', async () => {
    await db.owner((trx) => trx.updateTable('channel').set({ threshold: 3 }).where('id', '=', counting.id).execute())
    await run(counting)
    await store([window(counting, now - 3000, { total: 4 }), window(counting2, now - 40_000, { total: 9 })])
    const { channels } = await stats({ usecase_key: 'pplcnt' })
    expect(channels).toEqual([
      { channel_id: counting.uid, value: 4, violation: null, is_active: true, in_violation: true },
      { channel_id: counting2.uid, value: 9, violation: null, is_active: false, in_violation: false },
    ])
  })
})
