import { identify } from '@sightline/domain'
import type { AnalyticSettings } from '../settings.ts'
import { isRemembered, nobody, type Register, recognised } from './same.ts'
import { boxesOf, type Followed, type Instant, inZones, type Usecase } from './usecase.ts'

type Waiting = { since: number; best: Followed; embedding: Float32Array; isKnown: boolean }
/** @property seen the face in this picture; null when it is gone */
type Ready = { who: number; waiting: Waiting; seen: Followed | null }
type State = { register: Register; waiting: ReadonlyMap<number, Waiting>; told: ReadonlySet<number> }

/** Somebody who is not recognised is looked at for this long, and the best of their pictures is the one that is compared. */
const lookMs = 2000

/**
 * Face recognition: each new face once. Who is recognised is told in the very picture that shows it; a stranger by the
 * best of the first pictures, in the next one in which the face is there: the picture that is kept of an event is taken
 * when it is told. `total` as a level is how many faces are there at once.
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
      if (!embedding) continue
      const { identity } = identify(embedding, settings.gallery, settings)
      waiting.set(who, { since: known?.since ?? facts.at, best: face, embedding, isKnown: identity !== null })
    }
    const ready = [...waiting].flatMap(([who, one]): Ready[] => {
      const seen = faces.find(({ trackId }) => whoIs(trackId) === who) ?? null
      const isDecided = one.isKnown || facts.at - one.since >= lookMs
      return (seen && isDecided) || !isRemembered(register, who) ? [{ who, waiting: one, seen }] : []
    })
    for (const { who } of ready) waiting.delete(who)
    const told = new Set([...state.told, ...ready.map(({ who }) => who)].filter((who) => isRemembered(register, who)))
    return {
      state: { register, waiting, told },
      levels: facts.watching ? { total: faces.length } : null,
      instants: ready.map((one) => instant(one, settings)),
      situations: [],
    }
  },
}

/** Large and surely found is good to compare. */
const worth = ({ box, score }: Followed): number => box[2] * box[3] * score

function instant({ waiting: { best, embedding }, seen }: Ready, settings: AnalyticSettings): Instant {
  const { identity, likeness } = identify(embedding, settings.gallery, settings)
  return {
    metrics: ['total'],
    trackId: best.trackId,
    details: {
      identity,
      track_id: best.trackId,
      label: 'face',
      ...(likeness !== null && { likeness: Math.round(likeness * 1000) / 1000 }),
      // Where it was is not where it is in the picture that is taken now.
      ...boxesOf(seen ? [seen] : []),
    },
  }
}
