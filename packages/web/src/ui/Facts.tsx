import { Fragment, type ReactNode } from 'react'
import classes from './Facts.module.css'

type Props = { items: readonly (readonly [label: string, value: ReactNode])[] }

/** Labels and values in two columns: what a form becomes for those who may only look. */
export function Facts({ items }: Props) {
  return (
    <dl className={classes.root}>
      {items.map(([label, value]) => (
        <Fragment key={label}>
          <dt>{label}</dt>
          <dd className="num">{value === null || value === '' ? '–' : value}</dd>
        </Fragment>
      ))}
    </dl>
  )
}
