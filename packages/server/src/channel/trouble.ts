import type { Troubleshooting } from '@sightline/contract'
import { mediaUrl } from '../media/store.ts'
import { Refusal } from '../refusal.ts'
import type { Scope } from '../scope.ts'
import type { JobHandle, Services } from '../services.ts'
import { takeStill } from '../still.ts'
import { channelStatus } from './standing.ts'
import { type ChannelRow, readChannel } from './store.ts'
import { viewOf } from './view.ts'

/** A still is at most so old, unless a fresh one is asked for. */
const stillMs = 60_000

/**
 * Looks for the fault of a channel: asks its camera for a picture, compares it with the one that the zones were drawn
 * on, then reads how each step stands.
 */
export async function troubleshoot(
  app: Services,
  scope: Scope,
  row: ChannelRow,
  isFresh: boolean,
  job: JobHandle,
): Promise<void> {
  const result: Troubleshooting = { checks: [], snapshot_url: null, view: null }
  job.report({ done: 0, total: 2, result })
  const still = await stillOf(app, scope, row, isFresh)
  if ('uid' in still) {
    result.snapshot_url = mediaUrl(app.env, still.uid)
    result.view = await viewOf(app, scope, row, still.uid)
  }
  job.report({ done: 1, total: 2, result })
  if (job.signal.aborted) return
  // Read after the picture: a camera that was silent may just have come back.
  const status = await app.db.as(scope, async (trx) =>
    channelStatus(await readChannel(trx, scope, row.uid), app.links, Date.now(), {
      stillCause: 'refusal' in still ? still.refusal : null,
      view: result.view,
    }),
  )
  result.checks = status.checks
  job.report({ done: 2, total: 2, result })
}

type Looked = { uid: string } | { refusal: string }

async function stillOf(app: Services, scope: Scope, row: ChannelRow, isFresh: boolean): Promise<Looked> {
  try {
    return { uid: (await takeStill(app, row, isFresh ? 0 : stillMs, scope.principal.userId)).uid }
  } catch (error) {
    if (error instanceof Refusal) return { refusal: error.code ?? 'stalled' }
    throw error
  }
}
