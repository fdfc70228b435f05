import type { StreamMessage } from '@sightline/contract'
import type { EventRecord } from '@sightline/contract/edge'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { changed, createBus } from '../bus.ts'
import { moveDevice } from '../device/move.ts'
import { Refusal } from '../refusal.ts'
import { testDatabase, waitingForLock } from '../testing/database.ts'
import { eventRecord, rolledUp, rolledUpFromRaw } from '../testing/events.ts'
import { factories } from '../testing/factories.ts'
import { newUid } from '../uid.ts'
import { sourceDictionary } from './directory.ts'
import { hourlyJob, rollUpHours, sealHours } from './hourly.ts'
import { createEventWriter } from './ingest.ts'
import { addAllMinutes, addMinutes, noteMinutes } from './minutes.ts'
import { hourMs, minuteMs, rollUp } from './rollup.ts'
import { storeEvents } from './write.ts'

const { db, close } = await testDatabase()
afterAll(close)
const make = factories(db)
const bus = createBus()
const writer = createEventWriter({ db, bus })

const nimble = await make.nimble()
const device = await make.device({}, await make.site(), nimble)
const channels = [await make.channel({}, device), await make.channel({}, device), await make.channel({}, device)]
const [channel] = channels as [(typeof channels)[number]]
const hour = (ago: number) => Math.floor(Date.now() / hourMs) * hourMs - ago * hourMs

const from = (records: EventRecord[]) => ({
  tenantId: nimble.tenant_id,
  nimbleId: nimble.id,
  records,
  receivedAt: new Date(),
})
const window = (at: number, metrics: Record<string, number>, more: Partial<EventRecord> = {}) =>
  eventRecord({ channel_id: channel.uid, observed_at: at, metrics, ...more })

async function clear() {
  await db.owner(async (trx) => {
    // In the order in which the minutes are added to, which may be under way.
    for (const table of ['rollup_pending', 'event_1m', 'rollup_dirty', 'event_1h', 'event', 'event_rejected'])
      await sql`truncate ${sql.table(table)}`.execute(trx)
    await sql`update rollup_seal set sealed_until = ${new Date(hour(0))}`.execute(trx)
  })
}
beforeEach(clear)

const rawCount = () =>
  db.owner((trx) => trx.selectFrom('event').select(trx.fn.countAll<number>().as('count')).executeTakeFirstOrThrow())
const reasons = async () =>
  (await db.owner((trx) => trx.selectFrom('event_rejected').select('reason').orderBy('id').execute())).map(
    (row) => row.reason,
  )

/** Raw events, minutes and hours say the same, key by key. */
async function expectEqualSums() {
  await hourlyJob(db, Date.now() + 2 * hourMs)
  await db.owner(async (trx) => {
    expect(await rolledUp(trx, 'event_1m')).toEqual(await rolledUpFromRaw(trx, '1 minute'))
    expect(await rolledUp(trx, 'event_1h')).toEqual(await rolledUpFromRaw(trx, '1 hour'))
  })
}

test('figures beyond sense fill their own hour and hold up no other', async () => {
  const [, other] = channels as [unknown, (typeof channels)[number]]
  const minutes = [1, 2].map((minute) => window(hour(2) + minute * minuteMs, { total: 1 }))
  const sane = eventRecord({ channel_id: other.uid, observed_at: hour(2) + minuteMs, metrics: { total: 3 } })
  await writer.write(from([...minutes, sane]))
  await writer.settled()
  // What thousands of records with the greatest numbers add up to, which each minute alone can hold.
  await db.owner(async (trx) => {
    await sql`update event_1m set sum = 9e18, n = 2e9, observed_ms = 9e18 where channel_id = ${channel.id}`.execute(trx)
    await sql`update rollup_seal set sealed_until = ${new Date(hour(3))}`.execute(trx)
  })
  await writer.write(from([window(hour(2) + minuteMs + 1, { total: 1 })]))
  await hourlyJob(db, Date.now())
  const hours = await db.owner((trx) => trx.selectFrom('event_1h').select('channel_id').distinct().execute())
  expect(new Set(hours.map((row) => row.channel_id))).toEqual(new Set([channel.id, other.id]))
})

