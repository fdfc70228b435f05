import { expect, test } from 'vitest'
import { createTurns } from './turns.ts'

/** Work whose end a test holds in its hands. */
function work() {
  const end = Promise.withResolvers<string>()
  let hasBegun = false
  const begin = () => {
    hasBegun = true
    return end.promise
  }
  return { begin, end, hasBegun: () => hasBegun }
}
const settled = () => new Promise((resolve) => setImmediate(resolve))

test('so many work at once, the others wait in order, and what is beyond is refused', async () => {
  const turns = createTurns({ atOnce: 2, waiting: 2 })
  const all = Array.from({ length: 5 }, work)
  const answers = all.slice(0, 4).map(({ begin }) => turns.take(begin))
  await expect(turns.take((all[4] as ReturnType<typeof work>).begin)).rejects.toMatchObject({
    status: 503,
    code: 'busy',
  })
  const begun = () => all.map(({ hasBegun }) => hasBegun())
  await settled()
  expect(begun()).toEqual([true, true, false, false, false])
  // A failure is an end like another.
  all[1]?.end.reject(new Error('no'))
  await expect(answers[1]).rejects.toThrow('no')
  await settled()
  expect(begun()).toEqual([true, true, true, false, false])
  for (const { end } of all) end.resolve('done')
  expect(await Promise.all([answers[0], answers[2], answers[3]])).toEqual(['done', 'done', 'done'])
})

test('who gives up while waiting never begins, and takes nobody’s turn', async () => {
  const turns = createTurns({ atOnce: 1, waiting: 5 })
  const [first, second, third] = [work(), work(), work()]
  const leaving = new AbortController()
  const done = turns.take(first.begin)
  const given = turns.take(second.begin, leaving.signal)
  const last = turns.take(third.begin)
  leaving.abort()
  await expect(given).rejects.toBe(leaving.signal.reason)
  first.end.resolve('first')
  third.end.resolve('third')
  expect([await done, await last, second.hasBegun()]).toEqual(['first', 'third', false])
})
