import type { Situation } from '../occasions.ts'
import { boxesOf, crossingsOf, dwellIn, type Followed, type Usecase } from './usecase.ts'

/**
 * Intrusion: somebody, or a vehicle where those are asked for, is seen to stay in a zone for the dwell time. One occasion per
 * zone and track; somebody hidden for a moment is still inside, but does not begin to intrude meanwhile. Who is in the picture and does not intrude is `non_violation`.
 */
export const intrdtec: Usecase<null> = {
  start: () => null,
  reduce(state, facts, settings) {
    const wanted = [...facts.people, ...facts.vehicles].filter(
      ({ label }) => label === 'motion' || settings.labels.some((one) => one === label),
    )
    const intrusions = wanted.flatMap((person) =>
      person.stays
        .filter((stay) => stay.lastInsideAt - stay.since >= dwellIn(stay.zone, facts, settings))
        .map((stay) => ({ person, stay })),
    )
    const intruders = new Set(intrusions.filter(({ person }) => person.present).map(({ person }) => person.trackId))
    const total = wanted.filter((person) => person.present).length
    return {
      state,
      levels: facts.watching ? { total, violation: intruders.size, non_violation: total - intruders.size } : null,
      instants: crossingsOf(facts),
      situations: intrusions.map(({ person, stay }) => situation(person, stay.zone, stay.appeared)),
    }
  },
}

const situation = (person: Followed, zone: string, appeared: boolean): Situation => ({
  key: `${zone}/${person.trackId}`,
  metric: 'violation',
  trackId: person.trackId,
  place: zone,
  appeared,
  values: { violation: 1 },
  details: { zone, track_id: person.trackId, label: person.label, ...boxesOf([person]) },
})
