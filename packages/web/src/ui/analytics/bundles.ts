import type { EventEntity } from '@sightline/contract'
import { beganViolation } from './event-words.ts'

type Bundled = Pick<
  EventEntity,
  'event_uuid' | 'device_id' | 'observed_at' | 'clip_url' | 'occasion' | 'kind' | 'metrics'
>

/** What began longer before is a matter of its own, however long it went on: a whole night is no one event. */
const nearMs = 5 * 60_000

/**
 * What went on at the same time before the same camera, or was filmed together, as one: in place of its newest event,
 * the gravest first. Each stands once; what overlaps with nothing stands alone.
 * @param events newest first
 */
export function bundlesOf<E extends Bundled>(events: readonly E[]): [E, ...E[]][] {
  const bundles: [E, ...E[]][] = []
  for (const event of events) {
    const joined = bundles.findLast(([newest]) => isTogether(newest, event))
    if (joined) joined.push(event)
    else bundles.push([event])
  }
  return bundles.map((bundle) => {
    const [first, ...more] = bundle.toSorted((a, b) => Number(beganViolation(b)) - Number(beganViolation(a)))
    return [first as E, ...more]
  })
}

function isTogether(newest: Bundled, { device_id, clip_url, occasion, observed_at }: Bundled): boolean {
  if (newest.device_id !== device_id) return false
  if (clip_url !== null && clip_url === newest.clip_url) return true
  if (!occasion) return false
  const [from, at] = [Date.parse(observed_at), Date.parse(newest.observed_at)]
  const end = occasion.ended_at !== null ? Date.parse(occasion.ended_at) : occasion.is_instant ? from : at
  return newest.occasion !== null && at - from <= nearMs && end >= at
}
