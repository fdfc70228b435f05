import { expect, it } from 'vitest'
import { expiryStage, licenseRefusal, licenseState } from './license.ts'

const now = Date.UTC(2026, 4, 4)
const days = (n: number) => now + n * 86_400_000

it.each([
  ['no end', 16, 3, null, 'valid'],
  ['far from its end', 16, 3, days(31), 'valid'],
  ['30 days before its end', 16, 3, days(30), 'expiring'],
  ['at its end', 16, 3, now, 'expired'],
  ['full is not exceeded', 16, 16, null, 'valid'],
  ['more channels than it allows', 16, 17, null, 'exceeded'],
] as const)('state of a licence: %s', (_, limit, used, expiresAt, state) => {
  expect(licenseState(limit, used, expiresAt, now)).toBe(state)
})

it.each([
  ['no end', null, null],
  ['31 days before', days(31), null],
  ['30 days before', days(30), 30],
  ['8 days before', days(8), 30],
  ['7 days before', days(7), 7],
  ['2 days before', days(2), 7],
  ['a day before', days(1), 1],
  ['at its end', now, 0],
  ['long after', days(-400), 0],
])('the warning of a licence comes 30, 7 and 1 days before its end, and with it: %s', (_, expiresAt, stage) => {
  expect(expiryStage(expiresAt, now)).toBe(stage)
})

it.each([
  ['room left', 16, 15, null, null, null],
  ['full', 16, 16, null, null, 'license_limit'],
  ['ended', 16, 0, null, days(-1), 'license_expired'],
  ['begins tomorrow', 16, 0, days(1), null, 'license_not_yet_valid'],
] as const)('one more channel: %s', (_, limit, used, from, until, why) => {
  expect(licenseRefusal(limit, used, from, until, now)).toBe(why)
})
