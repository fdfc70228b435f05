import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type Insertable, sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { createBus } from '../bus.ts'
import type { MediaTable } from '../db/schema.ts'
import { testDatabase } from '../testing/database.ts'
import { eventRecord } from '../testing/events.ts'
import { factories } from '../testing/factories.ts'
import { createEventWriter } from './ingest.ts'
import { alone, giveUpOldestDay, retain, startEventJobs } from './jobs.ts'
import { endLeftovers } from './leftovers.ts'
import { ensurePartitions, keptDays, partitionsOf } from './partitions.ts'
import { hourMs } from './rollup.ts'

const { db, close } = await testDatabase()
afterAll(close)
const make = factories(db)
const day = 24 * hourMs
const today = Math.floor(Date.now() / day) * day
const channel = await make.channel()
const log = {
  lines: [] as string[],
  info: () => undefined,
  warn: (line: string) => void log.lines.push(line),
  error: () => undefined,
}

const store = (at: number, of = channel) =>
  createEventWriter({ db, bus: createBus(), now: () => Math.max(at, Date.now()) }).write({
    tenantId: of.tenant_id,
    nimbleId: of.nimble_id,
    records: [eventRecord({ channel_id: of.uid, observed_at: at, metrics: { total: 1 } })],
    receivedAt: new Date(at),
  })
const names = async (table: string) =>
  (
    await db.owner((trx) =>
      sql<{
        name: string
      }>`select inhrelid::regclass::text as name from pg_inherits where inhparent = ${table}::regclass order by 1`.execute(
        trx,
      ),
    )
  ).rows.map((row) => row.name)
const dayName = (at: number) => `event_${new Date(at).toISOString().slice(0, 10).replaceAll('-', '')}`
const events = async () =>
  (await db.owner((trx) => trx.selectFrom('event').select(['tenant_id', 'ts']).orderBy('ts').execute())).map((row) =>
    row.ts.getTime(),
  )

beforeEach(async () => {
  log.lines.length = 0
  await db.owner((trx) => sql`update organization set raw_days = 7, rollup_days = 400`.execute(trx))
})

describe('partitions', () => {
  test.each([
    ['event', '2026-12-30T23:59:59Z', '2027-01-01T00:00:00Z', ['event_20261230', 'event_20261231', 'event_20270101']],
    ['event_1m', '2026-12-31T23:00:00Z', '2027-01-01T00:00:00Z', ['event_1m_202612', 'event_1m_202701']],
    ['event_1h', '2026-12-31T23:00:00Z', '2027-01-01T00:00:00Z', ['event_1h_2026', 'event_1h_2027']],
  ] as const)('of %s follow each other without a gap', (table, from, to, expected) => {
    const list = partitionsOf(table, Date.parse(from), Date.parse(to))
    expect(list.map(({ name }) => name)).toEqual(expected)
    for (const [i, { from: start }] of list.entries()) if (i > 0) expect(start).toEqual(list[i - 1]!.to)
  })

  test('exist from a week back to three days ahead, and are made once', async () => {
    // The database may have been made before midnight: it then ends a day sooner, and begins a day sooner.
    await db.owner((trx) => ensurePartitions(trx, Date.now()))
    const wanted = Array.from({ length: 11 }, (_, i) => dayName(today + (i - 7) * day))
    expect(await names('event')).toEqual(expect.arrayContaining(wanted))
    expect(await db.owner((trx) => ensurePartitions(trx, Date.now()))).toEqual([])
    expect(await db.owner((trx) => ensurePartitions(trx, Date.now() + day))).toEqual([dayName(today + 4 * day)])
  })

  test('take events from the first to the last moment that is accepted', async () => {
    const oldest = today - 7 * day
    for (const at of [oldest, oldest + 1, today, Date.now() + 4 * 60_000]) expect((await store(at)).stored).toBe(1)
    expect(await store(oldest - 1)).toMatchObject({ stored: 0, rejected: 1 })
  })
})

