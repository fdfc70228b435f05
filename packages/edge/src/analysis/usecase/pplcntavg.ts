import { counted, type Usecase } from './usecase.ts'

/** A count and how long it held, in ms. */
type Piece = { from: number; to: number; count: number }
type State = { pieces: readonly Piece[]; now: { at: number; count: number; longestMs: number } | null }

/** Pictures further apart than this left a gap; what is between them does not enter the mean. */
const longestMs = 2000
/** While nothing moves pictures are rare on purpose. */
const longestStillMs = 4000

/** Average people counting: the count at once, and its mean over a sliding window of watched time. */
export const pplcntavg: Usecase<State> = {
  start: () => ({ pieces: [], now: null }),
  reduce(state, facts, { averageMs }) {
    const pieces = lengthen(state, facts.at).filter(({ to }) => to > facts.at - averageMs && to <= facts.at)
    if (!facts.watching) return { state: { pieces, now: null }, levels: null, instants: [], situations: [] }
    const total = counted(facts).length
    return {
      state: { pieces, now: { at: facts.at, count: total, longestMs: facts.still ? longestStillMs : longestMs } },
      levels: { total, moving_average_count: mean(pieces, facts.at - averageMs) ?? total },
      instants: [],
      situations: [],
    }
  },
}

/** The pieces with the one that ends now; equal neighbours become one. */
function lengthen({ pieces, now }: State, at: number): readonly Piece[] {
  if (!now || at - now.at > now.longestMs || at <= now.at) return pieces
  const last = pieces.at(-1)
  return last?.count === now.count && last.to === now.at
    ? [...pieces.slice(0, -1), { ...last, to: at }]
    : [...pieces, { from: now.at, to: at, count: now.count }]
}

/** Mean weighted by time, two decimals; null when there is no time yet. */
function mean(pieces: readonly Piece[], from: number): number | null {
  let area = 0
  let length = 0
  for (const piece of pieces) {
    const ms = piece.to - Math.max(piece.from, from)
    area += piece.count * ms
    length += ms
  }
  return length > 0 ? Math.round((area / length) * 100) / 100 : null
}