test('an origin that PostgreSQL cannot hold spoils nothing, and a thousand new ones are one step', async () => {
  const odd = Array.from({ length: 1000 }, (_, i) =>
    window(hour(1) + i, { total: 1 }, { state_cause: `a\0b ${i}`, model_version: null }),
  )
  expect(await writer.write(from(odd))).toMatchObject({ stored: 1000, rejected: 0 })
})

describe('a batch', () => {
  test('is stored once, however often it comes', async () => {
    const batch = from([
      window(hour(1) + 5000, { total: 2.4, total_min: 1, total_max: 4 }),
      window(hour(1) + 10_000, { total: 3 }),
      eventRecord({ channel_id: channel.uid, observed_at: hour(1) + 7000, kind: 'open', metrics: { up: 1 } }),
    ])
    expect(await writer.write(batch)).toEqual({ stored: 3, repeated: 0, rejected: 0 })
    expect(await writer.write(batch)).toEqual({ stored: 0, repeated: 3, rejected: 0 })
    expect(await writer.write(from([...batch.records, ...batch.records]))).toMatchObject({ stored: 0, repeated: 6 })
    expect(await rawCount()).toEqual({ count: 3 })
    await expectEqualSums()
  })

  test('counts a level by the time it was observed, and a window in the minute in which it lay', async () => {
    await writer.write(
      from([
        window(hour(1) + 30_000, { total: 2 }, { observed_ms: 5000 }),
        window(hour(1) + minuteMs, { total: 5, total_min: 0, total_max: 9 }, { observed_ms: 1000 }),
        window(hour(1) + 20_000, { total: 7 }, { observed_ms: 0 }),
      ]),
    )
    await writer.settled()
    const rows = await db.owner((trx) => rolledUp(trx, 'event_1m'))
    const bucket = new Date(hour(1))
    expect(rows.map(({ channel_id: _, ...row }) => row)).toEqual([
      // prettier: observed, then total as level
      {
        bucket,
        series: 0,
        n: 3,
        sum: 0,
        min: null,
        max: null,
        last: null,
        last_at: new Date(hour(1) + minuteMs),
        observed_ms: 6000,
      },
      {
        bucket,
        series: 1,
        n: 2,
        sum: (2 * 5000 + 5 * 1000) * 1000,
        min: 0,
        max: 9,
        last: 5,
        last_at: new Date(hour(1) + minuteMs),
        observed_ms: 6000,
      },
    ])
  })

  test('update and close feed no series', async () => {
    await writer.write(
      from(
        (['update', 'close'] as const).map((kind) =>
          eventRecord({
            channel_id: channel.uid,
            observed_at: hour(1) + 1000,
            kind,
            metrics: { violation: 3 },
            levels: { violation: 2 },
          }),
        ),
      ),
    )
    expect(await rawCount()).toEqual({ count: 2 })
    await writer.settled()
    expect(await db.owner((trx) => rolledUp(trx, 'event_1m'))).toEqual([])
  })

  test('keeps what it cannot store, with the reason, and stores the rest', async () => {
    const stranger = await make.channel()
    const result = await writer.write(
      from([
        window(hour(1), { total: 1 }),
        window(hour(1), { total: 1 }, { channel_id: crypto.randomUUID() }),
        window(hour(1), { total: 1 }, { channel_id: stranger.uid }),
        window(Date.now() - 60 * 24 * hourMs, { total: 1 }),
        window(Date.now() + 10 * minuteMs, { total: 1 }),
        window(hour(1) + 1, { warmth: 1 }),
        window(hour(1) + 2, { total: Number.NaN }),
      ]),
    )
    expect(result).toEqual({ stored: 1, repeated: 0, rejected: 6 })
    expect(await reasons()).toEqual([
      'channel_unknown',
      'channel_elsewhere',
      'too_old',
      'too_new',
      'metric_unknown',
      'metric_unknown',
    ])
    const state = await db.owner((trx) =>
      trx.selectFrom('nimble_state').select('rejected_events').where('nimble_id', '=', nimble.id).executeTakeFirst(),
    )
    expect(state?.rejected_events).toBeGreaterThanOrEqual(6)
    await expectEqualSums()
  })

  test('with rows that the database refuses loses only those', async () => {
    const good = Array.from({ length: 40 }, (_, i) => window(hour(1) + i * 1000, { total: i }))
    const bad = [
      window(hour(1) + 500, { total: 1 }, { details: { text: 'a\u0000b' } }),
      window(hour(1) + 501, { total: 1 }, { event_uuid: 'not a uuid' }),
      window(hour(1) + 502, { total: 1 }, { observed_ms: 1e12 }),
    ]
    const batch = from([...good.slice(0, 13), bad[0]!, ...good.slice(13), bad[1]!, bad[2]!])
    expect(await writer.write(batch)).toEqual({ stored: 40, repeated: 0, rejected: 3 })
    expect(await writer.write(from(good))).toEqual({ stored: 0, repeated: 40, rejected: 0 })
    expect((await reasons()).every((reason) => reason.startsWith('unstorable: '))).toBe(true)
    await expectEqualSums()
  })

  test('that holds repeats stores the others also when the clock is set back in the middle', async () => {
    let at = Date.now()
    const set = createEventWriter({
      // The clock is set back just when the database refuses something.
      db: {
        ...db,
        ingest: (work) =>
          db.ingest(work).catch((error) => {
            at -= 8000
            throw error
          }),
      },
      bus,
      now: () => at,
    })
    const batch = from([window(hour(1), { total: 1 })])
    expect(await set.write(batch)).toMatchObject({ stored: 1 })
    expect(await set.write(batch)).toMatchObject({ repeated: 1 })
    at += 11_000
    const more = from([...batch.records, window(hour(1) + 1000, { total: 2 })])
    expect(await set.write(more)).toEqual({ stored: 1, repeated: 1, rejected: 0 })
    await set.stop()
  })

  test('of an edge server that lost the channel counts for what it observed until then, whenever it comes', async () => {
    const [before, after] = [await make.nimble(), await make.nimble()]
    const camera = await make.device({}, await make.site(), before)
    const moved = await make.channel({}, camera)
    const send = async (by: { tenant_id: number; id: number }, at: number) => {
      // A writer remembers channels for a while.
      const { stored } = await createEventWriter({ db, bus }).write({
        tenantId: by.tenant_id,
        nimbleId: by.id,
        records: [eventRecord({ channel_id: moved.uid, observed_at: at, metrics: { total: 1 } })],
        receivedAt: new Date(),
      })
      return stored
    }
    await db.owner((trx) => moveDevice(trx, camera, after))
    await db.owner((trx) => sql`update channel_former set until = ${new Date(hour(3))}`.execute(trx))
    expect(await send(before, hour(4))).toBe(1)
    expect(await send(before, hour(3) + 4 * minuteMs)).toBe(1)
    expect(await send(before, hour(3) + 6 * minuteMs)).toBe(0)
    expect(await send(after, hour(1))).toBe(1)
    // Back again, and away for good.
    const nowAt = (place: { id: number }) => ({ ...camera, nimble_id: place.id })
    await db.owner((trx) => moveDevice(trx, nowAt(after), before))
    expect(await send(before, hour(1))).toBe(1)
    expect(await send(after, hour(1) + 1)).toBe(1)
    expect(await db.owner((trx) => trx.selectFrom('channel_former').select('nimble_id').execute())).toEqual([
      { nimble_id: after.id },
    ])
  })

  test('of a camera that moves to another site while its channel is looked up has its picture there, and the next is told of there', async () => {
    const [was, is] = [await make.site(), await make.site()]
    const moving = await make.channel({}, await make.device({}, was, nimble))
    const told: (number | null)[] = []
    const end = bus.subscribe(({ siteId, message }) => void (message.type === 'event' && told.push(siteId)))
    let isAsked = false
    const meanwhile = createEventWriter({
      bus,
      db: {
        ...db,
        async ingest(work) {
          const answer = await db.ingest(work)
          if (!isAsked) {
            isAsked = true
            await db.owner((trx) =>
              trx.updateTable('channel').set({ site_id: is.id }).where('uid', '=', moving.uid).execute(),
            )
            bus.publish(changed(moving, 'channel', moving.uid))
          }
          return answer
        },
      },
    })
    const snapshot_id = newUid()
    const at = Date.now()
    const record = (observed_at: number, more: Partial<EventRecord> = {}) =>
      from([eventRecord({ channel_id: moving.uid, observed_at, metrics: { total: 1 }, ...more })])
    await meanwhile.write(record(at - 1000, { snapshot_id }))
    await meanwhile.write(record(at))
    end()
    await meanwhile.stop()
    const media = await db.owner((trx) =>
      trx.selectFrom('media').select('site_id').where('uid', '=', snapshot_id).executeTakeFirst(),
    )
    expect([media?.site_id, told.at(-1)]).toEqual([is.id, is.id])
  })

  test('of a channel that was known a moment ago and is deleted is kept apart with its reason', async () => {
    const gone = await make.channel({}, device)
    const record = () => eventRecord({ channel_id: gone.uid, observed_at: hour(1), metrics: { total: 1 } })
    expect(await writer.write(from([record()]))).toMatchObject({ stored: 1, rejected: 0 })
    await db.owner((trx) => trx.deleteFrom('channel').where('uid', '=', gone.uid).execute())
    bus.publish(changed(gone, 'channel', gone.uid))
    expect(await writer.write(from([record()]))).toMatchObject({ stored: 0, rejected: 1 })
    expect(await reasons()).toEqual([expect.stringContaining('channel')])
  })

  test('is refused whole while the writer pauses, and taken afterwards', async () => {
    const batch = from([window(hour(1), { total: 1 })])
    writer.pause('The data volume is 98 % full')
    await expect(writer.write(batch)).rejects.toMatchObject({ status: 507, code: 'disk_full' })
    writer.pause(null)
    expect(await writer.write(batch)).toMatchObject({ stored: 1 })
  })

  test('that arrives during a commit goes in with the others that wait', async () => {
    const before = await transactions()
    const batches = Array.from({ length: 50 }, (_, i) => from([window(hour(1) + i * 1000, { total: i })]))
    const results = await Promise.all(batches.map((batch) => writer.write(batch)))
    expect(results.every((result) => result.stored === 1)).toBe(true)
    expect((await transactions()) - before).toBeLessThan(25)
    await expectEqualSums()
  })
})

