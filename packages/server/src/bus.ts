import { EventEmitter } from 'node:events'
import type { StreamMessage } from '@sightline/contract'

/** A live message with what decides who may see it: the tenant, and the site when it belongs to one. */
export type BusMessage = { tenantId: number; siteId: number | null; userId?: number; message: StreamMessage }

/**
 * Live messages inside this replica. Never the only copy of anything: a lost message costs a late screen.
 */
export type Bus = {
  publish(message: BusMessage): void
  /** Answers the function that ends the subscription. */
  subscribe(listener: (message: BusMessage) => void): () => void
}

/** Says that something of a feature changed, to everyone who may see it. @param row what it belongs to */
export const changed = (
  row: { tenant_id: number; site_id?: number | null },
  feature: string,
  id: string | null,
): BusMessage => ({ tenantId: row.tenant_id, siteId: row.site_id ?? null, message: { type: 'changed', feature, id } })

export function createBus(): Bus {
  const emitter = new EventEmitter()
  emitter.setMaxListeners(0)
  return {
    publish: (message) => void emitter.emit('message', message),
    subscribe(listener) {
      emitter.on('message', listener)
      return () => void emitter.off('message', listener)
    },
  }
}
