import { Accordion, NumberInput, Select, Switch, TextInput } from '@mantine/core'
import { type PipelineElements, type PipelineItem, type PipelineValue, pipelineCatalog } from '@sightline/domain'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { elements as en } from '../../i18n/en/elements.ts'
import { decimalPoint, formatSetting } from '../../i18n/format.ts'
import { i18n } from '../../i18n/index.ts'
import { fieldText } from '../../i18n/words.ts'
import { TimezoneSelect } from '../TimezoneSelect.tsx'
import classes from './elements.module.css'
import { ModelField } from './ModelField.tsx'

/** What people change first stands open; how pictures are looked at in detail waits behind a heading. */
const groups = ['analytic', 'zones', 'calibration', 'detector', 'decode', 'motion', 'tracker', 'sink'] as const
const opened = ['analytic', 'zones', 'calibration']
const groupOf = (key: string) => key.split('.')[0] as string

/** Without a model there is nothing to say about these. */
const ofModels = ['model', 'embedding', 'head', 'labels', 'input_size', 'every_n'].map((name) => `detector.${name}`)

type Props = {
  /** Complete: which elements the use case has is what stands in it. */
  values: PipelineElements
  /** What a reset brings back, and against which changes are marked. */
  base: PipelineElements
  /** Message ids by key. */
  faults: Readonly<Record<string, string>>
  onChange: (key: string, value: PipelineValue) => void
  /** Elements that are drawn elsewhere. */
  hidden?: readonly string[]
  /** Of an analytic that runs: says which changes start it anew. */
  runs?: boolean
}

/** The elements of a use case as a form made from the catalogue: help, unit, range, and what a change costs. */
export function ElementForm({ values, base, faults, onChange, hidden = [], runs = false }: Props) {
  const { t } = useTranslation()
  const items = pipelineCatalog.filter(({ key }) => key in values && !hidden.includes(key))
  const isShown = ({ key }: PipelineItem) => values['detector.kind'] === 'onnx' || !ofModels.includes(key)
  // Nothing counts before a model is chosen: that stands first and open.
  const [lacksModel] = useState(values['detector.kind'] === 'onnx' && !values['detector.model'])
  const ordered = lacksModel ? (['detector', ...groups.filter((group) => group !== 'detector')] as const) : groups
  const present = ordered.filter((group) => items.some(({ key }) => groupOf(key) === group))
  const [open, setOpen] = useState<string[]>(() => [...opened, ...(lacksModel ? ['detector'] : [])])
  // A fault behind a closed heading would leave a form that cannot be saved and does not say why.
  const faulty = present.filter((group) => Object.keys(faults).some((key) => groupOf(key) === group))
  return (
    <Accordion multiple variant="separated" value={[...new Set([...open, ...faulty])]} onChange={setOpen}>
      {present.map((group) => {
        const changed = items.filter(({ key }) => groupOf(key) === group && values[key] !== base[key]).length
        return (
          <Accordion.Item key={group} value={group}>
            <Accordion.Control>
              {t(`elements.group.${group}`)}
              {changed > 0 && <span className="t3"> · {t('elements.changed', { count: changed })}</span>}
            </Accordion.Control>
            <Accordion.Panel>
              <div className={classes.fields}>
                {items
                  .filter((item) => groupOf(item.key) === group && isShown(item))
                  .map((item) => (
                    <ElementField
                      key={item.key}
                      item={item}
                      value={values[item.key] as PipelineValue}
                      base={base[item.key]}
                      fault={faults[item.key]}
                      runs={runs}
                      onChange={(value) => onChange(item.key, value)}
                    />
                  ))}
              </div>
            </Accordion.Panel>
          </Accordion.Item>
        )
      })}
    </Accordion>
  )
}

type FieldProps = {
  item: PipelineItem
  value: PipelineValue
  base: PipelineValue | undefined
  fault: string | undefined
  runs: boolean
  onChange: (value: PipelineValue) => void
}

function ElementField({ item, value, base, fault, runs, onChange }: FieldProps) {
  const { t } = useTranslation()
  const { key, type, min, max, unit } = item
  const help = i18n.language.startsWith('fr') ? item.help_fr : item.help_en
  const shared = {
    // Its key in documents and calls, for those who look for it.
    label: <span title={key}>{help}</span>,
    description: <Facts item={item} value={value} base={base} runs={runs} onReset={onChange} />,
    error: fault && fieldText(fault),
    id: key,
  }
  if (key === 'detector.model' || key === 'detector.embedding') {
    const kind = { isEmbedding: key === 'detector.embedding' }
    return <ModelField {...shared} {...below} {...kind} value={String(value)} onChange={onChange} />
  }
  if (key === 'analytic.timezone')
    return (
      <TimezoneSelect
        {...shared}
        {...below}
        allowDeselect={false}
        value={String(value)}
        onChange={(next) => next && onChange(next)}
      />
    )
  switch (type) {
    case 'boolean':
      return (
        <Switch
          {...shared}
          checked={value === true}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />
      )
    case 'enum':
      return (
        <Select
          {...shared}
          {...below}
          allowDeselect={false}
          data={(item.enum ?? []).map((choice) => ({ value: choice, label: choiceText(choice) }))}
          value={String(value)}
          onChange={(next) => next && onChange(next)}
        />
      )
    case 'text':
      return (
        <TextInput
          {...shared}
          {...below}
          value={String(value)}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )
    default:
      return (
        <NumberInput
          {...shared}
          {...below}
          value={value as number | string}
          suffix={unit ? ` ${t(`elements.unit.${unit}`)}` : undefined}
          decimalSeparator={decimalPoint()}
          allowedDecimalSeparators={['.', ',']}
          step={type === 'integer' ? 1 : stepOf(min ?? 0, max ?? 1)}
          allowDecimal={type === 'number'}
          onChange={onChange}
        />
      )
  }
}

/** A choice in words; names of model families stay as they are. */
export const choiceText = (choice: string): string =>
  i18n.exists(`elements.choice.${choice}`) ? i18n.t(`elements.choice.${choice as keyof (typeof en)['choice']}`) : choice

function valueText({ type }: PipelineItem, value: PipelineValue): string {
  if (typeof value === 'boolean') return i18n.t(value ? 'elements.on' : 'elements.off')
  if (typeof value === 'number') return formatSetting(value)
  return value === '' ? '–' : type === 'enum' ? choiceText(value) : value
}

/** What an element is stands below its input. */
const below = { inputWrapperOrder: ['label', 'input', 'description', 'error'] satisfies string[] } as {
  inputWrapperOrder: ('label' | 'input' | 'description' | 'error')[]
}

/** A hundredth of the range, as a power of ten. */
const stepOf = (min: number, max: number): number => 10 ** Math.floor(Math.log10((max - min) / 20))

function Facts({
  item,
  value,
  base,
  runs,
  onReset,
}: Omit<FieldProps, 'fault' | 'onChange'> & { onReset: FieldProps['onChange'] }): ReactNode {
  const { t } = useTranslation()
  const { min, max, hot_reload } = item
  return (
    <span className={classes.facts}>
      {min !== null && max !== null && (
        <span className="num">{t('elements.range', { min: formatSetting(min), max: formatSetting(max) })}</span>
      )}
      {runs && !hot_reload && <span>{t('elements.restarts')}</span>}
      {base !== undefined && value !== base && (
        <button type="button" className={classes.reset} onClick={() => onReset(base)}>
          {t('elements.reset', { value: valueText(item, base) })}
        </button>
      )}
    </span>
  )
}
