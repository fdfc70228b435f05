import type { Truth, TruthPerson } from '../src/truth.ts'

/**
 * When somebody changes sides of the line, or steps into the zone, between one frame and the next. The last frame is
 * followed by the first, so that the figures hold for whole loops.
 */
export function eventsIn(
  frames: TruthPerson[][],
  has: Pick<Truth, 'line' | 'zone'>,
): Pick<Truth, 'crossings' | 'zoneEntries'> {
  const crossings: NonNullable<Truth['crossings']> = []
  const zoneEntries: NonNullable<Truth['zoneEntries']> = []
  frames.forEach((people, frame) => {
    const before = frames.at(frame - 1) ?? []
    for (const { id, side, inZone } of people) {
      const earlier = before.find((other) => other.id === id)
      if (side && earlier && earlier.side !== side) crossings.push({ frame, id, dir: side === 'inside' ? 'in' : 'out' })
      if (inZone && !earlier?.inZone) zoneEntries.push({ frame, id })
    }
  })
  return { ...(has.line && { crossings }), ...(has.zone && { zoneEntries }) }
}
