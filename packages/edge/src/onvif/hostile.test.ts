/** Cameras that want to hurt: what they may cost in time and memory, and that nobody but them is ever contacted. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import type { Finding } from '@sightline/contract/edge'
import { describe, expect, onTestFinished, test } from 'vitest'
import { probeStream } from '../camera/probe.ts'
import { local } from '../camera/testing/watch.ts'
import { probe } from './probe.ts'
import { soapTimeoutMs } from './soap.ts'
import { decentAnswer, soap, startOnvifPeer } from './testing/onvif-peer.ts'
import { probeMatches } from './testing/responder.ts'
import { ask, discoveryPort } from './wsd.ts'
import { maxXmlBytes, parseXml } from './xml.ts'

/** Listens where nobody may come, and counts who does. */
async function trap(host: string, port = 0): Promise<{ port: number; visits: () => number }> {
  let visits = 0
  const server: Server = createServer((socket) => {
    visits++
    socket.destroy()
  }).listen(port, host)
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { port: (server.address() as { port: number }).port, visits: () => visits }
}

type Answer = Parameters<typeof startOnvifPeer>[0]
async function tried(answer: Answer) {
  const peer = await startOnvifPeer(answer)
  onTestFinished(() => peer.close())
  const findings: Finding[] = []
  const begun = performance.now()
  const result = await probe(
    { address: peer.address, username: 'admin', password: 'secret' },
    {
      known: local(peer.port),
      probeStream,
      onFinding: (finding) => findings.push(finding),
    },
  )
  return { result, findings, operations: peer.operations, port: peer.port, ms: performance.now() - begun }
}

describe('a camera that names others', () => {
  test.each([
    ['another machine', (port: number) => `127.0.0.2:${port}`],
    ['another program on its own machine', (port: number) => `127.0.0.1:${port}`],
    ['this machine by another name', (port: number) => `localhost:${port}`],
    ['this machine by a number', (port: number) => `2130706433:${port}`],
    ['this machine by IPv6', (port: number) => `[::ffff:127.0.0.1]:${port}`],
    ['a metadata service', () => '169.254.169.254'],
  ])('%s: for its services, its stream and its still, is asked itself or not at all', async (_what, place) => {
    const same = await trap('127.0.0.1')
    const elsewhere = await trap('127.0.0.2', same.port)
    const host = place(same.port)
    const { operations, findings, result } = await tried((operation) => {
      if (operation === 'GetServices')
        return (
          '<GetServicesResponse><Service><Namespace>http://www.onvif.org/ver10/media/wsdl</Namespace>' +
          `<XAddr>http://${host}/media</XAddr></Service></GetServicesResponse>`
        )
      return decentAnswer(operation, {
        mediaXAddr: `http://${host}/media`,
        streamUri: `rtsp://${host}/main`,
        snapshotUri: `http://${host}/still.jpg`,
      })
    })
    expect([same.visits(), elsewhere.visits()]).toEqual([0, 0])
    // It was asked for its profiles all the same, at its own address.
    expect(operations).toContain('GetProfiles')
    // What was told on the way is what the answer holds.
    const inOrder = (list: readonly Finding[]) => list.map(({ text_id }) => text_id).sort()
    expect(inOrder(findings)).toEqual(inOrder(result.findings))
    expect(result.findings.some(({ level }) => level === 'error')).toBe(true)
  })

  test('by a redirect to each of its answers is not followed', async () => {
    const { port, visits } = await trap('127.0.0.1')
    const { result } = await tried(
      () => (http) => http.writeHead(307, { Location: `http://127.0.0.1:${port}/onvif/device_service` }).end(),
    )
    expect(visits()).toBe(0)
    expect(result.findings).toMatchObject([{ level: 'error', code: 'not_onvif' }])
  })
})

