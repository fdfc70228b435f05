import { lazy, Suspense } from 'react'
import type { MakeOption } from './EChartCanvas.tsx'
import { BlockSkeleton } from './Skeletons.tsx'

const Canvas = lazy(() => import('./EChartCanvas.tsx'))

type Props = {
  /** What the chart shows, for screen readers. */
  label: string
  /** Builds the option from the colours of the theme; keep it stable (`useCallback`). */
  make: MakeOption
  height: number
}

/** A chart; the library is loaded when the first one is shown. */
export function EChart(props: Props) {
  return (
    <Suspense fallback={<BlockSkeleton height={props.height} />}>
      <Canvas {...props} />
    </Suspense>
  )
}
