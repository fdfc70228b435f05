import { useComputedColorScheme } from '@mantine/core'
import type { SitePlace } from '@sightline/contract'
import { type GeoJSONSource, LngLatBounds, Map as MapLibre, type MapOptions, NavigationControl } from 'maplibre-gl'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { localeOf, styleOf, variable } from './base.ts'
import classes from './map.module.css'
import { fills, placed, rankOf } from './marks.ts'
import type { MapState, SitesMapProps } from './SitesMap.tsx'
import { middle, zooms } from './view.ts'
import { loadWorld, type World } from './world.ts'

const pointsOf = (sites: readonly SitePlace[]): GeoJSON.FeatureCollection<GeoJSON.Point> => ({
  type: 'FeatureCollection',
  features: placed(sites).map(({ site: { site_id, site_name, site_health, site_total_devices }, lat, long }) => ({
    type: 'Feature',
    properties: { site_id, name: site_name, rank: rankOf[site_health], cameras: site_total_devices },
    geometry: { type: 'Point', coordinates: [long, lat] },
  })),
})

/** How many pixels a ring is around what lies within it. */
const ring = 4

function addLayers(map: MapLibre): void {
  const rank = ['coalesce', ['get', 'worst'], ['get', 'rank']]
  const byHealth = ([unknown, ok, warn, bad]: readonly string[]) =>
    ['match', rank, 1, ok, 2, warn, 3, bad, unknown] as never
  const radius = (more: number) =>
    ['step', ['get', 'cameras'], 12 + more, 10, 14 + more, 100, 17 + more, 1000, 20 + more] as never
  const isCluster = ['has', 'point_count'] as never
  map.addSource('sites', {
    type: 'geojson',
    data: pointsOf([]),
    cluster: true,
    clusterRadius: 36,
    clusterProperties: { worst: ['max', ['get', 'rank']], cameras: ['+', ['get', 'cameras']] },
  })
  map.addLayer({
    id: 'rings',
    type: 'circle',
    source: 'sites',
    filter: isCluster,
    paint: {
      'circle-color': 'transparent',
      'circle-radius': radius(ring),
      'circle-stroke-width': 2.5,
      'circle-stroke-color': byHealth(['--app-text-3', '--ok-dot', '--warn-dot', '--bad-dot'].map(variable)),
    },
  })
  map.addLayer({
    id: 'chosen',
    type: 'circle',
    source: 'sites',
    filter: ['==', ['get', 'site_id'], ''],
    paint: {
      'circle-color': 'transparent',
      'circle-radius': radius(ring),
      'circle-stroke-width': 3,
      'circle-stroke-color': variable('--mantine-color-brand-6'),
    },
  })
  map.addLayer({
    id: 'sites',
    type: 'circle',
    source: 'sites',
    paint: {
      'circle-color': byHealth(fills),
      'circle-radius': radius(0),
      'circle-stroke-width': 2,
      'circle-stroke-color': '#fff',
    },
  })
  map.addLayer({
    id: 'counts',
    type: 'symbol',
    source: 'sites',
    layout: {
      'text-field': ['to-string', ['get', 'cameras']],
      'text-font': ['Inter Variable'],
      'text-size': 12,
      'text-allow-overlap': true,
      'text-ignore-placement': true,
    },
    paint: { 'text-color': '#fff' },
  })
  map.addLayer({
    id: 'site-names',
    type: 'symbol',
    source: 'sites',
    filter: ['!', isCluster],
    layout: {
      'text-field': ['get', 'name'],
      'text-font': ['Inter Variable'],
      'text-size': 12,
      'text-offset': [0, 1.9],
      'text-optional': true,
    },
    paint: { 'text-color': variable('--app-text'), 'text-halo-color': variable('--map-land'), 'text-halo-width': 1.4 },
  })
}

/** @param props.onState told when it is drawn, and when it is not or cannot be */
export default function SitesCanvas(props: SitesMapProps & { onState: (state: MapState) => void }) {
  const { sites, label, chosen, from, isPage } = props
  const { i18n } = useTranslation()
  const scheme = useComputedColorScheme('light')
  const frame = useRef<HTMLDivElement>(null)
  const map = useRef<MapLibre | null>(null)
  const [world, setWorld] = useState<World | null>(null)
  /** The sites that the map was last fitted to: their figures may change without moving it under somebody's eyes. */
  const fitted = useRef('')
  const tell = useEffectEvent(() => {
    const { current } = map
    if (!current || !props.onView) return
    const bounds = current.getBounds()
    const { lat, lng } = current.getCenter().wrap()
    const inSight = placed(sites).flatMap(({ site, lat, long }) => (bounds.contains([long, lat]) ? [site.site_id] : []))
    props.onView(new Set(inSight), { lat, long: lng, zoom: current.getZoom() })
  })
  const show = useEffectEvent((isFirst: boolean) => {
    const { current } = map
    const source = current?.getSource<GeoJSONSource>('sites')
    if (!current || !source) return
    source.setData(pointsOf(sites))
    const key = placed(sites)
      .map(({ site, lat, long }) => `${site.site_id}@${long},${lat}`)
      .join()
    const isSame = key === fitted.current
    fitted.current = key
    const bounds = new LngLatBounds()
    for (const { lat, long } of placed(sites)) bounds.extend([long, lat])
    if (isSame || bounds.isEmpty() || (isFirst && from)) tell()
    else current.fitBounds(bounds, { padding: zooms.padding, maxZoom: zooms.pin, animate: !isFirst })
  })
  const ringed = useEffectEvent(() => {
    if (map.current?.getLayer('chosen')) map.current.setFilter('chosen', ['==', ['get', 'site_id'], chosen ?? ''])
  })
  const open = useEffectEvent(props.onOpen)
  const become = useEffectEvent(props.onState)
  const fail = useEffectEvent((error: unknown) => {
    console.warn('The map cannot be drawn:', error)
    become('failed')
  })

  useEffect(() => {
    loadWorld().then(setWorld, (error: unknown) => fail(error))
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: its colours are those of the scheme; where it begins is where it began
  useEffect(() => {
    if (!world || !frame.current) return
    const made = begun({
      container: frame.current,
      style: styleOf(world, i18n.language),
      locale: localeOf(),
      center: from ? [from.long, from.lat] : middle,
      zoom: from?.zoom ?? zooms.world,
      minZoom: 0,
      maxZoom: zooms.nearest,
      attributionControl: false,
      dragRotate: false,
      touchPitch: false,
      cooperativeGestures: !isPage,
      fadeDuration: 0,
    })
    if (made instanceof Error) return fail(made)
    become('drawing')
    made.addControl(new NavigationControl({ showCompass: false }), 'bottom-right')
    made.getCanvas().setAttribute('aria-label', label)
    made.on('error', ({ error }) => console.warn('The map:', error.message))
    // Not only when all outlines are drawn: on a slow machine the circles would come seconds later.
    made.once('style.load', () => {
      addLayers(made)
      fitted.current = ''
      show(true)
      ringed()
    })
    made.once('load', () => become('drawn'))
    // A busy machine takes the context away, and gives it back.
    made.on('webglcontextlost', () => become('drawing'))
    made.on('webglcontextrestored', () => become('drawn'))
    made.on('moveend', () => tell())
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: ringed anew when another one is looked at
  useEffect(() => ringed(), [chosen])

  // The canvas in it is the region that bears the name.
  return <div ref={frame} className={classes.frame} style={{ height: '100%' }} />
}

/** Without WebGL none begins. */
function begun(options: MapOptions): MapLibre | Error {
  try {
    return new MapLibre(options)
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}
