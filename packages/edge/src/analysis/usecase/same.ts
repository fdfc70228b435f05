import type { Facts, Followed } from './usecase.ts'

type Known = { who: number; x: number; y: number; tall: number; seenAt: number }
/** By track. Values are never changed in place. */
export type Register = ReadonlyMap<number, Known>

export const nobody: Register = new Map()

/** Somebody hidden for this long is still the same when found again at the same spot: so near, in body heights. */
const longestGapMs = 3000
const nearest = 0.5

/**
 * Who the tracks are. Somebody who is hidden for a moment may come back as another track; a track that begins where one
 * was lost up to three seconds ago is the same one. A name is the number of one's first track.
 */
export function recognised(register: Register, followed: readonly Followed[], { at, aspect }: Facts) {
  const present = followed.filter((one) => one.present)
  const next = new Map<number, Known>()
  const lost = new Map([...register].filter(([, known]) => at - known.seenAt <= longestGapMs))
  for (const { trackId } of present) lost.delete(trackId)
  for (const { trackId, box } of present) {
    const [x, y, tall] = [(box[0] + box[2] / 2) * aspect, box[1] + box[3], box[3]]
    const distance = (known: Known) => Math.hypot(known.x - x, known.y - y) / ((known.tall + tall) / 2)
    const known = register.get(trackId)
    const before = known ? undefined : closest(lost, distance)
    if (before) lost.delete(before.trackId)
    next.set(trackId, { who: (known ?? before?.known)?.who ?? trackId, x, y, tall, seenAt: at })
  }
  for (const [trackId, known] of lost) next.set(trackId, known)
  return { register: next as Register, whoIs: (trackId: number): number => next.get(trackId)?.who ?? trackId }
}

function closest(lost: ReadonlyMap<number, Known>, distance: (known: Known) => number) {
  return [...lost]
    .map(([trackId, known]) => ({ trackId, known, far: distance(known) }))
    .filter(({ far }) => far <= nearest)
    .sort((a, b) => a.far - b.far)[0]
}

/** Whether somebody of this name is still remembered: seen now, or hidden no longer than the longest gap. */
export const isRemembered = (register: Register, who: number): boolean =>
  [...register.values()].some((known) => known.who === who)
