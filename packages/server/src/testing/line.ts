import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A wire to a port of this machine, which can be cut, and can carry nothing for a while. */
export type Line = { port: number; cut(): void; mend(): void; stall(): void; flow(): void; close(): void }

export async function openLine(port: number): Promise<Line> {
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((near) => {
    if (isCut) return near.destroy()
    const far = connect(port, '127.0.0.1')
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.pipe(other)
      // What tears shows as its end.
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    mend: () => {
      isCut = false
    },
    stall() {
      for (const socket of sockets) socket.pause()
    },
    flow() {
      for (const socket of sockets) socket.resume()
    },
    close() {
      cut()
      server.close()
    },
  }
}
