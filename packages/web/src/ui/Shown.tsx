import type { ReactNode } from 'react'
import classes from './Shown.module.css'

type Props = {
  /** It answers what was asked before; the answer to what is asked now is on its way. */
  isStale: boolean
  children: ReactNode
}

/** Rows of a list: pale, and said to be busy, while they are those of an earlier question. */
export const Shown = ({ isStale, children }: Props) => (
  <div className={classes.root} aria-busy={isStale || undefined}>
    {children}
  </div>
)
