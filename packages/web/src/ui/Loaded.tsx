import type { ReactNode } from 'react'
import { ErrorPanel } from './ErrorPanel.tsx'
import { Panel } from './Panel.tsx'
import { RowsSkeleton } from './Skeletons.tsx'

type Props<Row> = {
  rows: readonly Row[] | undefined
  error: unknown
  onRetry: () => void
  /** What keeps the room meanwhile. */
  skeleton: { rows: number; height: number }
  /** Instead of none. */
  empty: ReactNode
  children: (rows: readonly Row[]) => ReactNode
}

/** What a page is about, or why it is not there: it did not load, it is on its way, there is none yet. */
export function Loaded<Row>({ rows, error, onRetry, skeleton, empty, children }: Props<Row>) {
  if (rows === undefined && error)
    return (
      <Panel>
        <ErrorPanel error={error} onRetry={onRetry} />
      </Panel>
    )
  if (rows === undefined)
    return (
      <Panel flush>
        <RowsSkeleton {...skeleton} />
      </Panel>
    )
  return rows.length === 0 ? <Panel>{empty}</Panel> : children(rows)
}
