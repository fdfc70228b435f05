import type { EventRecord } from '@sightline/contract/edge'
import { type UsecaseKey, uuidv7Ms } from '@sightline/domain'
import { expect, test } from 'vitest'
import { refusalOf } from './channel.ts'
import { settingsOf } from './settings.ts'
import { open, play, room, seen, start, track } from './testing/made.ts'
import { channelOf, wholePicture } from './testing/run.ts'

const doorway = {
  name: 'line1',
  kind: 'line',
  points: [
    [0, 0.5],
    [1, 0.5],
  ],
} as Parameters<typeof channelOf>[1][number]
const brief = (records: EventRecord[]) =>
  records.map(({ kind, observed_at, metrics }) => [kind, observed_at - start, metrics] as const)

test('a counting channel tells a window every five seconds, levels only', () => {
  const channel = open('pplcnt', [{ points: wholePicture }])
  const records = play(channel, 10_200, (ms) => (ms < 4000 ? [track(1, 0.5, 0.9), track(2, 0.2, 0.9)] : []))
  expect(brief(records)).toEqual([
    // In after the third picture, so from 0.4 to 4 s: 2 × 3.6 / 5.
    ['window', 5000, { total: 1.44, total_min: 0, total_max: 2 }],
    ['window', 10_000, { total: 0, total_min: 0, total_max: 0 }],
  ])
  expect(records[0]).toMatchObject({
    occasion_id: null,
    observed_ms: 5000,
    clock_offset_ms: 0,
    detector: 'hog',
    detector_state: 'ok',
    state_cause: null,
    model_version: null,
    levels: null,
    details: null,
  })
})

test('a crossing is one open record at once: the flow, the levels of the moment, its own occasion', () => {
  const channel = open('pplcnt', [{ points: wholePicture }, doorway])
  const records = play(channel, 4800, (ms) => [track(1, 0.5, 0.3 + ms / 10_000)])
  expect(brief(records)).toEqual([['open', 2400, { up: 1 }]])
  expect(records[0]).toMatchObject({
    occasion_id: records[0]?.event_uuid,
    observed_ms: 0,
    levels: { total: 1 },
    details: { line: 'line1', direction: 'up', track_id: 1, instant: true, boxes: [{ track_id: 1, label: 'person' }] },
  })
  expect(channel.close(start + 4800, 'disabled').map(({ kind }) => kind)).toEqual(['window'])
})

test('pictures of another shape than the zones were drawn on are counted, and said to be', () => {
  const stateOf = (aspect_ratio: number) => {
    const channel = open('pplcnt', [{ points: wholePicture, aspect_ratio }])
    const [window] = play(channel, 5200, () => [track(1, 0.5, 0.9)])
    return [window?.detector_state, window?.state_cause]
  }
  // Made pictures are 16:9, as reduced to even sides.
  expect(stateOf(1.76)).toEqual(['ok', null])
  expect(stateOf(4 / 3)).toEqual(['degraded', 'degraded:other_shape'])
})

test('a mask says nothing of the shape: it may have been drawn on another stream of the camera', () => {
  const mask = { kind: 'mask' as const, points: wholePicture, aspect_ratio: 4 / 3 }
  const channel = open('pplcnt', [{ points: wholePicture, aspect_ratio: 16 / 9 }, mask])
  expect(play(channel, 5200, () => [track(1, 0.5, 0.9)])[0]).toMatchObject({ detector_state: 'ok', state_cause: null })
})

test('ids are UUIDv7 of the observed time, and all different', () => {
  const channel = open('pplcnt', [{ points: wholePicture }, doorway])
  const records = play(channel, 20_000, (ms) => [track(1, 0.5, 0.5 + 0.2 * Math.sin(ms / 1500))])
  expect(new Set(records.map((record) => record.event_uuid)).size).toBe(records.length)
  for (const { event_uuid, observed_at } of records) expect(uuidv7Ms(event_uuid)).toBe(observed_at)
})

