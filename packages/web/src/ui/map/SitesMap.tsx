import type { SitePlace } from '@sightline/contract'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { MapGuard } from './MapGuard.tsx'
import classes from './map.module.css'
import { StillMap } from './StillMap.tsx'
import type { MapView } from './view.ts'

const Canvas = lazy(() => import('./SitesCanvas.tsx'))

export type SitesMapProps = {
  sites: readonly SitePlace[]
  label: string
  /** In pixels, or as CSS says it. */
  height: number | string
  onOpen: (siteId: string) => void
  /** The site that is looked at: ringed. */
  chosen?: string | undefined
  /** Where the map begins; all sites without it. */
  from?: MapView | null
  /** Called after each move with the sites in sight and where the map stands. */
  onView?: (inSight: ReadonlySet<string>, view: MapView) => void
  /** The map is the page: a wheel turns it at once. On others one scrolls past it. */
  isPage?: boolean
}

export type MapState = 'drawing' | 'drawn' | 'failed'

/**
 * Sites on the map, each with how many cameras it has in the colour of its health; where many lie close they are one
 * circle with their sum, ringed by the worst of them. On a busy machine the map comes late, in a browser without WebGL never:
 * the sites are there at once.
 */
export function SitesMap(props: SitesMapProps) {
  const { t } = useTranslation()
  const [state, setState] = useState<MapState>('drawing')
  const { sites, chosen, from, onOpen } = props
  return (
    <div className={classes.map} style={{ height: props.height }}>
      <MapGuard fallback={null} onFail={() => setState('failed')}>
        <Suspense fallback={null}>
          <Canvas {...props} onState={setState} />
        </Suspense>
      </MapGuard>
      {state !== 'drawn' && (
        <>
          <StillMap sites={sites} chosen={chosen} from={from ?? null} onOpen={onOpen} />
          <p className={classes.state} role="status">
            {t(state === 'failed' ? 'map.noList' : 'map.drawing')}
          </p>
        </>
      )}
    </div>
  )
}
