/** From an address that a person typed to a connection on which both ends have proven their keys. */
import { lookup } from 'node:dns/promises'
import type { IncomingMessage } from 'node:http'
import { TLSSocket } from 'node:tls'
import { type Hello, type LinkFault, linkMessageBytes, linkPath, linkSubprotocol } from '@sightline/contract/edge'
import {
  OpeningFault,
  type OpeningPipe,
  type OpeningSelf,
  openAsPortal,
  openingPipe,
} from '@sightline/contract/opening'
import { isLoopbackHost } from '@sightline/domain'
import ipaddr from 'ipaddr.js'
import { WebSocket } from 'ws'
import { isAllowedHost } from '../camera-address.ts'

export type DialOptions = {
  address: string
  port: number
  timeoutMs: number
  self: OpeningSelf
  /** Whether this port of the portal's own machine is an edge server's. */
  isLoopbackPort(port: number): boolean
  /** Answers why this nimble is not the wanted one, null when it is. */
  accept(nimble: Hello): LinkFault | null
  signal: AbortSignal
}
export type Dialled = { socket: WebSocket; pipe: OpeningPipe; nimble: Hello }

/** @throws OpeningFault whatever goes wrong; the connection is closed then */
export async function dial(options: DialOptions): Promise<Dialled> {
  const { address, port, timeoutMs, signal } = options
  const ip = await resolve(address, port, options.isLoopbackPort)
  const isPlain = isLoopbackHost(ip)
  const host = ip.includes(':') ? `[${ip}]` : ip
  const socket = new WebSocket(`${isPlain ? 'ws' : 'wss'}://${host}:${port}${linkPath}`, linkSubprotocol, {
    handshakeTimeout: timeoutMs,
    maxPayload: linkMessageBytes,
    perMessageDeflate: false,
    followRedirects: false,
    // The certificate is the nimble's own. Its key is compared with the one that `hello` shows, below.
    rejectUnauthorized: false,
    minVersion: 'TLSv1.3',
  })
  // Listens from the beginning: the nimble's hello may come together with the end of the handshake.
  const pipe = openingPipe(socket, timeoutMs)
  const stop = () => socket.terminate()
  signal.addEventListener('abort', stop)
  try {
    const response = await handshake(socket)
    const nimble = await openAsPortal(pipe, options.self, (hello) => {
      if (!isPlain && tlsKey(response) !== hello.public_key) return 'key_unproven'
      return options.accept(hello)
    })
    return { socket, pipe, nimble }
  } catch (error) {
    const fault =
      error instanceof OpeningFault ? error : new OpeningFault(signal.aborted ? 'no_answer' : faultOfError(error))
    if (socket.readyState === socket.OPEN) socket.close(fault.code, fault.reason)
    else socket.terminate()
    throw fault
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** Resolves when the WebSocket is open, with the answer that opened it. */
function handshake(socket: WebSocket): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let answer: IncomingMessage
    socket.on('upgrade', (response) => {
      answer = response
    })
    socket.on('open', () => resolve(answer))
    socket.on('unexpected-response', () => reject(new OpeningFault('not_a_nimble')))
    // Stays: an error after the opening is followed by 'close'.
    socket.on('error', reject)
  })
}

function tlsKey({ socket }: IncomingMessage): string | null {
  const key = socket instanceof TLSSocket ? socket.getPeerX509Certificate()?.publicKey : undefined
  if (key?.asymmetricKeyType !== 'ed25519') return null
  return Buffer.from(key.export({ format: 'jwk' }).x as string, 'base64url').toString('base64')
}

function faultOfError(error: unknown): LinkFault {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ECONNREFUSED') return 'nothing_listens'
  if (code === 'ETIMEDOUT' || code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return 'no_answer'
  if (message?.includes('handshake has timed out')) return 'no_answer'
  return 'not_a_nimble'
}

/* ── which addresses ─────────────────────────────────────────────────────────────────── */

/**
 * The IP address to connect to, so that a second answer of the name server cannot change the target. Every answer must be
 * an ordinary address; loopback only where an edge server of ours listens.
 * @throws OpeningFault `host_unknown`, `address_refused`
 */
async function resolve(host: string, port: number, isLoopbackPort: (port: number) => boolean): Promise<string> {
  const answers = await lookup(host.replace(/^\[|\]$/g, ''), { all: true }).catch(() => {
    throw new OpeningFault('host_unknown')
  })
  const ips = answers.map(({ address }) => ipaddr.process(address).toString())
  const isFine = (ip: string) => (isLoopbackHost(ip) ? isLoopbackPort(port) : isAllowedHost(ip))
  const [first] = ips
  if (first === undefined || !ips.every(isFine)) throw new OpeningFault('address_refused')
  return first
}
