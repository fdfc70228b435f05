/**
 * As little as a live picture can cost: `ws` sends a message of so many bytes so many times a second to whoever connects.
 * Forked with both numbers; says its port.
 */
import { WebSocketServer } from 'ws'

const fps = Number(process.argv[2])
const message = Buffer.alloc(Number(process.argv[3]))
const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false })
server.on('listening', () => process.send?.((server.address() as { port: number }).port))
setInterval(() => {
  for (const socket of server.clients) socket.send(message)
}, 1000 / fps)
process.on('disconnect', () => process.exit(0))
process.on('SIGTERM', () => process.exit(0))
