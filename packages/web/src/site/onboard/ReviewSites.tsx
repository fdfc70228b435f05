import { Button, Group, Progress, TextInput } from '@mantine/core'
import type { Api, Reply } from '@sightline/contract'
import { useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { pause } from '../../api.ts'
import { api, refresh } from '../../app/client.ts'
import { causeText, fieldText } from '../../i18n/words.ts'
import { type Column, DataTable } from '../../ui/DataTable.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { Tag } from '../../ui/Health.tsx'
import { Panel } from '../../ui/Panel.tsx'
import {
  columnOf,
  draftOf,
  judgeRows,
  type Place,
  type RowErrors,
  type SiteColumn,
  type SiteRow,
  zoneOf,
} from './columns.ts'
import classes from './onboard.module.css'

/** So many rows are mended at a time; the next come as these are right. */
const mendedAtOnce = 20
/** So many are created in one call, that progress shows. */
const createdAtOnce = 25

type Outcome = { state: 'created'; isPlaced: boolean } | { state: 'failed'; errors: RowErrors; text: string }
/** By position of the row. */
export type Outcomes = Readonly<Record<number, Outcome>>
type Shown = { index: number; row: SiteRow; errors: RowErrors; outcome: Outcome | undefined }

type Props = {
  rows: readonly SiteRow[]
  outcomes: Outcomes
  onMend: (index: number, cell: Partial<SiteRow>) => void
  onOutcome: (index: number, outcome: Outcome) => void
  place: Place
  onBack: () => void
  onAll: () => void
}

/** The last look: what is wrong is mended in place, what is right is created, each row with its outcome. */
export function ReviewSites({ rows, outcomes, onMend, onOutcome, place, onBack, onAll }: Props) {
  const { t } = useTranslation()
  const [done, setDone] = useState<{ count: number; total: number } | null>(null)
  /** The portal takes no more just now and is asked again after so many seconds. */
  const [waits, setWaits] = useState<number | null>(null)
  const stopping = useRef(new AbortController())
  const judged = useMemo(() => judgeRows(rows, place), [rows, place])
  const shown = rows.map((row, index): Shown => {
    const outcome = outcomes[index]
    const errors = outcome?.state === 'failed' ? { ...judged[index], ...outcome.errors } : (judged[index] ?? {})
    return { index, row, errors: outcome?.state === 'created' ? {} : errors, outcome }
  })
  const faulty = shown.filter(({ errors }) => Object.keys(errors).length > 0)
  const ready = shown.filter(({ errors, outcome }) => Object.keys(errors).length === 0 && outcome?.state !== 'created')
  const created = shown.filter(({ outcome }) => outcome?.state === 'created').length
  const unplaced = shown.filter(({ outcome }) => outcome?.state === 'created' && !outcome.isPlaced).length
  const isBusy = done !== null

  /** What came too soon made nothing: it is sent again after the wait that the portal names. Null when that was given up. */
  const send = async (part: readonly SiteRow[], signal: AbortSignal) => {
    while (!signal.aborted) {
      const result = await api.site.import.call({ sites: part.map((row) => draftOf(row, place)) })
      const waitMs = result.status ? null : result.failure.waitMs
      if (waitMs === null) return result
      setWaits(Math.max(1, Math.ceil(waitMs / 1000)))
      // It fails by being given up alone, which ends the loop.
      await pause(waitMs, signal).catch(() => undefined)
      setWaits(null)
    }
    return null
  }
  const create = async () => {
    stopping.current = new AbortController()
    const { signal } = stopping.current
    const list = ready.map(({ index, row }) => ({ index, row }))
    for (let at = 0; at < list.length; at += createdAtOnce) {
      setDone({ count: at, total: list.length })
      const part = list.slice(at, at + createdAtOnce)
      const result = await send(
        part.map(({ row }) => row),
        signal,
      )
      // Given up, or nobody is signed in any more: these are neither made nor wrong.
      if (!result || (!result.status && result.failure.code === 401)) break
      for (const [i, { index }] of part.entries())
        onOutcome(
          index,
          result.status ? outcomeOf(result.data.rows[i]) : { state: 'failed', text: result.message.text, errors: {} },
        )
      // Nothing is known of these, and the next would fare no better.
      if (!result.status) break
    }
    setDone(null)
    refresh('site')
  }

  const columns: Column<Shown>[] = [
    {
      id: 'row',
      header: t('bulk.row'),
      value: ({ index }) => index,
      cell: ({ index }) => <span className="num">{index + 1}</span>,
    },
    {
      id: 'name',
      header: t('siteImport.column.site_name'),
      value: ({ row }) => row.site_name,
      cell: ({ row }) => row.site_name || '–',
    },
    {
      id: 'place',
      header: t('site.place'),
      value: ({ row }) => [row.site_city, row.site_country].filter(Boolean).join(', '),
      cell: ({ row }) => [row.site_city, row.site_country].filter(Boolean).join(', ') || '–',
      hideOnPhone: true,
    },
    {
      id: 'zone',
      header: t('siteImport.column.site_timezone'),
      value: ({ row }) => zoneOf(row, place.timezone),
      cell: ({ row }) => row.site_timezone || <span className="muted">{zoneOf(row, place.timezone)}</span>,
      hideOnPhone: true,
    },
    {
      id: 'state',
      header: t('common.state'),
      value: ({ outcome, errors }) => stateOf(outcome, errors),
      cell: ({ outcome, errors }) => {
        const state = stateOf(outcome, errors)
        return (
          <>
            <Tag tone={state === 'created' ? 'ok' : state === 'valid' ? 'info' : 'bad'}>
              {t(`bulk.outcome.${state}`)}
            </Tag>{' '}
            {outcome?.state === 'created' && !outcome.isPlaced && <span className="t3">{t('map.unplaced')}</span>}
            {outcome?.state === 'failed' && Object.keys(outcome.errors).length === 0 && (
              <span className="t3">{outcome.text}</span>
            )}
          </>
        )
      },
    },
  ]
  return (
    <div className="stack">
      {faulty.length > 0 && (
        <Panel title={t('siteImport.fix.title', { count: faulty.length })} hint={t('siteImport.fix.hint')}>
          <ul className={classes.faulty}>
            {faulty.slice(0, mendedAtOnce).map(({ index, row, errors }) => (
              <li key={index}>
                <b className="num">{t('siteImport.fix.row', { row: index + 1, name: row.site_name || '–' })}</b>
                <div className={classes.cells}>
                  {(Object.keys(errors) as SiteColumn[]).map((column) => (
                    <TextInput
                      key={column}
                      label={t(`siteImport.column.${column}`)}
                      error={fieldText(errors[column] ?? 'invalid')}
                      disabled={isBusy}
                      defaultValue={row[column]}
                      // On leaving: a field that vanishes while somebody types into it would be lost.
                      onBlur={({ currentTarget: { value } }) => {
                        if (value !== row[column]) onMend(index, { [column]: value })
                      }}
                      onKeyDown={({ key, currentTarget }) => {
                        if (key === 'Enter') currentTarget.blur()
                      }}
                    />
                  ))}
                </div>
              </li>
            ))}
          </ul>
        </Panel>
      )}
      <Panel
        flush
        title={t('siteImport.review')}
        hint={[
          ready.length > 0 && t('bulk.result.valid', { count: ready.length }),
          created > 0 && t('siteImport.created', { count: created }),
          unplaced > 0 && t('siteImport.unplaced', { count: unplaced }),
          faulty.length > 0 && t('siteImport.wrong', { count: faulty.length }),
        ]
          .filter(Boolean)
          .join(' · ')}
      >
        {done && (
          <Group px="md" py="sm" wrap="nowrap">
            <Progress flex={1} value={(100 * done.count) / done.total} aria-label={t('siteImport.review')} />
            <span className="t2 num" role="status">
              {waits === null ? t('siteImport.created', { count: created }) : t('siteImport.waits', { seconds: waits })}
            </span>
            <Button variant="default" size="compact-sm" onClick={() => stopping.current.abort()}>
              {t('common.cancel')}
            </Button>
          </Group>
        )}
        <DataTable
          label={t('siteImport.review')}
          columns={columns}
          rows={shown}
          rowId={({ index }) => String(index)}
          filterLabel={t('bulk.filter')}
          empty={<Empty title={t('common.nothingMatches')} />}
        />
        <Group p="md" justify="flex-end" gap="xs">
          <Button variant="default" disabled={isBusy} onClick={onBack}>
            {t('common.back')}
          </Button>
          {created > 0 && ready.length === 0 ? (
            <Button onClick={onAll}>{t('siteImport.toList')}</Button>
          ) : (
            <Button loading={isBusy} disabled={ready.length === 0} onClick={() => void create()}>
              {t('siteImport.create', { count: ready.length })}
            </Button>
          )}
        </Group>
      </Panel>
    </div>
  )
}

function outcomeOf(row: Reply<Api['site']['import']>['rows'][number] | undefined): Outcome {
  if (row?.outcome === 'created') return { state: 'created', isPlaced: row.is_placed }
  const errors = Object.entries(row?.errors ?? {}).map(([path, ids]) => [columnOf(path), ids[0] ?? 'invalid'])
  return { state: 'failed', text: causeText(row?.error_code ?? 'invalid'), errors: Object.fromEntries(errors) }
}

const stateOf = (outcome: Outcome | undefined, errors: RowErrors) =>
  outcome?.state ?? (Object.keys(errors).length > 0 ? 'failed' : 'valid')
