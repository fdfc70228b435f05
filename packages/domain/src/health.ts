/**
 * How anything watched is doing, from what the edge server says. A false "offline" is worse than none: a camera is
 * called offline only when its edge server can be reached and says so; else the answer is `unknown` with the reason.
 */

import { turnedCause, type View } from './view.ts'

export const healths = ['healthy', 'needs attention', 'offline', 'unknown'] as const
export type HealthGrade = (typeof healths)[number]
export type Judged = { health: HealthGrade; cause: string | null }

export const nimbleUnreachable = 'nimble_unreachable'

/** What an edge server last said about a stream. Moments in milliseconds since the epoch. */
export type SourceReport = {
  state: 'connecting' | 'streaming' | 'offline' | 'refused'
  cause: string | null
  lastFrameAt: number | null
  /** When the last fresh connection ended without a picture; null while pictures come. */
  failedAt: number | null
}

/** So long without a picture is the first of the two signs of a camera that is offline. */
export const silentMs = 15_000

/**
 * Two signs that do not depend on each other: no picture for 15 s, and a fresh connection that failed or brought none
 * since. A stream that merely broke off has the one.
 */
export const isGone = ({ lastFrameAt, failedAt }: Pick<SourceReport, 'lastFrameAt' | 'failedAt'>): boolean =>
  failedAt !== null && (lastFrameAt === null || failedAt - lastFrameAt >= silentMs)

/** @param heard whether the edge server that reads the stream can be believed to be there */
export function sourceHealth(report: SourceReport | null, heard: boolean): Judged {
  if (!heard) return { health: 'unknown', cause: nimbleUnreachable }
  if (!report) return { health: 'unknown', cause: null }
  const { state, cause } = report
  if (state === 'offline') return { health: isGone(report) ? 'offline' : 'needs attention', cause }
  if (state === 'refused') return { health: 'needs attention', cause }
  if (state === 'connecting') return { health: cause ? 'needs attention' : 'unknown', cause }
  return { health: cause ? 'needs attention' : 'healthy', cause }
}

/**
 * The stream of a camera to look at: the one that is meant for it, else the default, which comes first. Where an edge server that
 * is there says that it gives no picture, another that gives one takes its place for so long.
 * @returns null for a camera without streams
 */
export function streamToSee<S extends { role: 'analytics' | 'live' | 'both'; report: SourceReport | null }>(
  streams: readonly S[],
  heard: boolean,
): { stream: S; isFallback: boolean } | null {
  const meant = streams.find(({ role }) => role === 'live') ?? streams[0]
  if (!meant) return null
  const { report } = meant
  const isDark = report?.state === 'refused' || (report?.state === 'offline' && isGone(report))
  const other = heard && isDark ? streams.find((one) => one.report?.state === 'streaming') : undefined
  return { stream: other ?? meant, isFallback: other !== undefined }
}

/** How grave each grade is. */
export const gravity: Record<HealthGrade, number> = { healthy: 0, unknown: 1, 'needs attention': 2, offline: 3 }

/**
 * A camera by its streams: the gravest of them, with its cause; without any it is `unknown`. While it sends pictures by one it
 * is not offline, whatever another does.
 */
export function cameraHealth(streams: readonly Judged[]): Judged {
  const gravest = streams.reduce<Judged | null>(
    (worst, one) => (worst && gravity[worst.health] >= gravity[one.health] ? worst : one),
    null,
  ) ?? { health: 'unknown', cause: null }
  const isThere = streams.some(({ health }) => health === 'healthy')
  return gravest.health === 'offline' && isThere ? { health: 'needs attention', cause: 'stream_offline' } : gravest
}

/**
 * A site by what its cameras are; with analytics that need attention it is not healthy, however well its cameras send.
 * @param ailing how many of its analytics need attention or have a camera that is offline
 */
export const siteGrade = (cameras: HealthGrade, ailing: number): HealthGrade =>
  ailing > 0 && gravity[cameras] < gravity['needs attention'] ? 'needs attention' : cameras

/** A channel as its edge server last reported it; null in `state` when it never did. */
export type ChannelReport = {
  /** Version that the edge server has applied; null where it could not even read which one it refuses. */
  version: number | null
  state: 'applied' | 'running' | 'stopped' | 'refused'
  detectorState: 'ok' | 'needs_model' | 'needs_calibration' | 'degraded'
  cause: string | null
}

/**
 * What only a person can give is missing (a model, a calibration, a site's leave to compare faces): nothing failed, and
 * nothing is counted. An edge server that merely starts a channel names no cause.
 */
export const waitsForPerson = ({ state, detectorState, cause }: ChannelReport): boolean =>
  detectorState === 'needs_model' || detectorState === 'needs_calibration' || (state === 'applied' && cause !== null)

export type ChannelState = 'saved' | 'sent' | 'applied' | 'running' | 'stopped' | 'refused'

/** Whether an earlier version was applied than the one that is wanted. */
export const isOlder = ({ version }: ChannelReport, desired: number): boolean => version !== null && version < desired

/** Where a channel stands between what should run and what runs. */
export function channelState(report: ChannelReport | null, desiredVersion: number, reachable: boolean): ChannelState {
  if (!report || isOlder(report, desiredVersion)) return reachable ? 'sent' : 'saved'
  return report.state
}

/** Online: running, reachable, and with a record newer than `onlineMs`. */
export const isOnline = (
  report: ChannelReport | null,
  reachable: boolean,
  lastRecordAgeMs: number | null,
  onlineMs: number,
): boolean => reachable && report?.state === 'running' && lastRecordAgeMs !== null && lastRecordAgeMs <= onlineMs

/**
 * @param online as `isOnline` says
 * @param source health of the stream that the channel watches
 * @param starting it runs for less time than a record takes to arrive: silence means nothing yet
 * @param view how the camera's picture compares with the one that the zones were drawn on; null: not known
 */
export function channelHealth(
  report: ChannelReport | null,
  source: Judged,
  reachable: boolean,
  online: boolean,
  starting: boolean,
  view: View | null,
): Judged {
  if (!reachable) return { health: 'unknown', cause: nimbleUnreachable }
  if (report?.state === 'refused') return { health: 'needs attention', cause: report.cause }
  if (source.health === 'offline') return source
  if (report && waitsForPerson(report))
    return { health: 'needs attention', cause: report.cause ?? report.detectorState }
  if (!report || report.state === 'applied') return { health: 'unknown', cause: source.cause }
  // It goes on counting, elsewhere than was meant.
  const turned = report.state === 'running' && turnedCause(view)
  if (turned) return { health: 'needs attention', cause: turned }
  if (report.detectorState !== 'ok') return { health: 'needs attention', cause: report.cause ?? report.detectorState }
  if (report.state === 'stopped') return { health: 'needs attention', cause: report.cause ?? 'stopped' }
  if (source.health === 'needs attention') return source
  if (!online) return starting ? { health: 'unknown', cause: null } : { health: 'needs attention', cause: 'no_records' }
  return { health: 'healthy', cause: null }
}
