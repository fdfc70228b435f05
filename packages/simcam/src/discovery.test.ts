import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { Discovery as Client } from 'onvif/promises/index.js'
import { afterEach, describe, expect, test } from 'vitest'
import { type Discovery, discoveryGroup, discoveryPort, openDiscovery } from './discovery.ts'

const open: Discovery[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((discovery) => discovery.close()))
})
async function responder() {
  const discovery = await openDiscovery('127.0.0.1')
  open.push(discovery)
  return discovery
}

const device = (name: string) => ({
  uuid: crypto.randomUUID(),
  xaddr: `http://127.0.0.1:1/${name}`,
  scopes: [`onvif://www.onvif.org/name/${name}`],
})

type Match = { probeMatches: { probeMatch: { XAddrs: string; endpointReference: { address: string } } } }
async function found(): Promise<Map<string, string>> {
  const matches = (await Client.probe({ timeout: 3000, resolve: false, device: 'lo' })) as Match[]
  return new Map(
    matches.map(({ probeMatches: { probeMatch } }) => [probeMatch.endpointReference.address, probeMatch.XAddrs]),
  )
}

/** Sends messages from loopback, one after the other, and waits for the first answer about that device. */
async function probe(bodies: string[], uuid: string): Promise<string> {
  const socket = createSocket('udp4')
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  socket.setMulticastInterface('127.0.0.1')
  const answer = new Promise<string>((done) => {
    socket.on('message', (message) => message.includes(uuid) && done(message.toString()))
  })
  for (const body of bodies) socket.send(body, discoveryPort, discoveryGroup)
  const text = await answer
  socket.close()
  return text
}

const action = 'http://schemas.xmlsoap.org/ws/2005/04/discovery/Probe'
const message = (body: string, does = action, id = 'uuid:a&amp;b') =>
  `<Envelope><Header><Action>${does}</Action><MessageID>${id}</MessageID></Header><Body>${body}</Body></Envelope>`

describe('discovery', () => {
  test('finds two cameras of one process and one of another', async () => {
    const [one, other] = [await responder(), await responder()]
    const devices = [device('a'), device('b'), device('c')] as const
    one.announce(devices[0])
    one.announce(devices[1])
    other.announce(devices[2])
    const seen = await found()
    for (const { uuid, xaddr } of devices) expect(seen.get(`urn:uuid:${uuid}`)).toBe(xaddr)
  })

  test('does not find a camera that was taken back', async () => {
    const discovery = await responder()
    const gone = device('gone')
    discovery.announce(gone)()
    expect((await found()).has(`urn:uuid:${gone.uuid}`)).toBe(false)
  })

  test('relates each answer to its question', async () => {
    const one = device('one')
    const discovery = await responder()
    discovery.announce(one)
    expect(await probe([message('<Probe/>')], one.uuid)).toContain('<wsa:RelatesTo>uuid:a&#38;b</wsa:RelatesTo>')
  })

  test.each([
    ['type', message('<Probe><Types>tds:Device</Types></Probe>'), true],
    ['another type', message('<Probe><Types>dp0:PrintDeviceType</Types></Probe>'), false],
    ['scope', message('<Probe><Scopes>onvif://www.onvif.org/name/one</Scopes></Probe>'), true],
    ['another scope', message('<Probe><Scopes>onvif://www.onvif.org/location/x</Scopes></Probe>'), false],
    ['another message', message('<Resolve/>', 'http://schemas.xmlsoap.org/ws/2005/04/discovery/Resolve'), false],
    ['a probe without an id', `<Envelope><Action>${action}</Action><Body><Probe/></Body></Envelope>`, false],
  ])('answers by %s', async (_what, body, isAnswered) => {
    const one = device('one')
    const discovery = await responder()
    discovery.announce(one)
    // What comes after is answered whatever comes before, and answers come in the order of their questions.
    const first = await probe([body, message('<Probe/>', action, 'uuid:after')], one.uuid)
    expect(first.includes('<wsa:RelatesTo>uuid:after</wsa:RelatesTo>')).toBe(!isAnswered)
  })
})
