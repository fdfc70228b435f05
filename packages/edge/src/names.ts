import type { EventRecord, LinkZone } from '@sightline/contract/edge'

type Details = EventRecord['details']

/** A line whose sides were given no names has these. */
const nameless = { side_a: 'a', side_b: 'b' }

/**
 * Details of a record with the names that people gave to its zone, or to its line and the sides of it: a zone may be
 * renamed later, and its name be given to another.
 */
export function withNames(details: Details, zones: readonly LinkZone[]): Details {
  const drawn = zones.find(({ name }) => name === (details?.zone ?? details?.line))
  if (!details || !drawn) return details
  const { label, kind, side_a, side_b } = drawn
  const hasSides = kind === 'line' && (side_a !== nameless.side_a || side_b !== nameless.side_b)
  // `up` is from side a to side b.
  const [from_side, to_side] = details.direction === 'down' ? [side_b, side_a] : [side_a, side_b]
  return { ...details, ...(label !== null && { zone_label: label }), ...(hasSides && { from_side, to_side }) }
}
