import { expect, test } from 'vitest'
import { i18n, loadLanguage } from './index.ts'
import { causeText, clockText, fieldText, foundText, messageText, metricValue, usecaseBeside } from './words.ts'

await loadLanguage('en')

test('what follows a colon becomes the argument of the text', () => {
  expect(fieldText('greater_than:0')).toBe('Must be greater than 0')
  expect(causeText('stream_works_at:640x480:10')).toContain('640x480')
  expect(causeText('stream_works_at:640x480:10')).toContain('10')
})

test('broken numbers are written as in the language, addresses as they are', async () => {
  await loadLanguage('fr')
  const figures = { fps: 2.4, expected_fps: 5 }
  expect(causeText('pictures_few', figures)).toContain('2,4 images sur 5')
  expect(causeText('stream_works_at:10.0.0.1:10')).toContain('10.0.0.1')
  await loadLanguage('en')
  expect(causeText('pictures_few', figures)).toContain('2.4 of 5')
})

test('an id with an argument may have a text of its own', () => {
  expect(causeText('degraded:black')).toBe('The picture is black; nothing can be counted')
  expect(causeText('degraded')).not.toBe(causeText('degraded:black'))
})

test('an edge server that was given up says so, and why', () => {
  expect(causeText('gave_up:protocol_mismatch:2')).toBe(
    'Its tries are used up, so it is not tried again by itself. The edge server speaks protocol 2, this portal protocol 1. Bring both to the same version.',
  )
})

test('what an edge server repeats without end is said once', () => {
  expect(causeText(`${'gave_up:'.repeat(30_000)}protocol_mismatch:2`)).toBe(causeText('gave_up:protocol_mismatch:2'))
})

test('refusals say numbers in their plural and keys by their names, in both languages', async () => {
  const left = { people: 1, customers: 2, nimbles: 0, models: 0 }
  const texts = () => [
    messageText('organization_not_empty', left),
    messageText('license_too_small', { limit: 1, used: 1 }),
    messageText('license_too_small', { limit: 2, used: 3 }),
    messageText('license_bundle_in_use', { used: 3, limit: 9, bundle: 'people' }),
    messageText('usecase_not_assigned', { usecases: 'pplcnt, frdtec' }),
  ]
  expect(texts()).toEqual([
    'It is not empty; still there: 1 person, 2 customers. Delete that first.',
    'This key allows 1 channel, and 1 is in use: remove some analytics first',
    'This key allows 2 channels, and 3 are in use: remove some analytics first',
    'This key leaves out the bundle People, whose analytics are in use: remove them first',
    'This customer may not attach People counting, Fire and smoke: an administrator says on the customer’s page what it may',
  ])
  await loadLanguage('fr')
  const nb = String.fromCharCode(0xa0)
  expect(texts().map((text) => text?.replaceAll(nb, ' '))).toEqual([
    'Elle n’est pas vide ; il reste : 1 personne, 2 clients. Supprimez cela d’abord.',
    'Cette clé permet 1 canal, et 1 est utilisé : retirez d’abord des analyses',
    'Cette clé permet 2 canaux, et 3 sont utilisés : retirez d’abord des analyses',
    `Cette clé omet l’offre ${i18n.t('usecase.bundle.people')}, dont des analyses sont utilisées : retirez-les d’abord`,
    `Ce client ne peut pas attacher ${i18n.t('usecase.name.pplcnt')}, ${i18n.t('usecase.name.frdtec')} : un administrateur dit sur la page du client ce qu’il peut attacher`,
  ])
  await loadLanguage('en')
})

test('an unknown field error reads as not valid, an unknown cause as it is, an unknown refusal as nothing', () => {
  expect(fieldText('Invalid input: expected string')).toBe('This value is not valid')
  expect(causeText('something new')).toBe('something new')
  expect(messageText('something new')).toBeNull()
})

test('a clock that is hours off is said in words, and which way', () => {
  expect(clockText(120)).toBe('120 ms against this portal')
  expect(clockText(7_200_000)).toBe('2 h behind this portal; times of events are corrected')
  expect(clockText(-7_205_000)).toBe('2 h 5 s ahead of this portal; times of events are corrected')
})
test('why the quality is reduced', () => {
  expect(causeText('analysis_behind:120')).toBe('The analysis cannot keep up: 120 pictures a minute are left out')
})

test('an analytic that is named as its use case has no second word beside its name', async () => {
  expect([usecaseBeside('Occupancy', 'pplocc'), usecaseBeside('Door', 'pplocc')]).toEqual([null, 'Occupancy'])
  await loadLanguage('fr')
  expect(usecaseBeside('Door', 'pplocc')).not.toBe('Occupancy')
  // Named while the portal was shown in English, too.
  expect([usecaseBeside('occupancy ', 'pplocc'), usecaseBeside(usecaseBeside('', 'pplocc') ?? '', 'pplocc')]).toEqual([
    null,
    null,
  ])
  await loadLanguage('en')
})

test('what was found in a picture is named in the language, and by a model’s own word where there is none', async () => {
  expect([foundText('person', 41), foundText(undefined, 0), foundText('zebra', null)]).toEqual([
    'Person #41',
    '#0',
    'zebra',
  ])
  await loadLanguage('fr')
  expect([foundText('person', 41), foundText('motion', null)]).toEqual(['Personne #41', 'Mouvement'])
  await loadLanguage('en')
})

test('a number of a metric has its unit: seconds that somebody stayed read as a time, to the minute from an hour on', () => {
  expect(metricValue('total', 5321)).toBe('5,321')
  expect(metricValue('dwell_time', 312)).toBe('5 min 12 s')
  expect(metricValue('dwell_time', 5321)).toBe('1 h 29 min')
})
