/** Where a map stands, and how an address says it. Apart from the map, whose library is large. */
export type MapView = { lat: number; long: number; zoom: number }

/** `48.86,2.35,6.5`: latitude, longitude, zoom; null when it does not say a place on earth. */
export function readView(text: string | undefined): MapView | null {
  const match = /^(-?\d{1,2}(?:\.\d+)?),(-?\d{1,3}(?:\.\d+)?),(\d{1,2}(?:\.\d+)?)$/.exec(text ?? '')
  if (!match) return null
  const [lat, long, zoom] = match.slice(1).map(Number) as [number, number, number]
  return Math.abs(lat) <= 90 && Math.abs(long) <= 180 ? { lat, long, zoom } : null
}

/** As exact as the outlines are: about a hundred metres. */
export const writeView = ({ lat, long, zoom }: MapView): string =>
  `${lat.toFixed(3)},${long.toFixed(3)},${zoom.toFixed(1)}`

/** Near enough to see a country, and as near as the outlines make sense; how many pixels are left around sites. */
export const zooms = { world: 0.6, country: 3.6, pin: 4, nearest: 10, padding: 48 }
export const middle: [long: number, lat: number] = [8, 30]