describe('retention', () => {
  test('drops days that are over their time, and events of that time are refused from then on', async () => {
    const later = Date.now() + 2 * day
    const oldest = today - 7 * day
    await retain(db, later)
    const kept = await names('event')
    expect(kept[0]).toBe(dayName(today - 5 * day))
    expect(kept.at(-1)).toBe(dayName(today + 5 * day))
    const writer = createEventWriter({ db, bus: createBus(), now: () => later })
    const records = [eventRecord({ channel_id: channel.uid, observed_at: oldest + hourMs, metrics: { total: 1 } })]
    expect(
      await writer.write({ tenantId: channel.tenant_id, nimbleId: channel.nimble_id, records, receivedAt: new Date() }),
    ).toMatchObject({ rejected: 1 })
  })

  test('of an organization that keeps less ends its events and no others', async () => {
    const short = await make.organization({ raw_days: 1 })
    const nimble = await make.nimble({}, short)
    const other = await make.channel(
      {},
      await make.device({}, await make.site({}, await make.customer({}, short)), nimble),
    )
    await db.owner((trx) => trx.deleteFrom('event').execute())
    await store(today - 3 * day)
    await db.owner((trx) => sql`update organization set raw_days = 7`.execute(trx))
    await store(today - 3 * day + 1000, other)
    await store(Date.now(), other)
    await db.owner((trx) => sql`update organization set raw_days = 1 where tenant_id = ${short.tenant_id}`.execute(trx))
    await retain(db, Date.now())
    expect(await events()).toEqual([today - 3 * day, expect.closeTo(Date.now(), -4)])
    expect(await store(today - 3 * day + 2000, other)).toMatchObject({ rejected: 1 })
  })

  test('of hours notes which were ended, so that nobody goes on telling what they said', async () => {
    const { tenant_id } = await make.organization({ raw_days: 1, rollup_days: 2 })
    const [over, kept] = [new Date(today - 5 * day), new Date(today - hourMs)]
    await db.ingest((trx) =>
      trx
        .insertInto('event_1h')
        .values(
          [over, kept].map((bucket) => ({ tenant_id, channel_id: 1, bucket, series: 0, n: 1, sum: 0, observed_ms: 1 })),
        )
        .execute(),
    )
    const written = async () =>
      (
        await db.owner((trx) => trx.selectFrom('hour_written').selectAll().where('tenant_id', '=', tenant_id).execute())
      ).map(({ hour }) => hour)
    expect(await written()).toEqual([])
    await db.owner((trx) =>
      sql`update organization set rollup_days = 2, raw_days = 1 where tenant_id = ${tenant_id}`.execute(trx),
    )
    await retain(db, Date.now())
    expect(await written()).toEqual([over])
  })

  test('ends figures of edge servers after a day, and rejected events after a month', async () => {
    const at = (ago: number) => new Date(Date.now() - ago)
    await db.owner(async (trx) => {
      const { tenant_id, nimble_id } = channel
      for (const ago of [0, 24 * hourMs, 26 * hourMs])
        await trx
          .insertInto('nimble_stat')
          .values({ tenant_id, nimble_id, at: at(ago) })
          .execute()
      await trx.deleteFrom('event_rejected').execute()
      for (const ago of [0, 31 * day])
        await trx
          .insertInto('event_rejected')
          .values({ tenant_id, nimble_id, reason: 'x', record: '{}', received_at: at(ago) })
          .execute()
    })
    await retain(db, Date.now())
    const left = await db.owner(async (trx) => [
      (await trx.selectFrom('nimble_stat').select('at').execute()).length,
      (await trx.selectFrom('event_rejected').select('id').execute()).length,
    ])
    expect(left).toEqual([2, 1])
  })
})

