import { ActionIcon, Button, Checkbox, Group, PasswordInput, TextInput } from '@mantine/core'
import { type ImportRow, importRow } from '@sightline/contract'
import { bulkDevices } from '@sightline/domain'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { liveProfiles, onvifPortOf } from '../../app/camera-choice.ts'
import type { Asked } from '../../app/discovery.ts'
import { fieldText } from '../../i18n/words.ts'
import { TrialNote } from '../../ui/cameras/TrialNote.tsx'
import { useTrials } from '../../ui/cameras/useTrials.ts'
import { readDraft } from '../../ui/draft.ts'
import { DraftNote } from '../../ui/form.tsx'
import { Tag } from '../../ui/Health.tsx'
import { Panel } from '../../ui/Panel.tsx'
import { useKept } from '../../ui/useKept.ts'
import { AddCameras } from './AddCameras.tsx'
import classes from './bulk.module.css'
import { OutcomeTag } from './Outcome.tsx'
import type { Importing } from './useImport.ts'

type Line = { key: number; cells: ImportRow }

const columns = ['device_name', 'stream_address', 'username', 'password'] as const
let keys = 0
const line = (cells: Partial<ImportRow> = {}): Line => ({ key: ++keys, cells: importRow.parse(cells) })
const blank = () => [line(), line(), line()]
const isFilled = ({ cells }: Line) => columns.some((column) => cells[column].trim() !== '')

type Kept = Omit<ImportRow, 'password'>[]

type Props = { siteId: string; nimbleId: string; importing: Importing; onAll: () => void }

