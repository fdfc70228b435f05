import { EventEmitter } from 'node:events'
import type { StreamMessage } from '@sightline/contract'
import { noWire, type Wire } from './wire.ts'

/** A live message with what decides who may see it: the tenant, and site and use case when it belongs to one. */
export type BusMessage = {
  tenantId: number
  siteId: number | null
  /** Of the channel that it is about. */
  usecaseId?: number
  userId?: number
  message: StreamMessage
}

/**
 * Live messages of all portals on this database. Never the only copy of anything: a lost message costs a late screen.
 */
export type Bus = {
  publish(message: BusMessage): void
  /** Answers the function that ends the subscription. */
  subscribe(listener: (message: BusMessage) => void): () => void
}

/** Says that something of a feature changed, to everyone who may see it. @param row what it belongs to */
export const changed = (
  row: { tenant_id: number; site_id?: number | null; usecase_id?: number | null },
  feature: string,
  id: string | null,
): BusMessage => ({
  tenantId: row.tenant_id,
  siteId: row.site_id ?? null,
  ...(feature === 'channel' && row.usecase_id != null ? { usecaseId: row.usecase_id } : {}),
  message: { type: 'changed', feature, id },
})

/** Messages are gathered this long before they go to other portals; those about one thing become one. */
const tickMs = 50

/** @param wire to the other portals; without, messages stay in this one */
export function createBus(wire: Wire = noWire): Bus {
  const emitter = new EventEmitter()
  emitter.setMaxListeners(0)
  const pending = new Map<string, BusMessage>()

  const flush = () => {
    wire.send({ kind: 'live', messages: [...pending.values()] })
    pending.clear()
  }
  wire.hear((heard) => {
    if (heard.kind === 'live') for (const message of heard.messages) emitter.emit('message', message)
  })
  return {
    publish(message) {
      emitter.emit('message', message)
      if (wire === noWire) return
      if (pending.size === 0) setTimeout(flush, tickMs)
      // Only what the same people may see becomes one.
      const { tenantId, siteId, usecaseId, userId } = message
      const key = [tenantId, siteId, usecaseId, userId, subject(message.message)].join(' ')
      pending.set(key, { ...message, message: merged(pending.get(key)?.message, message.message) })
    },
    subscribe(listener) {
      emitter.on('message', listener)
      return () => void emitter.off('message', listener)
    },
  }
}

/** What a message is about; of several about the same, the newest counts. */
export function subject(message: StreamMessage): string {
  switch (message.type) {
    case 'hello':
      return 'hello'
    case 'probe':
      return `probe ${message.probe_id} ${message.finding.text_id}`
    case 'event':
      return `event ${message.channel_id}`
    case 'job':
      return `job ${message.job_id}`
    case 'health':
      return `health ${message.device_id}`
    case 'outage':
      return `outage ${message.device_id}`
    case 'changed':
      return `changed ${message.feature} ${message.id}`
  }
}

/** Of events nothing is lost: records are added up; how it is now the newest says. */
export function merged(earlier: StreamMessage | undefined, later: StreamMessage): StreamMessage {
  if (earlier?.type !== 'event' || later.type !== 'event') return later
  return {
    ...(later.observed_at >= earlier.observed_at ? later : earlier),
    records: earlier.records + later.records,
    opened: earlier.opened + later.opened,
  }
}