describe('leftovers', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sl-files-'))
  afterAll(() => fs.rmSync(folder, { recursive: true }))
  const ago = (ms: number) => new Date(Date.now() - ms)
  const keep = async (given: Partial<Insertable<MediaTable>> & { created_at: Date }) => {
    const uid = crypto.randomUUID()
    const file = path.join('media', uid)
    fs.mkdirSync(path.join(folder, 'media'), { recursive: true })
    fs.writeFileSync(path.join(folder, file), 'x')
    const row = { tenant_id: channel.tenant_id, uid, kind: 'image', content_type: 'image/png', path: file } as const
    await db.owner((trx) =>
      trx
        .insertInto('media')
        .values({
          ...row,
          ...{ sha256: null, site_id: null, channel_id: null },
          ...{ nimble_id: null, created_by: null },
          ...given,
        })
        .execute(),
    )
    return uid
  }
  const left = async () => {
    const rows = await db.owner((trx) => trx.selectFrom('media').select('uid').execute())
    const uids = rows.map((row) => row.uid).sort()
    expect(fs.readdirSync(path.join(folder, 'media')).sort()).toEqual(uids)
    return uids
  }

  test('pictures go with their events and their files too', async () => {
    const ofEvent = {
      kind: 'snapshot',
      site_id: channel.site_id,
      channel_id: channel.id,
      nimble_id: channel.nimble_id,
    } as const
    const kept = await keep({ ...ofEvent, created_at: ago(6 * day) })
    await keep({ ...ofEvent, created_at: ago(9 * day) })
    await keep({ ...ofEvent, kind: 'clip', created_at: ago(9 * day) })
    await endLeftovers(db, Date.now(), folder)
    expect(await left()).toEqual([kept])
    await db.owner((trx) => trx.deleteFrom('media').where('uid', '=', kept).execute())
    fs.rmSync(path.join(folder, 'media'), { recursive: true })
  })

  test('stills of cameras go when nothing shows them any more, also where nobody takes another there', async () => {
    const person = await make.user('admin')
    const [device, watched] = [await make.device(), await make.device()]
    const drawn = await make.channel({}, watched)
    const still = (minutes: number) =>
      keep({
        kind: 'snapshot',
        ...{ site_id: device.site_id, nimble_id: device.nimble_id, created_by: person.id },
        created_at: ago(minutes * 60_000),
      })
    const [shown, reference, fresh] = [await still(20), await still(20), await still(10)]
    await still(20)
    await db.owner(async (trx) => {
      await trx.updateTable('device').set({ snapshot_uid: shown }).where('id', '=', device.id).execute()
      await trx.updateTable('channel').set({ reference_uid: reference }).where('id', '=', drawn.id).execute()
    })
    await endLeftovers(db, Date.now(), folder)
    expect(await left()).toEqual([shown, reference, fresh].sort())
    await db.owner(async (trx) => {
      await trx.deleteFrom('source').where('device_id', '=', device.id).execute()
      await trx.deleteFrom('device').where('id', '=', device.id).execute()
      await trx.updateTable('channel').set({ reference_uid: null }).where('id', '=', drawn.id).execute()
      await trx
        .updateTable('media')
        .set({ created_at: ago(hourMs) })
        .where('uid', '=', fresh)
        .execute()
    })
    await endLeftovers(db, Date.now(), folder)
    expect(await left()).toEqual([])
  })

  test('uploads go a day after they came, but those that a site or the instance shows', async () => {
    const [site, deleted] = [await make.site(), await make.site()]
    await db.owner((trx) => trx.deleteFrom('site').where('id', '=', deleted.id).execute())
    const old = { created_at: ago(25 * hourMs) }
    const fresh = await keep({ created_at: ago(23 * hourMs) })
    const [image, logo, dark] = [await keep({ site_id: site.id, ...old }), await keep(old), await keep(old)]
    // Those that were replaced are a site's, and public, still.
    await keep({ site_id: site.id, ...old })
    await keep({ is_public: true, ...old })
    await keep({ site_id: deleted.id, ...old })
    await keep({ created_by: (await make.user('admin')).id, ...old })
    const url = (uid: string) => `/api/v1/media/${uid}`
    await db.owner(async (trx) => {
      await trx
        .updateTable('site')
        .set({ image: url(image) })
        .where('id', '=', site.id)
        .execute()
      await trx
        .updateTable('instance')
        .set({ logo: url(logo), logo_dark: url(dark) })
        .execute()
    })
    await endLeftovers(db, Date.now(), folder)
    expect(await left()).toEqual([fresh, image, logo, dark].sort())
  })

  test('files whose upload was cut short go when nobody can be waiting for them any more', async () => {
    const uploads = path.join(folder, 'uploads')
    fs.mkdirSync(uploads, { recursive: true })
    for (const [name, age] of [
      ['cut', 3 * hourMs],
      ['coming', 60_000],
    ] as const) {
      fs.writeFileSync(path.join(uploads, name), 'a part of a model')
      fs.utimesSync(path.join(uploads, name), ago(age), ago(age))
    }
    await endLeftovers(db, Date.now(), folder)
    expect(fs.readdirSync(uploads)).toEqual(['coming'])
  })

  test('traces are kept for four hundred days', async () => {
    const trace = (at: Date, code: string) =>
      db.owner((trx) =>
        sql`insert into trace (tenant_id, uid, at, code, result, response_code)
          values (${channel.tenant_id}, ${crypto.randomUUID()}, ${at}, ${code}, 'ok', 200)`.execute(trx),
      )
    await trace(ago(399 * day), 'site.create')
    await trace(ago(401 * day), 'site.delete')
    await endLeftovers(db, Date.now(), folder)
    const rows = await db.owner((trx) =>
      trx.selectFrom('trace').select('code').where('code', 'like', 'site.%').execute(),
    )
    expect(rows).toEqual([{ code: 'site.create' }])
  })
})

