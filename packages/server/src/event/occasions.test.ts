import type { EventEntity, EventHistogram, Evidence } from '@sightline/contract'
import type { EventRecord } from '@sightline/contract/edge'
import { afterAll, expect, test } from 'vitest'
import { testApp } from '../testing/app.ts'
import { eventRecord } from '../testing/events.ts'
import { createEventWriter } from './ingest.ts'
import { keptDays } from './partitions.ts'
import { hourMs, minuteMs } from './rollup.ts'

const t = await testApp()
afterAll(() => t.close())
const { db, bus } = t.services
const admin = await t.signIn('admin')
const site = await t.make.site({ name: '=Door' })
const nimble = await t.make.nimble()
const device = await t.make.device({}, site, nimble)
const intrusion = await t.make.channel({ usecase_key: 'intrdtec' }, device)
const writer = createEventWriter({ db, bus })

const begin = Math.floor(Date.now() / hourMs) * hourMs - 2 * hourMs
const made = (minutes: number, more: Partial<EventRecord> = {}) =>
  eventRecord({
    channel_id: intrusion.uid,
    observed_at: begin + minutes * minuteMs,
    kind: 'open',
    metrics: { violation: 1 },
    details: { zone: 'zone1' },
    ...more,
  })
const later = (of: EventRecord, minutes: number, kind: 'update' | 'close', value: number, details = {}) =>
  made(minutes, { kind, occasion_id: of.event_uuid, metrics: { dwell_time: value }, details })

const ended = made(1, { snapshot_id: crypto.randomUUID(), clip_id: crypto.randomUUID() })
const back = made(10)
const going = made(20, { snapshot_id: crypto.randomUUID() })
const crossed = made(30, { metrics: { up: 1 }, details: { line: 'line1', direction: 'up', instant: true } })
const records = [
  ended,
  later(ended, 2, 'update', 9),
  later(ended, 3, 'update', 4),
  later(ended, 4, 'close', 4, { cause: 'lost' }),
  back,
  later(back, 11, 'close', 1, { cause: 'ended' }),
  later(back, 12, 'update', 2, { cause: 'resumed' }),
  going,
  crossed,
  eventRecord({ channel_id: intrusion.uid, observed_at: begin + 31 * minuteMs, metrics: { total: 3 } }),
]
await writer.write({ tenantId: nimble.tenant_id, nimbleId: nimble.id, records, receivedAt: new Date() })
await writer.settled()

const period = { start: new Date(begin).toISOString(), end: new Date(begin + hourMs).toISOString() }
const range = async (input: object) => (await admin.call('event.range', { ...period, ...input })).body
const ids = (events: EventEntity[]) => events.map(({ event_uuid }) => event_uuid)
const uuids = (...of: EventRecord[]) => of.map(({ event_uuid }) => event_uuid)

test('an occasion is one row that says how long it went on, how bad it was and why it ended', async () => {
  const { response, page } = await range({ view: 'occasions' })
  expect(ids(response)).toEqual(uuids(crossed, going, back, ended))
  expect(page.total).toBe(4)
  const [line, open, again, over] = response.map((event: EventEntity) => event.occasion)
  expect(line).toMatchObject({ is_instant: true, ended_at: null, zone: 'line1', direction: 'up' })
  expect(open).toEqual({
    ...{ is_instant: false, ended_at: null, end_cause: null, updates: 0 },
    ...{ peak: {}, zone: 'zone1', direction: null, from_side: null, to_side: null, person: null },
    ...{ finding: null, item: null, distance_m: null, time_to_collision_s: null, likeness: null },
  })
  // It came back within its cooldown: it goes on.
  expect(again).toMatchObject({ ended_at: null, end_cause: null, updates: 1, peak: { dwell_time: 2 } })
  expect(over).toMatchObject({
    ended_at: new Date(begin + 4 * minuteMs).toISOString(),
    end_cause: 'lost',
    updates: 2,
    peak: { dwell_time: 9 },
  })
  const one = await admin.call('event.id', { event_uuid: ended.event_uuid })
  expect(one.body.response.occasion).toEqual(over)
})

test('pages go on after the last event, whatever came meanwhile', async () => {
  const first = await range({ view: 'occasions', event_limit: 2 })
  expect(first.page.next_page_token).toBe(going.event_uuid)
  const newer = made(40)
  await writer.write({ tenantId: nimble.tenant_id, nimbleId: nimble.id, records: [newer], receivedAt: new Date() })
  const second = await range({ view: 'occasions', event_limit: 2, page_token: first.page.next_page_token })
  expect(ids(second.response)).toEqual(uuids(back, ended))
  const third = await range({ view: 'occasions', event_limit: 2, page_token: second.page.next_page_token })
  expect(third).toMatchObject({ response: [], page: { next_page_token: null, total: null } })
})

