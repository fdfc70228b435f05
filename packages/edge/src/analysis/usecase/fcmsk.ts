import { iou } from '@sightline/domain'
import type { Situation } from '../occasions.ts'
import { isRemembered, nobody, type Register, recognised } from './same.ts'
import { boxesOf, type Facts, type Followed, inZones, type Usecase } from './usecase.ts'
import { noVotes, type Votes, verdict, withVote } from './votes.ts'

/** Whether a mask is worn, by face. */
type State = { register: Register; votes: ReadonlyMap<number, Votes> }

/** A face and the box of its mask, or of the mask that lacks, overlap at least so much. */
const leastOverlap = 0.3

/**
 * Face masks: of each face that is large enough, whether it wears a mask, by the majority of at least `minVotes` pictures.
 * A face that is not judged yet counts in `total` alone.
 */
export const fcmsk: Usecase<State> = {
  start: () => ({ register: nobody, votes: new Map() }),
  reduce(state, facts, { minVotes, minFacePx }) {
    const { register, whoIs } = recognised(state.register, facts.faces, facts)
    const faces = inZones(facts.faces, facts).filter((face) => face.box[3] * facts.height >= minFacePx)
    const votes = new Map([...state.votes].filter(([who]) => isRemembered(register, who)))
    for (const face of faces) {
      const vote = wears(face, facts)
      const who = whoIs(face.trackId)
      if (vote !== null) votes.set(who, withVote(votes.get(who) ?? noVotes, vote, minVotes))
    }
    const masked = faces.map((face) => verdict(votes.get(whoIs(face.trackId)) ?? noVotes, minVotes))
    const bare = faces.filter((_, i) => masked[i] === false)
    return {
      state: { register, votes },
      levels: facts.watching
        ? { total: faces.length, violation: bare.length, non_violation: masked.filter((one) => one === true).length }
        : null,
      instants: [],
      situations: bare.map((face) => situation(face, whoIs(face.trackId))),
    }
  },
}

/** What this picture says of a face; null when nothing. */
function wears(face: Followed, { parts }: Facts): boolean | null {
  const best = (parts ?? [])
    .filter(({ label, box }) => (label === 'mask' || label === 'no_mask') && iou(box, face.box) >= leastOverlap)
    .sort((a, b) => b.score - a.score)[0]
  return best ? best.label === 'mask' : null
}

const situation = (face: Followed, who: number): Situation => ({
  key: String(who),
  metric: 'violation',
  trackId: face.trackId,
  place: 'face',
  appeared: false,
  values: { violation: 1 },
  details: { track_id: face.trackId, label: 'no_mask', ...boxesOf([face]) },
})
