/** Where a map of the world stands and what lies where on it, in Web Mercator (EPSG:3857) as MapLibre reckons. */
import type { MapView } from './view.ts'

type Place = { lat: number; long: number }

/** Pixels of the whole world at zoom 0. */
const worldPixels = 512
/** Beyond it Mercator has no end. */
const northernmost = 85

/** 0…1 from west to east and from north to south. */
export function mercator({ lat, long }: Place): readonly [x: number, y: number] {
  const angle = (Math.max(-northernmost, Math.min(northernmost, lat)) * Math.PI) / 180
  return [long / 360 + 0.5, 0.5 - Math.log(Math.tan(Math.PI / 4 + angle / 2)) / (2 * Math.PI)]
}

/** What a frame shows: the point in its upper left corner, 0…1, and how many pixels the world is wide. */
export type Sight = { x: number; y: number; pixels: number }
type Size = { width: number; height: number }

/** As a map of that size shows a place in its middle. */
export function sightOf(view: MapView, { width, height }: Size): Sight {
  const [x, y] = mercator(view)
  const pixels = worldPixels * 2 ** view.zoom
  return { x: x - width / 2 / pixels, y: y - height / 2 / pixels, pixels }
}

/** As MapLibre's `fitBounds` shows all of them, with `padding` pixels around, at most at `maxZoom`. */
export function fittedSight(places: readonly Place[], size: Size, padding: number, maxZoom: number): Sight {
  const at = places.map(mercator)
  const [xs, ys] = [at.map(([x]) => x), at.map(([, y]) => y)]
  const [west, east] = [Math.min(...xs), Math.max(...xs)]
  const [north, south] = [Math.min(...ys), Math.max(...ys)]
  const room = (pixels: number) => Math.max(1, pixels - 2 * padding)
  const pixels = Math.min(
    room(size.width) / (east - west),
    room(size.height) / (south - north),
    worldPixels * 2 ** maxZoom,
  )
  return {
    x: (west + east) / 2 - size.width / 2 / pixels,
    y: (north + south) / 2 - size.height / 2 / pixels,
    pixels,
  }
}
