import type { Situation } from '../occasions.ts'
import type { Facts, Usecase } from './usecase.ts'

type State = { emptySince: number | null; blindSince: number | null }

/**
 * Empty frame check: two questions kept apart. Is the camera blind (black, covered, frozen, blurred)? And, only while it
 * sees: is nobody there, that is nothing moves and no person is followed? Each must last for the hold time.
 */
export const emptyframecheck: Usecase<State> = {
  start: () => ({ emptySince: null, blindSince: null }),
  reduce(state, facts, { holdMs }) {
    const isBlind = facts.sight !== 'clear'
    const next: State = {
      blindSince: isBlind ? Math.min(state.blindSince ?? facts.at, facts.at) : null,
      emptySince: isEmpty(facts) ? Math.min(state.emptySince ?? facts.at, facts.at) : null,
    }
    const lasts = (since: number | null) => since !== null && facts.at - since >= holdMs
    const situations: Situation[] = []
    if (lasts(next.blindSince)) situations.push(situation('blind', facts.sight))
    if (lasts(next.emptySince)) situations.push(situation('nobody', 'nobody'))
    return {
      state: next,
      levels: isBlind || facts.watching ? { total: situations.length > 0 ? 1 : 0 } : null,
      instants: [],
      situations,
    }
  },
}

const isEmpty = ({ sight, watching, people, moving }: Facts): boolean =>
  sight === 'clear' && watching && people.length === 0 && moving === 0

const situation = (question: string, finding: string): Situation => ({
  key: question,
  metric: 'total',
  trackId: null,
  place: question,
  appeared: false,
  values: { total: 1 },
  details: { question, finding },
})
