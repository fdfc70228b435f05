import { expect, test } from 'vitest'
import { repeat } from './repeat.ts'

test('a round begins after the one before, also after one that failed, and stopping ends the one that runs', async () => {
  const failures: unknown[] = []
  const third = Promise.withResolvers<void>()
  let rounds = 0
  let atOnce = 0
  const work = async (signal: AbortSignal) => {
    rounds++
    expect(++atOnce).toBe(1)
    await new Promise((done) => setImmediate(done))
    if (rounds === 3) {
      third.resolve()
      await new Promise((done) => signal.addEventListener('abort', done, { once: true }))
    }
    atOnce--
    if (rounds === 1) throw new Error('no')
  }
  const rests = repeat(1, work, (error) => failures.push(error))
  await third.promise
  await rests.stop()
  expect([rounds, atOnce]).toEqual([3, 0])
  expect(failures).toEqual([new Error('no')])
})
