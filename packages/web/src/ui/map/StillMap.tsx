import { useElementSize } from '@mantine/hooks'
import { useEffect, useMemo, useState } from 'react'
import classes from './map.module.css'
import { fills, placed, rankOf } from './marks.ts'
import { fittedSight, mercator, type Sight, sightOf } from './mercator.ts'
import type { SitesMapProps } from './SitesMap.tsx'
import { middle, zooms } from './view.ts'
import { loadWorld, type World } from './world.ts'

/** The map itself makes groups of many; here they would only hide each other. */
const mostDrawn = 300
/** Outlines as coarse as this share of the world: a few pixels where sites are looked at from nearest. */
const grain = 1 / 2048

type Props = Pick<SitesMapProps, 'sites' | 'chosen' | 'from' | 'onOpen'>

/**
 * Where the map will stand, with its sites, drawn without WebGL: until the map is drawn, and instead of it where it cannot be.
 * For the keyboard there is the list beside it.
 */
export function StillMap({ sites, chosen, from, onOpen }: Props) {
  const { ref, width, height } = useElementSize()
  const [world, setWorld] = useState<World | null>(null)
  useEffect(() => {
    loadWorld().then(setWorld, (error: unknown) => console.warn('The outlines of the map:', error))
  }, [])
  const land = useMemo(() => world && outlineOf(world), [world])
  const places = placed(sites)
  // The gravest are kept, and lie on top.
  const drawn = places.toSorted((a, b) => rankOf[a.site.site_health] - rankOf[b.site.site_health]).slice(-mostDrawn)
  const size = { width, height }
  const sight: Sight = from
    ? sightOf(from, size)
    : places.length > 0
      ? fittedSight(places, size, zooms.padding, zooms.pin)
      : sightOf({ lat: middle[1], long: middle[0], zoom: zooms.world }, size)
  return (
    <div ref={ref} className={classes.still} aria-hidden="true">
      {width > 0 && (
        <svg width={width} height={height} role="presentation">
          {land && <path d={land} transform={`scale(${sight.pixels}) translate(${-sight.x} ${-sight.y})`} />}
          {drawn.map(({ site, ...place }) => {
            const [x, y] = mercator(place)
            const at = `translate(${(x - sight.x) * sight.pixels} ${(y - sight.y) * sight.pixels})`
            return (
              // biome-ignore lint/a11y/noStaticElementInteractions: for the pointer alone, as on the map itself
              <g
                key={site.site_id}
                data-site={site.site_id}
                data-chosen={site.site_id === chosen || undefined}
                transform={at}
                onClick={() => onOpen(site.site_id)}
              >
                <circle r={14} fill={fills[rankOf[site.site_health]]} />
                <text>{site.site_total_devices}</text>
              </g>
            )
          })}
        </svg>
      )}
    </div>
  )
}

/** The land as a path, 0…1 in Mercator. */
function outlineOf({ land }: World): string {
  const rings = land.features.flatMap(({ geometry }) =>
    geometry.type === 'Polygon' ? geometry.coordinates : geometry.coordinates.flat(),
  )
  return rings
    .map((ring) => {
      const points = ring.map(([long = 0, lat = 0]) =>
        mercator({ lat, long })
          .map((share) => Math.round(share / grain) * grain)
          .join(' '),
      )
      const kept = points.filter((point, i) => point !== points[i - 1])
      return kept.length > 3 ? `M${kept.join('L')}Z` : ''
    })
    .join('')
}
