/** What every map of ours stands on: the outlines of the world, from the portal alone. */
import { type StyleSpecification, setWorkerUrl } from 'maplibre-gl'
import worker from 'maplibre-gl/dist/maplibre-gl-worker.mjs?worker&url'
import 'maplibre-gl/dist/maplibre-gl.css'
import { i18n } from '../../i18n/index.ts'
import { countryName } from '../CountrySelect.tsx'
import { pointAt, type World } from './world.ts'

setWorkerUrl(worker)

export const variable = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

/** The words of the map's own controls. */
export const localeOf = (): Record<string, string> => ({
  'NavigationControl.ZoomIn': i18n.t('map.zoomIn'),
  'NavigationControl.ZoomOut': i18n.t('map.zoomOut'),
  'CooperativeGesturesHandler.WindowsHelpText': i18n.t('map.scroll'),
  'CooperativeGesturesHandler.MacHelpText': i18n.t('map.scrollMac'),
  'CooperativeGesturesHandler.MobileHelpText': i18n.t('map.fingers'),
})

export function styleOf({ land, borders, countries }: World, language: string): StyleSpecification {
  const names = countries.map(({ code, center, area }) => ({
    type: 'Feature' as const,
    properties: { name: countryName(code, language), area },
    geometry: pointAt(center),
  }))
  return {
    version: 8,
    sources: {
      land: { type: 'geojson', data: land },
      borders: { type: 'geojson', data: { type: 'Feature', geometry: borders, properties: {} } },
      names: { type: 'geojson', data: { type: 'FeatureCollection', features: names } },
    },
    layers: [
      { id: 'water', type: 'background', paint: { 'background-color': variable('--map-water') } },
      { id: 'land', type: 'fill', source: 'land', paint: { 'fill-color': variable('--map-land') } },
      {
        id: 'borders',
        type: 'line',
        source: 'borders',
        paint: { 'line-color': variable('--map-line'), 'line-width': 1 },
      },
      {
        id: 'names',
        type: 'symbol',
        source: 'names',
        minzoom: 2.2,
        layout: {
          'text-field': ['get', 'name'],
          'text-font': ['Inter Variable'],
          'text-size': ['interpolate', ['linear'], ['get', 'area'], 0, 10.5, 60, 13],
          'symbol-sort-key': ['-', 0, ['get', 'area']],
        },
        paint: {
          'text-color': variable('--app-text-3'),
          'text-halo-color': variable('--map-land'),
          'text-halo-width': 1,
        },
      },
    ],
  }
}
