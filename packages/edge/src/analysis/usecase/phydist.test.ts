import { expect, test } from 'vitest'
import type { SeenTrack } from '../perception.ts'
import { fromAbove, occasionsIn, open, play, room, told, track, windows } from '../testing/made.ts'
import { wholePicture } from '../testing/run.ts'

/** The floor is 16 by 9 metres: 0.1 across the picture are 1.6 m. */
const distancing = (elements = {}) => open('phydist', [], { ...fromAbove, ...elements })
const atMetres = (id: number, x: number, y = 6): SeenTrack => track(id, x / 16, y / 9)

test('two people too close for the hold time are one occasion, with the distance between them', () => {
  const channel = distancing()
  const records = play(channel, 10_200, (ms) => [atMetres(1, 5), atMetres(2, ms < 6000 ? 6.5 : 9)])
  expect(told(records)).toEqual([
    ['open', 2000, { violation: 1 }],
    ['close', 6000, { violation: 2 }, 'ended'],
  ])
  expect(records[0]?.details).toMatchObject({ distance_m: 1.5, boxes: [{ track_id: 1 }, { track_id: 2 }] })
  // Two in violation from 2 to 5 s, then to 6 s.
  expect(windows(records).map(({ metrics }) => [metrics.total, metrics.violation, metrics.non_violation])).toEqual([
    [2, 1.2, 0.8],
    [2, 0.4, 1.6],
  ])
})

test('people far enough from each other, or close for a moment only, are none', () => {
  expect(told(play(distancing(), 10_000, () => [atMetres(1, 5), atMetres(2, 7.01)]))).toEqual([])
  const passing = play(distancing(), 10_000, (ms) => [atMetres(1, 5 + ms / 1000), atMetres(2, 10 - ms / 1000, 6.5)])
  expect(told(passing)).toEqual([])
})

test('depth counts as well as width: behind one another is not close', () => {
  expect(told(play(distancing(), 5000, () => [atMetres(1, 5, 3), atMetres(2, 5, 6)]))).toEqual([])
  expect(told(play(distancing(), 5000, () => [atMetres(1, 5, 3), atMetres(2, 5, 4.5)]))).toHaveLength(1)
})

test('a pair that trembles about the distance stays one occasion', () => {
  const records = play(distancing(), 30_000, (ms) => [atMetres(1, 5), atMetres(2, ms % 400 === 0 ? 6.9 : 7.1)])
  expect(told(records)).toEqual([['open', 2000, { violation: 1 }]])
})

test('three in a row are two pairs and three people', () => {
  const records = play(distancing(), 5200, () => [atMetres(1, 5), atMetres(2, 6.5), atMetres(3, 8), atMetres(4, 14)])
  expect(occasionsIn(records)).toBe(2)
  expect(windows(records)[0]?.metrics).toMatchObject({ total: 4, violation_max: 3, non_violation_min: 1 })
})

test('a pair of which one is lost for a moment and found again as another track is the same occasion', () => {
  const records = play(distancing(), 9000, (ms) => [
    atMetres(1, 5),
    ...(ms < 4000 ? [atMetres(2, 6.5)] : ms >= 4600 ? [atMetres(3, 6.5)] : []),
  ])
  expect(told(records)).toEqual([['open', 2000, { violation: 1 }]])
})

test('who parts and comes together again within the cool-down goes on under the same id', () => {
  const records = play(distancing(), 20_000, (ms) => [atMetres(1, 5), atMetres(2, ms < 4000 || ms > 10_000 ? 6.5 : 9)])
  expect(told(records).map(([kind, , , cause]) => [kind, cause])).toEqual([
    ['open', undefined],
    ['close', 'ended'],
    ['update', 'resumed'],
  ])
  expect(occasionsIn(records)).toBe(1)
})

test('distance and hold time are the pipeline’s', () => {
  const channel = distancing({ 'analytic.distance_m': 4, 'analytic.hold_s': 5 })
  expect(told(play(channel, 8000, () => [atMetres(1, 5), atMetres(2, 8.5)]))).toEqual([
    ['open', 5000, { violation: 1 }],
  ])
})

test('only people inside the zones are judged', () => {
  const channel = open('phydist', [room], fromAbove)
  const records = play(channel, 5200, () => [track(1, 0.45, 0.6), track(2, 0.38, 0.6), track(3, 0.1, 0.6)])
  expect(told(records)).toEqual([])
  expect(windows(records)[0]?.metrics).toMatchObject({ total_max: 1, violation: 0 })
})

test('whose place cannot be measured counts as a person, neither too close nor far enough', () => {
  // From the far half on a pixel of this steep view is more than half a metre.
  const steep = {
    'calibration.image_points': '0.1,0.9 0.9,0.9 0.55,0.3 0.45,0.3',
    'calibration.world_points_m': '0,0 4,0 4,60 0,60',
  }
  const records = play(open('phydist', [{ points: wholePicture }], steep), 5200, () => [
    track(1, 0.5, 0.32),
    track(2, 0.505, 0.32),
    track(3, 0.5, 0.88),
    // The feet are below the picture.
    track(4, 0.52, 1.02),
  ])
  expect(told(records)).toEqual([])
  expect(windows(records)[0]?.metrics).toMatchObject({ total_max: 4, violation_max: 0, non_violation_max: 1 })
})

test('with a reference height alone distances are rough, and each record says so', () => {
  const channel = open('phydist', [], { 'calibration.ref_height_m': 1.7 })
  // 108 of 360 pixels tall: 640 · 1.7 / 108 = 10.07 m away, where 64 pixels are 1.007 m; half as tall twice as far away.
  const far = track(3, 0.5, 0.9, { box: [0.475, 0.75, 0.05, 0.15] })
  const records = play(channel, 5200, () => [track(1, 0.4, 0.9), track(2, 0.5, 0.9), far])
  expect(told(records)).toEqual([['open', 2000, { violation: 1 }]])
  expect(records[0]).toMatchObject({
    detector_state: 'degraded',
    state_cause: 'degraded:reference_height',
    details: { distance_m: 1.01, boxes: [{ track_id: 1 }, { track_id: 2 }] },
  })
})

test('while nothing can be counted nothing is said of anybody', () => {
  const records = play(distancing(), 5200, (ms) =>
    ms < 1000 ? [atMetres(1, 5), atMetres(2, 6)] : { tracks: [], watching: false, cause: 'degraded:scene_changed' },
  )
  expect(told(records)).toEqual([])
  expect(windows(records)[0]?.observed_ms).toBe(1000)
})
