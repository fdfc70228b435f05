import { expect, test } from 'vitest'
import { isThin, sharedLabels, tableRows, tints } from './series.ts'

const at = (minute: number) => `2026-05-04T12:0${minute}:00.000Z`
const point = (minute: number, value: number | null) => ({
  start: at(minute),
  value,
  coverage_ratio: value === null ? 0 : 1,
})

test('the table begins with the newest bucket and ends with the first that was watched; gaps between stay', () => {
  const up = { points: [null, 0, null, 2].map((value, minute) => point(minute, value)) }
  expect(tableRows([up]).map(({ start, values }) => [start, ...values])).toEqual([
    [at(3), 2],
    [at(2), null],
    [at(1), 0],
  ])
})

test('a figure of less than nine tenths of its time is thin', () => {
  expect([0.1, 0.89, 0.9, 1].map((coverage_ratio) => isThin({ coverage_ratio }))).toEqual([true, true, false, false])
})

test('a period in which nobody watched has no rows', () => {
  expect(tableRows([{ points: [point(0, null)] }])).toEqual([])
})

test('no two series of a chart have the same colour', () => {
  expect(tints(['violation', 'non_violation'])).toEqual(['bad', 'brand'])
  expect(tints(['up', 'down', 'occupancy'])).toEqual(['brand', 'warn', 'ok'])
  const many = tints(['fire', 'high_smoke', 'intermediate_smoke', 'low_smoke'])
  expect(new Set(many).size).toBe(4)
})

test('only titles that several use cases share need the name of the use case', () => {
  expect(sharedLabels(['pplcnt'])).toEqual(new Set())
  expect(sharedLabels(['pplcnt', 'pplocc']).has('Up Count')).toBe(false)
  expect(sharedLabels(['pplcnt', 'coldtec', 'pplcntavg', 'ppltrk']).has('Total')).toBe(true)
})
