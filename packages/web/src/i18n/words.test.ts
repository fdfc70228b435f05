import { expect, test } from 'vitest'
import { loadLanguage } from './index.ts'
import { causeText, clockText, fieldText, foundText, messageText, usecaseBeside } from './words.ts'

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