test('occupancy follows the crossings', () => {
  const channel = open('pplocc', [doorway])
  const records = play(channel, 10_200, (ms) => [track(1, 0.5, 0.3 + ms / 10_000)])
  expect(brief(records)).toEqual([
    ['open', 2400, { up: 1 }],
    ['window', 5000, { occupancy: 1 }],
    ['window', 10_000, { occupancy: 1 }],
  ])
})

test('an occupancy that somebody sets is told at once, replaces what was taken for true, and is counted on from', () => {
  const channel = open('pplocc', [doorway])
  play(channel, 3200, (ms) => [track(1, 0.5, 0.3 + ms / 10_000)])
  const [set, ...others] = channel.setOccupancy(12, start + 3100)
  expect(others).toEqual([])
  expect(set).toMatchObject({
    ...{ kind: 'open', observed_at: start + 3100, metrics: {}, levels: { occupancy: 12 }, detector: 'none' },
    details: { before: 1, instant: true },
  })
  expect(set?.occasion_id).toBe(set?.event_uuid)
  expect(channel.levels()).toEqual({ occupancy: 12 })
  expect(channel.carried()).toEqual({ at: start + 3100, levels: { occupancy: 12 } })
  const records = play(channel, 10_200, (ms) => [track(2, 0.2, 0.3 + (ms - 5000) / 10_000)], 3200)
  expect(brief(records)).toEqual([
    ['window', 5000, { occupancy: 12 }],
    ['open', 7400, { up: 1 }],
    ['window', 10_000, { occupancy: 13 }],
  ])
})

test('an occupancy set while nothing can be counted stays unknown until something can', () => {
  const channel = open('pplocc', [doorway])
  play(channel, 1000, () => ({ watching: false }))
  expect(channel.setOccupancy(12, start + 900)[0]).toMatchObject({ details: { before: null } })
  expect(channel.levels()).toBeNull()
  const records = play(channel, 10_200, (ms) => ({ watching: ms >= 6000 }), 1000)
  expect(brief(records)).toEqual([
    ['window', 5000, {}],
    ['window', 10_000, { occupancy: 12 }],
  ])
})

test('an intrusion opens once after the dwell time and closes a second after it was left', () => {
  const channel = open('intrdtec', [room])
  const records = play(channel, 10_200, (ms) => [track(1, ms < 2000 ? 0.2 : ms < 6000 ? 0.5 : 0.8, 0.7)])
  // In from 2000 on, known at 2400, 1 s of dwell at 3000; last inside at 5800, out at 6800.
  expect(brief(records)).toEqual([
    ['open', 3000, { violation: 1 }],
    [
      'window',
      5000,
      expect.objectContaining({ total: 1, violation: 0.4, violation_max: 1, non_violation: 0.6, non_violation_min: 0 }),
    ],
    ['close', 6800, { violation: 1 }],
    ['window', 10_000, expect.objectContaining({ violation: 0.36 })],
  ])
  const [opened, , closed] = records
  expect(closed?.occasion_id).toBe(opened?.event_uuid)
  expect(closed?.details).toMatchObject({
    zone: 'zone1',
    track_id: 1,
    cause: 'ended',
    started_at: '2026-05-04T12:00:03.000Z',
    ended_at: '2026-05-04T12:00:06.800Z',
  })
  expect(opened?.levels).toEqual({ total: 1, violation: 1, non_violation: 0 })
  expect(closed?.levels).toEqual({ total: 1, violation: 0, non_violation: 1 })
})

test('a broken-up track is one intrusion', () => {
  const channel = open('intrdtec', [room])
  const records = play(channel, 9000, (ms) =>
    ms < 4000 ? [track(1, 0.5, 0.7)] : ms < 4600 ? [] : [track(2, 0.5, 0.7)],
  )
  expect(records.filter(({ kind }) => kind !== 'window').map(({ kind, details }) => [kind, details?.cause])).toEqual([
    ['open', undefined],
    ['close', 'lost'],
    ['update', 'resumed'],
  ])
  expect(new Set(records.flatMap(({ occasion_id }) => occasion_id ?? [])).size).toBe(1)
})

