import { Alert, Button, Group, Select, Stack, Text, Textarea } from '@mantine/core'
import { Dropzone } from '@mantine/dropzone'
import '@mantine/dropzone/styles.css'
import type { Customer } from '@sightline/contract'
import { IconTable } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { fieldText } from '../../i18n/words.ts'
import { readDraft } from '../../ui/draft.ts'
import { DraftNote } from '../../ui/form.tsx'
import { useGo } from '../../ui/Go.tsx'
import { Panel } from '../../ui/Panel.tsx'
import { isSame } from '../../ui/rebase.ts'
import { browserZone, TimezoneSelect } from '../../ui/TimezoneSelect.tsx'
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
import { Wizard } from '../../ui/Wizard.tsx'
import { type SiteColumn, type SiteRow, siteColumns, siteNames } from './columns.ts'
import { type Outcomes, ReviewSites } from './ReviewSites.tsx'

const steps = ['rows', 'columns', 'review'] as const
type Step = (typeof steps)[number]

/** Shown in the template. */
const example: SiteRow = {
  site_name: 'Lyon Part-Dieu',
  site_timezone: 'Europe/Paris',
  site_street: '17 rue du Docteur Bouchut',
  site_zip: '69003',
  site_city: 'Lyon',
  site_state: '',
  site_country: 'FR',
  lat: '45.7606',
  long: '4.8554',
}

/** A list without headings begins with its first site: then its columns are matched by hand. */
function withHeader(table: Table): Table {
  if (Object.keys(guessMapping(table.header, siteNames)).length > 0) return table
  return { header: table.header.map(() => ''), rows: [table.header, ...table.rows] }
}

/** All that was typed, matched and mended, and what became of the rows so far. */
type Work = {
  text: string
  table: Table | null
  mapping: Mapping<SiteColumn>
  customer: string
  timezone: string
  /** Cells that were written over, by position of their row. */
  mended: Record<number, Partial<SiteRow>>
  outcomes: Outcomes
}

const draft = 'site.onboard'

type Props = { customers: readonly Customer[]; customerId: string }

