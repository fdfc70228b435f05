import { usecaseKeys } from '@sightline/domain'
import { expect, test } from 'vitest'
import { type AnalyticSettings, settingsOf } from '../settings.ts'
import { dayOf } from './pplocc.ts'
import { startUsecase } from './table.ts'
import type { Carried, Facts, Followed, Step } from './usecase.ts'

const start = Date.UTC(2026, 4, 4, 12)

const person = (trackId: number, more: Partial<Followed> = {}): Followed => ({
  trackId,
  box: [0.4, 0.4, 0.1, 0.3],
  score: 0.9,
  label: 'person',
  present: true,
  detected: true,
  stays: [],
  ground: null,
  embedding: null,
  ...more,
})
const inZone = (trackId: number, since = start, more: Partial<Followed> = {}, lastInsideAt = since) =>
  person(trackId, { stays: [{ zone: 'zone1', since, lastInsideAt, appeared: false }], ...more })

const facts = (more: Partial<Facts> = {}): Facts => ({
  at: start,
  aspect: 16 / 9,
  height: 360,
  watching: true,
  still: false,
  sight: 'clear',
  people: [],
  faces: [],
  vehicles: [],
  parts: null,
  flames: null,
  moving: 0,
  crossings: [],
  zones: [{ name: 'zone1', points: [], dwellMs: null }],
  ...more,
})
const up = { line: 'line1', direction: 'up', trackId: 1 } as const
const down = { line: 'line1', direction: 'down', trackId: 2 } as const

function run(
  key: Parameters<typeof settingsOf>[0]['usecase_key'],
  settings: Partial<AnalyticSettings> = {},
  carried: Carried | null = null,
): (facts: Facts) => Step<unknown> {
  const { analytic } = settingsOf({ usecase_key: key, pipeline_elements: {} })
  return startUsecase(key, { ...analytic, ...settings }, carried)
}

test('people counting counts who is present inside the zones, or anywhere without zones', () => {
  const people = [inZone(1), inZone(2, start, { present: false }), person(3)]
  expect(run('pplcnt')(facts({ people })).levels).toEqual({ total: 1 })
  expect(run('pplcnt')(facts({ people, zones: [] })).levels).toEqual({ total: 2 })
})

test('somebody in two zones is one person', () => {
  const stays = ['zone1', 'zone2'].map((zone) => ({ zone, since: start, lastInsideAt: start, appeared: false }))
  expect(run('pplcnt')(facts({ people: [person(1, { stays })] })).levels).toEqual({ total: 1 })
})

test('tracking counts who is followed inside the zones, and tells of no occasion of its own', () => {
  const people = [inZone(1), inZone(2), inZone(3, start, { present: false }), person(4)]
  const reduce = run('ppltrk')
  expect(reduce(facts({ people }))).toMatchObject({ levels: { total: 2 }, instants: [], situations: [] })
  expect(reduce(facts({ at: start + 200, people: [inZone(2)] })).levels).toEqual({ total: 1 })
})

test('lines of people counting add up and down, each crossing an occasion of its own', () => {
  const { instants, levels } = run('pplcnt')(facts({ people: [inZone(1)], crossings: [up, down] }))
  expect(instants.flatMap(({ metrics }) => metrics)).toEqual(['up', 'down'])
  expect(instants[0]?.details).toMatchObject({ line: 'line1', direction: 'up', track_id: 1, boxes: [{ track_id: 1 }] })
  expect(levels).toEqual({ total: 1 })
})

test.each(usecaseKeys)('%s measures nothing while nothing can be counted', (key) => {
  expect(run(key)(facts({ watching: false })).levels).toBeNull()
})

test('average people counting is the mean over the sliding time, whatever the rate of pictures', () => {
  const reduce = run('pplcntavg', { averageMs: 10_000 })
  let last: Step<unknown> | null = null
  for (let ms = 0; ms <= 20_000; ms += ms < 15_000 ? 200 : 1000)
    last = reduce(facts({ at: start + ms, people: ms >= 12_000 && ms < 17_000 ? [inZone(1), inZone(2)] : [] }))
  // The last 10 s are 10…20 s: two people for 5 of them.
  expect(last?.levels).toEqual({ total: 0, moving_average_count: 1 })
})

