import type { AnalyticSettings } from '../settings.ts'
import { isRemembered, nobody, type Register, recognised } from './same.ts'
import { boxesOf, type Followed, type Instant, inZones, type Usecase } from './usecase.ts'

/** Somebody enrolled: `identity` is their id, each embedding a unit vector of one of their pictures. */
export type Enrolled = { identity: string; embeddings: readonly Float32Array[] }

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
      if (!known) waiting.set(who, { since: facts.at, best: face, embedding: face.embedding })
      else if (worth(face) > worth(known.best)) waiting.set(who, { ...known, best: face, embedding: face.embedding })
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
  const { identity, likeness } = identify(embedding, settings)
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

/**
 * Whose face it is: the most alike of the gallery by cosine, if it is alike enough and stands out from the next person;
 * else nobody's. `likeness` is to the most alike, null with an empty gallery.
 */
export function identify(
  embedding: Float32Array,
  { gallery, threshold, margin }: Pick<AnalyticSettings, 'gallery' | 'threshold' | 'margin'>,
): { identity: string | null; likeness: number | null } {
  const [first, second] = gallery
    .filter(({ embeddings }) => embeddings.length > 0)
    .map(({ identity, embeddings }) => ({
      identity,
      likeness: Math.max(...embeddings.map((one) => cosine(one, embedding))),
    }))
    .sort((a, b) => b.likeness - a.likeness)
  if (!first) return { identity: null, likeness: null }
  const isSure = first.likeness >= threshold && (!second || first.likeness - second.likeness >= margin)
  return { identity: isSure ? first.identity : null, likeness: first.likeness }
}

/** Of unit vectors; vectors of different lengths come from different models and are not alike at all. */
function cosine(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return -1
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number)
  return sum
}
