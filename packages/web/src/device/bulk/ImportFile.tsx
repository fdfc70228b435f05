import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core'
import { Dropzone } from '@mantine/dropzone'
import '@mantine/dropzone/styles.css'
import { type ImportColumn, type ImportOutcome, type ImportRow, importColumns, type Nimble } from '@sightline/contract'
import { IconTable } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Asked, Tried } from '../../app/discovery.ts'
import { storedEdgeName } from '../../i18n/seeded.ts'
import { fieldText } from '../../i18n/words.ts'
import { TrialNote } from '../../ui/cameras/TrialNote.tsx'
import { useTrials } from '../../ui/cameras/useTrials.ts'
import { type Column, DataTable } from '../../ui/DataTable.tsx'
import { readDraft } from '../../ui/draft.ts'
import { Empty } from '../../ui/Empty.tsx'
import { Panel } from '../../ui/Panel.tsx'
import { ColumnMapping } from '../../ui/table-file/ColumnMapping.tsx'
import {
  download,
  guessMapping,
  type Mapping,
  readTable,
  type Table,
  TableFault,
  toRows,
  writeTable,
} from '../../ui/table-file/table.ts'
import { useKept } from '../../ui/useKept.ts'
import { AddCameras } from './AddCameras.tsx'
import { cameraNames, withoutPasswords } from './columns.ts'
import { OutcomeTag, useProblems } from './Outcome.tsx'
import type { Importing } from './useImport.ts'

type Source = { name: string; table: Table }
/** Of a file, which itself may hold passwords and stays where it is. */
type Kept = { name: string; header: readonly string[]; mapping: Mapping<ImportColumn> }
type Shown = ImportOutcome & { cells: ImportRow }

/** Without these two there is no camera. */
const needed = ['device_name', 'stream_address'] as const

type Props = {
  /** Its name. */
  draft: string
  importing: Importing
  onAll: () => void
  /** The edge server of rows that name no other. */
  nimbleId: string
  nimbles: readonly Nimble[]
}

