import { afterEach, expect, test } from 'vitest'
import { heardTime, portalNow } from './clock.ts'

const said = '2026-05-04T10:00:00Z'
const at = (ms: number) => heardTime(new Date(said).toUTCString(), Date.parse(said) + 500 + ms)
const aheadOfBrowser = () => portalNow() - Date.now()
afterEach(() => heardTime(new Date(Date.now() - 500).toUTCString()))

test('a browser ten minutes ahead reads the time of the portal', () => {
  at(600_000)
  expect(aheadOfBrowser()).toBeCloseTo(-600_000, -1)
})

test('answers that take a second longer or less do not move the clock', () => {
  at(600_000)
  at(601_500)
  expect(aheadOfBrowser()).toBeCloseTo(-600_000, -1)
})

test('a clock that was set right is believed again', () => {
  at(600_000)
  at(100)
  expect(aheadOfBrowser()).toBeCloseTo(0, -1)
})

test('an answer without a time says nothing', () => {
  at(600_000)
  heardTime(null)
  heardTime('yesterday')
  expect(aheadOfBrowser()).toBeCloseTo(-600_000, -1)
})
