import type { Box, DetectionLabel, PipelineElements } from '@sightline/domain'
import { expect, test } from 'vitest'
import { occasionsIn, open, play, told, track, windows } from '../testing/made.ts'
import type { Part } from './usecase.ts'

const all: DetectionLabel[] = ['person', 'helmet', 'no_helmet', 'vest', 'no_vest']
const equipment = (elements: PipelineElements = {}, modelLabels: readonly DetectionLabel[] = all) =>
  open('ppedtec', [], elements, { modelLabels })

/** Somebody 0.3 of the picture tall with the feet at x, 0.9, and what is worn. */
const somebody = (id: number, x: number) => track(id, x, 0.9)
const at = (label: DetectionLabel, box: Box, score = 0.8): Part => ({ label, box, score })
const head = (x: number): Box => [x - 0.02, 0.6, 0.04, 0.06]
const chest = (x: number): Box => [x - 0.04, 0.68, 0.08, 0.12]
const dressed = (x: number, helmet: DetectionLabel | null, vest: DetectionLabel | null): Part[] => [
  ...(helmet ? [at(helmet, head(x))] : []),
  ...(vest ? [at(vest, chest(x))] : []),
]
/** One person in the middle, looked at in each picture. */
const one = (helmet: DetectionLabel | null, vest: DetectionLabel | null) => ({
  tracks: [somebody(1, 0.5)],
  parts: dressed(0.5, helmet, vest),
})

test('a helmet that lacks is one occasion of the fifth picture, and its details name it', () => {
  const records = play(equipment(), 5200, () => one('no_helmet', 'vest'))
  expect(told(records)).toEqual([['open', 800, { violation: 1 }]])
  expect(records[0]?.details).toMatchObject({
    item: 'helmet',
    label: 'no_helmet',
    track_id: 1,
    boxes: [{ label: 'person' }],
  })
  expect(windows(records)[0]?.metrics).toMatchObject({ total: 1, violation: 0.84, non_violation: 0 })
})

test('who wears everything is fine, and who is not judged yet counts in the total alone', () => {
  const records = play(equipment(), 5200, () => one('helmet', 'vest'))
  expect(told(records)).toEqual([])
  expect(windows(records)[0]?.metrics).toMatchObject({ total: 1, violation: 0, non_violation: 0.84 })
})

test('each item that lacks is an occasion of its own', () => {
  expect(occasionsIn(play(equipment(), 5000, () => one('no_helmet', 'no_vest')))).toBe(2)
})

test('a wrong answer now and then changes nothing', () => {
  const records = play(equipment(), 10_000, (ms) => one(ms % 1000 === 0 ? 'no_helmet' : 'helmet', 'vest'))
  expect(told(records)).toEqual([])
})

test('who puts a helmet on ends the violation, once the majority of the last pictures says so', () => {
  const records = play(equipment(), 6000, (ms) => one(ms < 3000 ? 'no_helmet' : 'helmet', 'vest'))
  // Of the last ten pictures five are a draw, which is no violation any more.
  expect(told(records).map(([kind, ms, , cause]) => [kind, ms, cause])).toEqual([
    ['open', 800, undefined],
    ['close', 3800, 'ended'],
  ])
})

test('when some of the items are enough, only who has too few is in violation', () => {
  const some = { 'analytic.required_count': 1 }
  expect(told(play(equipment(some), 3000, () => one('no_helmet', 'vest')))).toEqual([])
  expect(occasionsIn(play(equipment(some), 3000, () => one('no_helmet', 'no_vest')))).toBe(2)
})

test('only the required items are judged', () => {
  const helmetOnly = equipment({ 'analytic.required_items': 'helmet' })
  expect(told(play(helmetOnly, 3000, () => one('helmet', 'no_vest')))).toEqual([])
})

test('an item is worn where it belongs: a helmet in the hand, or lying beside, is none', () => {
  const inHand = { tracks: [somebody(1, 0.5)], parts: [at('helmet', [0.52, 0.75, 0.04, 0.06]), at('vest', chest(0.5))] }
  const records = play(equipment({}, ['person', 'helmet', 'vest']), 3000, () => inHand)
  expect(told(records)).toEqual([['open', 800, { violation: 1 }]])
})

test('of two people close together each wears their own', () => {
  const records = play(equipment(), 5200, () => ({
    tracks: [somebody(1, 0.5), somebody(2, 0.56)],
    parts: [...dressed(0.5, 'helmet', 'vest'), ...dressed(0.56, 'no_helmet', 'vest')],
  }))
  expect(records[0]?.details).toMatchObject({ track_id: 2, item: 'helmet' })
  expect(windows(records)[0]?.metrics).toMatchObject({ violation_max: 1, non_violation_max: 1 })
})

test('where a model knows no "without", finding nothing says it; where it does, it says nothing', () => {
  const bare = () => one(null, 'vest')
  expect(told(play(equipment({}, ['person', 'helmet', 'vest']), 3000, bare))).toHaveLength(1)
  const records = play(equipment(), 5200, bare)
  expect(told(records)).toEqual([])
  expect(windows(records)[0]?.metrics).toMatchObject({ violation_max: 0, non_violation_max: 0 })
})

test('who is there and was not found in a picture is not said to wear nothing by it', () => {
  const hidden = track(1, 0.5, 0.9, { detected: false })
  const known: DetectionLabel[] = ['person', 'helmet', 'vest']
  const records = play(equipment({}, known), 10_200, (ms) =>
    ms % 1000 === 0 ? one('helmet', 'vest') : { tracks: [hidden], parts: [] },
  )
  expect(told(records)).toEqual([])
  expect(windows(records).at(-1)?.metrics).toMatchObject({ non_violation: 1 })
})

test('pictures that no model looked at are no votes', () => {
  const records = play(equipment(), 5000, (ms) =>
    ms % 1000 === 0 ? one('no_helmet', 'vest') : { ...one(null, null), parts: null },
  )
  expect(told(records)).toEqual([['open', 4000, { violation: 1 }]])
})

test('a person lost for a moment and found as another track is the same occasion', () => {
  const records = play(equipment(), 8000, (ms) => {
    const { parts } = one('no_helmet', 'vest')
    return ms < 3000 ? one('no_helmet', 'vest') : ms < 4000 ? { parts: [] } : { tracks: [somebody(7, 0.5)], parts }
  })
  expect(occasionsIn(records)).toBe(1)
  expect(told(records).map(([kind, , , cause]) => [kind, cause])).toEqual([
    ['open', undefined],
    ['close', 'lost'],
    ['update', 'resumed'],
  ])
})
