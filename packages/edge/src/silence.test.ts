import { expect, test } from 'vitest'
import { createSilence } from './silence.ts'

/** Asked each second, as a watch does. */
function watched() {
  let now = 0
  const silence = createSilence(10_000, () => now)
  const pass = (seconds: number) => {
    const answers: boolean[] = []
    for (let second = 0; second < seconds; second++) {
      now += 1000
      answers.push(silence.isTooLong())
    }
    return answers.lastIndexOf(false) + 1
  }
  return { silence, pass, holdUp: (ms: number) => (now += ms) }
}

test('what says nothing for ten seconds is silent, counted from the last that was heard', () => {
  const { silence, pass } = watched()
  expect(pass(8)).toBe(8)
  silence.heard()
  expect(pass(20)).toBe(9)
})

test('what could not be heard, as nobody listened, is not silent; what stays silent then is', () => {
  const { silence, pass, holdUp } = watched()
  pass(5)
  holdUp(30_000)
  expect(silence.isTooLong()).toBe(false)
  expect(pass(20)).toBe(9)
})
