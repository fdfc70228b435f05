import { expect, test } from 'vitest'
import { dwellFault, dwellItem, elementFaults, pipelineDefaults } from './pipeline.ts'
import { pipelineCatalog } from './pipeline-catalog.ts'
import { usecaseKeys } from './usecase.ts'

const square = '0.1,0.9 0.9,0.9 0.7,0.4 0.3,0.4'
const floor = { 'calibration.world_points_m': '0,0 4,0 4,6 0,6' }

test('every element has one default that its own rule accepts, and help in both languages', () => {
  const keys = pipelineCatalog.map((item) => item.key)
  expect(new Set(keys).size).toBe(keys.length)
  for (const item of pipelineCatalog) {
    expect(item.help_en.length * item.help_fr.length, item.key).toBeGreaterThan(0)
    if (item.default !== null) expect(elementFaults({ [item.key]: item.default }), item.key).toEqual({})
  }
})

test.each(usecaseKeys)('the defaults of %s are complete and valid', (key) => {
  const defaults = pipelineDefaults(key)
  expect(elementFaults(defaults)).toEqual({})
  expect(defaults['analytic.window_s']).toBe(5)
})

test('clips are kept of violations unless somebody says otherwise, and of faces only where somebody does', () => {
  const without = usecaseKeys.filter((key) => pipelineDefaults(key)['sink.clip'] !== true)
  expect(without).toEqual(['fcrecog'])
})

test('elements of other use cases stay out of the defaults', () => {
  expect(pipelineDefaults('pplcnt')).not.toHaveProperty('analytic.base')
  expect(pipelineDefaults('pplocc')).toHaveProperty('analytic.base', 0)
  expect(pipelineDefaults('emptyframecheck')['decode.fps']).toBe(1)
  expect(pipelineDefaults('pplcnt')).not.toHaveProperty('calibration.image_points')
  expect(pipelineDefaults('frdtec')).toMatchObject({ 'detector.flames': false, 'decode.fps': 12 })
})

test.each([
  [{ 'decode.fsp': 5 }, { 'decode.fsp': 'unknown_property' }],
  [{ 'decode.fps': '5' }, { 'decode.fps': 'number' }],
  [{ 'decode.fps': Number.NaN }, { 'decode.fps': 'number' }],
  [{ 'decode.width': 640.5 }, { 'decode.width': 'integer' }],
  [{ 'decode.width': 10 }, { 'decode.width': 'range:160:1920' }],
  [{ 'detector.kind': 'yolo' }, { 'detector.kind': 'one_of' }],
  [{ 'motion.shadows': 1 }, { 'motion.shadows': 'boolean' }],
  [{ 'analytic.reset_at': '25:00' }, { 'analytic.reset_at': 'time_of_day' }],
  [{ 'analytic.reset_at': '04:30' }, {}],
  [{ 'analytic.timezone': 'Mars/Base' }, { 'analytic.timezone': 'timezone_invalid' }],
  [{ 'analytic.timezone': 3 }, { 'analytic.timezone': 'text' }],
  [
    { 'calibration.image_points': '0.1,0.9 0.9,0.9 0.7,0.4', ...floor },
    { 'calibration.image_points': 'calibration_points' },
  ],
  [{ 'calibration.image_points': '0.1;0.9' }, { 'calibration.image_points': 'calibration_points' }],
  [
    { 'calibration.image_points': '0.1,0.9 0.9,1.2 0.7,0.4 0.3,0.4', ...floor },
    { 'calibration.image_points': 'outside_picture' },
  ],
  [{ 'calibration.image_points': square }, { 'calibration.world_points_m': 'required' }],
  [{ 'calibration.world_points_m': '0,0 4,0 4,6 0,6' }, { 'calibration.image_points': 'required' }],
  [{ 'calibration.image_points': square, 'calibration.world_points_m': '0,0 4,0 4,6 0,6' }, {}],
  [
    { 'calibration.image_points': square, 'calibration.world_points_m': '0,0 4,0 2,0 0,6' },
    { 'calibration.image_points': 'calibration_degenerate' },
  ],
  [
    { 'calibration.image_points': square, 'calibration.world_points_m': '0,0 4,6 4,0 0,6' },
    { 'calibration.image_points': 'calibration_degenerate' },
  ],
  [{ 'calibration.image_points': '', 'calibration.world_points_m': '' }, {}],
  [{ 'analytic.required_items': 'helmet, vest' }, {}],
  [{ 'analytic.required_items': 'helmet,gloves' }, { 'analytic.required_items': 'one_of' }],
  [{ 'analytic.required_items': '' }, { 'analytic.required_items': 'one_of' }],
  [{ 'analytic.labels': 'person,vehicle' }, {}],
  [{ 'analytic.labels': 'fire' }, { 'analytic.labels': 'one_of' }],
  [{ 'detector.labels': '' }, {}],
  [{ 'detector.labels': 'person,cat' }, { 'detector.labels': 'one_of' }],
  [
    { 'analytic.smoke_low': 0.1, 'analytic.smoke_intermediate': 0.1, 'analytic.smoke_high': 0.2 },
    { 'analytic.smoke_intermediate': 'greater_than:0.1' },
  ],
])('%j is refused as %j', (map, faults) => {
  expect(elementFaults(map)).toEqual(faults)
})

test.each([
  ['loiterdtec', 'zone', null, null],
  ['loiterdtec', 'zone', 1, null],
  ['loiterdtec', 'zone', 86400, null],
  ['loiterdtec', 'zone', 0, 'range:1:86400'],
  ['loiterdtec', 'zone', 86401, 'range:1:86400'],
  ['loiterdtec', 'zone', 1.5, 'integer'],
  ['intrdtec', 'zone', 0, null],
  ['intrdtec', 'zone', 0.5, null],
  ['intrdtec', 'zone', 601, 'range:0:600'],
  ['intrdtec', 'line', 5, 'unknown_property'],
  ['intrdtec', 'mask', null, null],
  ['pplcnt', 'zone', 5, 'unknown_property'],
  ['pplcnt', 'zone', null, null],
  [null, 'zone', 5, 'unknown_property'],
] as const)('of %s a %s with the dwell %s: %s', (usecase, kind, dwell_s, fault) => {
  expect(dwellFault(usecase, { kind, dwell_s })).toBe(fault)
})

test('the dwell of a zone has the bounds of the element that zones without one follow, which only those use cases have', () => {
  for (const usecase of usecaseKeys) {
    const item = dwellItem(usecase)
    const has = ['analytic.dwell_s', 'zones.min_dwell_s'].filter((key) => key in pipelineDefaults(usecase))
    expect([usecase, has]).toEqual([usecase, item ? [item.key] : []])
  }
})
