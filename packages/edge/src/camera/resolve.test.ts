import { expect, test } from 'vitest'
import { createResolver } from './resolve.ts'

/** A name server that answers when it is told to. */
function server(timeoutMs?: number) {
  const asked: string[] = []
  const answers: (() => void)[] = []
  const resolve = createResolver((host) => {
    asked.push(host)
    return new Promise((done) => answers.push(() => done([{ address: '192.0.2.1' }])))
  }, timeoutMs)
  const answer = async () => {
    for (const give of answers.splice(0)) give()
    await new Promise(setImmediate)
  }
  return { asked, answer, resolve }
}

test('all who want the same host wait for one question, two are asked at once, and addresses are not asked', async () => {
  const { asked, answer, resolve } = server()
  const found = Promise.all(['a', 'b', 'a', 'c', 'a', '192.0.2.7', '::1'].map(resolve))
  expect(asked).toEqual(['a', 'b'])
  await answer()
  expect(asked).toEqual(['a', 'b', 'c'])
  await answer()
  const one = ['192.0.2.1']
  expect(await found).toEqual([one, one, one, one, one, ['192.0.2.7'], ['::1']])
  void resolve('a')
  expect(asked).toEqual(['a', 'b', 'c', 'a'])
  await answer()
})

test('what waited in vain is not asked later, and what is still being asked serves who comes next', async () => {
  const { asked, answer, resolve } = server(20)
  const hosts = Array.from({ length: 50 }, (_, i) => `host${i}`)
  const tries = await Promise.allSettled(hosts.map(resolve))
  expect(tries.every(({ status }) => status === 'rejected')).toBe(true)
  const again = resolve('host0')
  await answer()
  expect(await again).toEqual(['192.0.2.1'])
  await answer()
  expect(asked).toEqual(['host0', 'host1'])
})
