import type { Situation } from '../occasions.ts'
import { isRemembered, nobody, type Register, recognised } from './same.ts'
import { boxesOf, counted, type Followed, type Usecase } from './usecase.ts'

type Pair = {
  key: string
  names: readonly [number, number]
  since: number
  seenAt: number
  metres: number
  people: Followed[]
}
type State = { register: Register; pairs: readonly Pair[] }

/** Once too close, a pair must be this much farther apart to be far enough: places on the floor are not exact. */
const release = 1.1
/** A pair that is not measured for this long is not judged any more. */
const longestGapMs = 1000

/**
 * Physical distancing: two people nearer to each other on the floor than the distance, for the hold time. `violation` are
 * the people in at least one such pair, `non_violation` the others whose place could be measured; one occasion per pair.
 */
export const phydist: Usecase<State> = {
  start: () => ({ register: nobody, pairs: [] }),
  reduce(state, facts, { distanceM, holdMs }) {
    const { register, whoIs } = recognised(state.register, facts.people, facts)
    const people = counted(facts)
    const placed = people.filter((person) => person.ground !== null)
    const measured = pairsOf(placed, whoIs)
    const close = measured.flatMap((pair): Pair[] => {
      const known = state.pairs.find((one) => one.key === pair.key)
      if (pair.metres >= distanceM * (known ? release : 1)) return []
      return [{ ...pair, since: known?.since ?? facts.at, seenAt: facts.at }]
    })
    const unseen = state.pairs.filter(
      (one) =>
        facts.at - one.seenAt <= longestGapMs &&
        one.names.every((who) => isRemembered(register, who)) &&
        !measured.some((pair) => pair.key === one.key),
    )
    const pairs = [...close, ...unseen]
    const violating = pairs.filter((pair) => facts.at - pair.since >= holdMs)
    const violators = new Set(violating.flatMap((pair) => pair.names))
    const violation = placed.filter((person) => violators.has(whoIs(person.trackId))).length
    return {
      state: { register, pairs },
      levels: facts.watching ? { total: people.length, violation, non_violation: placed.length - violation } : null,
      instants: [],
      situations: violating.map(situation),
    }
  },
}

function pairsOf(placed: readonly Followed[], whoIs: (trackId: number) => number) {
  return placed.flatMap((a, i) =>
    placed.slice(i + 1).map((b) => {
      const [first, second] = [whoIs(a.trackId), whoIs(b.trackId)]
      const names = [Math.min(first, second), Math.max(first, second)] as const
      const metres = Math.hypot(a.ground![0] - b.ground![0], a.ground![1] - b.ground![1])
      return { key: names.join('-'), names, metres, people: [a, b] }
    }),
  )
}

const situation = ({ key, metres, people }: Pair): Situation => ({
  key,
  metric: 'violation',
  trackId: null,
  place: key,
  appeared: false,
  values: { violation: people.length },
  details: { distance_m: Math.round(metres * 100) / 100, ...boxesOf(people) },
})
