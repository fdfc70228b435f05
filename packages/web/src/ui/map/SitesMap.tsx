import type { Site } from '@sightline/contract'
import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { BlockSkeleton } from '../Skeletons.tsx'
import { MapGuard } from './MapGuard.tsx'

const Canvas = lazy(() => import('./SitesCanvas.tsx'))

export type SitesMapProps = { sites: readonly Site[]; label: string; height: number; onOpen: (siteId: string) => void }

/** Sites on the map, in the colour of their health; where many lie close they are one circle with their number. */
export function SitesMap(props: SitesMapProps) {
  const { t } = useTranslation()
  return (
    <MapGuard fallback={<p className="t3">{t('map.noList')}</p>}>
      <Suspense fallback={<BlockSkeleton height={props.height} />}>
        <Canvas {...props} />
      </Suspense>
    </MapGuard>
  )
}