/** Cameras from a file: its columns matched to ours, every row judged before any is added. */
export function ImportFile({ draft, importing, onAll, nimbleId, nimbles }: Props) {
  const { t } = useTranslation()
  const [source, setSource] = useState<Source | null>(null)
  const [mapping, setMapping] = useState<Mapping<ImportColumn>>({})
  const [fault, setFault] = useState<string | null>(null)
  const { state } = importing
  const [before] = useState(() => readDraft<Kept>(draft))
  const hasEnded = state.phase === 'ended'
  const now = useMemo(
    (): Kept | null =>
      hasEnded ? null : source ? { name: source.name, header: source.table.header, mapping } : before,
    [hasEnded, source, mapping, before],
  )
  useKept({
    name: draft,
    now,
    isUnsaved: source !== null && !hasEnded,
    lost: source ? [t('bulk.file.lost', { name: source.name })] : [],
  })

  const open = async (file: File | undefined) => {
    if (!file) return
    importing.reset()
    setFault(null)
    setSource(null)
    try {
      const table = readTable(new Uint8Array(await file.arrayBuffer()))
      setSource({ name: file.name, table })
      const isSameFile = before !== null && before.header.join('\n') === table.header.join('\n')
      setMapping(isSameFile ? before.mapping : guessMapping(table.header, cameraNames))
    } catch (error) {
      if (!(error instanceof TableFault)) throw error
      setFault(fieldText(error.message))
    }
  }
  const rows = useMemo(() => {
    const read = source ? toRows(source.table, importColumns, mapping) : []
    return read.map((row) => ({ ...row, nimble_name: storedEdgeName(row.nimble_name, nimbles) }))
  }, [source, mapping, nimbles])
  const isComplete = needed.every((column) => mapping[column] !== undefined)
  const isBusy = state.phase === 'judging' || state.phase === 'adding'
  const failed = importing.rowsOf('failed')
  const trials = useTrials()
  const asked = ({ stream_address, username, password, nimble_name }: ImportRow): Asked => {
    const named = nimbles.find(({ name }) => name.toLowerCase() === nimble_name.trim().toLowerCase())
    return { nimble_id: named?.nimble_id ?? nimbleId, address: stream_address, username, password }
  }
  const triedOf = (row: number) => trials.of(String(row), asked(rows[row] as ImportRow))
  const test = (some: readonly number[]) =>
    trials.run(new Map(some.map((row) => [String(row), asked(rows[row] as ImportRow)])))
  const valid = importing.rowsOf('valid')
  const untrusted = valid.filter((row) => {
    const tried = triedOf(row)
    return tried !== 'running' && tried?.profile === null
  })
  const isOver = state.phase === 'judged' || state.phase === 'ended'

  return (
    <Stack gap="md">
      <Panel
        title={t('bulk.file.title')}
        hint={t('bulk.file.hint')}
        aside={
          <Button variant="default" onClick={() => download('cameras.csv', writeTable([importColumns, [...example]]))}>
            {t('bulk.file.template')}
          </Button>
        }
      >
        <Dropzone
          onDrop={([file]) => void open(file)}
          multiple={false}
          disabled={isBusy}
          p="md"
          inputProps={{ 'aria-label': t('bulk.file.title') }}
        >
          <Group wrap="nowrap" gap="md">
            <IconTable size={28} stroke={1.5} style={{ flex: 'none' }} aria-hidden="true" />
            <Text size="sm" className="t2">
              {source
                ? t('bulk.file.chosen', { name: source.name, count: source.table.rows.length })
                : t('bulk.file.drop')}
            </Text>
          </Group>
        </Dropzone>
        {before && !source && (
          <Alert mt="md" color="blue" variant="light" role="status">
            {t('bulk.file.again', { name: before.name })}
          </Alert>
        )}
        {fault && (
          <Alert mt="md" color="red" role="alert">
            {fault}
          </Alert>
        )}
      </Panel>
      {source && (
        <Panel title={t('bulk.mapping.title')} hint={t('bulk.mapping.hint')}>
          <ColumnMapping
            header={source.table.header}
            columns={importColumns}
            needed={needed}
            labelOf={(column) => t(`bulk.column.${column}`)}
            disabled={isBusy}
            mapping={mapping}
            onChange={(next) => {
              importing.reset()
              setMapping(next)
            }}
          />
          <Group mt="lg" justify="flex-end" gap="xs">
            {!isComplete && <span className="t3">{t('bulk.mapping.needed')}</span>}
            <Button
              variant={state.phase === 'idle' ? 'filled' : 'default'}
              loading={state.phase === 'judging'}
              disabled={!isComplete || isBusy}
              onClick={() => void importing.judge(rows)}
            >
              {t('bulk.check', { count: rows.length })}
            </Button>
          </Group>
          {state.failure && (
            <Alert mt="md" color="red" role="alert">
              {state.failure.message}
            </Alert>
          )}
        </Panel>
      )}
      {state.outcomes.length > 0 && (
        <Panel
          title={t('bulk.result.title')}
          hint={(['valid', 'created', 'skipped', 'failed'] as const)
            .filter((kind) => importing.count(kind) > 0)
            .map((kind) => t(`bulk.result.${kind}`, { count: importing.count(kind) }))
            .join(' · ')}
          flush
        >
          {state.phase === 'adding' && (
            <Group px="md" pb="sm" wrap="nowrap">
              <Progress
                flex={1}
                value={state.total === 0 ? 0 : (100 * state.done) / state.total}
                aria-label={t('bulk.result.title')}
              />
              <Button variant="default" size="compact-sm" onClick={() => void importing.cancel()}>
                {t('common.cancel')}
              </Button>
            </Group>
          )}
          {trials.progress && (
            <Group px="md" pb="sm" wrap="nowrap">
              <Progress
                flex={1}
                value={(100 * trials.progress.done) / trials.progress.total}
                aria-label={t('bulk.grid.test')}
              />
              <span className="t2 num" role="status">
                {t('discover.tried', { ...trials.progress })}
              </span>
              <Button variant="default" size="compact-sm" onClick={trials.stop}>
                {t('discover.stop')}
              </Button>
            </Group>
          )}
          <OutcomeTable rows={rows} outcomes={state.outcomes} triedOf={triedOf} />
          <Group p="md" justify="flex-end" gap="xs">
            {failed.length > 0 && (
              <Faults outcomes={state.outcomes} source={source} mapping={mapping} name={source?.name ?? ''} />
            )}
            {state.phase === 'ended' && failed.length > 0 && (
              <Button variant="default" onClick={() => void importing.add(rows, failed)}>
                {t('bulk.retryFailed')}
              </Button>
            )}
            {isOver && valid.length > 0 && (
              <Button variant="default" loading={trials.progress !== null} onClick={() => test(valid)}>
                {t('bulk.grid.test')}
              </Button>
            )}
            {(state.phase !== 'ended' || valid.length > 0) && (
              <AddCameras
                rows={valid}
                failed={untrusted}
                isAdding={state.phase === 'adding'}
                isDisabled={isBusy || trials.progress !== null}
                onAdd={(some) => void importing.add(rows, some)}
                onTest={test}
              />
            )}
            {state.phase === 'ended' && (
              <Button variant={valid.length > 0 ? 'default' : 'filled'} onClick={onAll}>
                {t('bulk.toList')}
              </Button>
            )}
          </Group>
        </Panel>
      )}
    </Stack>
  )
}

