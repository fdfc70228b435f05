/** WS-Discovery responder (OASIS WS-Discovery 1.1 as ONVIF profiles it): tells who asks which cameras are here. */
import { randomUUID } from 'node:crypto'
import { createSocket, type RemoteInfo } from 'node:dgram'
import { once } from 'node:events'
import { element, envelope, escapeXml, textOf } from './soap.ts'

export const discoveryPort = 3702
export const discoveryGroup = '239.255.255.250'

export type Announcement = { uuid: string; xaddr: string; scopes: readonly string[] }

export type Discovery = {
  /** @returns a function that takes the device back */
  announce(device: Announcement): () => void
  close(): Promise<void>
}

export type DiscoveryOptions = {
  /** As a camera with an address of its own: hears what is sent to that address, and nothing else. */
  isAlone?: boolean
  /** For those who measure: this device answers now. */
  onAnswer?(uuid: string): void
}

/**
 * Answers for all cameras of this process on one shared socket: several processes hear a multicast on port 3702, but
 * only one of them a message sent to one address.
 * @param host address of the interface to listen on; on loopback only this machine is answered
 * @throws EADDRINUSE when another program holds the port for itself, or what the system says where it has no multicast
 */
export async function openDiscovery(host: string, options: DiscoveryOptions = {}): Promise<Discovery> {
  const devices = new Set<Announcement>()
  const socket = createSocket({ type: 'udp4', reuseAddr: true })
  try {
    socket.bind(discoveryPort, options.isAlone ? host : '0.0.0.0')
    await once(socket, 'listening')
    if (!options.isAlone) socket.addMembership(discoveryGroup, host)
    if (!options.isAlone) socket.setMulticastInterface(host)
  } catch (error) {
    socket.close()
    throw error
  }
  // A failed answer is one lost datagram: the prober asks again.
  socket.on('error', () => undefined)
  socket.on('message', (message, sender) => {
    if (isLoopback(host) && !isLoopback(sender.address)) return
    for (const device of devices) answer(device, message.toString(), sender)
  })

  function answer(device: Announcement, probe: string, sender: RemoteInfo): void {
    const id = textOf(probe, 'MessageID')
    if (id === null || !matches(device, probe)) return
    options.onAnswer?.(device.uuid)
    socket.send(probeMatch(device, id), sender.port, sender.address)
  }

  return {
    announce(device) {
      devices.add(device)
      return () => devices.delete(device)
    },
    async close() {
      const closed = once(socket, 'close')
      socket.close()
      await closed
    },
  }
}

const isLoopback = (address: string): boolean => address.startsWith('127.')

/** Whether a message is a Probe for this kind of device: by type and, prefix by prefix, by scope. */
function matches(device: Announcement, message: string): boolean {
  if (!/\/discovery\/Probe\s*</.test(message)) return false
  const types = words(textOf(message, 'Types'))
  const scopes = words(textOf(message, 'Scopes'))
  return (
    types.every((type) => /(?:^|:)(?:NetworkVideoTransmitter|Device)$/.test(type)) &&
    scopes.every((wanted) => device.scopes.some((scope) => scope.startsWith(wanted)))
  )
}

const words = (text: string | null): string[] => text?.split(/\s+/).filter((word) => word !== '') ?? []

function probeMatch(device: Announcement, relatesTo: string): string {
  const anonymous = 'http://schemas.xmlsoap.org/ws/2004/08/addressing/role/anonymous'
  const match =
    element('wsa:EndpointReference', element('wsa:Address', `urn:uuid:${device.uuid}`)) +
    element('d:Types', 'dn:NetworkVideoTransmitter') +
    element('d:Scopes', escapeXml(device.scopes.join(' '))) +
    element('d:XAddrs', escapeXml(device.xaddr)) +
    element('d:MetadataVersion', 1)
  return envelope(
    element('d:ProbeMatches', element('d:ProbeMatch', match)),
    element('wsa:MessageID', `urn:uuid:${randomUUID()}`) +
      element('wsa:RelatesTo', escapeXml(relatesTo)) +
      element('wsa:To', anonymous) +
      element('wsa:Action', 'http://schemas.xmlsoap.org/ws/2005/04/discovery/ProbeMatches'),
  )
}