test('a stop closes the window and what is open', () => {
  const channel = open('intrdtec', [room])
  play(channel, 3200, () => [track(1, 0.5, 0.7)])
  const closed = channel.close(start + 3200, 'restart')
  expect(closed.map(({ kind, details }) => [kind, details?.cause])).toEqual([
    ['window', undefined],
    ['close', 'restart'],
  ])
  expect(closed[0]?.observed_ms).toBe(3200)
})

test('pictures in which nothing could be counted are no watched time, and the record says why', () => {
  const channel = open('pplcnt', [{ points: wholePicture }])
  const records: EventRecord[] = []
  for (let ms = 0; ms <= 5000; ms += 200)
    records.push(...channel.see(seen(ms, [], ms < 2400 ? { watching: false, cause: 'degraded:warm_up' } : {})))
  expect(records).toMatchObject([
    { observed_ms: 2600, detector_state: 'degraded', state_cause: 'degraded:warm_up', metrics: { total: 0 } },
  ])
})

test('people smaller than the least height neither count nor cross', () => {
  const channel = open('pplcnt', [{ points: wholePicture }, doorway], { 'analytic.min_height': 0.35 })
  const records = play(channel, 5200, (ms) => [track(1, 0.5, 0.3 + ms / 10_000)])
  expect(brief(records)).toEqual([['window', 5000, { total: 0, total_min: 0, total_max: 0 }]])
})

/** As tall as `h`, the feet at x, y. */
const tall = (h: number, y: number) => track(1, 0.5, y, { box: [0.45, y - h, 0.1, h] })

test('who is too small in one picture is still the same, and has not left', () => {
  const least = { 'analytic.min_height': 0.25 }
  const crossing = play(open('pplcnt', [{ points: wholePicture }, doorway], least), 4800, (ms) => [
    tall(ms === 2000 ? 0.2 : 0.3, 0.3 + ms / 10_000),
  ])
  expect(crossing.filter(({ kind }) => kind === 'open')).toHaveLength(1)
  const standing = play(open('intrdtec', [room], least), 10_000, (ms) => [tall(ms % 2000 === 1000 ? 0.2 : 0.3, 0.7)])
  expect(standing.filter(({ kind }) => kind !== 'window').map(({ kind }) => kind)).toEqual(['open'])
  // Who walks away until they are too small does leave.
  const leaving = play(open('intrdtec', [room], least), 10_000, (ms) => [tall(ms < 4000 ? 0.3 : 0.2, 0.7)])
  expect(leaving.filter(({ kind }) => kind !== 'window').map(({ kind }) => kind)).toEqual(['open', 'close'])
})

test('one tall box of somebody small who has been in the zone for long is no intrusion', () => {
  const least = { 'analytic.min_height': 0.25 }
  const records = play(open('intrdtec', [room], least), 10_000, (ms) => [tall(ms === 8000 ? 0.3 : 0.2, 0.7)])
  expect(records.filter(({ kind }) => kind !== 'window')).toEqual([])
})

test('who was seen in a zone for a moment and is only remembered then does not begin to intrude', () => {
  const hidden = { observed: false, detected: false, present: false }
  const seenUntil = (until: number) =>
    play(open('intrdtec', [room]), 4000, (ms) =>
      ms < until + 3000 ? [track(1, 0.5, 0.7, ms < until ? {} : hidden)] : [],
    )
      .filter(({ kind }) => kind !== 'window')
      .map(({ kind, observed_at }) => [kind, observed_at - start])
  expect(seenUntil(600)).toEqual([])
  // Who does intrude is still inside while hidden.
  expect(seenUntil(1200)).toEqual([['open', 1000]])
})

