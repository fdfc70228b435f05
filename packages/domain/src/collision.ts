import type { Point } from './geometry.ts'

/** Something that moves on the floor: metres, and metres per second. */
export type Mover = { at: Point; velocity: Point }

/**
 * Seconds until two discs touch whose radii add up to `reach`, if both keep their velocity: the first root of
 * |d + v t| = reach. 0 when they touch already, infinite when they never will.
 */
export function timeToCollision(a: Mover, b: Mover, reach: number): number {
  const d = [b.at[0] - a.at[0], b.at[1] - a.at[1]] as const
  const v = [b.velocity[0] - a.velocity[0], b.velocity[1] - a.velocity[1]] as const
  const beyond = d[0] ** 2 + d[1] ** 2 - reach ** 2
  if (beyond <= 0) return 0
  const speed = v[0] ** 2 + v[1] ** 2
  const closing = d[0] * v[0] + d[1] * v[1]
  if (closing >= 0 || speed < 1e-9) return Number.POSITIVE_INFINITY
  const discriminant = closing ** 2 - speed * beyond
  return discriminant < 0 ? Number.POSITIVE_INFINITY : (-closing - Math.sqrt(discriminant)) / speed
}

/** A place on the floor at a time: ms, metres. */
export type Fix = { at: number; place: Point }

/** Mean velocity over some fixes in metres per second, by least squares; null when they span no time. */
export function velocityOf(fixes: readonly Fix[]): Point | null {
  const count = fixes.length
  const mean = (of: (fix: Fix) => number) => fixes.reduce((sum, fix) => sum + of(fix), 0) / count
  const t = mean((fix) => fix.at)
  const spread = fixes.reduce((sum, fix) => sum + (fix.at - t) ** 2, 0)
  if (!(spread > 0)) return null
  const slope = (axis: 0 | 1) => (1000 * fixes.reduce((sum, fix) => sum + (fix.at - t) * fix.place[axis], 0)) / spread
  return [slope(0), slope(1)]
}
