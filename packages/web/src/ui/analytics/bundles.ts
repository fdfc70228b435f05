import type { EventEntity } from '@sightline/contract'

/** Neighbours of a list that share a clip, because one began while the other was filmed; others stand alone. */
export function bundlesOf<E extends Pick<EventEntity, 'clip_url'>>(events: readonly E[]): [E, ...E[]][] {
  const bundles: [E, ...E[]][] = []
  for (const event of events) {
    const last = bundles.at(-1)
    if (last && event.clip_url !== null && last[0].clip_url === event.clip_url) last.push(event)
    else bundles.push([event])
  }
  return bundles
}
