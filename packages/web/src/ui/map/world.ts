import { feature, mesh } from 'topojson-client'
import outlines from 'world-atlas/countries-50m.json?url'
import { unwrapped } from './ring.ts'

export type Country = { code: string; center: [long: number, lat: number]; area: number }
export type World = {
  land: GeoJSON.FeatureCollection<GeoJSON.Polygon | GeoJSON.MultiPolygon>
  borders: GeoJSON.MultiLineString
  countries: readonly Country[]
}

/** Twice the area of a ring of degrees, and its centre of gravity. */
function weigh(ring: readonly (readonly number[])[]): { area: number; center: [number, number] } {
  let area = 0
  let [x, y] = [0, 0]
  for (const [index, [ax = 0, ay = 0]] of ring.entries()) {
    const [bx = 0, by = 0] = ring[index + 1] ?? []
    if (index === ring.length - 1) break
    const cross = ax * by - bx * ay
    area += cross
    x += (ax + bx) * cross
    y += (ay + by) * cross
  }
  return { area: Math.abs(area), center: [x / (3 * area), y / (3 * area)] }
}

/** Where a country's name belongs: in the middle of its largest part. */
function countryOf({ id, geometry }: GeoJSON.Feature<GeoJSON.Polygon | GeoJSON.MultiPolygon>): Country[] {
  const parts = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates
  const [largest] = parts.map(([outer = []]) => weigh(outer)).toSorted((a, b) => b.area - a.area)
  // The data has the numbers of ISO 3166-1, which the browser knows as letters; a few disputed places have none.
  const code = /^\d{3}$/.test(String(id)) ? new Intl.Locale(`und-${id}`).region : undefined
  return largest && code ? [{ code, ...largest }] : []
}

let loaded: Promise<World> | null = null

/** The outlines of all countries, from the portal itself: loaded once. */
export function loadWorld(): Promise<World> {
  loaded ??= (async () => {
    const response = await fetch(outlines)
    if (!response.ok) throw new Error(`The map could not be loaded: ${response.status}`)
    const atlas = (await response.json()) as TopoJSON.Topology<{ countries: TopoJSON.GeometryCollection }>
    const land = feature(atlas, atlas.objects.countries) as GeoJSON.FeatureCollection<
      GeoJSON.Polygon | GeoJSON.MultiPolygon
    >
    for (const { geometry } of land.features) {
      if (geometry.type === 'Polygon') geometry.coordinates = geometry.coordinates.map(unwrapped)
      else geometry.coordinates = geometry.coordinates.map((part) => part.map(unwrapped))
    }
    const borders = mesh(atlas, atlas.objects.countries, (a, b) => a !== b)
    return { land, borders, countries: land.features.flatMap(countryOf) }
  })()
  // A failure is not remembered: the next map tries again.
  loaded.catch(() => {
    loaded = null
  })
  return loaded
}

export const pointAt = (coordinates: [number, number]): GeoJSON.Point => ({ type: 'Point', coordinates })
