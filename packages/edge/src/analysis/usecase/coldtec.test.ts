import { expect, test } from 'vitest'
import type { SeenTrack } from '../perception.ts'
import { fromAbove, open, play, told, track, windows } from '../testing/made.ts'

/** The floor is 16 by 9 metres. Reach of a forklift and a person: 0.9 + 0.3 m. */
const atMetres = (id: number, x: number, y: number, label: SeenTrack['label'] = 'person') =>
  track(id, x / 16, y / 9, { label, box: [x / 16 - 0.03, y / 9 - 0.1, 0.06, 0.1] })
const forklift = (x: number, y = 5) => atMetres(1, x, y, 'forklift')
const person = (x: number, y = 5) => atMetres(2, x, y)
const watch = (untilMs: number, shown: (seconds: number) => SeenTrack[], elements = {}) =>
  play(open('coldtec', [], { ...fromAbove, ...elements }), untilMs, (ms) => shown(ms / 1000), 0, 100)

/** From 2 m at 3 m/s, braking at 6 m/s² so that it stands at `stop`. */
function driven(seconds: number, stop: number): number {
  const brakeAt = (stop - 0.75 - 2) / 3
  if (seconds < brakeAt) return 2 + 3 * seconds
  const t = Math.min(0.5, seconds - brakeAt)
  return stop - 0.75 + 3 * t - 3 * t * t
}

test('a forklift that brakes half a metre before somebody is one near miss', () => {
  const records = watch(8000, (s) => [forklift(driven(s, 8.3)), person(10)])
  expect(told(records).map(([kind, , metrics]) => [kind, metrics])).toEqual([
    ['open', { total_near_miss: 1, total: 1 }],
  ])
  const { details, observed_at } = records.find(({ kind }) => kind === 'open')!
  expect(details).toMatchObject({
    instant: true,
    label: 'forklift + person',
    distance_m: 0.5,
    boxes: [{ track_id: 1 }, { track_id: 2 }],
  })
  // It stands at 2.35 s, and it is known by then that no more comes of it within a second and a half.
  expect(observed_at % 60_000).toBeLessThan(4000)
})

test.each<[string, (seconds: number) => SeenTrack[]]>([
  ['one that stops three metres away', (s) => [forklift(driven(s, 5.8)), person(10)]],
  ['one that passes three metres beside', (s) => [forklift(2 + 3 * s), person(8, 8.2)]],
  ['one that drives away', (s) => [forklift(10 - 2 * s), person(12)]],
  ['one beside which somebody walks', (s) => [forklift(2 + 1.3 * s), person(2 + 1.3 * s, 5.9)]],
  ['one that stands while somebody walks up to it', (s) => [forklift(8), person(Math.max(8.8, 14 - 1.4 * s))]],
  ['two people who run into each other', (s) => [atMetres(1, 2 + 2 * s, 5), person(Math.max(9, 14 - 2 * s))]],
])('%s: nothing', (_, shown) => {
  const records = watch(5200, shown)
  expect(told(records)).toEqual([])
  expect(windows(records)[0]).toMatchObject({ observed_ms: 5000, metrics: {} })
})

test('discs that touch while a velocity breaks are one collision, and no near miss besides', () => {
  // Touching at 8.8 m, after 2.27 s; from there it pushes the person along.
  const records = watch(6000, (s) => {
    const front = Math.min(13, 2 + 3 * s)
    return [forklift(front), person(Math.max(10, front + 1.2))]
  })
  expect(told(records).map(([, , metrics]) => metrics)).toEqual([{ total_collision: 1, total: 1 }])
})

test('one that stops dead at a vehicle is a collision too', () => {
  // Reach 0.9 + 1.2 m.
  const records = watch(6000, (s) => [forklift(Math.min(8, 2 + 3 * s)), atMetres(3, 10.05, 5, 'vehicle')])
  expect(told(records).map(([, , metrics]) => metrics)).toEqual([{ total_collision: 1, total: 1 }])
})

test('discs that touch without a break are a near miss: somebody jumps clear', () => {
  const records = watch(6000, (s) => [forklift(2 + 3 * s), person(10, 5 + Math.max(0, Math.min(1.1, 1.1 * (s - 1.2))))])
  expect(told(records).map(([, , metrics]) => metrics)).toEqual([{ total_near_miss: 1, total: 1 }])
})

test('the same pair is told once in ten seconds', () => {
  const again = (pause: number) => watch(30_000, (s) => [forklift(driven(s % pause, 8.3)), person(10)])
  expect(told(again(6)).length).toBe(3)
  expect(told(again(15)).length).toBe(2)
})

test('times, distances and radii are the pipeline’s', () => {
  const three = (s: number) => [forklift(driven(s, 6.8)), person(10)]
  expect(told(watch(6000, three))).toEqual([])
  expect(told(watch(6000, three, { 'analytic.gap_m': 2.5 }))).toHaveLength(1)
  expect(told(watch(6000, three, { 'analytic.radius_forklift_m': 2.5 }))).toHaveLength(1)
  expect(told(watch(6000, three, { 'analytic.gap_m': 2.5, 'analytic.ttc_s': 0.3 }))).toEqual([])
})

test('what merely moves serves in place of vehicles, and each record says that it is the lesser answer', () => {
  const moving = (s: number) => [atMetres(1, driven(s, 9.2), 5, 'motion'), atMetres(2, 10, 5, 'motion')]
  const records = watch(6000, moving, { 'detector.kind': 'motion' })
  expect(told(records)).toHaveLength(1)
  expect(records[0]).toMatchObject({ detector_state: 'degraded', state_cause: 'degraded:motion_only' })
})
