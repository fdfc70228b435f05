/** Where the pin of a site is, and what a look-up may do to it. */
import type { ZipPlace } from '@sightline/contract'

export type Pin = { lat: number; long: number }

const isAt = (pin: Pin, place: Pin) => pin.lat === place.lat && pin.long === place.long

/**
 * Whether the pin goes where a place was looked up: it does as long as it is where the look-up before has put it. What a
 * person placed is moved by them alone: for a place that was found they are asked.
 */
export function pinMove(
  pin: Pin | null,
  before: Pin | null,
  { found }: Pick<ZipPlace, 'found'>,
): 'go' | 'ask' | 'stay' {
  if (!pin || (before && isAt(pin, before))) return 'go'
  return found ? 'ask' : 'stay'
}

/** Only the area of a zip code, the middle of a country or of the map, and nobody has moved it since: the default location. */
export const isDefault = (pin: Pin | null, place: ZipPlace | null): boolean =>
  Boolean(pin && place && !place.found && isAt(pin, place))
