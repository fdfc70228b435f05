import type { NimbleSync } from '@sightline/contract'
import { type PieceReport, type Presence, pieceStep, pipelineReport } from '@sightline/domain'
import { type ChannelRow, channelRows, judgeChannel } from '../channel/store.ts'
import type { Trx } from '../db/database.ts'
import { pipelinesOfNimble } from '../pipeline/store.ts'
import { seesEveryChannel } from '../reach.ts'
import type { Scope } from '../scope.ts'
import { type SourceRow, sourcesOfNimble } from '../source/store.ts'
import { type Links, type NimbleRow, nimbleStatuses, readNimble } from './store.ts'

type Item = NimbleSync['items'][number]
type Pipeline = Awaited<ReturnType<typeof pipelinesOfNimble>>[number]

/**
 * What an edge server should run, piece by piece: saved, sent to it, applied there, running. Each says for itself how far
 * it is. Only what the caller reaches is listed.
 * @throws 404
 */
export async function nimbleSync(trx: Trx, scope: Scope, links: Links, nimbleUid: string): Promise<NimbleSync> {
  const nimble = await readNimble(trx, scope, nimbleUid)
  const status = (await nimbleStatuses(trx, links, [nimble])).get(nimble.id)
  const state = status?.state ?? 'new'
  const applied = status?.applied_version ?? null
  const presence = state === 'online' ? 'online' : state === 'new' || state === 'connecting' ? 'new' : 'away'
  const channels = await channelRows(trx, scope, { nimbleUid })
  const users = Map.groupBy(channels, (row) => row.pipeline_id)
  // One that nothing runs is for those who see all of the edge server.
  const isAll = scope.siteIds === null && seesEveryChannel(scope)
  const pipelines = (await pipelinesOfNimble(trx, scope, nimble)).filter(({ id }) => isAll || users.has(id))
  const now = Date.now()
  return {
    nimble_id: nimble.uid,
    state,
    sync: status?.sync ?? 'pending',
    desired_version: nimble.desired_version,
    applied_version: applied,
    items: [
      ...(await sourcesOfNimble(trx, scope, nimble)).map((row) => sourceItem(row, nimble, applied, presence)),
      ...pipelines.map((row) => pipelineItem(row, users.get(row.id) ?? [], presence)),
      ...channels.map((row) => channelItem(row, links, presence, now)),
    ],
  }
}

function sourceItem(row: SourceRow, nimble: NimbleRow, applied: number | null, presence: Presence): Item {
  // Earlier edge servers say it of the whole configuration only.
  const isWhole = row.applied_version === null && applied !== null && applied >= nimble.desired_version
  const version = isWhole ? row.version : row.applied_version
  const step = row.state === 'streaming' ? 'running' : row.state === 'refused' ? 'refused' : 'applied'
  return {
    kind: 'source',
    id: row.uid,
    name: row.device_name,
    device_id: row.device_uid,
    site_id: row.site_uid,
    desired_version: row.version,
    applied_version: version,
    ...pieceStep(row.version, { version, step, cause: row.cause }, presence),
    since: presence === 'online' ? (row.state_since?.toISOString() ?? null) : null,
  }
}

function pipelineItem(row: Pipeline, users: readonly ChannelRow[], presence: Presence): Item {
  const reports = users.map((user): PieceReport | null => {
    if (user.reported_state === null) return null
    // A change of its elements raises the version of each channel that runs it.
    const known = user.applied_version === user.version ? row.version : null
    return { version: user.pipeline_version ?? known, step: user.reported_state, cause: user.channel_cause }
  })
  const report = pipelineReport(reports)
  const since = users.filter((user) => user.reported_state === report?.step).map((user) => Number(user.state_since))
  return {
    kind: 'pipeline',
    id: row.uid,
    name: row.name,
    device_id: null,
    site_id: null,
    desired_version: row.version,
    applied_version: report?.version ?? null,
    ...(users.length === 0 ? { step: 'saved', cause: 'pipeline_unused' } : pieceStep(row.version, report, presence)),
    since: presence === 'online' && since.length > 0 ? new Date(Math.min(...since)).toISOString() : null,
  }
}

function channelItem(row: ChannelRow, links: Links, presence: Presence, now: number): Item {
  const { channel_state, state_cause } = judgeChannel(row, links, now)
  const report = row.reported_state && {
    version: row.applied_version,
    step: row.reported_state,
    cause: row.channel_cause,
  }
  // What is wrong with it now, unless it is not the one that is wanted.
  const drift = row.applied_version === row.version ? null : pieceStep(row.version, report, presence).cause
  return {
    kind: 'channel',
    id: row.uid,
    name: row.name,
    device_id: row.device_uid,
    site_id: row.site_uid,
    desired_version: row.version,
    applied_version: row.applied_version,
    step: channel_state,
    cause: drift ?? state_cause,
    since: row.state_since?.toISOString() ?? null,
  }
}
