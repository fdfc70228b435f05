import { Button, Group } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './DataTable.module.css'

export type Selection<T> = {
  /** In the order they were chosen, as last read. */
  rows: T[]
  has: (row: T) => boolean
  choose: (rows: readonly T[], isChosen: boolean) => void
  clear: () => void
}

/**
 * The rows of a table that were chosen. Those that a filter hides by now stay chosen.
 * @param scope what the table lists the rows of: of another one nothing is chosen yet
 * @param listed the rows as they were last read
 */
export function useSelection<T>(scope: string, listed: readonly T[], idOf: (row: T) => string): Selection<T> {
  const none = { scope, chosen: new Map<string, T>() }
  const [held, setHeld] = useState(none)
  const { chosen } = held.scope === scope ? held : none
  const newest = new Map(chosen.size > 0 ? listed.map((row) => [idOf(row), row] as const) : [])
  return {
    rows: [...chosen].map(([id, row]) => newest.get(id) ?? row),
    has: (row) => chosen.has(idOf(row)),
    choose(rows, isChosen) {
      const next = new Map(chosen)
      for (const row of rows) isChosen ? next.set(idOf(row), row) : next.delete(idOf(row))
      setHeld({ scope, chosen: next })
    },
    clear: () => setHeld(none),
  }
}

type BarProps = {
  of: { rows: readonly unknown[]; clear: () => void }
  /** Stands there also while nothing is chosen. */
  stays?: boolean
  /** What is wrong with the choice. */
  fault?: string | null
  /** What can be done with the chosen rows. */
  children: ReactNode
}

/** Beneath a table: how many rows are chosen, and what can be done with them. */
export function SelectionBar({ of: { rows, clear }, stays, fault, children }: BarProps) {
  const { t } = useTranslation()
  if (rows.length === 0 && !stays) return null
  return (
    <section className={classes.selected} aria-label={t('common.selection')}>
      <span className="num" role="status">
        {t('common.selected', { count: rows.length })}
      </span>
      {fault && (
        <span className={classes.fault} role="alert">
          {fault}
        </span>
      )}
      <Group gap="xs" ml="auto">
        {rows.length > 0 && (
          <Button size="xs" variant="subtle" color="gray" onClick={clear}>
            {t('common.unselect')}
          </Button>
        )}
        {children}
      </Group>
    </section>
  )
}
