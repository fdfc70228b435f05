import { insidePolygon } from '@sightline/domain'
import type { Situation } from '../occasions.ts'
import { anchor, type Stay } from '../zones.ts'
import { isRemembered, nobody, type Register, recognised } from './same.ts'
import { boxesOf, dwellIn, type Facts, type Followed, type Usecase } from './usecase.ts'

type Dwelling = { zone: string; who: number; since: number; seenAt: number; person: Followed }
type State = { register: Register; dwelling: readonly Dwelling[] }

/**
 * Loitering: somebody stays in a zone for the dwell time. Who is hidden for up to three seconds and found at the same
 * spot goes on staying; who leaves begins anew. The dwelling time is absent while nobody is in a zone: nobody's time is not zero.
 */
export const loiterdtec: Usecase<State> = {
  start: () => ({ register: nobody, dwelling: [] }),
  reduce(state, facts, settings) {
    const { register, whoIs } = recognised(state.register, facts.people, facts)
    const now = facts.people
      .filter((person) => person.present)
      .flatMap((person) =>
        person.stays.map((stay) => enter(state.dwelling, whoIs(person.trackId), person, stay, facts)),
      )
    const hidden = state.dwelling.filter((one) => {
      if (now.some((other) => other.who === one.who && other.zone === one.zone)) return false
      const here = facts.people.find((person) => person.present && whoIs(person.trackId) === one.who)
      // A track that begins anew is not counted as inside yet.
      return here ? isInside(here, one.zone, facts) : isRemembered(register, one.who)
    })
    const dwelling = [...now, ...hidden]
    const tooLong = dwelling.filter((one) => lengthOf(one) >= dwellIn(one.zone, facts, settings))
    const longest = Math.max(...dwelling.map(lengthOf))
    return {
      state: { register, dwelling },
      levels: facts.watching
        ? {
            ...(dwelling.length > 0 && { dwell_time: Math.round(longest / 100) / 10 }),
            violation: new Set(tooLong.map((one) => one.who)).size,
          }
        : null,
      instants: [],
      situations: tooLong.map(situation),
    }
  },
}

function isInside({ box }: Followed, zone: string, { zones }: Facts): boolean {
  return insidePolygon(zones.find(({ name }) => name === zone)?.points ?? [], anchor(box, 1))
}

function enter(
  before: readonly Dwelling[],
  who: number,
  person: Followed,
  { zone, since }: Stay,
  { at }: Facts,
): Dwelling {
  const known = before.find((one) => one.who === who && one.zone === zone)
  return { zone, who, since: known?.since ?? since, seenAt: at, person }
}

/** In ms; it stands still while somebody is hidden. */
const lengthOf = ({ since, seenAt }: Dwelling): number => seenAt - since

function situation(one: Dwelling): Situation {
  const { zone, who, person } = one
  return {
    key: `${zone}/${who}`,
    metric: 'violation',
    trackId: person.trackId,
    place: zone,
    appeared: false,
    values: { dwell_time: Math.floor(lengthOf(one) / 1000) },
    details: { zone, track_id: person.trackId, label: person.label, ...boxesOf([person]) },
  }
}
