import { useComputedColorScheme } from '@mantine/core'
import type { Health, Site } from '@sightline/contract'
import { type GeoJSONSource, LngLatBounds, Map as MapLibre, NavigationControl } from 'maplibre-gl'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { middle, styleOf, variable, zooms } from './base.ts'
import classes from './map.module.css'
import type { SitesMapProps } from './SitesMap.tsx'
import { loadWorld, type World } from './world.ts'

/** Of a group the worst shows. */
const rankOf: Record<Health, number> = { unknown: 0, healthy: 1, 'needs attention': 2, offline: 3 }

const placed = (sites: readonly Site[]) =>
  sites.flatMap(({ site_id, site_name, site_health, site_address: { lat, long } }) =>
    lat === null || long === null ? [] : [{ site_id, site_name, site_health, at: [long, lat] as [number, number] }],
  )

const pointsOf = (sites: readonly Site[]): GeoJSON.FeatureCollection<GeoJSON.Point> => ({
  type: 'FeatureCollection',
  features: placed(sites).map(({ site_id, site_name, site_health, at }) => ({
    type: 'Feature',
    properties: { site_id, name: site_name, rank: rankOf[site_health] },
    geometry: { type: 'Point', coordinates: at },
  })),
})

function addLayers(map: MapLibre): void {
  const rank = ['coalesce', ['get', 'worst'], ['get', 'rank']]
  const colors = [variable('--app-text-3'), variable('--ok-dot'), variable('--warn-dot'), variable('--bad-dot')]
  map.addSource('sites', {
    type: 'geojson',
    data: pointsOf([]),
    cluster: true,
    clusterRadius: 36,
    clusterProperties: { worst: ['max', ['get', 'rank']] },
  })
  map.addLayer({
    id: 'sites',
    type: 'circle',
    source: 'sites',
    paint: {
      'circle-color': ['match', rank as never, 1, colors[1], 2, colors[2], 3, colors[3], colors[0]] as never,
      'circle-radius': ['step', ['coalesce', ['get', 'point_count'], 1], 7, 2, 12, 10, 15, 50, 19],
      'circle-stroke-width': 2,
      'circle-stroke-color': variable('--app-surface'),
    },
  })
  const text = {
    'text-color': variable('--app-text'),
    'text-halo-color': variable('--map-land'),
    'text-halo-width': 1.4,
  }
  map.addLayer({
    id: 'site-names',
    type: 'symbol',
    source: 'sites',
    layout: {
      'text-field': ['coalesce', ['to-string', ['get', 'point_count']], ['get', 'name']] as never,
      'text-font': ['Inter Variable'],
      'text-size': 12,
      'text-offset': [0, 1.7],
      'text-optional': true,
    },
    paint: text,
  })
}

export default function SitesCanvas({ sites, label, height, onOpen }: SitesMapProps) {
  const { i18n } = useTranslation()
  const scheme = useComputedColorScheme('light')
  const frame = useRef<HTMLDivElement>(null)
  const map = useRef<MapLibre | null>(null)
  const [world, setWorld] = useState<World | null>(null)
  const [fault, setFault] = useState<Error | null>(null)
  const show = useEffectEvent((isFirst: boolean) => {
    const source = map.current?.getSource<GeoJSONSource>('sites')
    if (!map.current || !source) return
    source.setData(pointsOf(sites))
    const bounds = new LngLatBounds()
    for (const { at } of placed(sites)) bounds.extend(at)
    if (!bounds.isEmpty()) map.current.fitBounds(bounds, { padding: 48, maxZoom: zooms.pin, animate: !isFirst })
  })
  const open = useEffectEvent(onOpen)

  useEffect(() => {
    loadWorld().then(setWorld, setFault)
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: its colours are those of the scheme
  useEffect(() => {
    if (!world || !frame.current) return
    const made = new MapLibre({
      container: frame.current,
      style: styleOf(world, i18n.language),
      center: middle,
      zoom: zooms.world,
      minZoom: 0,
      maxZoom: zooms.nearest,
      attributionControl: false,
      dragRotate: false,
      touchPitch: false,
      cooperativeGestures: true,
      fadeDuration: 0,
    })
    made.addControl(new NavigationControl({ showCompass: false }), 'bottom-right')
    made.on('error', ({ error }) => console.warn('The map:', error.message))
    made.on('load', () => {
      addLayers(made)
      show(true)
    })
    made.on('click', 'sites', ({ features: [hit] = [] }) => {
      const { site_id, cluster_id } = hit?.properties ?? {}
      if (site_id) return open(String(site_id))
      const at = (hit?.geometry as GeoJSON.Point | undefined)?.coordinates as [number, number] | undefined
      if (cluster_id === undefined || !at) return
      made
        .getSource<GeoJSONSource>('sites')
        ?.getClusterExpansionZoom(Number(cluster_id))
        .then(
          (zoom) => made.easeTo({ center: at, zoom }),
          (error: unknown) => console.warn('The map:', error),
        )
    })
    const point = (cursor: string) => () => {
      made.getCanvas().style.cursor = cursor
    }
    made.on('mouseenter', 'sites', point('pointer'))
    made.on('mouseleave', 'sites', point(''))
    map.current = made
    return () => {
      map.current = null
      made.remove()
    }
  }, [world, scheme, i18n.language])
  // biome-ignore lint/correctness/useExhaustiveDependencies: shown anew when other sites are listed
  useEffect(() => show(false), [sites])

  if (fault) throw fault
  return <section ref={frame} className={classes.frame} style={{ height }} aria-label={label} />
}