test('a gap in the pictures does not enter the average', () => {
  const reduce = run('pplcntavg', { averageMs: 60_000 })
  for (const ms of [0, 1000, 2000]) reduce(facts({ at: start + ms, people: [inZone(1)] }))
  for (const ms of [30_000, 31_000]) reduce(facts({ at: start + ms }))
  expect(reduce(facts({ at: start + 32_000 })).levels?.moving_average_count).toBe(0.5)
})

test('occupancy is base plus who came less who went, never below zero', () => {
  const reduce = run('pplocc', { base: 1 })
  const after = (...crossings: Facts['crossings'][number][]) => reduce(facts({ crossings })).levels?.occupancy
  expect([after(), after(up), after(up, up), after(down), after(down, down, down, down), after(up)]).toEqual([
    1, 2, 4, 3, 0, 1,
  ])
})

test('occupancy survives a restart, and goes back to its base on a new day', () => {
  const settings = { base: 2, resetAt: '04:00', timezone: 'America/Montreal' }
  const at = (iso: string) => Date.parse(iso)
  const carried = { at: at('2026-05-04T23:00:00-04:00'), levels: { occupancy: 9 } }
  const night = run('pplocc', settings, carried)
  expect(night(facts({ at: at('2026-05-05T03:59:00-04:00') })).levels?.occupancy).toBe(9)
  expect(night(facts({ at: at('2026-05-05T04:00:00-04:00') })).levels?.occupancy).toBe(2)
  expect(run('pplocc', settings, carried)(facts({ at: at('2026-05-07T12:00:00-04:00') })).levels?.occupancy).toBe(2)
  expect(run('pplocc', { base: 2 }, carried)(facts({ at: at('2026-09-07T12:00:00Z') })).levels?.occupancy).toBe(9)
})

test('occupancy counts on from what somebody said, also just after a new day began, until the next one', () => {
  const settings = { base: 2, resetAt: '04:00', timezone: 'America/Montreal' }
  const said = { at: Date.parse('2026-05-05T04:00:30-04:00'), levels: { occupancy: 12 } }
  const day = run('pplocc', settings, said)
  const at = (iso: string, ...crossings: Facts['crossings'][number][]) =>
    day(facts({ at: Date.parse(iso), crossings })).levels?.occupancy
  expect(at('2026-05-05T04:01:00-04:00')).toBe(12)
  expect(at('2026-05-05T09:00:00-04:00', up, up, down)).toBe(13)
  expect(at('2026-05-06T04:00:00-04:00')).toBe(2)
})

test('the hour that comes twice in autumn is one new day, however it is looked at', () => {
  const settings = { base: 2, resetAt: '01:30', timezone: 'America/Montreal' }
  const saturday = { at: Date.parse('2026-10-31T23:00:00-04:00'), levels: { occupancy: 9 } }
  const night = run('pplocc', settings, saturday)
  const at = (iso: string, ...crossings: Facts['crossings'][number][]) =>
    night(facts({ at: Date.parse(iso), crossings })).levels?.occupancy
  expect([at('2026-11-01T01:29:00-04:00'), at('2026-11-01T01:31:00-04:00', up)]).toEqual([9, 3])
  expect([at('2026-11-01T01:01:00-05:00', up), at('2026-11-01T01:31:00-05:00', up)]).toEqual([4, 5])
  expect(at('2026-11-02T01:30:00-05:00')).toBe(2)
})

test('a clock that was years ahead and is put right begins no day, and the next one begins as ever', () => {
  const settings = { base: 2, resetAt: '04:00', timezone: 'America/Montreal' }
  const ahead = { at: Date.parse('2031-05-05T12:00:00-04:00'), levels: { occupancy: 9 } }
  const day = run('pplocc', settings, ahead)
  const at = (iso: string) => day(facts({ at: Date.parse(iso) })).levels?.occupancy
  expect([at('2026-05-05T12:00:00-04:00'), at('2026-05-06T03:59:00-04:00'), at('2026-05-06T04:00:00-04:00')]).toEqual([
    9, 9, 2,
  ])
})

