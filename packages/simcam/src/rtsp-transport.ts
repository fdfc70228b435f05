/** The two ways in which RTP reaches a client: inside the RTSP connection, or by UDP. */
import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import type { Socket } from 'node:net'

export type Transport = {
  /** What the answer to SETUP says. */
  header: string
  sendRtp(packet: Buffer): void
  sendRtcp(packet: Buffer): void
  close(): void
}

export type TransportKind = 'tcp' | 'udp'

/**
 * Takes the first of the client's alternatives (RFC 2326 12.39) that this camera can serve.
 * @returns null when there is none
 */
export async function openTransport(
  header: string,
  kinds: readonly TransportKind[],
  socket: Socket,
): Promise<Transport | null> {
  for (const offer of header.split(',')) {
    const [, a, b] = /(?:interleaved|client_port)=(\d+)(?:-(\d+))?/.exec(offer) ?? []
    const first = a === undefined ? null : Number(a)
    const second = b === undefined ? (first ?? 0) + 1 : Number(b)
    if (/multicast/i.test(offer)) continue
    if (/RTP\/AVP\/TCP/i.test(offer)) {
      if (kinds.includes('tcp') && second < 256) return interleaved(socket, first ?? 0, second)
    } else if (/RTP\/AVP/i.test(offer) && first !== null && first > 0 && second < 65_536)
      if (kinds.includes('udp')) return overUdp(socket, first, second)
  }
  return null
}

function interleaved(socket: Socket, rtpChannel: number, rtcpChannel: number): Transport {
  const send = (channel: number, packet: Buffer) => {
    const head = Buffer.from([0x24, channel, 0, 0])
    head.writeUInt16BE(packet.length, 2)
    socket.write(head)
    socket.write(packet)
  }
  return {
    header: `RTP/AVP/TCP;unicast;interleaved=${rtpChannel}-${rtcpChannel}`,
    sendRtp: (packet) => send(rtpChannel, packet),
    sendRtcp: (packet) => send(rtcpChannel, packet),
    close: () => undefined,
  }
}

async function overUdp(socket: Socket, rtpPort: number, rtcpPort: number): Promise<Transport | null> {
  const { localAddress, remoteAddress } = socket
  if (!localAddress || !remoteAddress) return null
  const { rtp, rtcp } = await bindPair(localAddress)
  return {
    header: `RTP/AVP;unicast;client_port=${rtpPort}-${rtcpPort};server_port=${rtp.address().port}-${rtcp.address().port}`,
    sendRtp: (packet) => rtp.send(packet, rtpPort, remoteAddress),
    sendRtcp: (packet) => rtcp.send(packet, rtcpPort, remoteAddress),
    close: () => {
      rtp.close()
      rtcp.close()
    },
  }
}

/** RTP takes an even port and RTCP the one above it (RFC 3550 section 11). */
async function bindPair(host: string): Promise<{ rtp: UdpSocket; rtcp: UdpSocket }> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const rtp = await bind(host, 0)
    const port = rtp?.address().port ?? 0
    const rtcp = rtp && port % 2 === 0 ? await bind(host, port + 1) : null
    if (rtp && rtcp) return { rtp, rtcp }
    rtp?.close()
  }
  throw new Error('no free pair of UDP ports')
}

/** @returns null when the port is taken */
async function bind(host: string, port: number): Promise<UdpSocket | null> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  try {
    socket.bind(port, host)
    await once(socket, 'listening')
  } catch {
    socket.close()
    return null
  }
  // A client that has closed its port answers with ICMP errors; its RTSP connection will tell us that it is gone.
  socket.on('error', () => undefined)
  return socket
}
