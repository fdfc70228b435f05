/**
 * The door for the portal: a WebSocket server that takes one portal at a time. Until both have proven their keys a
 * connection costs little and ends soon; a newer proven connection replaces the older one.
 */
import { createServer, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Duplex } from 'node:stream'
import { type LinkFault, linkClose, linkMessageBytes, linkPath, linkSubprotocol } from '@sightline/contract/edge'
import { OpeningFault, openAsNimble, openingPipe } from '@sightline/contract/opening'
import { isLoopbackHost } from '@sightline/domain'
import { type WebSocket, WebSocketServer } from 'ws'
import { selfSigned } from './certificate.ts'
import { type Conversation, closeGraceMs, converse, type PortalLink, type PortalSession } from './conversation.ts'
import { type Identity, portalFault } from './identity.ts'
import type { Log } from './log.ts'

export type DoorOptions = {
  host: string
  port: number
  software: string
  identity: Identity
  /** The start command writes the enrolment: nobody else is trusted meanwhile. */
  awaitsEnrolment: boolean
  /** How long a connection may take to prove itself. */
  openingMs?: number
  log: Log
  /** A portal has come in. @param portalTime its clock, ms @param nimbleId by which it calls this nimble */
  onPortal(link: PortalLink, portalTime: number, nimbleId: string): PortalSession
}
export type Door = { port: number; close(): Promise<void> }

const usualOpeningMs = 10_000
/** Connections that have not proven anything yet; more are turned away. */
const mostOpening = 8

/** @throws when the address cannot be listened on */
export async function openDoor(options: DoorOptions): Promise<Door> {
  const { log, openingMs = usualOpeningMs } = options
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: linkMessageBytes,
    perMessageDeflate: false,
    handleProtocols: (offered) => offered.has(linkSubprotocol) && linkSubprotocol,
  })
  const server = createHttp(options)
  let opening = 0
  let current: Conversation | null = null

  server.on('upgrade', (request, socket: Duplex, head) => {
    socket.on('error', () => socket.destroy())
    const isLink =
      request.url === linkPath && `${request.headers['sec-websocket-protocol']}`.split(/, */).includes(linkSubprotocol)
    // A page in a browser is never the portal.
    if (!isLink || request.headers.origin !== undefined) return refuse(socket, '404 Not Found')
    if (opening >= mostOpening) return refuse(socket, '503 Service Unavailable')
    sockets.handleUpgrade(request, socket, head, (ws) => {
      opening++
      receive(ws)
        .catch((error: unknown) => turnAway(ws, error))
        .finally(() => opening--)
    })
  })

  async function receive(ws: WebSocket): Promise<void> {
    ws.on('error', () => ws.terminate())
    const { identity } = options
    const pipe = openingPipe(ws, openingMs)
    const enrolled = identity.enrolment()
    const { portal, nimbleId, portalTime } = await openAsNimble(
      pipe,
      { id: enrolled?.nimble_id ?? null, software: options.software, key: identity.key },
      (hello) => portalFault(hello, enrolled, options.awaitsEnrolment),
    )
    if (enrolled?.nimble_id !== nimbleId)
      identity.enrol({ nimble_id: nimbleId, instance_id: portal.id as string, portal_key: portal.public_key })
    if (enrolled === null) log.warn('The first portal came in and is trusted from now on', { key: portal.public_key })
    current?.end(linkClose.replaced, 'connection_lost')
    const self = converse(ws, pipe, log, (link) => options.onPortal(link, portalTime, nimbleId))
    current = self
    ws.on('close', () => {
      if (current === self) current = null
    })
  }

  function turnAway(ws: WebSocket, error: unknown): void {
    const fault = error instanceof OpeningFault ? error : new OpeningFault('connection_lost')
    if (error instanceof OpeningFault) log.warn('A connection was turned away', faultInWords(fault.fault as LinkFault))
    else log.error('A connection could not be opened', error)
    if (ws.readyState === ws.OPEN) ws.close(fault.code, fault.reason)
    setTimeout(() => ws.terminate(), closeGraceMs).unref()
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, options.host, resolve)
  })
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : options.port,
    async close() {
      current?.end(1001, 'the edge server stops')
      const ended = new Promise((resolve) => server.close(resolve))
      server.closeIdleConnections()
      const force = setTimeout(() => {
        for (const ws of sockets.clients) ws.terminate()
        server.closeAllConnections()
      }, closeGraceMs)
      await ended
      clearTimeout(force)
    },
  }
}

/** Plain on loopback; elsewhere TLS 1.3 with a certificate of the nimble's own key, which the portal compares. */
function createHttp({ host, identity }: DoorOptions): Server {
  const limits = { headersTimeout: usualOpeningMs, requestTimeout: usualOpeningMs, maxHeaderSize: 8192 }
  const answer: Parameters<typeof createServer>[1] = (_request, response) => {
    response.writeHead(404, { 'content-type': 'text/plain', connection: 'close' })
    response.end('This is an edge server of Sightline. Add its address and port in the portal.\n')
  }
  const server = isLoopbackHost(host)
    ? createServer(limits, answer)
    : createTlsServer({ ...limits, ...selfSigned(identity.privatePem, new Date()), minVersion: 'TLSv1.3' }, answer)
  server.maxConnections = 64
  return server
}

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

const words: Partial<Record<LinkFault, string>> = {
  enrolled_elsewhere: 'this edge server belongs to another portal',
  key_unproven: 'it could not prove that it holds its key',
  not_a_nimble: 'it does not speak the protocol',
  no_answer: 'it said too little for too long',
}
const faultInWords = (fault: string): string =>
  fault.startsWith('protocol_mismatch')
    ? `it speaks protocol ${fault.split(':')[1]}`
    : (words[fault as LinkFault] ?? fault)