/** A handful of cameras, typed: each is tried, added by itself, and what fails stays to be mended. */
export function ImportGrid({ siteId, nimbleId, importing, onAll }: Props) {
  const { t } = useTranslation()
  const name = `device.bulk:${siteId}`
  const [kept] = useState(() => readDraft<Kept>(name))
  const [isRestored, setIsRestored] = useState(kept !== null)
  const [lines, setLines] = useState<readonly Line[]>(() => kept?.map(line) ?? blank())
  const trials = useTrials()
  const isTesting = trials.progress !== null
  const filled = lines.filter(isFilled)
  const isFull = lines.length >= bulkDevices
  const isBusy = isTesting || importing.state.phase === 'adding'
  /** Keys of the lines that were sent, in their order: lines may come and go meanwhile. */
  const [sent, setSent] = useState<readonly number[]>([])
  const outcomeOf = ({ key }: Line) =>
    sent.includes(key) ? importing.state.outcomes.find(({ row }) => row === sent.indexOf(key)) : undefined

  const change = (key: number, change: Partial<Line>) =>
    setLines((now) => now.map((one) => (one.key === key ? { ...one, ...change } : one)))

  const asked = ({ stream_address, username, password }: ImportRow): Asked => ({
    ...{ nimble_id: nimbleId, address: stream_address, username, password },
  })
  const triedOf = ({ key, cells }: Line) => trials.of(String(key), asked(cells))
  const foundOf = (line: Line) => {
    const tried = triedOf(line)
    return tried === 'running' ? undefined : tried
  }
  const test = (some: readonly Line[]) => trials.run(new Map(some.map(({ key, cells }) => [String(key), asked(cells)])))
  const untrusted = filled.filter((one) => foundOf(one)?.profile === null)
  /** What was typed; where that is an ONVIF service, the stream that was found there. */
  const cellsToAdd = (line: Line): ImportRow => {
    const { cells } = line
    const port = onvifPortOf(cells.stream_address)
    const { profile, probe } = foundOf(line) ?? {}
    if (port === null || !profile) return cells
    return { ...cells, stream_address: profile.stream_address, onvif_port: String(port), UUID: probe?.UUID ?? '' }
  }
  const smallOf = (line: Line) => {
    const { profile, probe } = foundOf(line) ?? {}
    return profile && liveProfiles(probe?.profiles ?? [], profile.stream_address)[0]?.stream_address
  }
  const add = async (some: readonly Line[]) => {
    setSent(some.map(({ key }) => key))
    await importing.add(some.map(cellsToAdd), [...some.keys()])
  }
  const created = importing.rowsOf('created').map((row) => sent[row])
  const isLeft = filled.some(({ key }) => !created.includes(key))
  const now = useMemo(
    (): Kept | null => (isLeft ? lines.map(({ cells: { password: _, ...rest } }) => rest) : null),
    [isLeft, lines],
  )
  useKept({ name, now, lost: lines.some(({ cells }) => cells.password !== '') ? [t('state.lostSecrets')] : [] })
  const hasEnded = importing.state.phase === 'ended'
  /** Keeps what could not be added, or was left out. */
  const keepFailed = () => {
    const left = filled.filter(({ key }) => !created.includes(key))
    setLines(left.length > 0 ? left : [line()])
    importing.reset()
  }

  return (
    <Panel title={t('bulk.grid.title')} hint={t('bulk.grid.hint', { count: bulkDevices })}>
      {isRestored && (
        <DraftNote
          onDiscard={() => {
            setLines(blank())
            setIsRestored(false)
          }}
        />
      )}
      <ol className={classes.lines}>
        {lines.map((one, index) => {
          const outcome = outcomeOf(one)
          const errors = outcome?.errors ?? {}
          const tried = triedOf(one)
          const small = smallOf(one)
          return (
            <li key={one.key} className={classes.line}>
              <span className={`${classes.number} num`}>{index + 1}</span>
              {columns.map((column) => {
                const props = {
                  label: t(`bulk.column.${column}`),
                  value: one.cells[column],
                  disabled: isBusy || outcome?.outcome === 'created',
                  autoComplete: column === 'password' ? 'new-password' : 'off',
                  spellCheck: false,
                  error: errors[column]?.[0] && fieldText(errors[column][0]),
                  onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
                    change(one.key, {
                      cells: {
                        ...one.cells,
                        [column]: value,
                        // Found at that address with that login; by another name it stays.
                        live_address: column === 'device_name' ? one.cells.live_address : '',
                      },
                    }),
                }
                return column === 'password' ? (
                  <PasswordInput
                    key={column}
                    {...props}
                    visibilityToggleButtonProps={{ 'aria-label': t('login.show') }}
                  />
                ) : (
                  <TextInput key={column} {...props} />
                )
              })}
              <span className={classes.standing} role="status">
                {outcome ? (
                  <OutcomeTag outcome={outcome.outcome} />
                ) : tried === 'running' ? (
                  <Tag tone="info">{t('bulk.grid.testing')}</Tag>
                ) : (
                  tried?.profile && <Tag tone="ok">{t('bulk.grid.works')}</Tag>
                )}
              </span>
              <ActionIcon
                className={classes.remove}
                variant="subtle"
                color="gray"
                aria-label={t('bulk.grid.remove', { row: index + 1 })}
                disabled={isBusy || lines.length === 1}
                onClick={() => setLines((now) => now.filter(({ key }) => key !== one.key))}
              >
                <IconTrash size={16} />
              </ActionIcon>
              {tried && tried !== 'running' && (
                <div className={classes.note}>
                  <TrialNote tried={tried} />
                  {small && (
                    <Checkbox
                      mt="xs"
                      size="xs"
                      label={t('bulk.grid.live')}
                      disabled={isBusy || outcome?.outcome === 'created'}
                      checked={one.cells.live_address === small}
                      onChange={({ currentTarget: { checked } }) =>
                        change(one.key, { cells: { ...one.cells, live_address: checked ? small : '' } })
                      }
                    />
                  )}
                </div>
              )}
            </li>
          )
        })}
      </ol>
      <Group mt="md" gap="sm">
        <Button
          variant="default"
          leftSection={<IconPlus size={15} />}
          disabled={isFull || isBusy}
          onClick={() => setLines((now) => [...now, line()])}
        >
          {t('bulk.grid.more')}
        </Button>
        {isFull && <span className="t3">{t('bulk.grid.full', { count: bulkDevices })}</span>}
      </Group>
      <Group mt="lg" gap="xs" justify="flex-end">
        {hasEnded ? (
          <>
            <span className="t2" role="status">
              {t('bulk.created', { count: created.length })}
            </span>
            {filled.some(({ key }) => !created.includes(key)) && (
              <Button variant="default" onClick={keepFailed}>
                {t('bulk.retryFailed')}
              </Button>
            )}
            <Button onClick={onAll}>{t('bulk.toList')}</Button>
          </>
        ) : (
          <>
            {trials.progress && (
              <span className="t2 num" role="status">
                {t('discover.tried', { ...trials.progress })}
              </span>
            )}
            <Button
              variant="default"
              loading={isTesting}
              disabled={filled.length === 0 || isBusy}
              onClick={() => test(filled)}
            >
              {t('bulk.grid.test')}
            </Button>
            <AddCameras
              rows={filled}
              failed={untrusted}
              isAdding={importing.state.phase === 'adding'}
              isDisabled={isTesting}
              onAdd={(some) => void add(some)}
              onTest={test}
            />
          </>
        )}
      </Group>
    </Panel>
  )
}
