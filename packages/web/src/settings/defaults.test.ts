import { type PipelineElements, pipelineDefaults } from '@sightline/domain'
import { expect, test } from 'vitest'
import { diffLines } from '../ui/diff.ts'
import { faultsOf, refusedOf, textOf } from './defaults.ts'

const factory = { pipeline_elements: pipelineDefaults('pplcnt'), auto_recovery: true }
const [key] = Object.keys(factory.pipeline_elements).filter((one) => typeof factory.pipeline_elements[one] === 'number')
const other = { ...factory, pipeline_elements: { ...factory.pipeline_elements, [key as string]: 77 } }

test('only what was changed differs from the factory, in whatever order it was stored', () => {
  const elements: PipelineElements = Object.fromEntries(Object.entries(other.pipeline_elements).reverse())
  const stored = { ...other, pipeline_elements: elements }
  const changed = diffLines(textOf(factory, factory), textOf(stored, factory)).filter(({ kind }) => kind !== 'same')
  expect(changed.map(({ kind }) => kind)).toEqual(['removed', 'added'])
  expect(changed.every(({ text }) => text.includes(`"${key}"`))).toBe(true)
})

test('the factory has no fault; an element of another use case has one', () => {
  expect(faultsOf(factory, factory)).toEqual({})
  const strange = { ...factory, pipeline_elements: { ...factory.pipeline_elements, 'no.such': 1 } }
  expect(faultsOf(strange, factory)).toMatchObject({ 'no.such': 'unknown_property' })
})

test('what the server refuses stands at its element', () => {
  expect(refusedOf({ 'defaults.pipeline_elements.analytic.min_count': ['required', 'invalid'], version: [] })).toEqual({
    'analytic.min_count': 'required',
    version: 'invalid',
  })
})
