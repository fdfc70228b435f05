import type { SiteReport } from '@sightline/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { usecaseUid } from '../db/seed.ts'
import { hourlyJob } from '../event/hourly.ts'
import { createEventWriter } from '../event/ingest.ts'
import { type Client, type TestApp, testApp } from '../testing/app.ts'
import { eventRecord } from '../testing/events.ts'
import { until } from '../testing/until.ts'
import { newUid } from '../uid.ts'

const hourMs = 3_600_000
let t: TestApp
let admin: Client
let site: Awaited<ReturnType<TestApp['make']['site']>>
let quiet: typeof site
let first: Awaited<ReturnType<TestApp['make']['channel']>>
let second: typeof first
// An hour is closed two minutes after its end: the one before it is, at any time.
const end = (Math.floor(Date.now() / hourMs) - 1) * hourMs
const start = end - 3 * hourMs

beforeAll(async () => {
  t = await testApp()
  const { make } = t
  admin = await t.signIn('admin')
  const customer = await make.customer()
  site = await make.site({}, customer)
  quiet = await make.site({}, customer)
  const nimble = await make.nimble()
  const device = await make.device({}, site, nimble)
  first = await make.channel({}, device)
  second = await make.channel({}, device)
  await make.channel({ usecase_key: 'intrdtec' }, device)
  const writer = createEventWriter({ db: t.services.db, bus: t.services.bus })
  const records = [first, second].flatMap((channel, c) =>
    Array.from({ length: 36 }, (_, i) =>
      eventRecord({
        channel_id: channel.uid,
        observed_at: start + (i + 1) * 300_000,
        observed_ms: 300_000,
        metrics: { total: (i % 5) + c, total_min: 0, total_max: 6 },
      }),
    ),
  )
  await writer.write({ tenantId: nimble.tenant_id, nimbleId: nimble.id, records, receivedAt: new Date() })
  await writer.settled()
})
afterAll(() => t.close())

const period = { start: new Date(start).toISOString(), end: new Date(end).toISOString(), agg_frequency: '1h' }
const ask = (input: object, who = admin) => who.call('usecase.report', { ...period, ...input })

test('sites in the order asked for, each use case with figures that are those of the raw events', async () => {
  const { status, body } = await ask({ site_id: [quiet.uid, site.uid] })
  expect(status, JSON.stringify(body)).toBe(200)
  const report = body.response as SiteReport
  expect(report).toMatchObject({ ...period, timezone: null, revised: null, totals: { sites: 2, channels: 3 } })
  const [empty, busy] = report.sites
  // Without analytics nothing is known of how much was watched.
  expect(empty).toMatchObject({ site_id: quiet.uid, channels: 0, coverage_ratio: null, usecases: [] })
  expect(busy).toMatchObject({ site_id: site.uid, channels: 3, coverage_ratio: 0.667 })
  expect(busy?.usecases.map(({ usecase_key }) => usecase_key).sort()).toEqual(['intrdtec', 'pplcnt'])

  const counting = busy?.usecases.find(({ usecase_key }) => usecase_key === 'pplcnt')
  const { rows } = await t.services.db.owner((trx) =>
    sql<{ slot: Date; mean: number }>`
      select slot, sum(mean) as mean from (
        select channel_id, date_bin('1 hour', ts - interval '1 ms', 'epoch') as slot,
          sum(numbers[2]::float8 * observed_ms) / sum(observed_ms) as mean
        from event where channel_id = any(${[first.id, second.id]}::int4[]) group by 1, 2
      ) s group by 1 order by 1`.execute(trx),
  )
  const total = counting?.series.find(({ metric }) => metric === 'total')
  expect(total?.points.map(({ start, mean }) => [start, mean])).toEqual(
    rows.map(({ slot, mean }) => [slot.toISOString(), Math.round(mean * 1000) / 1000]),
  )
  expect(counting?.top_channels.map(({ channel_id }) => channel_id)).toContain(second.uid)
  expect(counting?.notifications).toBeNull()
})

test('what nobody watched has no figures: null, and no channel at the top', async () => {
  const { body } = await ask({ site_id: [site.uid], usecase_id: [usecaseUid('intrdtec')] })
  const [{ usecases }] = (body.response as SiteReport).sites as [SiteReport['sites'][number]]
  expect(usecases).toHaveLength(1)
  expect(usecases[0]?.top_channels).toEqual([])
  for (const metric of usecases[0]?.metrics ?? []) expect(metric).toMatchObject({ value: null, coverage_ratio: 0 })
})

