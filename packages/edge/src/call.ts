/** Dials the portal, for a nimble that the portal cannot reach, and goes on trying for as long as the nimble runs. */
import { once } from 'node:events'
import { type LinkFault, linkClose, linkMessageBytes, linkPath, linkSubprotocol } from '@sightline/contract/edge'
import { OpeningFault, openAsNimble, openingPipe } from '@sightline/contract/opening'
import { createBackoff } from '@sightline/domain'
import { WebSocket } from 'ws'
import { type Conversation, converse } from './conversation.ts'
import { portalFault } from './identity.ts'
import type { Door, DoorOptions } from './link.ts'
import { pause } from './pause.ts'

const usualOpeningMs = 10_000
/** A person has to do something about some of what goes wrong. */
const refusedWaitMs = 60_000

export function callPortal(options: DoorOptions): Door {
  const { log, identity, openingMs = usualOpeningMs } = options
  const over = new AbortController()
  let current: Conversation | null = null
  let said: string | null = null

  async function keep(): Promise<void> {
    const backoff = createBackoff(Math.random)
    while (!over.signal.aborted) {
      const { openMs, fault } = await call()
      if (over.signal.aborted) return
      if (openMs > 0) said = null
      backoff.ran(openMs)
      const sentence = fault === null ? null : sentenceOf(fault, identity.enrolment()?.portal_url ?? '')
      // Said once; the tries go on in silence.
      if (sentence !== null && sentence !== said) log.warn(sentence)
      said = sentence
      await pause(isRefusal(fault) ? refusedWaitMs : backoff.next(), over.signal)
    }
  }

  /** One connection, to its end. `openMs`: 0 when it never was. */
  async function call(): Promise<{ openMs: number; fault: string | null }> {
    // Read anew: it may be enrolled again meanwhile.
    const enrolled = identity.enrolment()
    if (!enrolled?.portal_url) return { openMs: 0, fault: 'not_enrolled' }
    const ws = new WebSocket(enrolled.portal_url.replace(/^http/, 'ws') + linkPath, linkSubprotocol, {
      handshakeTimeout: openingMs,
      maxPayload: linkMessageBytes,
      perMessageDeflate: false,
      followRedirects: false,
    })
    const pipe = openingPipe(ws, openingMs)
    const closed = new Promise<number>((done) => ws.once('close', done))
    const stop = () => ws.terminate()
    over.signal.addEventListener('abort', stop)
    try {
      await handshake(ws)
      const { portalTime, nimbleId } = await openAsNimble(
        pipe,
        { id: enrolled.nimble_id, software: options.software, key: identity.key },
        (hello) => portalFault(hello, enrolled, false),
      )
      over.signal.removeEventListener('abort', stop)
      current = converse(ws, pipe, log, (link) => options.onPortal(link, portalTime, nimbleId))
      const openedAt = performance.now()
      const code = await closed
      return { openMs: performance.now() - openedAt, fault: code === linkClose.replaced ? 'replaced' : null }
    } catch (error) {
      if (error instanceof OpeningFault && ws.readyState === ws.OPEN) ws.close(error.code, error.reason)
      setTimeout(() => ws.terminate(), 1000).unref()
      return { openMs: 0, fault: faultOf(error) }
    } finally {
      current = null
      over.signal.removeEventListener('abort', stop)
    }
  }

  const kept = keep()
  return {
    port: 0,
    async close() {
      const open = current
      over.abort()
      open?.end(1001, 'the edge server stops')
      await kept
    },
  }
}

async function handshake(ws: WebSocket): Promise<void> {
  // Stays: an error after the opening is followed by 'close'.
  const failed = new Promise<never>((_, reject) => ws.on('error', reject))
  failed.catch(() => undefined)
  const refused = once(ws, 'unexpected-response').then(([, response]) => {
    throw new Error(`HTTP ${response.statusCode}`)
  })
  refused.catch(() => undefined)
  await Promise.race([once(ws, 'open'), failed, refused])
}

/** A fault of the link, or what the network said. */
const faultOf = (error: unknown): string =>
  error instanceof OpeningFault
    ? error.fault
    : ((error as NodeJS.ErrnoException).code ?? (error as Error).message ?? 'no_answer')

const isRefusal = (fault: string | null): boolean =>
  fault !== null && /^(replaced|protocol_mismatch|key_|not_enrolled|enrolled_elsewhere|other_nimble)/.test(fault)

const again = 'Enrol it again with a new command from the portal.'
const sentences: Partial<Record<LinkFault, string>> = {
  not_enrolled: `The portal does not know this edge server any more: its configuration was deleted, or is dialled. ${again}`,
  key_changed: `The portal trusts another key for this edge server: it was enrolled on another machine since, or anew. ${again}`,
  key_unproven: 'What answers could not prove that it is the portal: somebody may be in between.',
  enrolled_elsewhere: 'Another portal answers than the one this edge server belongs to.',
  replaced:
    'Another edge server with the same identity has taken the place of this one, which stands back for a minute. If its folder was copied, delete the copy and enrol that machine by itself.',
  no_answer: 'The portal does not answer in time; trying again.',
  not_a_nimble: 'What answers does not speak the protocol of the portal; trying again.',
}

function sentenceOf(fault: string, url: string): string {
  const [id, argument] = fault.split(':')
  if (id === 'protocol_mismatch')
    return `The portal ${url} speaks protocol ${argument}, this edge server protocol 1. Bring both to the same version.`
  const sentence = sentences[id as LinkFault]
  return sentence ? `${sentence} (${url})` : `${networkSentence(fault, url)} Trying again.`
}

/** What the network said about an address, in words. @param code of Node, or its message */
export function networkSentence(code: string, url: string): string {
  if (code === 'ECONNREFUSED') return `Nothing listens at ${url}.`
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `The host of ${url} is not known here.`
  if (/^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/.test(code) || /timed out|timeout/i.test(code))
    return `${url} does not answer.`
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS/.test(code))
    return `The certificate of ${url} is not trusted on this machine (${code}). If its authority is your own, name its file in NODE_EXTRA_CA_CERTS.`
  return `${url} cannot be reached (${code}).`
}
