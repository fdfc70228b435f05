import type { EventEntity } from '@sightline/contract'

export type Listed = Pick<EventEntity, 'event_uuid' | 'observed_at'>

/** How many of those that were read are not in the list, newest first; what is older than all of it is on its next page. */
export function countNew(read: readonly Listed[], listed: readonly Listed[]): number {
  const known = new Set(listed.map(({ event_uuid }) => event_uuid))
  const oldest = listed.at(-1)?.observed_at ?? ''
  return read.filter(({ event_uuid, observed_at }) => !known.has(event_uuid) && observed_at > oldest).length
}
