import { uuidv7Ms } from '@sightline/domain'
import { describe, expect, test } from 'vitest'
import { createClock } from './clock.ts'
import { createStamper, type Occasions } from './stamp.ts'
import { testRecord } from './testing/records.ts'

const hour = 3_600_000

function clockOf(wallAt = 1_780_000_000_000) {
  const time = { wall: wallAt, steady: 1000 }
  const kept: number[] = []
  const clock = createClock(
    0,
    (offset) => kept.push(offset),
    () => time.wall,
    () => time.steady,
  )
  return { clock, kept, time }
}

describe('clock', () => {
  test.each([2 * hour, -2 * hour])('a clock that is off by %i ms is corrected', (off) => {
    const { clock, kept } = clockOf()
    clock.measured(off + 3, 8)
    expect(clock.offsetMs()).toBe(off + 3)
    expect(kept).toEqual([off + 3])
  })

  test('noise of the network moves nothing', () => {
    const { clock, kept } = clockOf()
    for (const noise of [3, -7, 40, -45]) clock.measured(noise, 2)
    clock.measured(900, 2000)
    expect(clock.offsetMs()).toBe(0)
    clock.measured(2 * hour, 10)
    clock.measured(2 * hour + 30, 10)
    expect(kept).toEqual([2 * hour])
  })

  test('a clock that is put right is left alone again', () => {
    const { clock } = clockOf()
    clock.measured(2 * hour, 2)
    clock.measured(4, 2)
    expect(clock.offsetMs()).toBe(0)
  })

  test('a jump of the edge clock is undone before the next measurement', () => {
    const { clock, time } = clockOf()
    time.wall += 5000 - hour
    time.steady += 5000
    expect(clock.offsetMs()).toBe(hour)
    time.wall += hour
    expect(clock.offsetMs()).toBe(0)
  })
})

/** Keeps open occasions as the file would. */
function memory(list: [string, string][] = []): Occasions {
  return {
    load: () => list,
    save: (next) => {
      list = next
    },
  }
}

describe('stamp', () => {
  test('a right clock leaves times and ids alone', () => {
    const record = testRecord({ details: { zone: 'zone1' } })
    expect(createStamper(() => 0, memory())(record)).toEqual(record)
  })

  test('times, ids and the raw time agree', () => {
    const record = testRecord({ details: { zone: 'zone1' } })
    const stamped = createStamper(() => -2 * hour, memory())(record)
    expect(stamped.observed_at).toBe(record.observed_at - 2 * hour)
    expect(uuidv7Ms(stamped.event_uuid)).toBe(stamped.observed_at)
    expect(stamped.event_uuid.slice(13)).toBe(record.event_uuid.slice(13))
    expect(stamped.clock_offset_ms).toBe(-2 * hour)
    expect(stamped.details).toEqual({ zone: 'zone1', raw_observed_at: record.observed_at })
    expect(createStamper(() => 5, memory())(testRecord()).details).toBeNull()
  })

  test('times inside the details are corrected as well', () => {
    const details = { started_at: '2026-05-04T12:00:00.000Z', ended_at: '2026-05-04T12:00:06.800Z' }
    expect(createStamper(() => hour, memory())(testRecord({ kind: 'close', details })).details).toMatchObject({
      started_at: '2026-05-04T13:00:00.000Z',
      ended_at: '2026-05-04T13:00:06.800Z',
    })
  })

  test('an occasion keeps its id though the correction changes meanwhile', () => {
    let offset = 0
    const stamp = createStamper(() => offset, memory())
    const base = testRecord({ kind: 'open' })
    const open = stamp({ ...base, occasion_id: base.event_uuid })
    offset = hour
    const update = stamp(testRecord({ kind: 'update', occasion_id: base.event_uuid }))
    const close = stamp(testRecord({ kind: 'close', occasion_id: base.event_uuid }))
    expect(open.occasion_id).toBe(open.event_uuid)
    expect([update.occasion_id, close.occasion_id]).toEqual([open.event_uuid, open.event_uuid])
  })

  test('an occasion opened under a wrong clock keeps its corrected id', () => {
    let offset = hour
    const kept = memory()
    const stamp = createStamper(() => offset, kept)
    const base = testRecord({ kind: 'open' })
    const open = stamp({ ...base, occasion_id: base.event_uuid })
    expect(open.occasion_id).toBe(open.event_uuid)
    expect(open.event_uuid).not.toBe(base.event_uuid)
    offset = 0
    // Also by a run that comes after this one.
    const later = createStamper(() => offset, kept)
    // And after its close, when it goes on within the cooldown.
    for (const kind of ['close', 'update', 'close'] as const)
      expect(later(testRecord({ kind, occasion_id: base.event_uuid })).occasion_id).toBe(open.event_uuid)
  })
})

describe('a clock that is set while records are made', () => {
  /** Right at first; `set` is noticed with the next record. */
  function running() {
    const { clock, time } = clockOf()
    const stamp = createStamper(clock.offsetAt, memory())
    return {
      clock,
      stamp,
      set: (byMs: number) => {
        time.wall += byMs
      },
      pass(ms: number) {
        time.wall += ms
        time.steady += ms
      },
      now: () => time.wall,
      portalNow: () => time.wall + clock.offsetMs(),
    }
  }
  const iso = (at: number) => new Date(at).toISOString()

  test.each([-hour, hour])('by %i ms: what was seen before and what is seen after both keep their time', (byMs) => {
    const { stamp, set, pass, now, portalNow } = running()
    const opened = testRecord({ kind: 'open', observed_at: now() })
    stamp({ ...opened, occasion_id: opened.event_uuid })
    pass(60_000)
    const lastSeen = now()
    set(byMs)
    pass(400)
    // The analysis ends all at the newest time that it knew, and goes on in the new one.
    const records = [
      testRecord({ observed_at: lastSeen }),
      testRecord({
        kind: 'close',
        occasion_id: opened.event_uuid,
        observed_at: lastSeen,
        details: { started_at: iso(opened.observed_at), ended_at: iso(lastSeen) },
      }),
      testRecord({ observed_at: now() - 200 }),
    ].map(stamp)
    expect(records.map(({ observed_at }) => observed_at)).toEqual([lastSeen, lastSeen, portalNow() - 200])
    expect(records[1]?.details).toMatchObject({ started_at: iso(opened.observed_at), ended_at: iso(lastSeen) })
    expect(records.map(({ clock_offset_ms }) => clock_offset_ms)).toEqual([0, 0, -byMs])
    // What began before it ends long after.
    pass(600_000)
    const later = stamp(
      testRecord({
        kind: 'close',
        observed_at: now(),
        details: { started_at: iso(opened.observed_at), ended_at: iso(now()) },
      }),
    )
    expect(later.observed_at).toBe(portalNow())
    expect(later.details).toMatchObject({ started_at: iso(opened.observed_at), ended_at: iso(portalNow()) })
  })

  test('and set right again by the portal it is corrected anew, what was seen before as before', () => {
    const { clock, stamp, set, pass, now } = running()
    const lastSeen = now()
    set(-hour)
    pass(400)
    clock.measured(hour + 2000, 10)
    expect(stamp(testRecord({ observed_at: lastSeen })).observed_at).toBe(lastSeen)
    expect(stamp(testRecord({ observed_at: now() })).observed_at).toBe(now() + hour + 2000)
  })
})
