/**
 * A process that keeps a database as the portal does, for tests that kill it. Forked with `dataDir` and the folder of the
 * programs as arguments; says `{ready}` or `{failed}`. With a third argument, a channel's keys as JSON, it stores windows
 * one after the other and reports each that was acknowledged.
 */

import { createBus } from '../bus.ts'
import { openDatabase } from '../db/database.ts'
import { hourlyJob } from '../event/hourly.ts'
import { createEventWriter } from '../event/ingest.ts'
import { eventRecord } from './events.ts'

export type KeptChannel = { tenantId: number; nimbleId: number; uid: string; from: number; next: number }
export type PortalSays = { ready: true } | { failed: string } | { acknowledged: number } | { away: string }

const [dataDir = '', bin = '', channelText] = process.argv.slice(2)
const say = (message: PortalSays) => process.send?.(message)

try {
  const db = await openDatabase({ dataDir, binaries: { bin, major: '18' } })
  say({ ready: true })
  process.on('SIGTERM', () => void db.close().then(() => process.exit(0)))
  if (channelText) await store(JSON.parse(channelText) as KeptChannel)

  async function store(channel: KeptChannel) {
    const writer = createEventWriter({ db, bus: createBus() })
    const jobs = async () => {
      for (;;) await hourlyJob(db, Date.now()).catch(() => undefined)
    }
    void jobs()
    for (let batch = channel.next; ; ) {
      const records = Array.from({ length: 20 }, (_, i) => {
        const number = batch * 20 + i
        return eventRecord({
          channel_id: channel.uid,
          event_uuid: `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`,
          observed_at: channel.from + number * 1000,
          observed_ms: 1000,
          metrics: { total: number % 17 },
        })
      })
      try {
        await writer.write({ tenantId: channel.tenantId, nimbleId: channel.nimbleId, records, receivedAt: new Date() })
        say({ acknowledged: batch })
        batch += 1
      } catch (error) {
        // As an edge server does: it is kept and sent again.
        say({ away: String(error) })
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    }
  }
} catch (error) {
  say({ failed: error instanceof Error ? error.message : String(error) })
  process.exit(1)
}
// Until the parent closes the channel or kills us.
process.on('disconnect', () => process.exit(0))
