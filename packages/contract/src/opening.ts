/**
 * How a link begins, for both ends: each says hello, the portal proves that it holds its key, then the nimble does, then
 * the portal welcomes it. Whoever is not satisfied closes with a code and a fault as its reason.
 */
import type * as z from 'zod'
import {
  anyHello,
  type Hello,
  hello,
  type LinkFault,
  type LinkParty,
  linkClose,
  linkFaults,
  linkProof,
  linkProtocol,
  prove,
  welcome,
} from './edge.ts'
import { isSignedBy, type LinkKey } from './key.ts'

/** The link does not come about. */
export class OpeningFault extends Error {
  /** One of `linkFaults`, with an argument after a colon where it has one. */
  readonly fault: string
  /** For closing the connection. */
  readonly code: number
  readonly reason: string
  /** Who the other end says it is, without proof; only for showing what went wrong. */
  readonly claimedId: string | null

  constructor(fault: LinkFault | `${LinkFault}:${string}`, claimedId: string | null = null) {
    super(fault)
    this.claimedId = claimedId
    const isVersion = fault.startsWith('protocol_mismatch')
    this.fault = fault
    this.code = isVersion ? linkClose.version : linkClose.identity
    // Each end hears the number that the other one speaks.
    this.reason = isVersion ? `protocol_mismatch:${linkProtocol}` : fault
  }
}

/** What both ends' WebSocket has. */
export type OpeningSocket = {
  send(text: string): void
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void
  addEventListener(type: 'close', listener: (event: { code: number; reason: string }) => void): void
}

/** A connection that is not trusted yet. */
export type OpeningPipe = {
  send(text: string): void
  /** The next text message. Rejects with `OpeningFault` when the connection ends or takes too long. */
  receive(): Promise<string>
  /** The opening is over: all messages from now on, those that came meanwhile first. */
  release(take: (data: unknown) => void): void
}

const mostAhead = 32

/** Takes the messages of a connection from now on; to be called before any can come. After `timeoutMs` it is too late. */
export function openingPipe(socket: OpeningSocket, timeoutMs: number): OpeningPipe {
  const waiting: unknown[] = []
  let fault: OpeningFault | null = null
  let take: ((data: unknown) => void) | null = null
  let wake: () => void = () => undefined
  const fail = (why: OpeningFault) => {
    fault ??= why
    wake()
  }
  const timer = setTimeout(() => fail(new OpeningFault('no_answer')), timeoutMs)
  socket.addEventListener('message', ({ data }) => {
    if (take) return take(data)
    waiting.push(data)
    if (waiting.length > mostAhead) fail(new OpeningFault('not_a_nimble'))
    wake()
  })
  socket.addEventListener('close', ({ reason }) => {
    clearTimeout(timer)
    fail(faultOfClose(reason))
  })
  return {
    send: (text) => socket.send(text),
    async receive() {
      while (waiting.length === 0 && !fault)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      const data = waiting.shift()
      // What came before the end still counts: it may say why.
      if (typeof data === 'string') return data
      throw fault ?? new OpeningFault('not_a_nimble')
    },
    release(next) {
      clearTimeout(timer)
      take = next
      for (const data of waiting.splice(0)) next(data)
    },
  }
}

export type OpeningSelf = {
  /** Of the portal instance or the nimble; null for a nimble that no portal has named yet. */
  id: string | null
  software: string
  key: LinkKey
}

/** What the other end's closing means. */
function faultOfClose(reason: string): OpeningFault {
  const known = linkFaults.some((fault) => reason === fault || reason.startsWith(`${fault}:`))
  return new OpeningFault(known ? (reason as LinkFault) : 'not_a_nimble')
}

/**
 * The portal's end, up to the nimble's proof; `welcome` is the caller's to send, or not to when it only tries an address.
 * @param accept answers why this nimble is not the wanted one, null when it is
 * @throws OpeningFault
 */
export async function openAsPortal(
  pipe: OpeningPipe,
  self: OpeningSelf,
  accept: (nimble: Hello) => LinkFault | null,
): Promise<Hello> {
  const own = greet(pipe, self)
  const nimble = await receiveHello(pipe)
  const fault = accept(nimble)
  if (fault) throw new OpeningFault(fault, nimble.id)
  pipe.send(JSON.stringify({ type: 'prove', signature: await self.key.sign(linkProof(own, nimble, 'portal')) }))
  await receiveProof(pipe, nimble, linkProof(own, nimble, 'nimble'))
  return nimble
}

/**
 * The nimble's end, up to the portal's welcome.
 * @param accept answers why this portal is not the one the nimble belongs to, null when it is
 * @throws OpeningFault
 */
export async function openAsNimble(
  pipe: OpeningPipe,
  self: OpeningSelf,
  accept: (portal: Hello) => LinkFault | null,
): Promise<{ portal: Hello; nimbleId: string; portalTime: number }> {
  const own = greet(pipe, self)
  const portal = await receiveHello(pipe)
  const fault = accept(portal)
  if (fault) throw new OpeningFault(fault)
  await receiveProof(pipe, portal, linkProof(portal, own, 'portal'))
  pipe.send(JSON.stringify({ type: 'prove', signature: await self.key.sign(linkProof(portal, own, 'nimble')) }))
  const { nimble_id, time } = await receiveAs(pipe, welcome)
  return { portal, nimbleId: nimble_id, portalTime: time }
}

function greet(pipe: OpeningPipe, { id, software, key }: OpeningSelf): LinkParty {
  const nonce = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))
  const own = { id, nonce, public_key: key.publicKey }
  pipe.send(JSON.stringify({ type: 'hello', protocol: linkProtocol, software, ...own } satisfies Hello))
  return own
}

async function receiveHello(pipe: OpeningPipe): Promise<Hello> {
  const message = parse(await pipe.receive())
  const any = anyHello.safeParse(message)
  if (any.success && any.data.protocol !== linkProtocol)
    throw new OpeningFault(
      `protocol_mismatch:${any.data.protocol}`,
      typeof any.data.id === 'string' ? any.data.id : null,
    )
  return check(message, hello)
}

async function receiveProof(pipe: OpeningPipe, signer: LinkParty, text: string): Promise<void> {
  const { signature } = await receiveAs(pipe, prove)
  if (!(await isSignedBy(signer.public_key, text, signature))) throw new OpeningFault('key_unproven')
}

const receiveAs = async <T extends z.ZodType>(pipe: OpeningPipe, schema: T): Promise<z.output<T>> =>
  check(parse(await pipe.receive()), schema)

function check<T extends z.ZodType>(message: unknown, schema: T): z.output<T> {
  const parsed = schema.safeParse(message)
  if (!parsed.success) throw new OpeningFault('not_a_nimble')
  return parsed.data
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new OpeningFault('not_a_nimble')
  }
}