test('a gallery is what has a picture, oldest first', async () => {
  expect(ids((await range({ view: 'gallery' })).response)).toEqual(uuids(ended, going))
})

test('the histogram counts what began, apart what must not happen', async () => {
  await writer.settled()
  const { body } = await admin.call('event.histogram', period)
  // Of an older day nothing is kept one by one, which the answer says.
  const firstKept = await t.services.db.owner((trx) => keptDays(trx))
  const sevenDays = new Date(new Date().setUTCHours(0, 0, 0, 0) - 7 * 86_400_000).getTime()
  expect(Date.parse(body.response.kept_from)).toBe(Math.max(firstKept[0]?.start as number, sevenDays))
  const { timezone, start, kept_from } = body.response
  expect((await admin.call('event.kept', period)).body.response).toEqual({ timezone, start, kept_from })
  const { buckets } = body.response as EventHistogram
  expect(buckets).toHaveLength(60)
  const at = (minutes: number) => buckets[minutes]
  expect(at(1)).toMatchObject({ opened: 1, violations: 1 })
  expect(at(2)).toMatchObject({ opened: 0, violations: 0 })
  expect(at(30)).toMatchObject({ opened: 1, violations: 0 })
  const crossings = await admin.call('event.histogram', { ...period, usecase_meta_key: 'up' })
  expect((crossings.body.response as EventHistogram).buckets.reduce((sum, { opened }) => sum + opened, 0)).toBe(1)
})

test('a collision is one bar, one event and one violation', async () => {
  const crossing = await t.make.channel({ usecase_key: 'coldtec' }, await t.make.device({}, await t.make.site()))
  await t.make.event(crossing, { kind: 'open', metrics: { total: 1, total_collision: 1 } })
  await t.make.event(crossing, { kind: 'open', metrics: { total: 1, total_near_miss: 1 } })
  const asked = async (more: object) => {
    const [start, end] = [Date.now() - hourMs, Date.now() + minuteMs].map((at) => new Date(at).toISOString())
    const { body } = await admin.call('event.histogram', { start, end, channel_id: crossing.uid, ...more })
    const { buckets } = body.response as EventHistogram
    const sum = (of: 'opened' | 'violations') => buckets.reduce((all, bucket) => all + bucket[of], 0)
    return { opened: sum('opened'), violations: sum('violations') }
  }
  expect(await asked({})).toEqual({ opened: 2, violations: 2 })
  expect(await asked({ usecase_meta_key: 'total_near_miss' })).toEqual({ opened: 1, violations: 1 })
})

test('an export has every row, names no formula, and leaves a trace row', async () => {
  const answer = await admin.send({
    method: 'POST',
    url: '/api/v1/event/export',
    payload: { ...period, separator: ';' },
  })
  expect(answer.status, answer.text).toBe(200)
  expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8')
  const { text } = answer
  expect(text.startsWith('\ufeff"event_id";"kind";"site"')).toBe(true)
  const lines = text.trimEnd().split('\r\n')
  expect(lines).toHaveLength(6)
  expect(lines.at(-1)).toContain(`"${ended.event_uuid}";"open";"'=Door"`)
  expect(lines.at(-1)).toContain(';180;"zone1";')
  const traced = await db.owner((trx) =>
    trx.selectFrom('trace').selectAll().where('code', '=', 'event.export').executeTakeFirstOrThrow(),
  )
  expect(traced).toMatchObject({ result: 'ok', user_id: admin.user?.id, object_kind: 'event' })
})

