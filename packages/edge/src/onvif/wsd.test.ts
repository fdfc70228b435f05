import { afterEach, describe, expect, test } from 'vitest'
import { probeMatches, type Responder, startResponder } from './testing/responder.ts'
import { ask } from './wsd.ts'
import { textAt } from './xml.ts'

const running: Responder[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((responder) => responder.close()))
})

/** A device that is asked by its address, so that those of other programs on this machine do not answer. */
const host = '127.83.1.9'
async function responder(answer: Parameters<typeof startResponder>[0]) {
  const started = await startResponder(answer, host)
  running.push(started)
  return started
}

type Answer = { xaddrs: string | null; sender: string }

/** What is heard until `isLast` has come. */
async function answersOf(addresses: string[], isLast: (answer: Answer, count: number) => boolean): Promise<Answer[]> {
  const found: Answer[] = []
  const enough = new AbortController()
  const onMatch: Parameters<typeof ask>[2] = (match, sender) => {
    const answer = { xaddrs: textAt(match, 'XAddrs'), sender }
    found.push(answer)
    if (isLast(answer, found.length)) enough.abort()
  }
  await ask(addresses, null, onMatch, AbortSignal.any([enough.signal, AbortSignal.timeout(10_000)]))
  return found
}

describe('a question', () => {
  test('is asked twice, and every answer is heard', async () => {
    const { probes } = await responder((id) => [probeMatches({ relatesTo: id, xaddrs: 'http://a/' })])
    expect(await answersOf([host], (_, count) => count === 2)).toEqual([
      { xaddrs: 'http://a/', sender: host },
      { xaddrs: 'http://a/', sender: host },
    ])
    expect(probes.length).toBe(2)
    expect(probes[0]).toBe(probes[1])
  })

  test('reaches a device that lost the first datagram', async () => {
    await responder((id, before) => (before === 0 ? [] : [probeMatches({ relatesTo: id, xaddrs: 'http://b/' })]))
    expect(await answersOf([host], () => true)).toEqual([{ xaddrs: 'http://b/', sender: host }])
  })

  test('goes to each address of a range, whatever the others do', async () => {
    await responder((id) => [probeMatches({ relatesTo: id, xaddrs: 'http://c/' })])
    const addresses = Array.from({ length: 130 }, (_, i) => `127.83.1.${i + 1}`)
    // Cameras of other programs on this machine hear the addresses beside it, and answer too.
    const isOurs = ({ xaddrs }: Answer) => xaddrs === 'http://c/'
    const ours = (await answersOf(addresses, isOurs)).filter(isOurs)
    expect(ours.length).toBeGreaterThanOrEqual(1)
    expect(ours.every(({ sender }) => sender === host)).toBe(true)
  })

  test('ends as soon as it is over', async () => {
    const took: number[] = []
    for (let i = 0; i < 5; i++) {
      const started = performance.now()
      await ask([host], null, () => undefined, AbortSignal.timeout(50))
      took.push(performance.now() - started)
    }
    // Not after the pause before it asks again; one of them at least meets a machine that has time for it.
    expect(Math.min(...took)).toBeLessThan(250)
  })

  test('cannot be asked where there is no such interface', async () => {
    expect(await ask([host], '198.51.100.7', () => undefined, AbortSignal.timeout(50))).toBe(false)
  })
})

describe('an answer is passed over', () => {
  test.each([
    ['to another question', () => probeMatches({ relatesTo: 'urn:uuid:another', xaddrs: 'http://a/' })],
    ['that is no XML', () => 'HTTP/1.1 200 OK'],
    ['that breaks off', (id: string) => probeMatches({ relatesTo: id }).slice(0, 120)],
    ['with a document type', (id: string) => `<!DOCTYPE e>${probeMatches({ relatesTo: id, xaddrs: 'http://a/' })}`],
    ['without a match', (id: string) => `<Envelope><Header><RelatesTo>${id}</RelatesTo></Header><Body/></Envelope>`],
  ])('%s', async (_what, text) => {
    await responder((id) => [text(id), probeMatches({ relatesTo: id, xaddrs: 'http://behind/' })])
    expect(await answersOf([host], () => true)).toEqual([{ xaddrs: 'http://behind/', sender: host }])
  })
})