test('a site or use case out of reach is none, and no site is refused', async () => {
  const stranger = await t.signIn(await t.make.user('viewer'))
  expect((await ask({ site_id: [site.uid] }, stranger)).status).toBe(404)
  expect((await ask({ site_id: [site.uid, newUid()] })).status).toBe(404)
  expect((await ask({ site_id: [site.uid], usecase_id: [newUid()] })).status).toBe(404)
  expect((await ask({ site_id: [] })).body.errors).toEqual({ site_id: ['required'] })
  expect((await ask({ site_id: [site.uid], timezone: 'Mars/Base' })).body.errors).toEqual({
    timezone: ['timezone_invalid'],
  })
})

test('more than a month is a job, whose result is the report', async () => {
  const from = new Date(end - 40 * 24 * hourMs).toISOString()
  const { body } = await ask({ site_id: [site.uid], start: from, agg_frequency: '1d' })
  const { job_id } = body.response as { job_id: string }
  const read = async () => (await admin.call('job.get', { job_id })).body.response
  await until(async () => (await read()).state === 'completed', 'the job to end')
  const { result } = await read()
  expect(result).toMatchObject({ agg_frequency: '1d', totals: { sites: 1, channels: 3 } })
  expect(result.sites[0].usecases).toHaveLength(2)
})

test('what comes late into an hour that is closed is in the next report', async () => {
  const { db, bus } = t.services
  const mean = async () => {
    const { body } = await ask({ site_id: [site.uid], usecase_id: [usecaseUid('pplcnt')] })
    const [{ usecases }] = (body.response as SiteReport).sites as [SiteReport['sites'][number]]
    return usecases[0]?.series.find(({ metric }) => metric === 'total')?.points[0]?.mean ?? null
  }
  await hourlyJob(db, Date.now())
  const before = await mean()
  expect(await mean()).toBe(before)
  const writer = createEventWriter({ db, bus })
  const late = eventRecord({
    channel_id: first.uid,
    observed_at: start + 10 * 60_000 - 1000,
    observed_ms: 60_000,
    metrics: { total: 90, total_min: 90, total_max: 90 },
  })
  await writer.write({ tenantId: first.tenant_id, nimbleId: first.nimble_id, records: [late], receivedAt: new Date() })
  await writer.settled()
  const after = await mean()
  expect(after).toBeGreaterThan(before as number)
  await hourlyJob(db, Date.now())
  expect(await mean()).toBe(after)
})

test('over closed hours a report that is asked for again is the one that was made, compressed or not', async () => {
  await hourlyJob(t.services.db, Date.now())
  const { text } = await ask({ site_id: [site.uid] })
  expect((await ask({ site_id: [site.uid] })).text).toBe(text)
  const again = async (accepted: string) => {
    const origin = await t.listen()
    const answer = await fetch(`${origin}/api/v1/usecase/report`, {
      method: 'POST',
      headers: {
        ...{ cookie: admin.cookie as string, 'x-csrf-token': admin.csrf as string, origin },
        ...{ 'content-type': 'application/json', 'accept-encoding': accepted },
      },
      body: JSON.stringify({ ...period, site_id: [site.uid] }),
    })
    return { coding: answer.headers.get('content-encoding'), text: await answer.text() }
  }
  for (const coding of ['gzip', 'br', 'gzip']) expect(await again(coding)).toEqual({ coding, text })
  expect(await again('identity')).toEqual({ coding: null, text })
})

test('what was remembered of a site is of nobody else, and ends with its channels', async () => {
  const { status } = await ask({ site_id: [site.uid] })
  expect(status).toBe(200)
  const elsewhere = await t.signIn(await t.make.user('admin', {}, await t.make.organization()))
  expect((await ask({ site_id: [site.uid] }, elsewhere)).status).toBe(404)
  await t.services.db.owner((trx) => trx.deleteFrom('channel').where('id', '=', second.id).execute())
  const [report] = ((await ask({ site_id: [site.uid] })).body.response as SiteReport).sites
  expect(report?.channels).toBe(2)
  const counting = report?.usecases.find(({ usecase_key }) => usecase_key === 'pplcnt')
  expect(counting?.top_channels.map(({ channel_id }) => channel_id)).toEqual([first.uid])
})
