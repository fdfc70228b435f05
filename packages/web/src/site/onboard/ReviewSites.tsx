import { Button, Group, Progress, TextInput } from '@mantine/core'
import { useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, refresh } from '../../app/client.ts'
import { fieldText } from '../../i18n/words.ts'
import { type Column, DataTable } from '../../ui/DataTable.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { Tag } from '../../ui/Health.tsx'
import { Panel } from '../../ui/Panel.tsx'
import { columnOf, draftOf, judgeRows, type Place, type RowErrors, type SiteColumn, type SiteRow } from './columns.ts'
import classes from './onboard.module.css'

/** So many rows are mended at a time; the next come as these are right. */
const mendedAtOnce = 20

type Outcome = { state: 'created' } | { state: 'failed'; errors: RowErrors; text: string }
type Shown = { index: number; row: SiteRow; errors: RowErrors; outcome: Outcome | undefined }

type Props = {
  rows: readonly SiteRow[]
  onRows: (rows: readonly SiteRow[]) => void
  place: Place
  onBack: () => void
  onAll: () => void
}

/** The last look: what is wrong is mended in place, what is right is created row by row, each with its outcome. */
export function ReviewSites({ rows, onRows, place, onBack, onAll }: Props) {
  const { t } = useTranslation()
  const [outcomes, setOutcomes] = useState<ReadonlyMap<number, Outcome>>(new Map())
  const [done, setDone] = useState<{ count: number; total: number } | null>(null)
  const isStopped = useRef(false)
  const judged = useMemo(() => judgeRows(rows, place), [rows, place])
  const shown = rows.map((row, index): Shown => {
    const outcome = outcomes.get(index)
    const errors = outcome?.state === 'failed' ? { ...judged[index], ...outcome.errors } : (judged[index] ?? {})
    return { index, row, errors: outcome?.state === 'created' ? {} : errors, outcome }
  })
  const faulty = shown.filter(({ errors }) => Object.keys(errors).length > 0)
  const ready = shown.filter(({ errors, outcome }) => Object.keys(errors).length === 0 && outcome?.state !== 'created')
  const created = shown.filter(({ outcome }) => outcome?.state === 'created').length
  const isBusy = done !== null

  const change = (index: number, column: SiteColumn, value: string) => {
    onRows(rows.map((row, at) => (at === index ? { ...row, [column]: value } : row)))
    // What the server said of the row no longer holds.
    setOutcomes((now) => new Map([...now].filter(([at]) => at !== index)))
  }
  const create = async () => {
    isStopped.current = false
    const list = ready.map(({ index, row }) => ({ index, row }))
    for (const [count, { index, row }] of list.entries()) {
      if (isStopped.current) break
      setDone({ count, total: list.length })
      const result = await api.site.create.call(draftOf(row, place))
      const outcome: Outcome = result.status
        ? { state: 'created' }
        : {
            state: 'failed',
            text: result.message.text,
            errors: Object.fromEntries(
              Object.entries(result.failure.errors).map(([path, ids]) => [columnOf(path), ids[0] ?? 'invalid']),
            ),
          }
      setOutcomes((now) => new Map([...now, [index, outcome]]))
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
      value: ({ row }) => row.site_timezone || place.timezone,
      cell: ({ row }) => row.site_timezone || <span className="muted">{place.timezone}</span>,
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
                        if (value !== row[column]) change(index, column, value)
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
          faulty.length > 0 && t('siteImport.wrong', { count: faulty.length }),
        ]
          .filter(Boolean)
          .join(' · ')}
      >
        {done && (
          <Group px="md" py="sm" wrap="nowrap">
            <Progress flex={1} value={(100 * done.count) / done.total} aria-label={t('siteImport.review')} />
            <Button
              variant="default"
              size="compact-sm"
              onClick={() => {
                isStopped.current = true
              }}
            >
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

const stateOf = (outcome: Outcome | undefined, errors: RowErrors) =>
  outcome?.state ?? (Object.keys(errors).length > 0 ? 'failed' : 'valid')
