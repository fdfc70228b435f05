/** How a channel stands, from what is stored of it and from the link to its edge server. */
import type { Channel, ChannelStatus, Zone } from '@sightline/contract'
import {
  type ChannelReport,
  type Check,
  channelHealth,
  channelState,
  type DiagnosisFacts,
  diagnose,
  eventWindowSeconds,
  freshMs,
  isOnline,
  lacksEmbedding,
  metricsOf,
  missingNeed,
  sourceHealth,
  type UsecaseKey,
  usecases,
} from '@sightline/domain'
import { isHeard, type Links } from '../nimble/store.ts'
import { sourceReport } from '../source/store.ts'
import type { ChannelRow, StandingRow } from './store.ts'

/** As its edge server last told; null when it never did. */
export const reportOf = (row: StandingRow): ChannelReport | null =>
  row.reported_state && {
    version: row.applied_version,
    state: row.reported_state,
    detectorState: row.detector_state as ChannelReport['detectorState'],
    cause: row.channel_cause,
  }

const windowSeconds = ({ elements }: StandingRow): number => Number(elements['analytic.window_s'] ?? eventWindowSeconds)
/** A record comes at the end of each window; twice that is patience enough for a busy edge server. */
const isStarting = (row: StandingRow, now: number): boolean =>
  row.state_since !== null && now - row.state_since.getTime() < 2000 * windowSeconds(row)

/** What the edge server will ask for, before it said so; with a model attached only it can tell. */
const foreseenNeed = (row: StandingRow) =>
  row.elements['detector.model'] && !lacksEmbedding(row.usecase_key, row.elements)
    ? null
    : missingNeed(row.usecase_key, row.elements, null)

/** How a channel stands, from what is stored and from the link. @param now ms since the epoch */
export function judgeChannel(row: StandingRow, links: Links, now: number) {
  const heard = isHeard(links, row)
  const reported = reportOf(row)
  const age = row.last_record_at && now - row.last_record_at.getTime()
  const isActive = isOnline(reported, heard, age, freshMs(windowSeconds(row)))
  const source = sourceHealth(sourceReport({ ...row, state: row.source_state, cause: row.source_cause }), heard)
  const need = reported ? null : foreseenNeed(row)
  const { health, cause } = channelHealth(reported, source, heard, isActive, isStarting(row, now), row.view)
  return {
    is_active: isActive,
    channel_state: channelState(reported, row.version, heard),
    detector_state: reported?.detectorState ?? need ?? 'ok',
    state_cause: cause ?? need,
    channel_health: health,
  }
}

export function channelEntity(row: StandingRow, zones: Zone[], links: Links, now: number): Channel {
  const { is_active, channel_state, detector_state, state_cause, channel_health } = judgeChannel(row, links, now)
  return {
    channel_id: row.uid,
    channel_name: row.name,
    channel_sid: row.sid,
    device_id: row.device_uid,
    source_id: row.source_uid,
    site_id: row.site_uid,
    nimble_id: row.nimble_uid,
    usecase_key: row.usecase_key,
    usecase_name: usecases[row.usecase_key].name,
    usecase_id: row.usecase_uid,
    pipeline_id: row.pipeline_uid,
    zones,
    channel_threshold: row.threshold,
    auto_recovery: row.auto_recovery,
    is_active,
    channel_state,
    detector_state,
    state_cause,
    channel_health,
    metric_keys: metricKeys(row.usecase_key, zones),
    notify_count: 0,
    organization_id: row.organization_uid,
    version: row.version,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

/** What the use case measures, and what its lines add. */
function metricKeys(usecase: UsecaseKey, zones: readonly Zone[]): string[] {
  const hasLine = zones.some((zone) => zone.kind === 'line' && zone.is_active)
  return [...new Set([...metricsOf(usecase), ...(hasLine ? usecases[usecase].lineMetrics : [])])]
}

/** What a picture that the camera was just asked for says. */
type Asked = Pick<DiagnosisFacts, 'stillCause' | 'view'>

export function channelStatus(row: ChannelRow, links: Links, now: number, asked: Asked | null = null): ChannelStatus {
  const journal_events = links.status(row.nimble_uid)?.journal_events ?? row.journal_events
  return {
    channel_id: row.uid,
    ...judgeChannel(row, links, now),
    desired_version: row.version,
    applied_version: row.applied_version,
    fps: row.fps,
    expected_fps: row.expected_fps,
    last_frame_at: row.last_frame_at?.toISOString() ?? null,
    last_record_at: row.last_record_at?.toISOString() ?? null,
    clock_offset_ms: links.status(row.nimble_uid)?.clock_offset_ms ?? row.clock_offset_ms,
    reconnects: row.reconnects,
    drops: row.channel_drops === null || row.source_drops === null ? null : row.channel_drops + row.source_drops,
    inference_ms: row.inference_ms,
    journal_events,
    checks: checksOf(row, links, now, journal_events, asked),
  }
}

function checksOf(
  row: ChannelRow,
  links: Links,
  now: number,
  journalEvents: number | null,
  asked: Asked | null,
): Check[] {
  const heard = isHeard(links, row)
  return diagnose({
    heard,
    source: sourceReport({ ...row, state: row.source_state, cause: row.source_cause }),
    report: reportOf(row),
    desiredVersion: row.version,
    fps: row.fps,
    expectedFps: row.expected_fps,
    recordAgeMs: row.last_record_at && now - row.last_record_at.getTime(),
    isStarting: isStarting(row, now),
    journalEvents,
    onlineMs: freshMs(windowSeconds(row)),
    view: asked?.view ?? row.view,
    stillCause: asked?.stillCause ?? null,
  })
}