test('an event says what was found, by the names that people gave, also in the file and in the words of its reader', async () => {
  const [empty, bare] = [
    await t.make.channel({ usecase_key: 'emptyframecheck' }, device),
    await t.make.channel({ usecase_key: 'ppedtec' }, device),
  ]
  const at = (minutes: number, more: Partial<EventRecord>) => made(minutes, { metrics: { total: 1 }, ...more })
  const said = [
    at(50, { channel_id: empty.uid, details: { question: 'nobody', finding: 'nobody' } }),
    at(51, { channel_id: empty.uid, details: { question: 'blind', finding: 'covered' } }),
    at(52, { channel_id: bare.uid, metrics: { violation: 1 }, details: { item: 'vest', distance_m: 'far' } }),
    at(53, {
      details: { zone: 'zone1', zone_label: 'Loading dock', direction: 'down', from_side: 'shop', to_side: 'street' },
    }),
  ]
  await writer.write({ tenantId: nimble.tenant_id, nimbleId: nimble.id, records: said, receivedAt: new Date() })
  await writer.settled()
  const asked = { ...period, start: new Date(begin + 50 * minuteMs).toISOString() }
  const { response } = (await admin.call('event.range', { ...asked, view: 'occasions' })).body
  expect(response.map(({ occasion }: EventEntity) => occasion)).toMatchObject([
    { zone: 'Loading dock', direction: 'down', from_side: 'shop', to_side: 'street' },
    // What is no distance is none.
    { item: 'vest', distance_m: null },
    { finding: 'covered' },
    { finding: 'nobody' },
  ])
  const file = async (more: object) => {
    const answer = await admin.send({
      method: 'POST',
      url: '/api/v1/event/export',
      payload: { ...asked, ...more },
    })
    const rows = answer.text
      .trimEnd()
      .split('\r\n')
      .map((line) => line.split(','))
    return (head: string) => rows.slice(1).map((row) => row[rows[0]?.indexOf(`"${head}"`) ?? -1])
  }
  const plain = await file({})
  expect(plain('finding')).toEqual(['', '', '"covered"', '"nobody"'])
  expect(plain('item')).toEqual(['', '"vest"', '', ''])
  expect(plain('zone')[0]).toBe('"Loading dock"')
  expect(plain('use_case')[3]).toBe('"Empty frame check"')
  const french = await file({
    words: { finding: 'Constat', 'finding.nobody': '=Personne', 'usecase.ppedtec': 'EPI', use_case: 'Cas' },
  })
  expect(french('Constat')).toEqual(['', '', '"covered"', `"'=Personne"`])
  expect(french('Cas')[1]).toBe('"EPI"')
})

test('evidence has the hash of what is to be had, and says why the rest is not', async () => {
  const { body } = await admin.call('event.evidence', { event_uuid: ended.event_uuid })
  const [record, picture, clip] = (body.response as Evidence).files
  expect(record).toMatchObject({
    content_type: 'application/json',
    cause: null,
    sha256: expect.stringMatching(/^[\da-f]{64}$/),
  })
  expect(JSON.parse(record?.text ?? '')).toMatchObject({ event_uuid: ended.event_uuid })
  expect(picture).toMatchObject({ content_type: 'image/jpeg', sha256: null, cause: 'nimble_unreachable' })
  expect(clip).toMatchObject({ content_type: 'video/mp4', sha256: null, cause: 'nimble_unreachable' })
})

test('somebody else’s events are in no view, export or evidence', async () => {
  const stranger = await t.signIn(await t.make.user('admin', {}, await t.make.organization()))
  for (const view of ['occasions', 'gallery'])
    expect((await stranger.call('event.range', { ...period, view })).body.response).toEqual([])
  expect((await stranger.call('event.evidence', { event_uuid: ended.event_uuid })).status).toBe(404)
  expect((await stranger.call('event.histogram', { ...period, channel_id: intrusion.uid })).status).toBe(404)
  expect((await stranger.call('event.kept', { ...period, channel_id: intrusion.uid })).status).toBe(404)
})

test('whatever an edge server writes into the details, lists go on, with the beginning of its texts', async () => {
  const channel = await t.make.channel({ usecase_key: 'intrdtec' }, device)
  const odd: [unknown, string][] = [
    ['x', 'gave_up:'.repeat(30_000)],
    [{ deep: [1] }, `${'x'.repeat(199)}😀`],
    [2, 'covered'],
    [true, 'black'],
  ]
  const records = odd.map(([instant, finding], i) =>
    made(40 + i, { channel_id: channel.uid, details: { instant, finding, parts: [{ text: finding }] } }),
  )
  await writer.write({ tenantId: nimble.tenant_id, nimbleId: nimble.id, records, receivedAt: new Date() })
  await writer.settled()
  const { response } = await range({ view: 'occasions', channel_id: [channel.uid], details: true })
  const events = (response as EventEntity[]).toReversed()
  expect(ids(events)).toEqual(uuids(...records))
  expect(events.map(({ occasion }) => occasion?.is_instant)).toEqual([false, false, false, true])
  expect(events.map(({ occasion }) => occasion?.finding?.length)).toEqual([200, 200, 7, 5])
  expect(events[0]?.details?.parts).toEqual([{ text: 'gave_up:'.repeat(25) }])
})