const transactions = async () => {
  const { rows } = await db.owner((trx) =>
    sql<{ count: number }>`select pg_current_xact_id()::text::bigint as count`.execute(trx),
  )
  return rows[0]!.count
}

describe('live messages', () => {
  const heard: StreamMessage[] = []
  bus.subscribe(({ message }) => heard.push(message))
  beforeEach(() => void heard.splice(0))

  test('tell of each channel its newest numbers, and nothing of repeats or of the past', async () => {
    const fresh = await make.channel({}, device)
    const of = (at: number, more: Partial<EventRecord>) =>
      eventRecord({ channel_id: fresh.uid, observed_at: at, ...more })
    const now = Date.now()
    const records = [
      of(now - 2000, { metrics: { total: 4, total_max: 5 } }),
      of(now - 1000, { kind: 'open', metrics: { violation: 1 }, levels: { violation: 2, total: 6 } }),
    ]
    await writer.write(from(records))
    expect(heard).toEqual([
      expect.objectContaining({
        type: 'event',
        channel_id: fresh.uid,
        usecase_key: 'pplcnt',
        records: 2,
        opened: 1,
        levels: { violation: 2, total: 6 },
        window_s: 5,
        event_uuid: records[1]!.event_uuid,
      }),
    ])
    await writer.write(from(records))
    await writer.write(from([of(now - 60_000, { metrics: { total: 99 } })]))
    expect(heard).toHaveLength(1)
    await writer.write(from([of(now, { metrics: { total: 3, total_min: 2, total_max: 5 } })]))
    expect(heard[1]).toMatchObject({ levels: { total: 3 }, opened: 0 })
  })
})

