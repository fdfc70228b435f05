/**
 * An edge server that sends as fast as the portal acknowledges: the product's own door and frame codec, 100 events a
 * frame, as many frames on the way as the protocol allows. After a break it goes on as the product does: from the first
 * record that was not acknowledged.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { linkUnacknowledged } from '@sightline/contract/edge'
import { compressEvents, encodeEvents } from '@sightline/contract/frame'
import type { PortalLink } from '../packages/edge/src/conversation.ts'
import { openIdentity } from '../packages/edge/src/identity.ts'
import { openDoor } from '../packages/edge/src/link.ts'
import { createLog } from '../packages/edge/src/log.ts'
import { channelsOfEdge, edgeEvent } from './events.ts'
import { wait } from './measure.ts'
import type { Run } from './run.ts'

export const perFrame = 100

export type Flood = {
  port: number
  /** Before the first `send`. */
  begin(channels: readonly string[], from: number): void
  /**
   * Sends for so long, and on until so many events are acknowledged, but at most four times as long; resolves with the
   * number of events when all that was sent is acknowledged.
   */
  send(ms: number, leastEvents?: number): Promise<number>
  /** Sends so many events a second for so long; resolves as `send`. */
  pace(perSecond: number, ms: number): Promise<number>
  /** Events that the portal has acknowledged; all before are too. */
  acknowledged(): number
  /** Events given to the connection at least once. */
  sent(): number
  connections(): number
}

export async function openFlood(run: Run, dataDir: string): Promise<Flood> {
  const folder = join(dataDir, 'nimble')
  mkdirSync(folder, { recursive: true })
  // Sabotage: something between the two acknowledges before the portal has committed.
  const isHasty = run.sabotage === 'ack-before-commit'
  let channels: readonly string[] = []
  let from = 0
  let link: PortalLink | null = null
  let connections = 0
  let isOpen = false
  /** Of events, from 0: acknowledged, handed to the connection, ever sent. */
  let acknowledged = 0
  let next = 0
  let sent = 0
  let onWay = 0
  /** Events from this one on have to wait for their time. */
  let due = Number.POSITIVE_INFINITY
  let settled: (() => void) | null = null

  const fill = () => {
    while (link && (isOpen || next < sent) && next < due && onWay < linkUnacknowledged) {
      const records = Array.from({ length: perFrame }, (_, i) => edgeEvent(channels, next + i, from))
      link.sendBytes(compressEvents(encodeEvents(records, next + 1).frame, zstdCompressSync))
      next += perFrame
      sent = Math.max(sent, next)
      onWay += 1
      if (isHasty) acknowledged = next
    }
    if (!isOpen && link && onWay === 0 && next >= sent) settled?.()
  }
  const door = await openDoor({
    host: '127.0.0.1',
    port: 0,
    software: 'sightline nimble 0.0.0',
    identity: await openIdentity(folder),
    awaitsEnrolment: true,
    log: createLog(),
    onPortal(portal) {
      link = portal
      connections += 1
      portal.send({
        type: 'state',
        applied_version: null,
        sources: [],
        channels: [],
        interfaces: [],
        engine_version: '0.0.0',
        demo: false,
        capacity: channelsOfEdge,
        answers: [],
      })
      next = acknowledged
      onWay = 0
      fill()
      return {
        message(message) {
          if (message.type === 'ping')
            portal.send({ type: 'pong', at: message.at, received: Date.now(), sent: Date.now() })
          if (message.type === 'nack') throw new Error(`The portal refuses a frame: ${message.reason}`)
          if (message.type !== 'ack') return
          if (!isHasty) acknowledged = Math.max(acknowledged, message.seq)
          onWay = Math.ceil((next - message.seq) / perFrame)
          fill()
        },
        closed() {
          if (link === portal) link = null
        },
      }
    },
  })
  run.atEnd(door.close)
  /** Resolves when all that was sent is acknowledged, with the number of events while it was open. */
  const during = async (work: () => Promise<void>): Promise<number> => {
    const before = acknowledged
    isOpen = true
    await work()
    isOpen = false
    await new Promise<void>((done) => {
      settled = done
      fill()
    })
    settled = null
    return acknowledged - before
  }
  return {
    port: door.port,
    begin(of, at) {
      channels = of
      from = at
    },
    send: (ms, leastEvents = 0) =>
      during(async () => {
        const before = acknowledged
        const begun = performance.now()
        fill()
        await wait(ms)
        while (acknowledged - before < leastEvents && performance.now() - begun < 4 * ms) await wait(50)
      }),
    pace: (perSecond, ms) =>
      during(async () => {
        const begun = performance.now()
        const first = next
        while (performance.now() - begun < ms) {
          due = first + ((performance.now() - begun) / 1000) * perSecond
          fill()
          await wait(5)
        }
        due = Number.POSITIVE_INFINITY
      }),
    acknowledged: () => acknowledged,
    sent: () => sent,
    connections: () => connections,
  }
}
