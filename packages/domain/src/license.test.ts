import { expect, it } from 'vitest'
import { expiryStage, licenseRefusal, licenseState, renewalRefusal } from './license.ts'

const now = Date.UTC(2026, 4, 4)
const days = (n: number) => now + n * 86_400_000
const terms = { isForeign: false, limit: 16, used: 15, validFrom: null, expiresAt: null, bundles: null }

it.each([
  ['no end', {}, 'valid'],
  ['far from its end', { expiresAt: days(31) }, 'valid'],
  ['30 days before its end', { expiresAt: days(30) }, 'expiring'],
  ['at its end', { expiresAt: now }, 'expired'],
  ['before its beginning', { validFrom: days(1), expiresAt: days(20) }, 'upcoming'],
  ['at its beginning', { validFrom: now }, 'valid'],
  ['full is not exceeded', { used: 16 }, 'valid'],
  ['more channels than it allows', { used: 17 }, 'exceeded'],
  ['signed by somebody who no longer counts', { isForeign: true, expiresAt: now }, 'foreign'],
] as const)('state of a licence: %s', (_, change, state) => {
  expect(licenseState({ ...terms, used: 3, ...change }, now)).toBe(state)
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
  ['room left', {}, null],
  ['full', { used: 16 }, { code: 'license_limit' }],
  ['ended', { used: 0, expiresAt: days(-1) }, { code: 'license_expired' }],
  ['begins tomorrow', { used: 0, validFrom: days(1) }, { code: 'license_not_yet_valid' }],
  ['signed by somebody who no longer counts', { isForeign: true }, { code: 'license_foreign' }],
  ['covers the bundle', { bundles: ['people'] }, null],
  ['covers another bundle', { bundles: ['safety'] }, { code: 'license_bundle', bundle: 'people' }],
] as const)('one more channel: %s', (_, given, why) => {
  expect(licenseRefusal({ ...terms, ...given }, ['pplcnt'], now)).toEqual(why)
})

it('several more channels fit together or not at all; without a use case there is room for one or none', () => {
  expect(licenseRefusal(terms, ['pplcnt', 'pplcnt'], now)).toEqual({ code: 'license_limit' })
  expect(licenseRefusal({ ...terms, bundles: ['safety'] }, [], now)).toBeNull()
  expect(licenseRefusal({ ...terms, used: 16 }, [], now)).toEqual({ code: 'license_limit' })
})

it('other terms of a licence must take what is in use', () => {
  expect(renewalRefusal({ limit: 2, bundles: ['people'] }, ['pplcnt', 'pplocc'])).toBeNull()
  expect(renewalRefusal({ limit: 1, bundles: null }, ['pplcnt', 'pplocc'])).toEqual({ code: 'license_too_small' })
  expect(renewalRefusal({ limit: 2, bundles: ['safety'] }, ['pplcnt'])).toEqual({
    code: 'license_bundle_in_use',
    bundle: 'people',
  })
})
