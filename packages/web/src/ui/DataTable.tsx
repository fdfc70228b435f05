import { Button, Checkbox, TextInput, UnstyledButton } from '@mantine/core'
import { IconArrowsSort, IconSearch, IconSortAscending, IconSortDescending } from '@tabler/icons-react'
import { useNavigate, useSearch } from '@tanstack/react-router'
import {
  type ColumnDef,
  columnFilteringFeature,
  createFilteredRowModel,
  createSortedRowModel,
  filterFns,
  globalFilteringFeature,
  type RowData,
  rowSortingFeature,
  sortFns,
  tableFeatures,
  useTable,
} from '@tanstack/react-table'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { compareText, formatNumber } from '../i18n/format.ts'
import classes from './DataTable.module.css'
import { Empty } from './Empty.tsx'
import type { Selection } from './selection.tsx'

export type Column<T> = {
  id: string
  header: string
  /** What it sorts and, unless it is a figure on the right, filters by; a column without it does neither. */
  value?: (row: T) => string | number | null
  cell: (row: T) => ReactNode
  align?: 'right'
  /** Not shown in the card of a phone. */
  hideOnPhone?: boolean
}

type Props<T> = {
  /** What the table lists, for screen readers. */
  label: string
  columns: readonly Column<T>[]
  rows: readonly T[]
  rowId: (row: T) => string
  /** Shown when there are no rows at all. */
  empty: ReactNode
  /** More filters beside the text field; they filter `rows` before. */
  filters?: ReactNode
  filterLabel?: string
  /** Are filters outside the table set, so that no rows means "nothing matches"? */
  isFiltered?: boolean
  onClearFilters?: () => void
  onRowClick?: (row: T) => void
  isSelected?: (row: T) => boolean
  /** Last cell, e.g. a menu. */
  actions?: (row: T) => ReactNode
  footer?: ReactNode
  /** Rows can be chosen. */
  selection?: { of: Selection<T>; labelOf: (row: T) => string } | undefined
  /** The server filters, and answers piece by piece: what comes next is asked for at the end of what is there. */
  remote?: { hasMore: boolean; isFetching: boolean; isStale: boolean; more: () => void }
}

const features = tableFeatures({
  rowSortingFeature,
  columnFilteringFeature,
  globalFilteringFeature,
  sortedRowModel: createSortedRowModel(),
  filteredRowModel: createFilteredRowModel(),
  sortFns,
  filterFns,
})

/** From this many rows on only those in sight are drawn. */
const virtualFrom = 40
/** The next piece is asked for this many rows before the end. */
const aheadRows = 10
const rowHeight = 54

/** A column of counts, on the right, written as the shown language does; `–` where it is not known. */
export const countColumn = <T,>(id: string, header: string, count: (row: T) => number | null): Column<T> => ({
  id,
  header,
  value: count,
  align: 'right',
  cell: (row) => {
    const known = count(row)
    return <span className="num">{known === null ? '–' : formatNumber(known)}</span>
  },
})

/** Figures by their size, words as the shown language puts them; what is not known comes first. */
function compareShown(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return compareText(String(a), String(b))
}

/** The address is written once nothing was typed for so long: each change of it runs what leads to the screen anew. */
const typingMs = 200
/** No address holds more. */
const longestFilter = 100

/** Sorting and filter live in the address (`?q=…&sort=-name`), so that a list can be linked and survives a reload. */
function useAddress() {
  const search: { q?: string; sort?: string } = useSearch({ strict: false })
  const navigate = useNavigate()
  const set = (change: { q?: string; sort?: string }) =>
    // The page stays where it is: what is pressed next, which ends the typing, would be gone from under the pointer.
    void navigate({
      to: '.',
      search: ((now: object) => ({ ...now, ...change })) as never,
      replace: true,
      resetScroll: false,
    })
  return { q: search.q ?? '', sort: search.sort, set }
}

/**
 * What stands in the filter: what is being typed, until the address says the same. The address itself comes too late for
 * a field: the old text would be put back meanwhile, the caret jump to the end, and what is composed of several keys break.
 */
