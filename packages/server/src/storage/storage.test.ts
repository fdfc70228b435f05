import type { EventRecord } from '@sightline/contract/edge'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hourlyJob } from '../event/hourly.ts'
import { createEventWriter } from '../event/ingest.ts'
import { keepMedia, keepStill, mediaUrl } from '../media/store.ts'
import { type Client, type TestApp, testApp } from '../testing/app.ts'
import { eventRecord } from '../testing/events.ts'

const hour = 3_600_000
const now = Date.now()

let t: TestApp
let admin: Client
beforeAll(async () => {
  t = await testApp()
  admin = await t.signIn('admin')
})
afterAll(() => t.close())

type Channel = Awaited<ReturnType<TestApp['make']['channel']>>

/** Stored by the real writer, in one commit. */
async function store(of: Channel, records: readonly Partial<EventRecord>[]) {
  const { db, bus } = t.services
  const writer = createEventWriter({ db, bus })
  await writer.write({
    tenantId: of.tenant_id,
    nimbleId: of.nimble_id,
    records: records.map((record) =>
      eventRecord({ channel_id: of.uid, observed_at: now, metrics: { total: 1 }, ...record }),
    ),
    receivedAt: new Date(),
  })
  await writer.settled()
}
const windows = (count: number, from: number): Partial<EventRecord>[] =>
  Array.from({ length: count }, (_, i) => ({ observed_at: from + i * 5000 }))

const data = async (input: object, client = admin) => {
  const { status, body } = await client.call('storage.data', input)
  expect(status).toBe(200)
  return body.response
}

test('counts events over closed, changed and open hours, from the oldest raw event on', async () => {
  const site = await t.make.site()
  const [busy, quiet] = [
    await t.make.channel({}, await t.make.device({}, site)),
    await t.make.channel({}, await t.make.device({}, site)),
  ]
  await store(busy, [...windows(12, now - 70 * hour), ...windows(7, now - 5 * hour), ...windows(3, now - 60_000)])
  await store(busy, [{ kind: 'open', observed_at: now - 4 * hour, metrics: { up: 1 } }])
  await hourlyJob(t.services.db, now)
  await store(busy, windows(2, now - 30 * hour))

  const [own, none] = await data({ site_id: site.uid })
  expect(own).toMatchObject({ channel_id: busy.uid, site_id: site.uid, name: busy.name, events: 25, held_bytes: null })
  expect([own.oldest_at, own.newest_at]).toEqual([
    new Date(now - 70 * hour).toISOString(),
    new Date(now - 60_000 + 10_000).toISOString(),
  ])
  expect(none).toMatchObject({ channel_id: quiet.uid, events: 0, events_bytes: 0, oldest_at: null, newest_at: null })

  // The raw events of the first days go before their minutes and hours do.
  await t.services.db.owner((trx) => sql`delete from event where ts < ${new Date(now - 20 * hour)}`.execute(trx))
  expect((await data({ channel_id: busy.uid }))[0]).toMatchObject({
    events: 11,
    oldest_at: new Date(now - 5 * hour).toISOString(),
  })
})

test('an occasion that counts for two metrics is one', async () => {
  const channel = await t.make.channel({ usecase_key: 'coldtec' })
  await store(channel, [
    { kind: 'open', metrics: { total: 1, total_collision: 1 } },
    { kind: 'open', metrics: { total: 1, total_near_miss: 1 } },
  ])
  expect((await data({ channel_id: channel.uid }))[0].events).toBe(2)
})

test('the size of events is unknown until the database has counted, then what it measured', async () => {
  const [channel, other] = [await t.make.channel(), await t.make.channel()]
  await store(channel, windows(30, now - hour))
  await store(other, windows(10, now - hour))
  await t.services.db.owner((trx) =>
    sql`update pg_class set reltuples = -1 where relname like 'event\\_2%'`.execute(trx),
  )
  expect((await data({ channel_id: channel.uid }))[0].events_bytes).toBeNull()

  // Of all days only those that hold something are measured.
  const { rows } = await t.services.db.owner(async (trx) => {
    await sql`analyze event`.execute(trx)
    return sql<{ bytes: number; events: number }>`
      select sum(pg_relation_size(oid) + pg_indexes_size(oid) + pg_total_relation_size(reltoastrelid)) as bytes, (select count(*) from event) as events
      from pg_class join pg_inherits on inhrelid = oid
      where inhparent = 'event'::regclass and reltuples > 0`.execute(trx)
  })
  const [measured] = rows
  const { events, events_bytes } = (await data({ channel_id: channel.uid }))[0]
  expect(events).toBe(30)
  expect(events_bytes).toBe(Math.round((events * (measured?.bytes ?? 0)) / (measured?.events ?? 0)))
})

test('of pictures counts those that are kept here for a site, its cameras and people, each once', async () => {
  const site = await t.make.site()
  const device = await t.make.device({}, site)
  const channel = await t.make.channel({}, device)
  const of = { tenant_id: site.tenant_id, site_id: site.id, nimble_id: device.nimble_id }
  const body = (bytes: number) => Buffer.alloc(bytes)
  const face = await t.make.face(site)
  const { db } = t.services
  const still = await keepStill(t.services, of, body(300), admin.user?.id ?? 0)
  const drawnOn = await keepStill(t.services, of, body(50), admin.user?.id ?? 0)
  const keep = (kind: 'image' | 'face', bytes: number) =>
    keepMedia(t.services, {
      tenantId: site.tenant_id,
      kind,
      contentType: 'image/jpeg',
      body: body(bytes),
      siteId: site.id,
    })
  const [image, portrait] = [await keep('image', 1000), await keep('face', 7)]
  await db.owner(async (trx) => {
    await sql`update device set snapshot_uid = ${still} where id = ${device.id}`.execute(trx)
    await sql`update channel set reference_uid = ${drawnOn} where id = ${channel.id}`.execute(trx)
    await sql`update site set image = ${mediaUrl(t.services.env, image)} where id = ${site.id}`.execute(trx)
    await sql`insert into face_picture (tenant_id, uid, face_id, media_id, face_px)
      select tenant_id, uid, ${face.id}, id, 100 from media where uid = ${portrait}`.execute(trx)
  })
  // Its picture is at the edge server, however large.
  await store(channel, [{ kind: 'open', snapshot_id: crypto.randomUUID() }])

  const customer = await db.owner((trx) =>
    trx.selectFrom('customer').selectAll().where('id', '=', site.customer_id).executeTakeFirstOrThrow(),
  )
  expect((await data({ channel_id: channel.uid }))[0].media_bytes).toBe(50)
  expect(await data({ group: 'site', site_id: site.uid })).toMatchObject([
    { site_id: site.uid, channel_id: null, name: site.name, media_bytes: 1357, events: 1 },
  ])
  expect(await data({ group: 'customer', channel_id: channel.uid })).toMatchObject([
    { customer_id: customer.uid, site_id: null, name: customer.name, media_bytes: 1357, events: 1 },
  ])
})
