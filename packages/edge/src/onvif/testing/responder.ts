/** A device on loopback that answers WS-Discovery probes with whatever a test wants it to say. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { discoveryGroup, discoveryPort } from '../wsd.ts'

export type Responder = { probes: string[]; close(): Promise<void> }

/**
 * @param answer makes the answers to a probe, given its id and how many probes came before
 * @param host where to listen; another address of loopback than 127.0.0.1 gets single probes only
 */
export async function startResponder(
  answer: (id: string, before: number) => string[],
  host = '127.0.0.1',
): Promise<Responder> {
  const isShared = host === '127.0.0.1'
  const socket = createSocket({ type: 'udp4', reuseAddr: true })
  socket.bind(discoveryPort, isShared ? '0.0.0.0' : host)
  await once(socket, 'listening')
  if (isShared) socket.addMembership(discoveryGroup, host)
  const probes: string[] = []
  socket.on('message', (message, { address, port }) => {
    const id = /MessageID>([^<]*)</.exec(message.toString())?.[1] ?? ''
    for (const text of answer(id, probes.length)) socket.send(text, port, address)
    probes.push(message.toString())
  })
  return {
    probes,
    async close() {
      const closed = once(socket, 'close')
      socket.close()
      await closed
    },
  }
}

export type Said = { relatesTo: string; uuid?: string; xaddrs?: string; scopes?: string }

export const probeMatches = ({ relatesTo, uuid = crypto.randomUUID(), xaddrs = '', scopes = '' }: Said): string =>
  `<e:Envelope xmlns:e="http://www.w3.org/2003/05/soap-envelope"><e:Header><x:RelatesTo>${relatesTo}</x:RelatesTo></e:Header>` +
  `<e:Body><w:ProbeMatches><w:ProbeMatch><x:EndpointReference><x:Address>urn:uuid:${uuid}</x:Address></x:EndpointReference>` +
  `<w:Types>dn:NetworkVideoTransmitter</w:Types><w:Scopes>${scopes}</w:Scopes><w:XAddrs>${xaddrs}</w:XAddrs>` +
  `</w:ProbeMatch></w:ProbeMatches></e:Body></e:Envelope>`
