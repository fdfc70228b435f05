import { Alert, Button, Group, Select, Stack, Text, Textarea } from '@mantine/core'
import { Dropzone } from '@mantine/dropzone'
import '@mantine/dropzone/styles.css'
import type { Customer } from '@sightline/contract'
import { IconTable } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { fieldText } from '../../i18n/words.ts'
import { useGo } from '../../ui/Go.tsx'
import { Panel } from '../../ui/Panel.tsx'
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
import { Wizard } from '../../ui/Wizard.tsx'
import { type SiteColumn, type SiteRow, siteColumns, siteNames } from './columns.ts'
import { ReviewSites } from './ReviewSites.tsx'

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

type Props = { customers: readonly Customer[]; customerId: string }

/** Several sites at once: pasted or from a file, columns matched, every row judged and mended before any is made. */
export function OnboardSites({ customers, customerId }: Props) {
  const { t } = useTranslation()
  const go = useGo()
  const [step, setStep] = useState<Step>('rows')
  const [text, setText] = useState('')
  const [table, setTable] = useState<Table | null>(null)
  const [mapping, setMapping] = useState<Mapping<SiteColumn>>({})
  const [fault, setFault] = useState<string | null>(null)
  const [customer, setCustomer] = useState(customerId)
  const [timezone, setTimezone] = useState(browserZone)
  const [rows, setRows] = useState<readonly SiteRow[]>([])

  const read = (bytes: Uint8Array) => {
    setFault(null)
    try {
      const found = withHeader(readTable(bytes))
      const guessed = guessMapping(found.header, siteNames)
      setTable(found)
      // A plain list of names needs no matching by hand.
      setMapping(found.header.length === 1 ? { site_name: 0 } : guessed)
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
                  onChange={(next) => next && setCustomer(next)}
                  data={customers.map(({ customer_id, customer_name }) => ({
                    value: customer_id,
                    label: customer_name,
                  }))}
                />
              )}
              <TimezoneSelect
                label={t('siteImport.rows.timezone')}
                allowDeselect={false}
                value={timezone}
                onChange={(next) => next && setTimezone(next)}
              />
            </Group>
            <Textarea
              label={t('siteImport.rows.paste')}
              description={t('siteImport.rows.pasteHint')}
              minRows={6}
              maxRows={16}
              spellCheck={false}
              value={text}
              onChange={({ currentTarget: { value } }) => setText(value)}
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
            onChange={setMapping}
          />
          <Group mt="lg" justify="flex-end" gap="xs">
            {mapping.site_name === undefined && <span className="t3">{t('siteImport.columns.needed')}</span>}
            <Button variant="default" onClick={() => setStep('rows')}>
              {t('common.back')}
            </Button>
            <Button
              disabled={mapping.site_name === undefined}
              onClick={() => {
                setRows(toRows(table, siteColumns, mapping))
                setStep('review')
              }}
            >
              {t('bulk.check', { count: table.rows.length })}
            </Button>
          </Group>
        </Panel>
      )}
      {step === 'review' && (
        <ReviewSites
          rows={rows}
          onRows={setRows}
          place={{ customer_id: customer, timezone, organization_id }}
          onBack={() => setStep('columns')}
          onAll={() => go('/site')}
        />
      )}
    </Wizard>
  )
}
