/** Whether an occasion is over: what comes back soon after its end belongs to it (`analytic.cooldown_s`) and makes it longer. */
import type { EventEntity } from '@sightline/contract'
import { type PipelineElements, pipelineCatalog } from '@sightline/domain'
import { useEffect, useState } from 'react'
import { portalNow } from '../../app/clock.ts'

const cooldownKey = 'analytic.cooldown_s'

/** So many seconds after its end an occasion may go on; without its pipeline's elements as where they say nothing of it. */
export function reopenSeconds(elements: PipelineElements = {}): number {
  return Number(elements[cooldownKey] ?? pipelineCatalog.find(({ key }) => key === cooldownKey)?.default ?? 0)
}

/** The moment until which one that has ended may go on; null where nothing can follow. */
function reopensUntil({ occasion }: EventEntity, seconds: number): number | null {
  if (!occasion?.ended_at) return null
  // An edge server that begins anew, or an analytic that is switched on again, knows nothing of what was before.
  if (occasion.end_cause === 'restart' || occasion.end_cause === 'disabled') return null
  return Date.parse(occasion.ended_at) + seconds * 1000
}

/** It has ended, and what comes now would belong to it. */
export const hasJustEnded = (event: EventEntity, now: number, seconds = reopenSeconds()): boolean =>
  now < (reopensUntil(event, seconds) ?? Number.NEGATIVE_INFINITY)

/** While something on screen goes on, how it goes is read again. */
export const goingOnMs = 10_000

/** It has no end yet, or one after which it may still go on. */
export const isGoingOn = (event: EventEntity, seconds = reopenSeconds()): boolean =>
  (event.occasion !== null && !event.occasion.is_instant && event.occasion.ended_at === null) ||
  hasJustEnded(event, portalNow(), seconds)

/** What a tag says of an event. @param now by the portal's clock */
export const stateOf = (event: EventEntity, now: number, seconds = reopenSeconds()) => {
  const { kind, occasion } = event
  if (!occasion) return `event.kind.${kind}` as const
  if (occasion.is_instant) return 'event.happened'
  if (occasion.ended_at === null) return 'event.now'
  return hasJustEnded(event, now, seconds) ? 'event.justOver' : 'event.over'
}

/** The portal's time, told again whenever one of these is over for good. */
export function useNowOf(events: readonly EventEntity[], seconds = reopenSeconds()): number {
  const [now, setNow] = useState(portalNow)
  const ends = events.map((event) => reopensUntil(event, seconds)).filter((end) => end !== null && end > now)
  const next = ends.length > 0 ? Math.min(...(ends as number[])) : null
  useEffect(() => {
    if (next === null) return
    // A timer may come a little early.
    const timer = setTimeout(() => setNow(portalNow()), next - portalNow() + 100)
    return () => clearTimeout(timer)
  }, [next])
  return now
}
