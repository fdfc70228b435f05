import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { BlockSkeleton } from '../Skeletons.tsx'
import { MapGuard } from './MapGuard.tsx'

const Canvas = lazy(() => import('./MapCanvas.tsx'))

export type MapProps = {
  pin: { lat: number; long: number } | null
  /** ISO 3166-1 alpha-2: what the map shows while there is no pin. */
  country?: string | null
  label: string
  /** Called where somebody set the pin; without it nobody can. */
  onMove?: (lat: number, long: number) => void
  height: number
}

/** A map with one pin, from data of the portal alone; its library is loaded when the first one is shown. */
export function PinMap(props: MapProps) {
  const { t } = useTranslation()
  return (
    <MapGuard fallback={<p className="t3">{t('map.failed')}</p>}>
      <Suspense fallback={<BlockSkeleton height={props.height} />}>
        <Canvas {...props} />
      </Suspense>
    </MapGuard>
  )
}
