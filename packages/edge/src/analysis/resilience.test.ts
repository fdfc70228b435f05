import { expect, test } from 'vitest'
import type { SeenTrack } from './perception.ts'
import { fromAbove, occasionsIn, open, play, room, told, track, windows } from './testing/made.ts'

const parked = (id = 1): SeenTrack => track(id, 0.5, 0.7)

test('what is parked is one event for as long as it stands, however often its track breaks', () => {
  const channel = open('intrdtec', [room], { 'analytic.labels': 'vehicle' })
  // Lost for two seconds of every minute and found again as another track.
  const records = play(
    channel,
    3_600_000,
    (ms) => (ms % 60_000 < 2000 ? [] : [{ ...parked(1 + Math.floor(ms / 60_000)), label: 'vehicle' }]),
    0,
    1000,
  )
  expect(occasionsIn(records)).toBe(1)
  expect(told(records).filter(([kind]) => kind === 'open')).toHaveLength(1)
})

test('a pair that stands close together for an hour is one event', () => {
  const channel = open('phydist', [], fromAbove)
  const records = play(channel, 3_600_000, () => [parked(1), track(2, 0.55, 0.7)], 0, 1000)
  expect(told(records)).toEqual([['open', 2000, { violation: 1 }]])
})

test('a camera that is moved tells no violation, says why it does not look, and goes on with what was open', () => {
  const channel = open('intrdtec', [room])
  const moved = { watching: false, cause: 'degraded:scene_changed', tracks: [] }
  const records = play(channel, 20_000, (ms) =>
    ms < 6000 ? [parked(1)] : ms < 9000 ? moved : [parked(2), ...(ms < 12_000 ? [track(3, 0.1, 0.7)] : [])],
  )
  expect(told(records).map(([kind, , , cause]) => [kind, cause])).toEqual([
    ['open', undefined],
    ['close', 'lost'],
    ['update', 'resumed'],
  ])
  expect(occasionsIn(records)).toBe(1)
  expect(windows(records)[1]).toMatchObject({ detector_state: 'degraded', state_cause: 'degraded:scene_changed' })
  expect(windows(records)[1]?.observed_ms).toBeLessThan(2500)
})

test.each([
  ['loiterdtec', { 'analytic.dwell_s': 5 }],
  ['phydist', fromAbove],
] as const)('%s: a clock that is set back ends what was, and begins anew', (usecase, elements) => {
  const channel = open(usecase, [room], elements)
  const people = () => [parked(1), track(2, 0.45, 0.7)]
  const before = play(channel, 10_000, people, 4000)
  expect(told(before).some(([kind]) => kind === 'open')).toBe(true)
  channel.lose(Date.UTC(2026, 4, 4, 12, 0, 10))
  const after = play(channel, 3000, people, 0)
  expect(told(after).filter(([kind]) => kind !== 'close')).toEqual(
    usecase === 'phydist' ? [['update', expect.any(Number), { violation: 2 }, 'resumed']] : [],
  )
})
