import type { OverlayBox } from '@sightline/contract/edge'

/** A foot point as shares of the picture, and when it was there, in the stream's own time (ms). */
type Step = { x: number; y: number; pts_ms: number }
/** Where each who is followed has walked, by track. */
export type Trails = ReadonlyMap<number, readonly Step[]>

export const noTrails: Trails = new Map()
/** So much of a walk is shown. */
const shownMs = 10_000
/** Who is seen again after longer than this may have walked anywhere meanwhile. */
const gapMs = 2000

/** The trails with one picture more. Those who are not seen any more keep theirs until it is old; a stream that begins anew has none. */
export function walked(before: Trails, { boxes, pts_ms }: { boxes: readonly OverlayBox[]; pts_ms: number }): Trails {
  const trails = new Map<number, readonly Step[]>()
  for (const [track, steps] of before) {
    const left = steps.filter((step) => step.pts_ms <= pts_ms && step.pts_ms > pts_ms - shownMs)
    if (left.length > 0) trails.set(track, left)
  }
  for (const { track_id, box } of boxes) {
    if (track_id === null) continue
    const [x, y, w, h] = box
    const steps = trails.get(track_id) ?? []
    const last = steps.at(-1)
    const known = last && pts_ms - last.pts_ms > gapMs ? [] : steps.filter((step) => step.pts_ms < pts_ms)
    trails.set(track_id, [...known, { x: x + w / 2, y: y + h, pts_ms }])
  }
  return trails
}

/** For an SVG polyline over a picture that is one wide and one high. */
export const lineOf = (steps: readonly Step[]): string => steps.map(({ x, y }) => `${x},${y}`).join(' ')
