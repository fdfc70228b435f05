import { expect, test } from 'vitest'
import { occasionsIn, open, play, room, told, track, windows } from '../testing/made.ts'

const loitering = (seconds: number) => open('loiterdtec', [room], { 'analytic.dwell_s': seconds })
const inside = (id = 1) => track(id, 0.5, 0.7)
const outside = (id = 1) => track(id, 0.2, 0.7)

test('who stays for the dwell time is one occasion, which ends with leaving', () => {
  const channel = loitering(10)
  const records = play(channel, 30_200, (ms) => [ms >= 2000 && ms < 20_000 ? inside() : outside()])
  const changes = told(records)
  // In from 2 s on; a second after 19.8 s it has left.
  expect(changes[0]).toEqual(['open', 12_000, { violation: 1 }])
  expect(changes.at(-1)).toEqual(['close', 20_800, { dwell_time: 18 }, 'ended'])
  expect(occasionsIn(records)).toBe(1)
})

test('a visit shorter than the dwell time is none', () => {
  const channel = loitering(10)
  const records = play(channel, 30_000, (ms) => [ms >= 2000 && ms < 8000 ? inside() : outside()])
  expect(told(records)).toEqual([])
})

test('the dwelling time is the longest running stay, and absent while nobody is in a zone', () => {
  const channel = loitering(60)
  const records = play(channel, 25_200, (ms) => [
    outside(9),
    ...(ms < 11_000 ? [inside(1)] : []),
    ...(ms >= 4000 && ms < 9000 ? [track(2, 0.45, 0.5)] : []),
  ])
  const times = windows(records).map(({ metrics }) => metrics.dwell_time)
  expect(times).toEqual([4.8, 9.8, 10.8, undefined, undefined])
  expect(windows(records).map(({ metrics }) => metrics.violation)).toEqual([0, 0, 0, 0, 0])
})

test('somebody hidden for less than three seconds and found at the same spot goes on dwelling, though the track is another', () => {
  const channel = loitering(10)
  const records = play(channel, 15_000, (ms) => (ms < 6000 ? [inside(1)] : ms < 8400 ? [] : [inside(2)]))
  expect(told(records)[0]).toEqual(['open', 10_000, { violation: 1 }])
  expect(occasionsIn(records)).toBe(1)
})

test.each([
  ['hidden for longer', (ms: number) => (ms < 6000 ? [inside(1)] : ms < 9400 ? [] : [inside(2)])],
  ['found elsewhere', (ms: number) => (ms < 6000 ? [inside(1)] : ms < 7000 ? [] : [track(2, 0.45, 0.45)])],
])('somebody %s begins anew', (_, shown) => {
  expect(told(play(loitering(10), 15_000, shown))).toEqual([])
})

test('who stands below the edge of the picture is inside as well when found again as another track', () => {
  const whole = {
    points: [
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 1],
    ] as [number, number][],
  }
  const channel = open('loiterdtec', [whole], { 'analytic.dwell_s': 10 })
  const records = play(channel, 12_000, (ms) =>
    ms < 6000 ? [track(1, 0.5, 1.1)] : ms < 7000 ? [] : [track(2, 0.5, 1.1)],
  )
  expect(told(records)[0]).toEqual(['open', 10_000, { violation: 1 }])
})

test('a step outside of less than the time that leaving takes is no leaving', () => {
  const channel = loitering(10)
  const records = play(channel, 12_000, (ms) => [ms >= 5000 && ms < 5800 ? outside() : inside()])
  expect(told(records)[0]).toEqual(['open', 10_000, { violation: 1 }])
})

test('who leaves and comes back must stay the whole time again; within the cool-down it goes on under its id', () => {
  const channel = loitering(10)
  const visits = (ms: number) => [ms < 12_000 || (ms >= 20_000 && ms < 34_000) || ms >= 80_000 ? inside() : outside()]
  const records = play(channel, 95_000, visits)
  const changes = told(records).filter(([kind, , , cause]) => kind !== 'update' || cause === 'resumed')
  expect(changes.map(([kind, at, , cause]) => [kind, at, cause])).toEqual([
    ['open', 10_000, undefined],
    ['close', 12_800, 'ended'],
    ['update', 30_000, 'resumed'],
    ['close', 34_800, 'ended'],
    ['open', 90_000, undefined],
  ])
})

test('somebody who stands there for an hour is told of less and less often', () => {
  const channel = loitering(10)
  const records = play(channel, 3_600_000, () => [inside()], 0, 1000)
  const changes = told(records)
  expect(changes.filter(([kind]) => kind === 'open')).toHaveLength(1)
  expect(changes.length).toBeLessThan(80)
  expect(changes.length).toBeGreaterThan(20)
})

test('two who loiter are two occasions, and the level says how many', () => {
  const channel = loitering(5)
  const records = play(channel, 20_200, () => [inside(1), track(2, 0.45, 0.5)])
  expect(occasionsIn(records)).toBe(2)
  expect(windows(records).at(-1)?.metrics).toMatchObject({ violation: 2, violation_max: 2 })
})

test('a stop closes what is open, and a lost camera ends the dwelling', () => {
  const stopped = loitering(5)
  play(stopped, 8000, () => [inside()])
  expect(
    told(stopped.close(Date.UTC(2026, 4, 4, 12, 0, 8), 'restart')).map(([kind, , , cause]) => [kind, cause]),
  ).toEqual([['close', 'restart']])
  const lost = loitering(5)
  play(lost, 8000, () => [inside()])
  expect(told(lost.lose(Date.UTC(2026, 4, 4, 12, 0, 8))).map(([kind, , , cause]) => [kind, cause])).toEqual([
    ['close', 'lost'],
  ])
  expect(told(play(lost, 23_000, () => [inside()], 20_000))).toEqual([])
})
