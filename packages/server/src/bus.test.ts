import { expect, test } from 'vitest'
import { type BusMessage, changed, createBus } from './bus.ts'
import { until } from './testing/until.ts'
import type { Wire } from './wire.ts'

/** A wire that keeps what is said. */
function keepingWire() {
  const said: BusMessage[] = []
  const wire: Wire = {
    send: (message) => void (message.kind === 'live' && said.push(...message.messages)),
    queuedBytes: () => 0,
    hear: () => undefined,
    start: async () => undefined,
    stop: async () => undefined,
  }
  return { wire, said }
}

test('of messages about one thing the newest goes to other portals, but each to those who may see it', async () => {
  const { wire, said } = keepingWire()
  const bus = createBus(wire)
  const of = (place: object) => ({ ...changed({ tenant_id: 1 }, 'device', 'a'), ...place })
  const sent = [of({ siteId: 1 }), of({ siteId: 2 }), of({ siteId: 2, usecaseId: 3 }), of({ siteId: 2, userId: 3 })]
  for (const message of [...sent, ...sent]) bus.publish(message)
  await until(() => said.length > 0, 'they were said')
  expect(said).toEqual(sent)
})
