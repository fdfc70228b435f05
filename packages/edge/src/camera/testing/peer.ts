/** Peers that no camera should be: servers that redirect, stay silent, hang up or talk nonsense. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export type Peer = { port: number; address: string; connections(): number; requests: string[] }

/** @param answer what to send to a request, without CSeq; null = nothing; undefined = hang up */
export async function startPeer(answer: (method: string, request: string) => string | null | undefined): Promise<Peer> {
  const sockets = new Set<Socket>()
  const requests: string[] = []
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      for (let end = received.indexOf('\r\n\r\n'); end >= 0; end = received.indexOf('\r\n\r\n')) {
        const request = received.slice(0, end)
        received = received.slice(end + 4)
        requests.push(request)
        const reply = answer(request.split(' ')[0] ?? '', request)
        if (reply === undefined) socket.end()
        else if (reply !== null)
          socket.write(reply.replace('\r\n', `\r\nCSeq: ${/CSeq: (\d+)/i.exec(request)?.[1]}\r\n`))
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  })
  const { port } = server.address() as AddressInfo
  return { port, address: `rtsp://127.0.0.1:${port}/stream1`, connections: () => connections, requests }
}

export const reply = (status: string, headers: string[] = [], body = '') =>
  [`RTSP/1.0 ${status}`, ...headers, ...(body ? [`Content-Length: ${body.length}`] : []), '', body].join('\r\n')

export const sdp = (media: string[]) => ['v=0', 'o=- 1 1 IN IP4 127.0.0.1', 's=-', 't=0 0', ...media, ''].join('\r\n')
