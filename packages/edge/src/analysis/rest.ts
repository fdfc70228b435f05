import { type Box, iou, shareInside } from '@sightline/domain'
import type { Blob } from './motion.ts'
import type { Track } from './track.ts'

/** Found again and again without moving for this long, a track is believed and looked for only now and then. */
const believedAfterMs = 5000

type Rest = { since: number; foundAt: number }

/**
 * People who stand still melt into the learned background, so the detector must look where they were last seen: in every
 * picture until they are believed, then every `recheckMs` (as Frigate does with stationary objects). Where the empty
 * backdrop shows again they have left, and furniture that looks like a person does not take their place.
 */
export function createRest(recheckMs: number) {
  let resting = new Map<number, Rest>()
  return {
    /** Where to look besides the moving regions, and which tracks are believed without looking. */
    plan(
      tracks: readonly Track[],
      blobs: readonly Blob[],
      standsOut: (box: Box) => boolean,
      at: number,
    ): { look: Box[]; believed: Set<number> } {
      const look: Box[] = []
      const believed = new Set<number>()
      const still = new Map<number, Rest>()
      for (const track of tracks) {
        if (!track.confirmed || track.label === 'motion' || moves(track.box, blobs)) continue
        if (!standsOut(track.box)) continue
        const rest = resting.get(track.id) ?? { since: at, foundAt: at }
        still.set(track.id, rest)
        if (at - rest.since >= believedAfterMs && at - rest.foundAt < recheckMs) believed.add(track.id)
        else look.push(track.box)
      }
      resting = still
      return { look, believed }
    },
    /** After the tracker: what the looking found. */
    note(tracks: readonly Track[], believed: ReadonlySet<number>, at: number): void {
      for (const track of tracks) {
        const rest = resting.get(track.id)
        if (!rest || believed.has(track.id)) continue
        resting.set(track.id, track.seenAt === at ? { ...rest, foundAt: at } : { since: at, foundAt: at })
      }
    },
  }
}

const moves = (box: Box, blobs: readonly Blob[]): boolean =>
  blobs.some((blob) => iou(blob.box, box) > 0.3 || shareInside(box, blob.box) > 0.6)