describe('a disk that fills up', () => {
  test('costs the oldest raw day, with a trace, and never today', async () => {
    const [oldest] = await db.owner(keptDays)
    expect(await giveUpOldestDay(db, Date.now(), log)).toBe(oldest!.name)
    expect(await names('event')).not.toContain(oldest!.name)
    const traces = await db.owner((trx) =>
      trx
        .selectFrom('trace')
        .select(['code', 'object_name'])
        .where('tenant_id', '=', channel.tenant_id)
        .where('code', 'like', 'event.%')
        .execute(),
    )
    expect(traces).toEqual([
      { code: 'event.day_dropped', object_name: new Date(oldest!.start).toISOString().slice(0, 10) },
    ])
    expect(log.lines).toEqual([
      `Raw events of ${oldest!.name} were dropped early because the data volume is nearly full`,
    ])
    for (let i = 0; i < 20; i++) await giveUpOldestDay(db, Date.now(), log)
    expect((await names('event'))[0]).toBe(dayName(today))
  })
})

test('the jobs start at once, look at the disk, and end when told', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sl-jobs-'))
  const pauses: (string | null)[] = []
  await db.owner((trx) => sql`update rollup_seal set sealed_until = ${new Date(Date.now() - 3 * hourMs)}`.execute(trx))
  const jobs = startEventJobs({
    db,
    writer: { pause: (reason) => void pauses.push(reason) },
    dataDir: folder,
    filesDir: folder,
    log,
  })
  await jobs.stop()
  const { sealed_until } = await db.owner((trx) => trx.selectFrom('rollup_seal').selectAll().executeTakeFirstOrThrow())
  expect(Date.now() - sealed_until.getTime()).toBeLessThan(hourMs + 3 * 60_000)
  expect(pauses).toHaveLength(1)
  fs.rmSync(folder, { recursive: true })
})

test('the work of the hour runs on one replica at a time', async () => {
  const name = dayName(today - 30 * day)
  await db.owner((trx) =>
    sql`${sql.raw(`create table ${name} partition of event for values from ('${new Date(today - 30 * day).toISOString()}')
      to ('${new Date(today - 29 * day).toISOString()}')`)}`.execute(trx),
  )
  const round = async () => {
    const { stop } = startEventJobs({
      db,
      writer: { pause: () => undefined },
      dataDir: null,
      filesDir: os.tmpdir(),
      log,
    })
    await stop()
  }
  await alone(db, async () => {
    await round()
    expect(await names('event')).toContain(name)
  })
  await round()
  expect(await names('event')).not.toContain(name)
})
