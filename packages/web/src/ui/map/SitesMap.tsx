import type { SitePlace } from '@sightline/contract'
import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { BlockSkeleton } from '../Skeletons.tsx'
import { MapGuard } from './MapGuard.tsx'
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

/**
 * Sites on the map, each with how many cameras it has in the colour of its health; where many lie close they are one
 * circle with their sum, ringed by the worst of them.
 */
export function SitesMap(props: SitesMapProps) {
  const { t } = useTranslation()
  return (
    <MapGuard fallback={<p className="t3">{t('map.noList')}</p>}>
      <Suspense fallback={<BlockSkeleton height={typeof props.height === 'number' ? props.height : 480} />}>
        <Canvas {...props} />
      </Suspense>
    </MapGuard>
  )
}
