import type { Box, DetectionLabel, PipelineElements } from '@sightline/domain'
import { expect, test } from 'vitest'
import { occasionsIn, open, play, room, told, windows } from '../testing/made.ts'
import type { Part } from './usecase.ts'

const part = (label: DetectionLabel, share: number, [x, y]: readonly [number, number] = [0.5, 0.5]): Part => {
  const side = Math.sqrt(share)
  const box: Box = [x - side / 2, y - side / 2, side, side]
  return { label, box, score: 0.7 }
}
const byModel = (zones: Parameters<typeof open>[1] = [], elements: PipelineElements = {}) =>
  open('frdtec', zones, elements)
/** A model that looks twice a second. */
const watch = (untilMs: number, parts: (ms: number) => Part[], channel = byModel()) =>
  play(channel, untilMs, (ms) => ({ parts: parts(ms) }), 0, 500)

test('a fire is told when it has been seen for two seconds, and ends when it has been gone for two', () => {
  const records = watch(15_500, (ms) => (ms >= 3000 && ms < 10_000 ? [part('fire', 0.01)] : []))
  expect(told(records)).toEqual([
    ['open', 4500, { fire: 1 }],
    ['close', 11_500, { fire: 1 }, 'ended'],
  ])
  expect(records[0]?.details).toMatchObject({ zone: null, boxes: [{ label: 'fire' }] })
  expect(windows(records)[0]?.metrics).toMatchObject({ fire: 0.1, fire_max: 1, low_smoke: 0 })
})

test('a view without fire or smoke gives none, nor does one that is seen for a moment', () => {
  expect(told(watch(15_000, () => []))).toEqual([])
  expect(told(watch(15_000, (ms) => (ms >= 3000 && ms < 4000 ? [part('fire', 0.1)] : [])))).toEqual([])
})

test('a fire that a model misses now and then is one occasion', () => {
  const records = watch(30_000, (ms) => (ms % 2500 === 0 ? [] : [part('fire', 0.01)]))
  expect(told(records).map(([kind]) => kind)).toEqual(['open'])
})

test('smoke has the level of its share of the picture; it rises, and falls', () => {
  const share = (ms: number) => (ms < 5000 ? 0.02 : ms < 10_000 ? 0.1 : ms < 15_000 ? 0.3 : ms < 20_000 ? 0.1 : 0.001)
  const records = watch(25_500, (ms) => [part('smoke', share(ms))])
  expect(told(records).map(([kind, , metrics, cause]) => [kind, Object.keys(metrics)[0], cause])).toEqual([
    ['open', 'low_smoke', undefined],
    ['open', 'intermediate_smoke', undefined],
    ['close', 'low_smoke', 'risen'],
    ['open', 'high_smoke', undefined],
    ['close', 'intermediate_smoke', 'risen'],
    ['update', 'intermediate_smoke', 'resumed'],
    ['close', 'high_smoke', 'ended'],
    ['close', 'intermediate_smoke', 'ended'],
  ])
  expect(occasionsIn(records)).toBe(3)
})

test('several clouds add up, and levels are the pipeline’s', () => {
  const two = () => [part('smoke', 0.04, [0.2, 0.2]), part('smoke', 0.04, [0.8, 0.8])]
  expect(told(watch(5000, two)).map(([, , metrics]) => metrics)).toEqual([{ intermediate_smoke: 1 }])
  const strict = byModel([], { 'analytic.smoke_intermediate': 0.3, 'analytic.smoke_high': 0.5 })
  expect(told(watch(5000, two, strict)).map(([, , metrics]) => metrics)).toEqual([{ low_smoke: 1 }])
})

test('with zones only what is in one of them counts, and each zone is an area of its own', () => {
  const [there, elsewhere] = [part('fire', 0.01, [0.5, 0.6]), part('fire', 0.01, [0.1, 0.1])]
  expect(told(watch(5000, () => [elsewhere], byModel([room])))).toEqual([])
  const records = watch(5000, () => [there, elsewhere], byModel([room]))
  expect(told(records)).toHaveLength(1)
  expect(records[0]?.details).toMatchObject({ zone: 'zone1' })
  const corner = {
    points: [
      [0, 0],
      [0.2, 0],
      [0.2, 0.2],
      [0, 0.2],
    ] as [number, number][],
  }
  expect(occasionsIn(watch(5000, () => [there, elsewhere], byModel([room, corner])))).toBe(2)
})

test('flames by colour and flicker have been watched already: they are told at once, and smoke is not measured', () => {
  const channel = byModel([], { 'detector.flames': true })
  const records = play(
    channel,
    10_100,
    (ms) => ({ flames: ms >= 3000 && ms < 5000 ? [part('fire', 0.01)] : [] }),
    0,
    100,
  )
  expect(told(records).map(([kind, ms]) => [kind, ms])).toEqual([
    ['open', 3000],
    ['close', 6500],
  ])
  expect(Object.keys(windows(records)[0]?.metrics ?? {})).toEqual(['fire', 'fire_min', 'fire_max'])
})

test('where neither a model nor the colours say anything, nothing was measured', () => {
  const records = play(byModel(), 10_200, () => ({}))
  expect(windows(records)).toMatchObject([
    { observed_ms: 0, metrics: {} },
    { observed_ms: 0, metrics: {} },
  ])
})
