/** Which cameras of a wall show a video while the others show stills: a pure rule. */

/** When a camera's activity began, and when it was last noticed; milliseconds. */
export type Activity = { since: number; last: number }

/** A video goes back to stills so long after the last activity. */
export const quietMs = 20_000
/** More videos than these a small computer behind a large screen does not play without stalls. */
export const videosAtOnce = 4

/** Activity noticed at `now` goes on with what was, or begins anew after quiet. */
export const noticed = (before: Activity | undefined, now: number): Activity => ({
  since: before && now - before.last < quietMs ? before.since : now,
  last: now,
})

/**
 * The cameras that show a video: of those in sight where something goes on, the ones where it began last. Who goes on for
 * long gives way to what is new, and keeps its place otherwise.
 */
export function liveTiles(
  activity: ReadonlyMap<string, Activity>,
  inSight: readonly string[],
  now: number,
  most = videosAtOnce,
): string[] {
  return inSight
    .flatMap((id) => {
      const one = activity.get(id)
      return one && now - one.last < quietMs ? [{ id, since: one.since }] : []
    })
    .toSorted((a, b) => b.since - a.since)
    .slice(0, most)
    .map(({ id }) => id)
}

/** When the next camera goes back to stills if nothing more happens; null when none shows a video. */
export function nextQuiet(activity: ReadonlyMap<string, Activity>, now: number): number | null {
  const ends = [...activity.values()].map(({ last }) => last + quietMs).filter((end) => end > now)
  return ends.length > 0 ? Math.min(...ends) : null
}
