import { identify } from '@sightline/domain'
import type { AnalyticSettings } from '../settings.ts'
import { isRemembered, nobody, type Register, recognised } from './same.ts'
import { boxesOf, type Followed, type Instant, inZones, type Usecase } from './usecase.ts'

type Waiting = { since: number; best: Followed; embedding: Float32Array }
type State = { register: Register; waiting: ReadonlyMap<number, Waiting>; told: ReadonlySet<number> }

/** A new face is looked at for this long, and the best of its pictures is the one that is compared. */
const lookMs = 2000

/**
 * Face recognition: each new face once, known or not, by the best of its first pictures. `total` as a level is how many
 * faces are there at once.
 */
export const fcrecog: Usecase<State> = {
  start: () => ({ register: nobody, waiting: new Map(), told: new Set() }),
  reduce(state, facts, settings) {
    const { register, whoIs } = recognised(state.register, facts.faces, facts)
    const faces = inZones(facts.faces, facts).filter((face) => face.box[3] * facts.height >= settings.minFacePx)
    const waiting = new Map(state.waiting)
    for (const face of faces) {
      const who = whoIs(face.trackId)
      if (state.told.has(who) || !face.embedding) continue
      const known = waiting.get(who)
      if (known && worth(face) <= worth(known.best)) continue
      const embedding = face.embedding()
      if (embedding) waiting.set(who, { since: known?.since ?? facts.at, best: face, embedding })
    }
    const ready = [...waiting].filter(([who, { since }]) => facts.at - since >= lookMs || !isRemembered(register, who))
    for (const [who] of ready) waiting.delete(who)
    const told = new Set([...state.told, ...ready.map(([who]) => who)].filter((who) => isRemembered(register, who)))
    return {
      state: { register, waiting, told },
      levels: facts.watching ? { total: faces.length } : null,
      instants: ready.map(([, one]) => instant(one, settings)),
      situations: [],
    }
  },
}

/** Large and surely found is good to compare. */
const worth = ({ box, score }: Followed): number => box[2] * box[3] * score

function instant({ best, embedding }: Waiting, settings: AnalyticSettings): Instant {
  const { identity, likeness } = identify(embedding, settings.gallery, settings)
  return {
    metrics: ['total'],
    trackId: best.trackId,
    details: {
      identity,
      track_id: best.trackId,
      label: 'face',
      ...(likeness !== null && { likeness: Math.round(likeness * 1000) / 1000 }),
      ...boxesOf([best]),
    },
  }
}
