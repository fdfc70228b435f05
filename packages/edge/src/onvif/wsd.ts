/** The exchange of WS-Discovery (OASIS, 2005/04 as ONVIF has it): one question by multicast or to single addresses, many answers. */
import { randomUUID } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { pause } from '../pause.ts'
import { nodesAt, parseXml, textAt, type XmlNode } from './xml.ts'

export const discoveryPort = 3702
export const discoveryGroup = '239.255.255.250'
/** A datagram may get lost; a device that heard both answers both. */
const resendMs = 300
/**
 * Single addresses are asked from several sockets, one after the other, so that a range fills no queue on the way. What is sent to
 * an address that nobody has waits three seconds for one who has it, in the memory of its socket: that holds some ninety
 * questions (Linux, as installed), and two go to each address. Whoever comes after waits too.
 */
const mostOfSocket = 32
const batchPauseMs = 3
/**
 * What is read of answers, of one host and of all: an answer has about 1.5 KB, and whoever sends megabytes wants something
 * else. The worst XML of this size takes a quarter of a second, and four.
 */
const mostBytesOfSender = 256 * 1024
const mostBytes = 4 * 1024 * 1024

/** @param sender address that the answer came from; one that was asked, where single addresses were */
export type OnMatch = (match: XmlNode, sender: string) => void

/**
 * Sends a Probe to each address, twice, and listens until it is over.
 * @param local address of the interface to ask on; null leaves the way to the routing table
 * @returns whether anything could be sent
 */
export async function ask(
  addresses: string[],
  local: string | null,
  onMatch: OnMatch,
  over: AbortSignal,
): Promise<boolean> {
  const id = `urn:uuid:${randomUUID()}`
  const heard = hearing()
  const isAsked = local === null ? askedOf(addresses) : () => true
  const onMessage = (message: Buffer, { address }: { address: string }) => {
    // Who has not heard the question cannot know its id: not worth reading.
    if (!isAsked(address) || !message.includes(id) || !heard(address, message.length)) return
    for (const match of matchesIn(message, id)) onMatch(match, address)
  }
  const batches = Array.from({ length: Math.ceil(addresses.length / mostOfSocket) }, (_, i) =>
    addresses.slice(i * mostOfSocket, (i + 1) * mostOfSocket),
  )
  const probe = Buffer.from(probeMessage(id))
  const sent = await Promise.all(
    batches.map(async (batch, i) => {
      if (i > 0) await pause(i * batchPauseMs, over)
      return askFromOne(batch, local, probe, onMessage, over)
    }),
  )
  return sent.includes(true)
}

async function askFromOne(
  addresses: string[],
  local: string | null,
  probe: Buffer,
  onMessage: (message: Buffer, sender: { address: string }) => void,
  over: AbortSignal,
): Promise<boolean> {
  const socket = createSocket('udp4')
  const closed = new Promise<void>((done) => socket.once('close', () => done()))
  let isSent = false
  /** Does not wait for what cannot be sent at once. */
  const send = () => {
    if (over.aborted) return
    for (const address of addresses)
      socket.send(probe, discoveryPort, address, (error) => {
        isSent ||= error === null
      })
  }
  try {
    await bind(socket, local)
    // An ICMP error about one address says nothing about the others.
    socket.on('error', () => undefined)
    socket.on('message', onMessage)
    send()
    await pause(resendMs, over)
    send()
    if (!over.aborted) await once(over, 'abort')
    return isSent
  } catch (error) {
    // The interface went away, or does no multicast: it is left out of what was scanned.
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error
    return false
  } finally {
    socket.close()
    await closed
  }
}

const askedOf = (addresses: string[]) => {
  const asked = new Set(addresses)
  return (address: string) => asked.has(address)
}

/** Says whether an answer of this length may still be read. */
function hearing() {
  const bytesOf = new Map<string, number>()
  let all = 0
  return (sender: string, bytes: number): boolean => {
    const ofSender = (bytesOf.get(sender) ?? 0) + bytes
    if (ofSender > mostBytesOfSender || all + bytes > mostBytes) return false
    bytesOf.set(sender, ofSender)
    all += bytes
    return true
  }
}

async function bind(socket: Socket, local: string | null): Promise<void> {
  socket.bind(0, local ?? undefined)
  await once(socket, 'listening')
  if (local === null) return
  socket.setMulticastInterface(local)
  socket.setMulticastTTL(1)
}

function probeMessage(id: string): string {
  const ws = 'http://schemas.xmlsoap.org/ws'
  return (
    `<?xml version="1.0" encoding="UTF-8"?><s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope" xmlns:a="${ws}/2004/08/addressing" xmlns:d="${ws}/2005/04/discovery" xmlns:dn="http://www.onvif.org/ver10/network/wsdl"><s:Header>` +
    `<a:Action s:mustUnderstand="1">${ws}/2005/04/discovery/Probe</a:Action><a:MessageID>${id}</a:MessageID>` +
    `<a:ReplyTo><a:Address>${ws}/2004/08/addressing/role/anonymous</a:Address></a:ReplyTo>` +
    `<a:To s:mustUnderstand="1">urn:schemas-xmlsoap-org:ws:2005:04:discovery</a:To></s:Header>` +
    `<s:Body><d:Probe><d:Types>dn:NetworkVideoTransmitter</d:Types></d:Probe></s:Body></s:Envelope>`
  )
}

/** The devices named in an answer to our question; none in anything else. */
function matchesIn(message: Buffer, id: string): XmlNode[] {
  const [envelope] = nodesAt(parseXml(message.toString('utf8')) ?? {}, 'Envelope')
  if (!envelope || textAt(envelope, 'Header', 'RelatesTo') !== id) return []
  return nodesAt(envelope, 'Body', 'ProbeMatches', 'ProbeMatch')
}
