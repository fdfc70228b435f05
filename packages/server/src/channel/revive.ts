import { isOlder, waitsForPerson } from '@sightline/domain'
import type { Scope } from '../scope.ts'
import type { JobHandle, Services } from '../services.ts'
import { judgeChannel, reportOf } from './standing.ts'
import { type ChannelRow, readChannel } from './store.ts'

/** A record comes at the end of a window; a busy edge server takes some more. */
const patienceMs = 60_000
const lookMs = 1000

/**
 * Starts a channel anew at its edge server and waits until it runs. Asking twice starts it twice, which harms nothing;
 * the edge server goes on also when this portal ends meanwhile.
 */
export async function revive(
  app: Services,
  scope: Scope,
  row: ChannelRow,
  force: boolean,
  job: JobHandle,
): Promise<void> {
  job.report({ done: 0, total: 2, result: null })
  await app.links.channelDo(row.nimble_uid, row.uid, 'revive', force)
  job.report({ done: 1, total: 2, result: null })
  const begunAt = Date.now()
  for (;;) {
    const now = await app.db.as(scope, (trx) => readChannel(trx, scope, row.uid))
    const { is_active, channel_state, channel_health, state_cause } = judgeChannel(now, app.links, Date.now())
    const result = { is_active, channel_state, channel_health, state_cause }
    const hasCounted = now.last_record_at !== null && now.last_record_at.getTime() > begunAt
    const reported = reportOf(now)
    // What was said of an older version may be mended by this one.
    const isUpToPeople =
      reported !== null && !isOlder(reported, now.version) && (reported.state === 'refused' || waitsForPerson(reported))
    if (hasCounted || isUpToPeople || Date.now() - begunAt > patienceMs || job.signal.aborted) {
      job.report({ done: 2, total: 2, result })
      return
    }
    job.report({ done: 1, total: 2, result })
    await new Promise((resolve) => setTimeout(resolve, lookMs))
  }
}
