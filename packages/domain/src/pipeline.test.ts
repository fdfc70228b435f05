import { expect, test } from 'vitest'
import { elementFaults, pipelineCatalog, pipelineDefaults } from './pipeline.ts'
import { usecaseKeys } from './usecase.ts'

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

test('elements of other use cases stay out of the defaults', () => {
  expect(pipelineDefaults('pplcnt')).not.toHaveProperty('analytic.base')
  expect(pipelineDefaults('pplocc')).toHaveProperty('analytic.base', 0)
  expect(pipelineDefaults('emptyframecheck')['decode.fps']).toBe(1)
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
])('%j is refused as %j', (map, faults) => {
  expect(elementFaults(map)).toEqual(faults)
})
