/** What portals on one database tell each other. Never the only copy of anything: what is missed costs a late screen or a second try. */
import type { FastifyBaseLogger } from 'fastify'
import type { BusMessage } from './bus.ts'
import type { Db } from './db/database.ts'
import type { Channel } from './db/notify.ts'
import type { LinkCall } from './nimble/remote.ts'

type WireMessage =
  | { kind: 'live'; messages: BusMessage[] }
  /** What edge servers should run, or which there are, changed. */
  | { kind: 'links'; nimble: string | null }
  /** This edge server has dialled the portal that says so. */
  | { kind: 'entered'; nimble: string }
  | LinkCall

export type Wire = {
  /** To every other portal; there may be none. */
  send(message: WireMessage): void
  /** Said, but not on its way yet: who says much and often leaves out what can be missed. */
  queuedBytes(): number
  hear(listener: (message: WireMessage) => void): void
  start(): Promise<void>
  stop(): Promise<void>
}

/** Of a portal that has its database for itself. */
export const noWire: Wire = {
  send: () => undefined,
  queuedBytes: () => 0,
  hear: () => undefined,
  start: async () => undefined,
  stop: async () => undefined,
}

export function createWire(db: Db, log: FastifyBaseLogger): Wire {
  const listeners: ((message: WireMessage) => void)[] = []
  let channel: Channel | null = null
  let isSilent = false
  /** Nothing that is said may end this process. */
  const guarded = (from: string, work: () => void) => {
    try {
      work()
    } catch (error) {
      log.error({ err: error, from }, 'what another portal said cannot be used')
    }
  }
  const hear = (text: string, from: string) =>
    guarded(from, () => {
      const message = JSON.parse(text) as WireMessage
      for (const listener of listeners) guarded(from, () => listener(message))
    })
  return {
    send(message) {
      channel?.send(JSON.stringify(message)).then(
        () => {
          isSilent = false
        },
        (error: unknown) => {
          // Said once; the channel comes back by itself.
          if (!isSilent) log.warn({ err: error }, 'the other portals cannot be told anything for now')
          isSilent = true
        },
      )
    },
    queuedBytes: () => channel?.queuedBytes() ?? 0,
    hear: (listener) => void listeners.push(listener),
    async start() {
      channel = await db.channel(hear, (trouble) => {
        if (trouble) log.warn({ err: trouble }, 'the other portals are not heard for now')
        else log.info('the other portals are heard again')
      })
    },
    async stop() {
      const open = channel
      channel = null
      await open?.close()
    },
  }
}