describe('minutes and hourly job at the same time', () => {
  // What the writer still adds would be added in place of what a test notes.
  beforeEach(() => writer.settled())

  /** Adds to the minutes in a transaction that stays open until `commit`. */
  async function openRound() {
    const { promise, resolve: commit } = Promise.withResolvers<void>()
    const added = Promise.withResolvers<number>()
    const done = db.ingest(async (trx) => {
      added.resolve(await addMinutes(trx))
      await promise
    })
    expect(await added.promise).toBe(1)
    return { commit, done }
  }
  /** A note that nobody has added yet. */
  async function note(at: number, total: number) {
    const record = window(at, { total })
    // The writer adds at once after a quiet time, and this takes its place.
    await db.ingest(async (trx) => {
      const events = [{ ...blank, at, observedMs: record.observed_ms, numbers: [4, total], eid: record.event_uuid }]
      await storeEvents(trx, nimble.tenant_id, events)
      await noteMinutes(trx, nimble.tenant_id, rollUp(events))
    })
  }
  const blank = {
    channel: channel.id,
    kind: 'window' as const,
    kindCode: 0,
    notable: true,
    nimble: nimble.id,
    source: 1,
    clockOffsetMs: 0,
    receivedAt: Date.now(),
    occasion: null,
    levels: null,
    details: null,
    snapshot: null,
    clip: null,
  }

  test('minutes that are committed after the job keep their mark', async () => {
    await note(hour(2) + 1000, 1)
    await addAllMinutes(db)
    await note(hour(2) + 2000, 5)
    const late = await openRound()
    await db.ingest(rollUpHours)
    late.commit()
    await late.done
    await db.ingest(rollUpHours)
    await expectEqualSums()
  })

  test('a note counts once, though two take it and one of them fails', async () => {
    await note(hour(1) + 1000, 3)
    const first = await openRound()
    const second = addAllMinutes(db)
    await waitingForLock(db)
    first.commit()
    await Promise.all([first.done, second])
    await note(hour(1) + 2000, 4)
    const failing = db.ingest(async (trx) => {
      await addMinutes(trx)
      throw new Error('the portal is killed')
    })
    await expect(failing).rejects.toThrow('the portal is killed')
    await expectEqualSums()
  })

  test('an hour is not sealed over minutes that are not committed', async () => {
    await db.owner((trx) => sql`update rollup_seal set sealed_until = ${new Date(hour(3))}`.execute(trx))
    await note(hour(2) + 2000, 5)
    const open = await openRound()
    let sealed = false
    const sealing = db
      .ingest((trx) => sealHours(trx, Date.now()))
      .then(() => {
        sealed = true
      })
    await waitingForLock(db)
    expect(sealed).toBe(false)
    open.commit()
    await Promise.all([open.done, sealing])
    await expectEqualSums()
  })

  test('random batches, repeated, reordered and overlapping, from two writers: raw = minutes = hours', async () => {
    const other = createEventWriter({ db, bus: createBus() })
    const level = fc.record({ total: fc.integer({ min: 0, max: 2000 }).map((value) => value / 100) })
    const arbitrary = fc.record({
      channel: fc.nat(channels.length - 1),
      // Few distinct moments, on and beside the borders of minutes and hours.
      at: fc.tuple(fc.integer({ min: 0, max: 3 }), fc.constantFrom(0, 1, 59_999, 60_000, 1_800_000, 3_599_999)),
      kind: fc.constantFrom('window' as const, 'window' as const, 'open' as const, 'close' as const),
      observed: fc.constantFrom(0, 1, 4999, 5000),
      metrics: fc.oneof(level, fc.constant({ violation: 1 }), fc.constant({ total: 3, total_min: 0.5, total_max: 9 })),
    })
    const scenario = fc.record({
      records: fc.array(arbitrary, { minLength: 1, maxLength: 60 }),
      // Each batch: whose writer, where it starts, how long it is, whether it comes backwards.
      batches: fc.array(
        fc.record({
          writer: fc.nat(1),
          start: fc.nat(59),
          length: fc.integer({ min: 1, max: 30 }),
          back: fc.boolean(),
        }),
        { minLength: 1, maxLength: 12 },
      ),
      seals: fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 4 }),
    })
    await fc.assert(
      fc.asyncProperty(scenario, async ({ records, batches, seals }) => {
        await clear()
        await db.owner((trx) => sql`update rollup_seal set sealed_until = ${new Date(hour(4))}`.execute(trx))
        const all = records.map(({ channel: index, at: [ago, offset], kind, observed, metrics }) =>
          eventRecord({
            channel_id: channels[index]!.uid,
            observed_at: hour(ago + 1) + offset,
            kind,
            observed_ms: kind === 'window' ? observed : 0,
            metrics,
          }),
        )
        const sent = batches.map(({ start, length, back }) => {
          const part = all.slice(start % all.length, (start % all.length) + length)
          return back ? part.reverse() : part
        })
        const jobs = seals
          .sort((a, b) => b - a)
          .reduce((before, ago) => before.then(() => hourlyJob(db, hour(ago) + 3 * minuteMs)), Promise.resolve())
        const results = await Promise.all(
          sent.map((part, i) => (batches[i]!.writer === 0 ? writer : other).write(from(part))),
        )
        await jobs
        const distinct = new Set(sent.flat().map((record) => record.event_uuid)).size
        expect(results.reduce((sum, result) => sum + result.stored, 0)).toBe(distinct)
        expect(await rawCount()).toEqual({ count: distinct })
        await expectEqualSums()
      }),
      { numRuns: 40, interruptAfterTimeLimit: 20_000 },
    )
    await other.stop()
  })
})

