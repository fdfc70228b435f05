import { type ReactNode, useId } from 'react'
import classes from './Panel.module.css'

type Props = {
  title?: ReactNode
  hint?: ReactNode
  /** At the right of the title. */
  aside?: ReactNode
  children: ReactNode
  /** No padding around the content, for tables and lists that reach the edge. */
  flush?: boolean
  className?: string
}

/** A surface with an optional heading: what pages are made of. */
export function Panel({ title, hint, aside, children, flush, className }: Props) {
  const id = useId()
  return (
    <section className={`${classes.root} ${className ?? ''}`} aria-labelledby={title ? id : undefined}>
      {(title || aside) && (
        <div className={classes.head}>
          <div>
            {title && (
              <h2 id={id} className={classes.title}>
                {title}
              </h2>
            )}
            {hint && <div className={classes.hint}>{hint}</div>}
          </div>
          {aside}
        </div>
      )}
      <div className={flush ? undefined : classes.body}>{children}</div>
    </section>
  )
}
