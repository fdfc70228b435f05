import { ActionIcon, Button, Group, PasswordInput, TextInput } from '@mantine/core'
import { type ImportRow, importRow } from '@sightline/contract'
import { bulkDevices } from '@sightline/domain'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { tryAddress } from '../../app/discovery.ts'
import { causeText, fieldText } from '../../i18n/words.ts'
import { Tag } from '../../ui/Health.tsx'
import { Panel } from '../../ui/Panel.tsx'
import classes from './bulk.module.css'
import { OutcomeTag } from './Outcome.tsx'
import type { Importing } from './useImport.ts'

type Line = { key: number; cells: ImportRow; probe: null | 'running' | 'works' | { problem: string } }

const columns = ['device_name', 'stream_address', 'username', 'password'] as const
let keys = 0
const line = (): Line => ({ key: ++keys, cells: importRow.parse({}), probe: null })
const isFilled = ({ cells }: Line) => columns.some((column) => cells[column].trim() !== '')

type Props = { nimbleId: string; importing: Importing; onAll: () => void }

/** A handful of cameras, typed: each is tried, added by itself, and what fails stays to be mended. */
export function ImportGrid({ nimbleId, importing, onAll }: Props) {
  const { t } = useTranslation()
  const [lines, setLines] = useState<readonly Line[]>(() => [line(), line(), line()])
  const [isTesting, setIsTesting] = useState(false)
  const filled = lines.filter(isFilled)
  const isFull = lines.length >= bulkDevices
  const isBusy = isTesting || importing.state.phase === 'adding'
  /** Keys of the lines that were sent, in their order: lines may come and go meanwhile. */
  const [sent, setSent] = useState<readonly number[]>([])
  const outcomeOf = ({ key }: Line) =>
    sent.includes(key) ? importing.state.outcomes.find(({ row }) => row === sent.indexOf(key)) : undefined

  const change = (key: number, change: Partial<Line>) =>
    setLines((now) => now.map((one) => (one.key === key ? { ...one, ...change } : one)))

  const test = async () => {
    setIsTesting(true)
    for (const { key, cells } of filled) {
      change(key, { probe: 'running' })
      const problem = await tryAddress(nimbleId, cells)
      change(key, { probe: problem === null ? 'works' : { problem } })
    }
    setIsTesting(false)
  }
  const add = async () => {
    setSent(filled.map(({ key }) => key))
    await importing.add(
      filled.map((one) => one.cells),
      [...filled.keys()],
    )
  }
  const created = importing.rowsOf('created').map((row) => sent[row])
  const hasEnded = importing.state.phase === 'ended'
  /** Keeps what could not be added. */
  const keepFailed = () => {
    const left = filled.filter(({ key }) => !created.includes(key))
    setLines(left.length > 0 ? left : [line()])
    importing.reset()
  }

  return (
    <Panel title={t('bulk.grid.title')} hint={t('bulk.grid.hint', { count: bulkDevices })}>
      <ol className={classes.lines}>
        {lines.map((one, index) => {
          const outcome = outcomeOf(one)
          const errors = outcome?.errors ?? {}
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
                    change(one.key, { cells: { ...one.cells, [column]: value }, probe: null }),
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
                ) : one.probe === 'running' ? (
                  <Tag tone="info">{t('bulk.grid.testing')}</Tag>
                ) : one.probe === 'works' ? (
                  <Tag tone="ok">{t('bulk.grid.works')}</Tag>
                ) : (
                  one.probe && <Tag tone="bad">{causeText(one.probe.problem)}</Tag>
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
            {importing.count('failed') > 0 && (
              <Button variant="default" onClick={keepFailed}>
                {t('bulk.retryFailed')}
              </Button>
            )}
            <Button onClick={onAll}>{t('bulk.toList')}</Button>
          </>
        ) : (
          <>
            <Button
              variant="default"
              loading={isTesting}
              disabled={filled.length === 0 || isBusy}
              onClick={() => void test()}
            >
              {t('bulk.grid.test')}
            </Button>
            <Button
              loading={importing.state.phase === 'adding'}
              disabled={filled.length === 0 || isTesting}
              onClick={() => void add()}
            >
              {t('bulk.add', { count: filled.length })}
            </Button>
          </>
        )}
      </Group>
    </Panel>
  )
}
