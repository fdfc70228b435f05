import type { MetricId } from '@sightline/domain'
import type { Levels } from './window.ts'

/** Something worth telling that holds now, as a use case sees it; it is the same situation as long as its key is. */
export type Situation = {
  key: string
  metric: MetricId
  /** Whose it is, when it is about one track. */
  trackId: number | null
  /** Where it is; with `appeared`, somebody new who was first seen there may be somebody who was lost there. */
  place: string
  appeared: boolean
  /** How grave it is among the situations of its place: a graver one that takes its place has risen from it. */
  severity?: number
  /** The occasion's own values; a change is told, at most once a second, and the less often the longer it lasts. */
  values: Levels
  details: Record<string, unknown>
}

export type EndCause = 'ended' | 'lost' | 'risen' | 'restart' | 'disabled'

/** What happened to an occasion, `id` being its number in this run. */
export type OccasionChange = {
  kind: 'open' | 'update' | 'close'
  id: number
  at: number
  situation: Situation
  openedAt: number
  cause: EndCause | 'resumed' | null
}

type Occasion = {
  id: number
  situation: Situation
  openedAt: number
  toldAt: number
  ended: { at: number; cause: EndCause } | null
}

const updateEveryMs = 1000
/** What has lasted for ten minutes is told of each minute. */
const updateShare = 0.1

/**
 * Turns situations that come and go into occasions: opened once, updated, closed. A situation that comes back within
 * `cooldownMs` goes on under its id, and so does one whose track was lost and who appears again at the same place.
 */
export function createOccasions(cooldownMs: number) {
  let occasions: Occasion[] = []
  let nextId = 1

  const change = (kind: OccasionChange['kind'], { id, situation, openedAt }: Occasion, at: number) => ({
    kind,
    id,
    at,
    situation,
    openedAt,
    cause: null,
  })

  /** The occasion that a situation continues, if any. */
  function before(situation: Situation): Occasion | undefined {
    const same = occasions.find((one) => one.situation.key === situation.key)
    if (same || !situation.appeared) return same
    return occasions.findLast(
      (one) =>
        one.ended?.cause === 'lost' &&
        one.situation.metric === situation.metric &&
        one.situation.place === situation.place,
    )
  }

  function take(situation: Situation, at: number): OccasionChange | null {
    const known = before(situation)
    if (!known) {
      const opened: Occasion = { id: nextId++, situation, openedAt: at, toldAt: at, ended: null }
      occasions.push(opened)
      return change('open', opened, at)
    }
    const cameBack = known.ended !== null
    const isChanged = JSON.stringify(known.situation.values) !== JSON.stringify(situation.values)
    known.situation = situation
    known.ended = null
    const pauseMs = Math.max(updateEveryMs, (at - known.openedAt) * updateShare)
    if (!cameBack && !(isChanged && at - known.toldAt >= pauseMs)) return null
    known.toldAt = at
    return { ...change('update', known, at), cause: cameBack ? 'resumed' : null }
  }

  function end(occasion: Occasion, at: number, cause: EndCause): OccasionChange {
    occasion.ended = { at, cause }
    return { ...change('close', occasion, at), cause }
  }

  return {
    /**
     * @param situations all that hold now
     * @param alive tracks that are still followed: the others' situations are lost, not ended
     */
    advance(situations: readonly Situation[], alive: ReadonlySet<number>, at: number): OccasionChange[] {
      occasions = occasions.filter(({ ended }) => ended === null || at - ended.at <= cooldownMs)
      const told = situations.map((situation) => take(situation, at)).filter((one) => one !== null)
      const keys = new Set(situations.map((situation) => situation.key))
      for (const occasion of occasions) {
        if (occasion.ended || keys.has(occasion.situation.key)) continue
        told.push(end(occasion, at, endOf(occasion.situation, situations, alive)))
      }
      return told
    },
    /** Closes all that is open. */
    closeAll(at: number, cause: EndCause): OccasionChange[] {
      return occasions.filter((one) => !one.ended).map((one) => end(one, at, cause))
    },
  }
}

function endOf(
  { trackId, place, severity = 0 }: Situation,
  now: readonly Situation[],
  alive: ReadonlySet<number>,
): EndCause {
  if (now.some((other) => other.place === place && (other.severity ?? 0) > severity)) return 'risen'
  return trackId !== null && !alive.has(trackId) ? 'lost' : 'ended'
}
