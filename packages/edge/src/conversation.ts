/** What goes on over an open link, whichever end dialled: messages in, messages out, and the watch over whether it lives. */
import {
  linkClose,
  linkPingSeconds,
  linkPingsMissed,
  type NimbleMessage,
  type PortalMessage,
  portalMessage,
} from '@sightline/contract/edge'
import type { OpeningPipe } from '@sightline/contract/opening'
import type { WebSocket } from 'ws'
import type { Log } from './log.ts'
import { createSilence } from './silence.ts'

/** A portal that has proven itself. */
export type PortalLink = {
  send(message: NimbleMessage): void
  sendBytes(bytes: Uint8Array): void
  /** Bytes accepted by `send` and `sendBytes` that the network has not taken yet. */
  unsentBytes(): number
}
export type PortalSession = {
  message(message: PortalMessage): void
  /** A binary frame. */
  bytes?(frame: Uint8Array): void
  /** Once; nothing can be sent any more. */
  closed(): void
}

export type Conversation = { end(code: number, reason: string): void }

export const closeGraceMs = 1000

/** From the portal's welcome to the end of the connection. */
export function converse(
  ws: WebSocket,
  pipe: OpeningPipe,
  log: Log,
  begin: (link: PortalLink) => PortalSession,
): Conversation {
  const link: PortalLink = {
    send: (message) => {
      if (ws.readyState === ws.OPEN) ws.send(JSON.stringify(message))
    },
    sendBytes: (bytes) => {
      if (ws.readyState === ws.OPEN) ws.send(bytes)
    },
    unsentBytes: () => ws.bufferedAmount,
  }
  const silence = createSilence((linkPingsMissed + 1) * linkPingSeconds * 1000)
  let isReplaced = false
  const watchdog = setInterval(() => {
    if (silence.isTooLong()) ws.terminate()
  }, linkPingSeconds * 1000)
  const session = begin(link)
  ws.on('close', () => {
    clearInterval(watchdog)
    if (!isReplaced) log.info('The portal is gone; records wait for it')
    session.closed()
  })
  log.info('The portal is connected')
  pipe.release((data) => {
    silence.heard()
    if (data instanceof Uint8Array && session.bytes) return session.bytes(data)
    const message = readMessage(data)
    if (message) session.message(message)
    else log.warn('The portal sent a message that is not understood', describe(data))
  })
  return {
    end(code, reason) {
      isReplaced = code === linkClose.replaced
      ws.close(code, reason)
      setTimeout(() => ws.terminate(), closeGraceMs).unref()
    },
  }
}

function readMessage(data: unknown): PortalMessage | null {
  if (typeof data !== 'string') return null
  try {
    return portalMessage.parse(JSON.parse(data))
  } catch {
    // Not JSON, or not a message of this protocol: the caller says so.
    return null
  }
}

const describe = (data: unknown): string =>
  typeof data === 'string'
    ? `${/"type":"([a-z.]{1,40})"/.exec(data)?.[1] ?? 'no type'}, ${data.length} characters`
    : 'bytes'
