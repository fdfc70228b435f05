import type { NimbleSync } from '@sightline/contract'
import { channelRows, judgeChannel } from '../channel/store.ts'
import type { Trx } from '../db/database.ts'
import type { Scope } from '../scope.ts'
import { sourcesOfNimble } from '../source/store.ts'
import { type Links, nimbleStatuses, readNimble } from './store.ts'

type Item = NimbleSync['items'][number]

/**
 * What an edge server should run, piece by piece: saved, sent to it, applied there, running. Only what the caller
 * reaches is listed.
 * @throws 404
 */
export async function nimbleSync(trx: Trx, scope: Scope, links: Links, nimbleUid: string): Promise<NimbleSync> {
  const nimble = await readNimble(trx, scope, nimbleUid)
  const status = (await nimbleStatuses(trx, links, [nimble])).get(nimble.id)
  const state = status?.state ?? 'new'
  const applied = status?.applied_version ?? null
  const isApplied = applied !== null && applied >= nimble.desired_version
  const sources = await sourcesOfNimble(trx, scope, nimble)
  const channels = await channelRows(trx, scope, { nimbleUid })
  const now = Date.now()
  return {
    nimble_id: nimble.uid,
    state,
    sync: status?.sync ?? 'pending',
    desired_version: nimble.desired_version,
    applied_version: applied,
    items: [
      ...sources.map((row): Item => {
        const known = state === 'online' ? row.state : null
        return {
          kind: 'source',
          id: row.uid,
          name: row.device_name,
          device_id: row.device_uid,
          site_id: row.site_uid,
          desired_version: row.version,
          // Edge servers say it of the whole configuration only.
          applied_version: isApplied ? row.version : null,
          step: state !== 'online' ? 'saved' : !isApplied ? 'sent' : sourceStep(known),
          cause: state === 'online' ? row.cause : null,
          since: known === null ? null : (row.state_since?.toISOString() ?? null),
        }
      }),
      ...channels.map((row): Item => {
        const { channel_state, state_cause } = judgeChannel(row, links, now)
        return {
          kind: 'channel',
          id: row.uid,
          name: row.name,
          device_id: row.device_uid,
          site_id: row.site_uid,
          desired_version: row.version,
          applied_version: row.applied_version,
          step: channel_state,
          cause: state_cause,
          since: row.state_since?.toISOString() ?? null,
        }
      }),
    ],
  }
}

function sourceStep(state: string | null): Item['step'] {
  if (state === 'streaming') return 'running'
  return state === 'refused' ? 'refused' : 'applied'
}
