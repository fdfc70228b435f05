import { type Box, type Protection, parseWords, protections, shareInside } from '@sightline/domain'
import type { Situation } from '../occasions.ts'
import type { AnalyticSettings } from '../settings.ts'
import { isRemembered, nobody, type Register, recognised } from './same.ts'
import { boxesOf, counted, type Facts, type Followed, type Part, type Usecase } from './usecase.ts'
import { noVotes, type Votes, verdict, withVote } from './votes.ts'

/** Whether each item is worn, by person and item. */
type State = { register: Register; votes: ReadonlyMap<string, Votes> }

/** The part of a person's box where an item is worn: from and to, in shares of its height; a helmet may stick out. */
const wornAt: Record<Protection, readonly [from: number, to: number]> = { helmet: [-0.1, 0.3], vest: [0.12, 0.75] }
/** So much of an item must lie in that part to be this person's. */
const leastInside = 0.6

/**
 * Protective equipment: of each person, whether the required items are worn, by the majority of at least `minVotes`
 * pictures. In violation is who lacks so many that the others are not enough; who is not judged yet counts in `total` alone.
 */
export const ppedtec: Usecase<State> = {
  start: () => ({ register: nobody, votes: new Map() }),
  reduce(state, facts, settings) {
    const { register, whoIs } = recognised(state.register, facts.people, facts)
    const items = parseWords(settings.requiredItems, protections) ?? []
    const votes = facts.parts ? poll(state.votes, facts, items, whoIs, settings) : state.votes
    const people = counted(facts)
    const judged = people.map((person) => judge(person, whoIs(person.trackId), items, votes, settings))
    return {
      state: {
        register,
        votes: new Map([...votes].filter(([key]) => isRemembered(register, Number.parseInt(key, 10)))),
      },
      levels: facts.watching
        ? {
            total: people.length,
            violation: judged.filter((one) => one.verdict === 'violation').length,
            non_violation: judged.filter((one) => one.verdict === 'fine').length,
          }
        : null,
      instants: [],
      situations: judged
        .filter((one) => one.verdict === 'violation')
        .flatMap((one) => one.missing.map((item) => situation(one, item))),
    }
  },
}

/** One vote for each person found in this picture and each item about which it says something. */
function poll(
  before: State['votes'],
  { people, parts }: Facts,
  items: readonly Protection[],
  whoIs: (trackId: number) => number,
  { minVotes, modelLabels }: AnalyticSettings,
): State['votes'] {
  const votes = new Map(before)
  const present = people.filter((person) => person.present)
  for (const item of items) {
    const without = `no_${item}` as const
    const shown = (parts ?? []).filter(({ label }) => label === item || label === without)
    const owners = shown.map((part) => ownerOf(part, item, present))
    // Where nobody was looked for, or found, that a helmet lacks says nothing.
    for (const person of present.filter(({ detected }) => detected)) {
      const theirs = shown.filter((_, i) => owners[i] === person)
      const best = theirs.sort((a, b) => b.score - a.score)[0]
      // A model that knows no "without" says it by finding nothing.
      if (!best && modelLabels.includes(without)) continue
      const key = `${whoIs(person.trackId)}/${item}`
      votes.set(key, withVote(votes.get(key) ?? noVotes, best?.label === item, minVotes))
    }
  }
  return votes
}

/** Whose an item is: of the people where it would be worn, the one whose middle is nearest. */
function ownerOf({ box }: Part, item: Protection, people: readonly Followed[]): Followed | undefined {
  const middle = ([x, , w]: Box) => x + w / 2
  return people
    .filter((person) => shareInside(box, partOf(person.box, wornAt[item])) >= leastInside)
    .sort((a, b) => Math.abs(middle(a.box) - middle(box)) - Math.abs(middle(b.box) - middle(box)))[0]
}

const partOf = ([x, y, w, h]: Box, [from, to]: readonly [number, number]): Box => [x, y + from * h, w, (to - from) * h]

type Judged = { person: Followed; who: number; missing: Protection[]; verdict: 'violation' | 'fine' | null }

function judge(
  person: Followed,
  who: number,
  items: readonly Protection[],
  votes: State['votes'],
  { minVotes, requiredCount }: AnalyticSettings,
): Judged {
  const worn = items.map((item) => verdict(votes.get(`${who}/${item}`) ?? noVotes, minVotes))
  const enough = requiredCount === 0 ? items.length : Math.min(requiredCount, items.length)
  const missing = items.filter((_, i) => worn[i] === false)
  const isFine = worn.filter((one) => one === true).length >= enough
  return {
    person,
    who,
    missing,
    verdict: missing.length > items.length - enough ? 'violation' : isFine ? 'fine' : null,
  }
}

const situation = ({ person, who }: Judged, item: Protection): Situation => ({
  key: `${who}/${item}`,
  metric: 'violation',
  trackId: person.trackId,
  place: item,
  appeared: false,
  values: { violation: 1 },
  details: { item, track_id: person.trackId, label: `no_${item}`, ...boxesOf([person]) },
})