test('a writer that stopped refuses, and takes what waited before', async () => {
  const own = createEventWriter({ db, bus })
  const last = own.write(from([window(hour(1), { total: 1 })]))
  await own.stop()
  expect(await last).toMatchObject({ stored: 1 })
  await expect(own.write(from([]))).rejects.toBeInstanceOf(Refusal)
})

test('what watched is a dictionary that nobody fills: beyond its size cause and model are left out', async () => {
  const watcher = (state_cause: string | null) => ({
    detector: 'onnx' as const,
    detector_state: 'degraded' as const,
    state_cause,
    model_version: 'made up',
  })
  const stored = () =>
    db.owner((trx) =>
      trx.selectFrom('event_source').selectAll().where('model_version', '=', 'made up').orderBy('id').execute(),
    )
  const roomy = sourceDictionary(db)
  const [known, other] = [watcher('known'), watcher('other')]
  const idOf = await roomy.lookUp([known, other])
  expect(new Set([idOf(known), idOf(other), idOf(known)]).size).toBe(2)
  const full = sourceDictionary(db, 2)
  const next = watcher('one more')
  const inFull = await full.lookUp([known, next, known])
  expect(inFull(known)).toBe(idOf(known))
  const row = await db.owner((trx) =>
    trx.selectFrom('event_source').selectAll().where('id', '=', inFull(next)).executeTakeFirstOrThrow(),
  )
  expect(row).toMatchObject({ detector: 'onnx', detector_state: 'degraded', state_cause: null, model_version: null })
  expect((await stored()).map((one) => one.state_cause)).toEqual(['known', 'other'])
})
