import { expect, test } from 'vitest'
import { type DetectionLabel, detectionLabels, labelsFor, parseWords, protections, requiredLabels } from './label.ts'
import { isBuiltIn, missingNeed } from './need.ts'
import { pipelineDefaults } from './pipeline.ts'
import type { PipelineElements } from './pipeline-item.ts'
import { type UsecaseKey, usecaseKeys } from './usecase.ts'

const points = {
  'calibration.image_points': '0.1,0.9 0.9,0.9 0.7,0.4 0.3,0.4',
  'calibration.world_points_m': '0,0 4,0 4,6 0,6',
}
const onnx = { 'detector.kind': 'onnx' }

test('as they come, these run, and the others say what they need', () => {
  expect(usecaseKeys.filter(isBuiltIn)).toEqual([
    'pplcnt',
    'pplcntavg',
    'pplocc',
    'intrdtec',
    'loiterdtec',
    'ppltrk',
    'emptyframecheck',
  ])
})

test.each<[UsecaseKey, PipelineElements, DetectionLabel[] | null, ReturnType<typeof missingNeed>]>([
  ['pplcnt', {}, null, null],
  ['pplcnt', onnx, null, 'needs_model'],
  ['pplcnt', onnx, ['vehicle'], 'needs_model'],
  ['pplcnt', onnx, ['person', 'vehicle'], null],
  ['ppltrk', { 'detector.kind': 'motion' }, null, null],
  ['emptyframecheck', {}, null, null],
  ['phydist', {}, null, 'needs_calibration'],
  ['phydist', points, null, null],
  ['phydist', { 'calibration.ref_height_m': 1.7 }, null, null],
  ['phydist', { 'calibration.image_points': points['calibration.image_points'] }, null, 'needs_calibration'],
  ['phydist', { ...points, ...onnx }, ['face'], 'needs_model'],
  ['ppedtec', {}, null, 'needs_model'],
  ['ppedtec', {}, ['person', 'helmet', 'vest'], null],
  ['ppedtec', {}, ['person', 'no_helmet', 'no_vest'], null],
  ['ppedtec', {}, ['person', 'helmet'], 'needs_model'],
  ['ppedtec', { 'analytic.required_items': 'helmet' }, ['person', 'helmet'], null],
  ['ppedtec', {}, ['helmet', 'vest'], 'needs_model'],
  ['ppedtec', { 'detector.kind': 'motion' }, null, 'needs_model'],
  ['fcmsk', {}, ['face', 'mask'], 'needs_model'],
  ['fcmsk', {}, ['mask', 'no_mask'], null],
  ['fcrecog', {}, ['person'], 'needs_model'],
  ['fcrecog', {}, ['face'], 'needs_model'],
  ['fcrecog', { 'detector.embedding': 'any' }, ['face'], null],
  ['fcrecog', { 'detector.embedding': 'any' }, ['person'], 'needs_model'],
  ['frdtec', {}, null, 'needs_model'],
  ['frdtec', { 'detector.flames': true }, null, null],
  ['frdtec', {}, ['smoke'], null],
  ['frdtec', {}, ['person'], 'needs_model'],
  ['coldtec', points, null, 'needs_model'],
  ['coldtec', points, ['person', 'vehicle'], null],
  ['coldtec', points, ['person', 'forklift'], null],
  ['coldtec', points, ['vehicle'], 'needs_model'],
  ['coldtec', {}, ['person', 'vehicle'], 'needs_calibration'],
  ['coldtec', { 'calibration.ref_height_m': 1.7 }, ['person', 'vehicle'], 'needs_calibration'],
  ['coldtec', { ...points, 'detector.kind': 'motion' }, null, null],
  ['coldtec', { ...points, 'detector.kind': 'hog' }, null, 'needs_model'],
  ['intrdtec', { 'analytic.labels': 'person,vehicle' }, null, 'needs_model'],
  ['intrdtec', { ...onnx, 'analytic.labels': 'vehicle' }, ['vehicle'], null],
])('%s with %j and a model for %j: %s', (key, elements, labels, need) => {
  expect(missingNeed(key, { ...pipelineDefaults(key), ...elements }, labels)).toBe(need)
})

test('a model that knows every label serves every use case, once calibrated', () => {
  for (const key of usecaseKeys)
    expect(
      missingNeed(key, { ...pipelineDefaults(key), ...points, ...onnx, 'detector.embedding': 'any' }, detectionLabels),
      key,
    ).toBeNull()
})

test('what the defaults ask of a model is what the table says, but for the items of equipment, which are each asked for', () => {
  for (const key of usecaseKeys)
    expect(labelsFor(key, pipelineDefaults(key)), key).toEqual(
      key === 'ppedtec' ? [['person'], ['helmet', 'no_helmet'], ['vest', 'no_vest']] : requiredLabels[key],
    )
})

test('words are read in their usual order, and only known ones', () => {
  expect(parseWords('vest, helmet', protections)).toEqual(['helmet', 'vest'])
  for (const text of ['', 'vest,', 'vest,vest', 'Vest', 'gloves'])
    expect(parseWords(text, protections), text).toBeNull()
})
