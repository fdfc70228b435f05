import type { AnalyticSettings } from '../settings.ts'
import { crossingsOf, type Usecase } from './usecase.ts'

/** `day`: of the newest picture, at `at`; null before the first. */
type State = { inside: number; at: number; day: string | null }

/** Pictures from further back than this mean that the clock was set back; what somebody sets may be that much newer than the pictures. */
const clockStepMs = 60_000

/**
 * Occupancy: who crossed the lines from a to b (up) less who came back (down), from a base, never below zero.
 * It drifts with every missed crossing, so it can be set back to its base once a day by the clock of the site. The hour that
 * comes twice in autumn begins no day again; a clock that was ahead and is put right begins none either, but days go by it from then on.
 */
export const pplocc: Usecase<State> = {
  start: (settings, carried) =>
    carried
      ? { inside: carried.levels.occupancy ?? settings.base, at: carried.at, day: dayOf(carried.at, settings) }
      : { inside: settings.base, at: Number.NEGATIVE_INFINITY, day: null },
  reduce(state, facts, settings) {
    const today = dayOf(facts.at, settings)
    const isLater = state.day !== null && today > state.day
    const isSetBack = facts.at < state.at - clockStepMs
    const from = isLater && !isSetBack ? settings.base : state.inside
    const inside = facts.crossings.reduce(
      (count, { direction }) => Math.max(0, count + (direction === 'up' ? 1 : -1)),
      from,
    )
    return {
      state: { inside, at: facts.at, day: isLater || isSetBack ? today : (state.day ?? today) },
      levels: facts.watching ? { occupancy: inside } : null,
      instants: crossingsOf(facts),
      situations: [],
    }
  },
}

/** The day that an instant belongs to when days begin at `resetAt` of the zone's clock; always the same when there is none. */
export function dayOf(at: number, { resetAt, timezone }: Pick<AnalyticSettings, 'resetAt' | 'timezone'>): string {
  if (resetAt === '') return ''
  const [date = '', time = ''] = clockOf(timezone).format(at).split(' ')
  if (time >= resetAt) return date
  return new Date(Date.parse(date) - 86_400_000).toISOString().slice(0, 10)
}

const clocks = new Map<string, Intl.DateTimeFormat>()

/** Swedish writes a date and time as `2026-05-04 13:05`. */
function clockOf(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone)
  if (known) return known
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' })
  clocks.set(timeZone, clock)
  return clock
}
