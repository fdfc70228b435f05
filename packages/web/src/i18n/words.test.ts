import { expect, test } from 'vitest'
import { causeText, fieldText, messageText } from './words.ts'

test('what follows a colon becomes the argument of the text', () => {
  expect(fieldText('greater_than:0')).toBe('Must be greater than 0')
  expect(causeText('stream_works_at:640x480:10')).toContain('640x480')
  expect(causeText('stream_works_at:640x480:10')).toContain('10')
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
