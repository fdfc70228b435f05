import type { ReactNode } from 'react'
import classes from './PageHeader.module.css'

type Props = {
  title: ReactNode
  /** One line of facts under the title. */
  meta?: ReactNode
  /** At most three actions, the primary one last. */
  children?: ReactNode
}

/** The one h1 of a screen. */
export function PageHeader({ title, meta, children }: Props) {
  return (
    <header className={classes.root}>
      <div className={classes.words}>
        <h1 className={classes.title}>{title}</h1>
        {meta && <div className={`${classes.meta} num`}>{meta}</div>}
      </div>
      {children && <div className={classes.actions}>{children}</div>}
    </header>
  )
}