test('motion counted in place of people is marked degraded', () => {
  const channel = open('pplcnt', [{ points: wholePicture }], { 'detector.kind': 'motion' })
  const [record] = play(channel, 5200, () => [track(1, 0.5, 0.9, { label: 'motion' })])
  expect(record).toMatchObject({ detector: 'motion', detector_state: 'degraded', state_cause: 'degraded:motion_only' })
})

const needsModel = { state: 'applied', detector_state: 'needs_model', cause: 'needs_model' } as const
const needsCalibration = { state: 'applied', detector_state: 'needs_calibration', cause: 'needs_calibration' } as const

test.each<[UsecaseKey, Parameters<typeof channelOf>[1], object, ReturnType<typeof refusalOf>]>([
  ['ppedtec', [room], {}, needsModel],
  ['fcmsk', [room], {}, needsModel],
  ['fcrecog', [room], {}, needsModel],
  ['coldtec', [room], {}, needsModel],
  ['frdtec', [room], {}, needsModel],
  ['phydist', [room], {}, needsCalibration],
  ['phydist', [room], { 'calibration.ref_height_m': 1.7 }, null],
  ['frdtec', [room], { 'detector.flames': true }, null],
  ['coldtec', [room], { 'detector.kind': 'motion' }, needsCalibration],
  ['coldtec', [room], { 'detector.kind': 'motion', 'calibration.ref_height_m': 1.7 }, needsCalibration],
  ['intrdtec', [room], { 'analytic.labels': 'person,forklift' }, needsModel],
  ['loiterdtec', [room], {}, null],
  ['loiterdtec', [doorway], {}, { state: 'refused', detector_state: 'ok', cause: 'no_zone' }],
  ['pplcnt', [{ ...room, is_active: false }], {}, { state: 'refused', detector_state: 'ok', cause: 'no_zone' }],
  ['pplocc', [doorway, { ...room, is_active: false }], {}, null],
  ['emptyframecheck', [{ ...room, is_active: false }], {}, null],
  ['pplcnt', [room], { 'detector.kind': 'onnx' }, needsModel],
  ['pplocc', [room], {}, { state: 'refused', detector_state: 'ok', cause: 'line_required' }],
  [
    'pplocc',
    [{ ...doorway, is_active: false }],
    {},
    { state: 'refused', detector_state: 'ok', cause: 'line_required' },
  ],
  ['intrdtec', [doorway], {}, { state: 'refused', detector_state: 'ok', cause: 'no_zone' }],
  ['pplcnt', [doorway], {}, null],
  ['ppltrk', [room], {}, null],
])('%s with %j and %j: %j', (usecase, zones, elements, expected) => {
  const config = channelOf(usecase, zones, elements as Record<string, string>)
  expect(refusalOf(config, settingsOf(config))).toEqual(expected)
})

test('what the portal holds back is applied and waits', () => {
  const config = { ...channelOf('fcrecog', [room], {}), refusal: 'faces_off' }
  expect(refusalOf(config, settingsOf(config))).toEqual({
    state: 'applied',
    detector_state: 'ok',
    cause: 'faces_off',
  })
})

test('who intrudes is pointed at while in the zone and in sight, and who only walks by is not', () => {
  const left = {
    name: 'zone1',
    points: [
      [0, 0],
      [0.5, 0],
      [0.5, 1],
      [0, 1],
    ],
  } as Parameters<typeof channelOf>[1][number]
  const channel = open('intrdtec', [left], { 'analytic.dwell_s': 1 })
  const inside = track(1, 0.2, 0.9)
  const outside = track(2, 0.8, 0.9)
  const at = (ms: number, tracks: ReturnType<typeof track>[]) => {
    channel.see(seen(ms, tracks))
    return channel.violators()
  }
  expect(at(0, [inside, outside])).toEqual([])
  for (let ms = 200; ms < 2000; ms += 200) at(ms, [inside, outside])
  expect(at(2000, [inside, outside])).toEqual([inside.box])
  expect(at(2200, [{ ...inside, present: false }, outside])).toEqual([])
  channel.lose(start + 2400)
  expect(channel.violators()).toEqual([])
})