describe('answers made to cost', () => {
  const attack = (text: string): Answer => {
    const body = soap(`<GetDeviceInformationResponse>${text}</GetDeviceInformationResponse>`)
    return (operation) =>
      operation === 'GetSystemDateAndTime' ? decentAnswer(operation) : (http) => http.writeHead(200).end(body)
  }
  const room = maxXmlBytes - 500

  test.each([
    ['siblings', '<b/>'.repeat(room / 4)],
    ['attributes', `<b ${Array.from({ length: 5000 }, (_, i) => `a${i}="1"`).join(' ')}/>`],
    ['nesting', '<b>'.repeat(room / 3)],
    ['ampersands', '&'.repeat(room)],
    ['character references', '&#38;'.repeat(room / 5)],
    ['comments', '<!--'.repeat(room / 4)],
    ['an endless name', `<${'b'.repeat(room)}>`],
    ['open brackets', '<'.repeat(room)],
    ['entities that name entities', '<!DOCTYPE l [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><l>&b;</l>'],
  ])('%s are read or refused in less than a second', async (_what, text) => {
    const took = [1, 2, 3].map(() => {
      const begun = performance.now()
      parseXml(`<r>${text}</r>`)
      return performance.now() - begun
    })
    // The machine may have been busy with something else; not each time.
    expect(Math.min(...took)).toBeLessThan(1000)
    const { result } = await tried(attack(text))
    expect(result.findings.some(({ level }) => level === 'error')).toBe(true)
    expect(JSON.stringify(result).length).toBeLessThan(100_000)
  })

  test('a byte a second to each question ends after one patience, not after one for each', async () => {
    const { result, ms } = await tried((operation) => (http) => {
      const whole = soap(decentAnswer(operation))
      http.writeHead(200)
      let at = 0
      const drip = setInterval(() => http.write(whole[at++] ?? ' '), 1000)
      http.on('close', () => clearInterval(drip))
    })
    expect(result.findings).toMatchObject([{ level: 'error', code: 'timeout' }])
    expect(ms).toBeLessThan(2 * soapTimeoutMs)
  })

  test('each answer just in time ends all the same', async () => {
    const { result, ms } = await tried((operation) => (http) => {
      const late = setTimeout(() => http.writeHead(200).end(soap(decentAnswer(operation))), 4500)
      http.on('close', () => clearTimeout(late))
    })
    expect(result.findings).toMatchObject([{ level: 'error', code: 'timeout' }])
    // With all the time it takes for its eight answers it would be 36 s.
    expect(ms).toBeLessThan(32_000)
  })
})

describe('datagrams', () => {
  /** Asked by its address, so that nobody else answers. */
  const host = '127.83.4.5'

  async function flood(answers: (id: string) => Iterable<string>, from = host): Promise<void> {
    const listener = createSocket({ type: 'udp4', reuseAddr: true })
    listener.bind(discoveryPort, host)
    const sender = createSocket('udp4')
    sender.bind(0, from)
    await Promise.all([once(listener, 'listening'), once(sender, 'listening')])
    let isOver = false
    listener.once('message', async (message, { port, address }) => {
      const id = /MessageID>([^<]*)</.exec(message.toString())?.[1] ?? ''
      for (const answer of answers(id)) {
        if (isOver) return
        await new Promise((sent) => sender.send(answer, port, address, sent))
      }
    })
    onTestFinished(() => {
      isOver = true
      listener.close()
      sender.close()
    })
  }
  async function heard(over = AbortSignal.timeout(1500), onFirst?: () => void) {
    let matches = 0
    const before = process.memoryUsage().rss
    const begun = performance.now()
    const count = () => {
      if (matches++ === 0) onFirst?.()
    }
    await ask([host], null, count, over)
    return { matches, ms: performance.now() - begun, grownBytes: process.memoryUsage().rss - before }
  }
  function* many(make: (i: number) => string, count = 20_000) {
    for (let i = 0; i < count; i++) yield make(i)
  }

  test('thousands of one host end with the search, and cost little', async () => {
    await flood((relatesTo) => many((i) => probeMatches({ relatesTo, xaddrs: `http://${host}/${i}` })))
    const over = new AbortController()
    // From the first on: where the machine is busy it may be long in coming.
    const { matches, ms, grownBytes } = await heard(AbortSignal.any([over.signal, AbortSignal.timeout(20_000)]), () =>
      setTimeout(() => over.abort(), 1500),
    )
    expect(matches).toBeGreaterThan(10)
    expect(matches).toBeLessThan(1000)
    expect(ms).toBeLessThan(25_000)
    expect(grownBytes).toBeLessThan(100e6)
  })

  test('that are as large and as hard to read as can be end with the search', async () => {
    await flood((relatesTo) => many(() => probeMatches({ relatesTo, xaddrs: '<b/>'.repeat(15_000) }), 1000))
    expect((await heard()).ms).toBeLessThan(15_000)
  })

  test('of a host that was not asked are not heard', async () => {
    await flood((relatesTo) => many(() => probeMatches({ relatesTo, xaddrs: 'http://127.83.4.6/' }), 10), '127.83.4.6')
    expect((await heard(AbortSignal.timeout(600))).matches).toBe(0)
  })
})