/** Shown in the template; documentation addresses (RFC 5737). */
const example = ['Front door', 'rtsp://192.0.2.20:554/stream1', 'viewer', '', '80', '', 'floor=ground', '', '', '']

/** The rows that failed, as a file with a column more that says why. Passwords are left out, and asked for again. */
function Faults(props: {
  outcomes: readonly ImportOutcome[]
  source: Source | null
  mapping: Mapping<ImportColumn>
  name: string
}) {
  const { outcomes, source, mapping, name } = props
  const { t } = useTranslation()
  const problems = useProblems()
  const save = () => {
    if (!source) return
    const { header, rows } = source.table
    const lines = outcomes
      .filter(({ outcome }) => outcome === 'failed')
      .map((outcome) => [
        ...withoutPasswords(
          header.map((_, at) => rows[outcome.row]?.[at] ?? ''),
          mapping,
        ),
        problems(outcome).join(' | '),
      ])
    download(
      `${name.replace(/\.\w+$/, '')}-${t('bulk.file.errorName')}.csv`,
      writeTable([[...header, t('bulk.file.error')], ...lines]),
    )
  }
  return (
    <Button variant="default" onClick={save}>
      {t('bulk.file.faults')}
    </Button>
  )
}

function OutcomeTable(props: {
  rows: readonly ImportRow[]
  outcomes: readonly ImportOutcome[]
  /** What the trial of a row's camera found. */
  triedOf: (row: number) => Tried | 'running' | undefined
}) {
  const { rows, outcomes, triedOf } = props
  const { t } = useTranslation()
  const problems = useProblems()
  const shown = useMemo(
    () => outcomes.map((outcome): Shown => ({ ...outcome, cells: rows[outcome.row] as ImportRow })),
    [rows, outcomes],
  )
  const columns: Column<Shown>[] = [
    {
      id: 'row',
      header: t('bulk.row'),
      value: ({ row }) => row,
      cell: ({ row }) => <span className="num">{row + 1}</span>,
    },
    {
      id: 'name',
      header: t('bulk.column.device_name'),
      value: ({ cells }) => cells.device_name,
      cell: ({ cells }) => cells.device_name || '–',
    },
    {
      id: 'address',
      header: t('bulk.column.stream_address'),
      value: ({ cells }) => cells.stream_address,
      cell: ({ cells }) => <span className="num">{cells.stream_address || '–'}</span>,
      hideOnPhone: true,
    },
    {
      id: 'outcome',
      header: t('common.state'),
      value: ({ outcome }) => outcome,
      cell: ({ outcome }) => <OutcomeTag outcome={outcome} />,
    },
    {
      id: 'problem',
      header: t('bulk.problem'),
      value: (one) => problems(one).join(' '),
      cell: (one) => {
        const tried = triedOf(one.row)
        return (
          <>
            {problems(one).map((text) => (
              <div key={text}>{text}</div>
            ))}
            {tried && <TrialNote tried={tried} />}
          </>
        )
      },
    },
  ]
  return (
    <DataTable
      label={t('bulk.result.title')}
      columns={columns}
      rows={shown}
      rowId={({ row }) => String(row)}
      filterLabel={t('bulk.filter')}
      empty={<Empty title={t('common.nothingMatches')} />}
    />
  )
}
