/** A camera that answers as it should and then sends whatever a test wants, over the RTSP connection. */

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { splitNals } from '../h264.ts'
import { reply, sdp } from './peer.ts'

export type Sender = {
  /** One NAL unit, cut up as RFC 6184 says. False when the viewer does not keep up. */
  nal(nal: Buffer, time: number, isLast: boolean): boolean
  /** The payload of one RTP packet as it is. */
  payload(payload: Buffer, time: number, isLast: boolean): boolean
  /** Anything. */
  bytes(bytes: Buffer): boolean
  /** The same with each RTP packet given to `send`. */
  by(send: (packet: Buffer) => void): Sender
  /** Resolves when the viewer has taken what was sent. */
  drained(): Promise<void>
  isGone(): boolean
}

const largest = 1400

/** Whole pictures of a demo scene, each its NAL units; the first of every thirty is a key frame with parameter sets. */
export function scenePictures(): Buffer[][] {
  const file = new URL('../../../../simcam/scenes/corridor.h264', import.meta.url)
  const pictures: Buffer[][] = []
  let current: Buffer[] = []
  for (const nal of splitNals(readFileSync(file))) {
    const type = (nal[0] as number) & 31
    // first_mb_in_slice 0 is the single bit 1.
    const begins = type === 7 || (type === 1 && ((nal[1] as number) & 0x80) !== 0)
    if (begins && current.length > 0) {
      pictures.push(current)
      current = []
    }
    current.push(nal)
  }
  return [...pictures, current]
}

/** @param stream called for each viewer that plays; @param answer overrules the usual answers */
export async function startHostile(
  stream: (sender: Sender) => Promise<void>,
  answer: (method: string, request: string) => string | null = () => null,
) {
  const sockets = new Set<Socket>()
  const description = sdp(['m=video 0 RTP/AVP 96', 'a=rtpmap:96 H264/90000', 'a=control:track'])
  const usual = (method: string) => {
    if (method === 'DESCRIBE') return reply('200 OK', ['Content-Type: application/sdp'], description)
    if (method === 'SETUP') return reply('200 OK', ['Transport: RTP/AVP/TCP;unicast;interleaved=0-1', 'Session: 1'])
    return reply('200 OK', ['Session: 1', 'Public: OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN'])
  }
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
    socket.on('data', (chunk) => {
      for (const request of chunk.toString('latin1').split('\r\n\r\n')) {
        const [method = ''] = request.split(' ')
        if (!/^[A-Z_]+$/.test(method)) continue
        const text = answer(method, request) ?? usual(method)
        socket.write(text.replace('\r\n', `\r\nCSeq: ${/CSeq: (\d+)/i.exec(request)?.[1]}\r\n`))
        if (method === 'PLAY') stream(senderOf(socket, framed(socket))).catch(() => socket.destroy())
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { port, address: `rtsp://127.0.0.1:${port}/stream1` }
}

/** RTP packets within the RTSP connection. */
function framed(socket: Socket): (packet: Buffer) => boolean {
  socket.setMaxListeners(0)
  return (packet) => {
    const head = Buffer.from('$\0\0\0', 'latin1')
    head.writeUInt16BE(packet.length, 2)
    return socket.write(Buffer.concat([head, packet]))
  }
}

/** @param send takes an RTP packet; false when the viewer does not keep up */
function senderOf(socket: Socket, send: (packet: Buffer) => boolean): Sender {
  let sequence = 0
  const payload = (body: Buffer, time: number, isLast: boolean) => {
    const head = Buffer.alloc(12)
    head[0] = 0x80
    head[1] = 96 | (isLast ? 0x80 : 0)
    head.writeUInt16BE(sequence++ % 65_536, 2)
    head.writeUInt32BE(time >>> 0, 4)
    head.writeUInt32BE(1, 8)
    return send(Buffer.concat([head, body]))
  }
  return {
    payload,
    nal(nal, time, isLast) {
      if (nal.length <= largest) return payload(nal, time, isLast)
      const type = nal[0] as number
      let isTaken = true
      for (let from = 1; from < nal.length; from += largest) {
        const end = from + largest >= nal.length
        const fu = Buffer.of((type & 0xe0) | 28, (from === 1 ? 0x80 : 0) | (end ? 0x40 : 0) | (type & 31))
        isTaken = payload(Buffer.concat([fu, nal.subarray(from, from + largest)]), time, isLast && end)
      }
      return isTaken
    },
    bytes: (bytes) => socket.write(bytes),
    by: (other) =>
      senderOf(socket, (packet) => {
        other(packet)
        return true
      }),
    async drained() {
      if (socket.writableNeedDrain && !socket.destroyed)
        await Promise.race([once(socket, 'drain'), once(socket, 'close')])
    },
    isGone: () => socket.destroyed,
  }
}