function useTyped(q: string, write: (q: string) => void) {
  const [draft, setDraft] = useState<string | null>(null)
  const [seen, setSeen] = useState(q)
  /** Until the address has changed: what it says then may be corrected already. */
  const [isOnItsWay, setIsOnItsWay] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  // Nothing is written once the screen is left: it would go into the address of the next.
  useEffect(() => () => clearTimeout(timer.current), [])
  if (seen !== q) {
    setSeen(q)
    setIsOnItsWay(false)
  }
  if (draft === q && !isOnItsWay) setDraft(null)
  const typed = draft ?? q
  const send = (text: string) => {
    setIsOnItsWay(text !== q)
    write(text)
  }
  return {
    typed,
    type(text: string) {
      setDraft(text)
      clearTimeout(timer.current)
      if (text !== q || isOnItsWay) timer.current = setTimeout(() => send(text), typingMs)
    },
    flush() {
      clearTimeout(timer.current)
      if (draft !== null) send(draft)
    },
    forget() {
      clearTimeout(timer.current)
      setDraft(null)
    },
  }
}

/** The one table: sorting, text filter, empty and filtered-empty faces, cards on a phone, virtual rows. */
export function DataTable<T extends RowData>(props: Props<T>) {
  const { label, columns, rows, rowId, empty, filters, onRowClick, isSelected, actions, footer, selection, remote } =
    props
  const { t } = useTranslation()
  const { q, sort, set } = useAddress()
  const { typed, type, flush, forget } = useTyped(q, (text) => set({ q: text || undefined }))
  const frame = useRef<HTMLElement>(null)

  const definitions = useMemo(
    (): ColumnDef<typeof features, T>[] =>
      columns.map((column) => ({
        id: column.id,
        header: column.header,
        accessorFn: (row: T) => column.value?.(row) ?? '',
        // Part of a list in another order would look like the whole of it.
        enableSorting: Boolean(column.value) && !remote?.hasMore,
        // Figures are shown otherwise than they are compared: 1.2 MB is not found by its digits.
        enableGlobalFilter: Boolean(column.value) && column.align !== 'right',
        sortFn: (a, b, id) => compareShown(a.getValue(id), b.getValue(id)),
      })),
    [columns, remote?.hasMore],
  )
  const table = useTable(
    {
      features,
      columns: definitions,
      data: rows as T[],
      getRowId: rowId,
      globalFilterFn: 'includesString',
      state: {
        globalFilter: remote ? '' : typed,
        sorting: sort ? [{ id: sort.replace(/^-/, ''), desc: sort.startsWith('-') }] : [],
        columnFilters: [],
      },
      onSortingChange(update) {
        const now = sort ? [{ id: sort.replace(/^-/, ''), desc: sort.startsWith('-') }] : []
        const [next] = typeof update === 'function' ? update(now) : update
        set({ sort: next ? `${next.desc ? '-' : ''}${next.id}` : undefined })
      },
    },
    (state) => state,
  )
  const shown = table.getRowModel().rows
  const isVirtual = shown.length > virtualFrom
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    enabled: isVirtual,
  })
  const items = isVirtual ? virtual.getVirtualItems() : []
  const visible = isVirtual ? items.flatMap((item) => shown[item.index] ?? []) : shown
  const before = items[0]?.start ?? 0
  const after = isVirtual ? virtual.getTotalSize() - (items.at(-1)?.end ?? 0) : 0

  const last = items.at(-1)?.index ?? shown.length - 1
  const isAtEnd = remote?.hasMore && !remote.isFetching && last >= shown.length - aheadRows
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once for each end that is reached
  useEffect(() => {
    if (isAtEnd) remote?.more()
  }, [isAtEnd, shown.length])

  const isFiltered = q !== '' || typed !== '' || Boolean(props.isFiltered)
  if (rows.length === 0 && !isFiltered) return empty

  const clear = () => {
    forget()
    set({ q: undefined })
    props.onClearFilters?.()
  }
  const head = table.getHeaderGroups()[0]?.headers ?? []
  const chosen = selection ? shown.filter((row) => selection.of.has(row.original)).length : 0
  return (
    <>
      {(filters || props.filterLabel) && (
        <div className={classes.bar}>
          {props.filterLabel && (
            <TextInput
              className={classes.filter}
              aria-label={props.filterLabel}
              placeholder={props.filterLabel}
              leftSection={<IconSearch size={15} aria-hidden="true" />}
              value={typed}
              maxLength={longestFilter}
              data-filter
              onChange={({ currentTarget: { value } }) => type(value)}
              onBlur={flush}
              onKeyDown={({ key }) => key === 'Enter' && flush()}
            />
          )}
          {filters}
        </div>
      )}
      {shown.length === 0 ? (
        <Empty
          title={t('common.nothingMatches')}
          text={t('common.nothingMatchesHint')}
          action={
            <UnstyledButton className={classes.clear} onClick={clear}>
              {t('common.clearFilters')}
            </UnstyledButton>
          }
        />
      ) : (
        <section
          ref={frame}
          className={classes.frame}
          data-virtual={isVirtual || undefined}
          aria-label={label}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          tabIndex={0}
        >
          {/* Roles are written out: as cards on a phone the elements lose their own. */}
          {/* biome-ignore-start lint/a11y/useSemanticElements: see above */}
          {/* biome-ignore-start lint/a11y/noRedundantRoles: see above */}
          <table
            className={classes.table}
            role="table"
            aria-rowcount={shown.length + 1}
            aria-busy={remote?.isStale || undefined}
          >
            <thead role="rowgroup">
              <tr role="row">
                {selection && (
                  <th role="columnheader" className={classes.select}>
                    <Checkbox
                      size="xs"
                      aria-label={
                        remote?.hasMore ? t('common.selectLoaded', { count: shown.length }) : t('common.selectAll')
                      }
                      checked={chosen > 0 && chosen === shown.length}
                      indeterminate={chosen > 0 && chosen < shown.length}
                      onChange={({ currentTarget: { checked } }) =>
                        selection.of.choose(
                          shown.map(({ original }) => original),
                          checked,
                        )
                      }
                    />
                  </th>
                )}
                {head.map((header, index) => {
                  const direction = header.column.getIsSorted()
                  const sorted = direction === 'asc' ? 'ascending' : direction === 'desc' ? 'descending' : 'none'
                  const Icon =
                    direction === 'asc' ? IconSortAscending : direction === 'desc' ? IconSortDescending : IconArrowsSort
                  const column = columns[index]
                  return (
                    <th
                      key={header.id}
                      role="columnheader"
                      aria-sort={header.column.getCanSort() ? sorted : undefined}
                      data-align={column?.align}
                    >
                      {column && header.column.getCanSort() ? (
                        <UnstyledButton className={classes.sort} onClick={header.column.getToggleSortingHandler()}>
                          {column.header}
                          <Icon size={14} aria-hidden="true" opacity={direction ? 1 : 0.45} />
                        </UnstyledButton>
                      ) : (
                        column?.header
                      )}
                    </th>
                  )
                })}
                {actions && (
                  <th role="columnheader">
                    <span className="sr">{t('common.actions')}</span>
                  </th>
                )}
              </tr>
            </thead>
            <tbody role="rowgroup">
              {before > 0 && <Gap height={before} />}
              {visible.map((row, position) => (
                <tr
                  key={row.id}
                  role="row"
                  aria-rowindex={(isVirtual ? (items[position]?.index ?? 0) : position) + 2}
                  ref={isVirtual ? virtual.measureElement : undefined}
                  data-index={isVirtual ? items[position]?.index : undefined}
                  data-selected={isSelected?.(row.original) || selection?.of.has(row.original) || undefined}
                  data-clickable={onRowClick ? true : undefined}
                  // The link in the first cell does the same by keyboard.
                  onClick={(clicked) => {
                    if (!(clicked.target as HTMLElement).closest('a,button,input,label')) onRowClick?.(row.original)
                  }}
                >
                  {selection && (
                    <td role="cell" className={classes.select}>
                      <Checkbox
                        size="xs"
                        aria-label={t('common.selectRow', { name: selection.labelOf(row.original) })}
                        checked={selection.of.has(row.original)}
                        onChange={({ currentTarget: { checked } }) => selection.of.choose([row.original], checked)}
                      />
                    </td>
                  )}
                  {columns.map((column) => (
                    <td
                      key={column.id}
                      role="cell"
                      data-label={column.header}
                      data-align={column.align}
                      data-phone={column.hideOnPhone ? 'hide' : undefined}
                    >
                      {column.cell(row.original)}
                    </td>
                  ))}
                  {actions && (
                    <td role="cell" className={classes.actions}>
                      {actions(row.original)}
                    </td>
                  )}
                </tr>
              ))}
              {after > 0 && <Gap height={after} />}
            </tbody>
          </table>
          {/* biome-ignore-end lint/a11y/noRedundantRoles: see above */}
          {/* biome-ignore-end lint/a11y/useSemanticElements: see above */}
        </section>
      )}
      {selection && remote?.hasMore && chosen > 0 && chosen === shown.length && (
        <p className={classes.loaded} role="status">
          {t('common.selectedLoaded', { count: chosen })}{' '}
          <Button variant="subtle" size="compact-sm" loading={remote.isFetching} onClick={remote.more}>
            {t('common.loadMore')}
          </Button>
        </p>
      )}
      {footer}
    </>
  )
}

/** Room of the rows that are not drawn. */
const Gap = ({ height }: { height: number }) => (
  <tr className={classes.gap}>
    <td style={{ height }} />
  </tr>
)