/** Several sites at once: pasted or from a file, columns matched, every row judged and mended before any is made. */
export function OnboardSites({ customers, customerId }: Props) {
  const { t } = useTranslation()
  const go = useGo()
  const [step, setStep] = useState<Step>('rows')
  const [fault, setFault] = useState<string | null>(null)
  const blank = (): Work => ({
    text: '',
    table: null,
    mapping: {},
    customer: customerId,
    timezone: browserZone(),
    mended: {},
    outcomes: {},
  })
  const [kept] = useState(() => readDraft<Work>(draft))
  const [isRestored, setIsRestored] = useState(kept !== null)
  const [work, setWork] = useState(() => kept ?? blank())
  const change = (part: Partial<Work>) => setWork((now) => ({ ...now, ...part }))
  const { text, table, mapping, customer, timezone, mended, outcomes } = work
  const rows = useMemo(
    () => (table ? toRows(table, siteColumns, mapping).map((row, at) => ({ ...row, ...mended[at] })) : []),
    [table, mapping, mended],
  )
  const isAllMade = rows.length > 0 && rows.every((_, at) => outcomes[at]?.state === 'created')
  useKept({ name: draft, now: (text.trim() === '' && !table) || isAllMade ? null : work })

  const read = (bytes: Uint8Array) => {
    setFault(null)
    try {
      const found = withHeader(readTable(bytes))
      // The same rows again: what was matched and mended of them stays.
      if (!isSame(found, table))
        change({
          table: found,
          // A plain list of names needs no matching by hand.
          mapping: found.header.length === 1 ? { site_name: 0 } : guessMapping(found.header, siteNames),
          mended: {},
          outcomes: {},
        })
      setStep('columns')
    } catch (error) {
      if (!(error instanceof TableFault)) throw error
      setFault(fieldText(error.message))
    }
  }
  const readText = () => {
    // One line alone would be a heading without rows; a name by itself is a site all the same.
    const lines = text.trim().split('\n')
    read(
      new TextEncoder().encode(
        lines.length === 1 && !/[,;\t]/.test(text) ? `${siteNames.site_name[0]}\n${text}` : text,
      ),
    )
  }
  const organization_id = customers.find(({ customer_id }) => customer_id === customer)?.organization_id
  const index = steps.indexOf(step)
  return (
    <Wizard
      title={t('screen./site/onboard')}
      isWide
      current={step}
      steps={steps.map((id, at) => ({
        id,
        label: t(`siteImport.step.${id}`),
        isDone: at < index,
        isOpen: at <= index,
      }))}
      onStep={(id) => setStep(id as Step)}
    >
      {isRestored && (
        <DraftNote
          onDiscard={() => {
            setWork(blank())
            setStep('rows')
            setIsRestored(false)
          }}
        />
      )}
      {step === 'rows' && (
        <Panel
          title={t('siteImport.rows.title')}
          hint={t('siteImport.rows.hint')}
          aside={
            <Button
              size="xs"
              variant="default"
              onClick={() =>
                download('sites.csv', writeTable([siteColumns, siteColumns.map((column) => example[column])]))
              }
            >
              {t('bulk.file.template')}
            </Button>
          }
        >
          <Stack gap="md">
            <Group align="flex-start" grow preventGrowOverflow={false}>
              {customers.length > 1 && (
                <Select
                  label={t('site.form.customer')}
                  allowDeselect={false}
                  searchable
                  value={customer}
                  onChange={(next) => next && change({ customer: next })}
                  data={customers.map(({ customer_id, customer_name }) => ({
                    value: customer_id,
                    label: customer_name,
                  }))}
                />
              )}
              <TimezoneSelect
                label={t('siteImport.rows.timezone')}
                description={t('siteImport.rows.timezoneHint')}
                allowDeselect={false}
                value={timezone}
                onChange={(next) => next && change({ timezone: next })}
              />
            </Group>
            <Textarea
              label={t('siteImport.rows.paste')}
              description={t('siteImport.rows.pasteHint')}
              minRows={6}
              maxRows={16}
              spellCheck={false}
              value={text}
              onChange={({ currentTarget: { value } }) => change({ text: value })}
            />
            <Dropzone
              multiple={false}
              p="md"
              inputProps={{ 'aria-label': t('bulk.file.title') }}
              onDrop={([file]) => void file?.arrayBuffer().then((buffer) => read(new Uint8Array(buffer)))}
            >
              <Group wrap="nowrap" gap="md">
                <IconTable size={28} stroke={1.5} style={{ flex: 'none' }} aria-hidden="true" />
                <Text size="sm" className="t2">
                  {t('bulk.file.drop')}
                </Text>
              </Group>
            </Dropzone>
            {fault && (
              <Alert color="red" role="alert">
                {fault}
              </Alert>
            )}
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={() => go('/site')}>
                {t('common.cancel')}
              </Button>
              <Button disabled={text.trim() === ''} onClick={readText}>
                {t('common.continue')}
              </Button>
            </Group>
          </Stack>
        </Panel>
      )}
      {step === 'columns' && table && (
        <Panel title={t('bulk.mapping.title')} hint={t('siteImport.columns.hint', { count: table.rows.length })}>
          <ColumnMapping
            header={table.header.map((title, at) => title || (table.rows[0]?.[at] ?? ''))}
            columns={siteColumns}
            needed={['site_name']}
            labelOf={(column) => t(`siteImport.column.${column}`)}
            mapping={mapping}
            onChange={(next) => change({ mapping: next })}
          />
          <Group mt="lg" justify="flex-end" gap="xs">
            {mapping.site_name === undefined && <span className="t3">{t('siteImport.columns.needed')}</span>}
            <Button variant="default" onClick={() => setStep('rows')}>
              {t('common.back')}
            </Button>
            <Button disabled={mapping.site_name === undefined} onClick={() => setStep('review')}>
              {t('bulk.check', { count: table.rows.length })}
            </Button>
          </Group>
        </Panel>
      )}
      {step === 'review' && (
        <ReviewSites
          rows={rows}
          outcomes={outcomes}
          onMend={(at, cell) =>
            setWork((now) => {
              // What the server said of the row no longer holds.
              const { [at]: _, ...others } = now.outcomes
              return { ...now, mended: { ...now.mended, [at]: { ...now.mended[at], ...cell } }, outcomes: others }
            })
          }
          onOutcome={(at, outcome) => setWork((now) => ({ ...now, outcomes: { ...now.outcomes, [at]: outcome } }))}
          place={{ customer_id: customer, timezone, organization_id }}
          onBack={() => setStep('columns')}
          onAll={() => go('/site')}
        />
      )}
    </Wizard>
  )
}
