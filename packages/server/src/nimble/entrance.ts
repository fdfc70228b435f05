/**
 * Where edge servers that dial the portal come in, on the portal's own listener: one POST that exchanges keys, and the
 * WebSocket of the link. Neither is for browsers: whatever a page of any origin sends is refused.
 */
import { EventEmitter } from 'node:events'
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { normalizeIP } from '@fastify/rate-limit'
import { enrolment, enrolPath, linkMessageBytes, linkPath, linkSubprotocol } from '@sightline/contract/edge'
import type { FastifyInstance } from 'fastify'
import ipaddr from 'ipaddr.js'
import { WebSocketServer } from 'ws'
import { changed } from '../bus.ts'
import { Refusal } from '../refusal.ts'
import type { Services } from '../services.ts'
import { claim } from './enrol.ts'
import { openPortalIdentity } from './identity.ts'

/** Connections that have proven nothing yet, of everybody and of one address; more are turned away. */
const mostOpening = 32
const mostOpeningOfAddress = 8
const enrolmentsPerMinute = 60
const closeMs = 1000

/**
 * Takes the upgrades of the link's path.
 * @returns what all other upgrades arrive at, as if it were the server
 */
export function openEntrance(app: FastifyInstance, { env, links }: Services): Server {
  const others = new EventEmitter()
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: linkMessageBytes,
    perMessageDeflate: false,
    handleProtocols: (offered) => offered.has(linkSubprotocol) && linkSubprotocol,
  })
  const opening = new Map<string, number>()
  let isClosing = false

  function enter(request: IncomingMessage, socket: Duplex, head: Buffer) {
    socket.on('error', () => socket.destroy())
    const offered = `${request.headers['sec-websocket-protocol']}`.split(/, */)
    if (request.headers.origin !== undefined || !offered.includes(linkSubprotocol))
      return turnAway(socket, '404 Not Found')
    const address = normalizeIP(clientOf(request, env.trustedProxies))
    const ofAddress = opening.get(address) ?? 0
    const all = [...opening.values()].reduce((sum, each) => sum + each, 0)
    if (isClosing || all >= mostOpening || ofAddress >= mostOpeningOfAddress)
      return turnAway(socket, '503 Service Unavailable')
    sockets.handleUpgrade(request, socket, head, (ws) => {
      ws.on('error', () => ws.terminate())
      opening.set(address, ofAddress + 1)
      links
        .enter(ws)
        .catch((error: unknown) => {
          app.log.error({ err: error }, 'an edge server that dialled could not be let in')
          ws.close(1011, 'connection_lost')
        })
        .finally(() => {
          const left = (opening.get(address) ?? 1) - 1
          if (left > 0) opening.set(address, left)
          else opening.delete(address)
        })
    })
  }

  app.server.on('upgrade', (request, socket, head) => {
    if (request.url?.split('?')[0] === linkPath) enter(request, socket, head)
    else others.emit('upgrade', request, socket, head)
  })
  app.addHook('preClose', async () => {
    isClosing = true
    for (const ws of sockets.clients) ws.close(1001, 'the portal stops')
    const force = setTimeout(() => {
      for (const ws of sockets.clients) ws.terminate()
    }, closeMs)
    await Promise.all([...sockets.clients].map((ws) => new Promise((closed) => ws.once('close', closed))))
    clearTimeout(force)
  })
  // The plugin for browsers' sockets listens to this one's upgrades and to nothing else of it.
  return others as Server
}

/** Who really connects: what a trusted proxy says, as far back as proxies are trusted. */
function clientOf(request: IncomingMessage, trusted: readonly string[]): string {
  const forwarded = `${request.headers['x-forwarded-for'] ?? ''}`.split(',').map((each) => each.trim())
  let address = request.socket.remoteAddress ?? ''
  for (let next = forwarded.pop(); next && isWithin(address, trusted); next = forwarded.pop()) address = next
  return address
}

function isWithin(address: string, networks: readonly string[]): boolean {
  if (!ipaddr.isValid(address)) return false
  const ip = ipaddr.process(address)
  return networks.some((network) => {
    const [base, bits] = network.includes('/') ? ipaddr.parseCIDR(network) : ([ipaddr.process(network), null] as const)
    if (base.kind() !== ip.kind()) return false
    return ip.match(base as ipaddr.IPv4, bits ?? (ip.kind() === 'ipv4' ? 32 : 128))
  })
}

function turnAway(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

/** The exchange of keys: a token against who this portal is. */
export function serveEnrolment(app: FastifyInstance, { db, bus, links, log, secrets }: Services): void {
  const limit = app.createRateLimit({ max: enrolmentsPerMinute, timeWindow: 60_000 })
  app.post(enrolPath, { config: { access: 'public' }, bodyLimit: 4096 }, async (request, reply) => {
    if (request.headers.origin !== undefined)
      throw new Refusal(403, 'Cross-site request refused', { code: 'cross_site' })
    const state = await limit(request)
    if (!state.isAllowed && state.isExceeded)
      throw new Refusal(429, 'Too many requests, wait a moment.', { code: 'rate_limited' })
    const sent = enrolment.safeParse(request.body)
    if (!sent.success) throw new Refusal(400, 'This is no enrolment.', { code: 'invalid' })
    const claimed = await claim(db, await openPortalIdentity(db, secrets), sent.data)
    if (typeof claimed === 'string') {
      log.warn(`an enrolment from ${request.ip} was refused: ${claimed}`)
      return reply.code(403).send({ fault: claimed })
    }
    const { tenantId, ...enrolled } = claimed
    log.info({ nimble: enrolled.nimble_id, ip: request.ip }, 'an edge server was enrolled')
    links.reload()
    bus.publish(changed({ tenant_id: tenantId }, 'nimble', enrolled.nimble_id))
    return enrolled
  })
}
