import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './Skeletons.module.css'

/** Keeps the room of what is to come from the first moment, so that nothing beside it moves; drawn after a while. */
function Waiting({ children }: { children: ReactNode }) {
  const { t } = useTranslation()
  return (
    <div className={classes.late} aria-busy="true">
      <span className="sr" role="status">
        {t('common.loading')}
      </span>
      {children}
    </div>
  )
}

/** One of several blocks that wait together; each alone would be too much to say. */
export function Bone({ height }: { height: number | string }) {
  return <div className={`${classes.bone} ${classes.late}`} style={{ height }} aria-busy="true" />
}

/** Rows of a list or table. */
export function RowsSkeleton({ rows = 6, height = 54 }: { rows?: number; height?: number }) {
  return (
    <Waiting>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows of a skeleton have no identity
        <div key={row} className={`${classes.bone} ${classes.row}`} style={{ height: height - 22 }} />
      ))}
    </Waiting>
  )
}

/** One block, e.g. a chart or a picture. */
export function BlockSkeleton({ height }: { height: number | string }) {
  return (
    <Waiting>
      <div className={classes.bone} style={{ height }} />
    </Waiting>
  )
}

/** A page whose loader still runs: header, then a panel. */
export function PageSkeleton() {
  return (
    <Waiting>
      <div className={`${classes.bone} ${classes.title}`} />
      <div className={`${classes.bone} ${classes.meta}`} />
      <div className={classes.bone} style={{ height: 320 }} />
    </Waiting>
  )
}
