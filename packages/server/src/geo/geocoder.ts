/** Where zip codes and towns are, asked of the geocoder that GEOCODER_URL names. Answers are kept in memory. */
import * as z from 'zod'
import { getText, type Outgoing } from '../outgoing.ts'
import { createSharedTurns } from '../turns.ts'
import type { Place } from './countries.ts'

export type Found = Place & { city: string | null; state: string | null }
/** A zip code or a town, or both; '' where there is none. */
type Asked = { country: string; zip: string; city: string }
export type Geocoder = {
  /**
   * Null: it does not know the place.
   * @param tenantId for whom it is asked
   * @throws 503 `busy` while it is asked too much, by the organization or by all; anything else when it cannot be asked
   */
  find(asked: Asked, tenantId: number): Promise<Found | null>
}

const keepMs = 24 * 3_600_000
const mostKept = 2000
const callMs = 3000
const mostBytes = 256 * 1024

/** It is often somebody else's. Who waits does so for two calls at most. */
const most = { atOnce: 8, waiting: 8 }
/** Of one organization: the others are not held up by it. */
const mostOfOne = { atOnce: 4, waiting: 4 }

const degrees = z.coerce.number()
const text = z.string().nullish()
/** Nominatim and its like: a list of places. */
const nominatim = z.array(
  z.object({
    lat: degrees,
    lon: degrees,
    address: z.object({ city: text, town: text, village: text, state: text }).partial().optional(),
  }),
)
/** Zippopotam.us. */
const zippopotam = z.object({
  places: z.array(z.object({ latitude: degrees, longitude: degrees, 'place name': text, state: text })),
})
/** GeoJSON, as Photon and Pelias answer. */
const geojson = z.object({
  features: z.array(
    z.object({
      geometry: z.object({ coordinates: z.tuple([degrees, degrees]).rest(z.unknown()) }),
      properties: z.object({ city: text, locality: text, state: text, region: text }).partial().nullish(),
    }),
  ),
})

/** The first place in an answer of a geocoder; null when it has none. @throws when it is in no form known */
export function readAnswer(json: string): Found | null {
  const value: unknown = JSON.parse(json)
  const list = nominatim.safeParse(value)
  if (list.success) {
    const [first] = list.data
    const { city, town, village, state } = first?.address ?? {}
    return first ? place(first.lat, first.lon, city ?? town ?? village, state) : null
  }
  const places = zippopotam.safeParse(value)
  if (places.success) {
    const [first] = places.data.places
    return first ? place(first.latitude, first.longitude, first['place name'], first.state) : null
  }
  const { features } = geojson.parse(value)
  const [first] = features
  if (!first) return null
  const [long, lat] = first.geometry.coordinates
  const { city, locality, state, region } = first.properties ?? {}
  return place(lat, long, city ?? locality, state ?? region)
}

function place(lat: number, long: number, city?: string | null, state?: string | null): Found {
  if (!(Math.abs(lat) <= 90) || !(Math.abs(long) <= 180)) throw new Error('the geocoder named a place off the earth')
  return { lat, long, city: city || null, state: state || null }
}

/** @param template address with {country} and {zip}; with {city} too where it knows towns @param now ms since the epoch */
export function createGeocoder(
  template: string,
  more: Pick<Outgoing, 'isAllowed'> = {},
  now: () => number = Date.now,
): Geocoder {
  const kept = new Map<string, { at: number; found: Promise<Found | null> }>()
  const knowsTowns = template.includes('{city}')
  const turnsOf = createSharedTurns<number>(most, mostOfOne)
  const ask = async (asked: Asked) => {
    const address = template.replace(/\{(country|zip|city)\}/g, (_, part: keyof Asked) =>
      encodeURIComponent(asked[part]),
    )
    return readAnswer(await getText(address, { timeoutMs: callMs, mostBytes, ...more }))
  }
  return {
    async find(asked, tenantId) {
      if (asked.zip === '' && !knowsTowns) return null
      const key = `${asked.country} ${asked.zip} ${knowsTowns ? asked.city : ''}`.toUpperCase()
      const known = kept.get(key)
      if (known && now() - known.at < keepMs) return known.found
      if (kept.size >= mostKept) kept.clear()
      const found = turnsOf(tenantId).take(() => ask(asked))
      kept.set(key, { at: now(), found })
      // What could not be asked is asked again.
      found.catch(() => kept.delete(key))
      return found
    },
  }
}
