import type { Device, NimbleStatus } from '@sightline/contract'

/** So few more that fit are said. */
const few = 2

export type EdgeRoom = {
  /** How many more analytics fit, at least 0; null while there are plenty, or nobody knows. */
  left: number | null
  /** Why pictures of this camera are left out already, as a cause; null while all are looked at. */
  behind: string | null
}

/**
 * What is known, before one more analytic is attached, of the room for it. How many an edge server can run is an estimate of
 * its own; that it leaves out pictures it has measured.
 */
export function edgeRoom(
  status: Pick<NimbleStatus, 'channels' | 'capacity'> | undefined,
  channels: readonly Pick<Device['source_channels'][number], 'state_cause'>[],
): EdgeRoom {
  const left = status && status.capacity !== null ? Math.max(0, status.capacity - status.channels) : null
  const behind = channels.find(({ state_cause }) => state_cause?.startsWith('analysis_behind'))?.state_cause ?? null
  return { left: left !== null && left <= few ? left : null, behind }
}