test('what somebody says just after a new day began is not undone by a picture from just before', () => {
  const settings = { base: 2, resetAt: '04:00', timezone: 'America/Montreal' }
  const day = run('pplocc', settings, { at: Date.parse('2026-05-05T04:00:01-04:00'), levels: { occupancy: 12 } })
  const at = (iso: string) => day(facts({ at: Date.parse(iso) })).levels?.occupancy
  expect([at('2026-05-05T03:59:59-04:00'), at('2026-05-05T04:00:02-04:00')]).toEqual([12, 12])
})

test.each([
  ['2026-03-08T06:59:00Z', '02:30', 'America/Montreal', '2026-03-07'],
  ['2026-03-08T07:00:00Z', '02:30', 'America/Montreal', '2026-03-08'],
  ['2026-05-04T18:14:00Z', '00:00', 'Asia/Kathmandu', '2026-05-04'],
  ['2026-05-04T18:15:00Z', '00:00', 'Asia/Kathmandu', '2026-05-05'],
  ['2026-01-01T00:30:00Z', '01:00', 'UTC', '2025-12-31'],
])('%s, days from %s in %s, belongs to %s', (at, resetAt, timezone, day) => {
  expect(dayOf(Date.parse(at), { resetAt, timezone })).toBe(day)
})

test('intrusion begins after the dwell time; all others in the picture do not violate', () => {
  const reduce = run('intrdtec', { dwellMs: 1000 })
  const at = (ms: number) =>
    reduce(
      facts({ at: start + ms, people: [inZone(1, start, {}, start + ms), person(2), person(3, { present: false })] }),
    )
  const before = at(800)
  expect(before.levels).toEqual({ total: 2, violation: 0, non_violation: 2 })
  expect(before.situations).toEqual([])
  const then = at(1000)
  expect(then.levels).toEqual({ total: 2, violation: 1, non_violation: 1 })
  expect(then.situations).toMatchObject([{ key: 'zone1/1', metric: 'violation', trackId: 1 }])
})

test('an intruder hidden for a moment does not count as there, but the intrusion goes on', () => {
  const { levels, situations } = run('intrdtec')(
    facts({ at: start + 5000, people: [inZone(1, start, { present: false }, start + 1000)] }),
  )
  expect(levels).toEqual({ total: 0, violation: 0, non_violation: 0 })
  expect(situations).toHaveLength(1)
})

test('the empty frame check asks whether nobody is there only after the hold time', () => {
  const reduce = run('emptyframecheck', { holdMs: 10_000 })
  const at = (ms: number, more: Partial<Facts> = {}) => reduce(facts({ at: start + ms, ...more }))
  expect(at(0).levels).toEqual({ total: 0 })
  expect(at(9000).situations).toEqual([])
  expect(at(10_000)).toMatchObject({ levels: { total: 1 }, situations: [{ key: 'nobody' }] })
  expect(at(11_000, { moving: 1 })).toMatchObject({ levels: { total: 0 }, situations: [] })
  expect(at(20_000).situations).toEqual([])
  expect(at(30_000).situations).toHaveLength(1)
})

test('a blind camera is another question, and while it lasts nobody can say who is there', () => {
  const reduce = run('emptyframecheck', { holdMs: 10_000 })
  const at = (ms: number, more: Partial<Facts> = {}) => reduce(facts({ at: start + ms, ...more }))
  at(0)
  at(10_000)
  const black = { sight: 'black', watching: false } as const
  expect(at(11_000, black)).toMatchObject({ levels: { total: 0 }, situations: [] })
  expect(at(21_000, black)).toMatchObject({
    levels: { total: 1 },
    situations: [{ key: 'blind', details: { question: 'blind', finding: 'black' } }],
  })
  expect(at(22_000)).toMatchObject({ levels: { total: 0 }, situations: [] })
})
