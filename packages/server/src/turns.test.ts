import { expect, test } from 'vitest'
import { createSharedTurns, createTurns } from './turns.ts'

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

test('what one party brings holds up no other, and neither has more than its share', async () => {
  const turnsOf = createSharedTurns<string>({ atOnce: 3, waiting: 2 }, { atOnce: 2, waiting: 2 })
  const storm = Array.from({ length: 4 }, work)
  const [other, third] = [work(), work()]
  const answers = storm.map(({ begin }) => turnsOf('one').take(begin))
  expect(() => turnsOf('one').refuseMore()).toThrow(expect.objectContaining({ code: 'busy' }))
  turnsOf('two').refuseMore()
  answers.push(turnsOf('two').take(other.begin), turnsOf('three').take(third.begin))
  await settled()
  const begun = () => [...storm, other, third].map(({ hasBegun }) => hasBegun())
  expect(begun()).toEqual([true, true, false, false, true, false])
  // Before those of the party that has its share.
  storm[0]?.end.resolve('done')
  await settled()
  expect(begun()).toEqual([true, true, false, false, true, true])
  for (const { end } of [...storm, other, third]) end.resolve('done')
  expect(await Promise.all(answers)).toEqual(Array.from({ length: 6 }, () => 'done'))
})
