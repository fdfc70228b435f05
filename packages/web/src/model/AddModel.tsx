import { Alert, Button, FileButton, Group, Progress, Select, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { type ModelCheck, type TensorShape, api as table } from '@sightline/contract'
import {
  type DetectionLabel,
  detectionLabels,
  type LabelMap,
  type ModelHead,
  modelMaxBytes,
  mostClasses,
  pastedNames,
  relabelled,
  suggestLabels,
  type ValueRange,
  valueRanges,
} from '@sightline/domain'
import { IconPhotoSearch, IconUpload } from '@tabler/icons-react'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, refresh } from '../app/client.ts'
import { notify } from '../app/messages.ts'
import { formatBytes, formatNumber } from '../i18n/format.ts'
import { fieldText, words } from '../i18n/words.ts'
import { dropDraft, readDraft, writeDraft } from '../ui/draft.ts'
import { Form, FormActions, useDraftForm } from '../ui/form.tsx'
import { withinLimit } from '../ui/shrink.ts'
import classes from './model.module.css'

type Trial = { check: ModelCheck; name: string; picture: string | undefined }
type Step =
  | { kind: 'choose' }
  | { kind: 'sending'; share: number }
  | { kind: 'checking' }
  | { kind: 'found'; trial: Trial }

/** The file that was uploaded last, and how it was tried: a dialog that is opened again goes on with it. */
type Kept = { path: string; name: string; head: ModelHead; picture: string | undefined }
const keptAs = 'model.add'

/** Upload, look at what it finds, confirm: nothing is stored before the last press. */
export function AddModel({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation()
  const [kept] = useState(() => readDraft<Kept>(keptAs))
  const [step, setStep] = useState<Step>({ kind: kept ? 'checking' : 'choose' })
  const [refused, setRefused] = useState<string | null>(null)
  const sending = useRef<AbortController | null>(null)
  /** Somebody gave it up: the answer that is still on its way comes to nothing. */
  const isOver = useRef(false)
  /** So that the same file, exported anew, can be chosen again. */
  const forget = useRef<() => void>(null)

  const tryOn = async (path: string, name: string, head?: ModelHead, picture?: string) => {
    setStep({ kind: 'checking' })
    const result = await api.model.check.call({ path, head, picture })
    if (isOver.current) return
    if (result.status) {
      writeDraft(keptAs, { path, name, head: result.data.head, picture } satisfies Kept)
      return setStep({ kind: 'found', trial: { check: result.data, name, picture } })
    }
    dropDraft(keptAs)
    const [fault] = result.failure.errors.path ?? result.failure.errors.picture ?? []
    setRefused(fault ? fieldText(fault) : result.message.text)
    setStep({ kind: 'choose' })
  }
  const goOn = useEffectEvent(() => {
    if (kept) void tryOn(kept.path, kept.name, kept.head, kept.picture)
  })
  useEffect(() => goOn(), [])
  const end = () => {
    isOver.current = true
    dropDraft(keptAs)
    onDone()
  }
  const send = async (file: File | null) => {
    if (!file) return
    forget.current?.()
    setRefused(null)
    if (file.size > modelMaxBytes) return setRefused(fieldText('file_too_large'))
    setStep({ kind: 'sending', share: 0 })
    sending.current = new AbortController()
    const result = await api.upload.create.call(
      { kind: 'model' },
      {
        file,
        signal: sending.current.signal,
        onProgress: (share) => setStep({ kind: 'sending', share }),
      },
    )
    if (result.status) return tryOn(result.data.path, file.name.replace(/\.onnx$/i, ''))
    const [fault] = result.failure.errors.file ?? []
    setRefused(fault ? fieldText(fault) : result.message.text)
    setStep({ kind: 'choose' })
  }

  if (step.kind === 'found') {
    const { check, name, picture } = step.trial
    return (
      <Confirming
        key={`${check.head} ${picture}`}
        trial={step.trial}
        onTry={(head, other) => void tryOn(check.path, name, head, other ?? picture)}
        onDone={end}
      />
    )
  }
  const isBusy = step.kind !== 'choose'
  return (
    <Stack gap="sm">
      <Text size="sm">{t('model.addText')}</Text>
      {refused && (
        <Alert color="red" variant="light" role="alert">
          {refused}
        </Alert>
      )}
      {step.kind === 'sending' && (
        <div role="status">
          <Text size="sm">{t('model.sending', { percent: Math.round(step.share * 100) })}</Text>
          <Progress value={step.share * 100} mt={6} aria-label={t('model.sendingLabel')} />
        </div>
      )}
      {step.kind === 'checking' && (
        <div role="status">
          <Text size="sm">{t('model.checking')}</Text>
          <Progress value={100} animated mt={6} aria-label={t('model.checking')} />
        </div>
      )}
      <Group justify="flex-end">
        <Button
          variant="default"
          onClick={() => {
            sending.current?.abort()
            end()
          }}
        >
          {t('common.cancel')}
        </Button>
        <FileButton resetRef={forget} onChange={(file) => void send(file)} accept=".onnx">
          {(props) => (
            <Button {...props} leftSection={<IconUpload size={16} />} disabled={isBusy}>
              {t('model.choose')}
            </Button>
          )}
        </FileButton>
      </Group>
    </Stack>
  )
}

type Values = {
  model_name: string
  path: string
  head: ModelHead
  labels: LabelMap
  value_range: ValueRange
  /** The list of names that somebody pasted, for what the file does not name. */
  names: string
}

/** How many classes can be given a meaning; where the outputs do not say, as many as a model may have. */
const countOf = ({ classes: count }: ModelCheck): number => Math.min(count ?? mostClasses, mostClasses)

/** Names of classes by number: as pasted, else as the file has them. */
const namesOf = (check: ModelCheck, pasted: string): ReadonlyMap<number, string> =>
  new Map([
    ...Object.entries(check.names).map(([index, name]) => [Number(index), name] as const),
    ...pastedNames(pasted),
  ])

type ConfirmingProps = { trial: Trial; onTry: (head: ModelHead, picture?: string) => void; onDone: () => void }

function Confirming({ trial: { check, name }, onTry, onDone }: ConfirmingProps) {
  const { t } = useTranslation()
  const [pictureFault, setPictureFault] = useState<string | null>(null)
  /** Without what another way of reading the answer told apart, and this one does not. */
  const toInput = ({ names: _, labels, ...rest }: Values) => ({
    ...rest,
    labels: Object.fromEntries(Object.entries(labels).filter(([index]) => Number(index) < countOf(check))),
  })
  const { form, field, frame, isSaving } = useDraftForm<Values>({
    // Of this file alone: what was typed for another one would be laid over what the trial found here.
    name: `model.add:${check.path}`,
    initial: {
      model_name: name,
      path: check.path,
      head: check.head,
      labels: check.labels,
      value_range: 'unit',
      names: '',
    },
    schema: table.model.create.input,
    toInput,
    // As the trial found it.
    secrets: ['head'],
    async submit(values) {
      const result = await api.model.create.call(toInput(values))
      if (!result.status) throw result.failure
      notify({ type: 'success', text: words.pair('model.create').done })
      refresh('model')
      onDone()
    },
  })
  const { labels } = form.values
  const label = (index: string, value: DetectionLabel | null) => {
    const { [index]: _, ...others } = labels
    form.setFieldValue('labels', value ? { ...others, [index]: value } : others)
  }
  const names = namesOf(check, form.values.names)
  const rename = (text: string) => {
    const [before, after] = [names, namesOf(check, text)].map(suggestLabels) as [LabelMap, LabelMap]
    form.setValues({ names: text, labels: relabelled(labels, before, after) })
  }
  const another = async (file: File | null) => {
    if (!file) return
    const sent = await withinLimit(file)
    if (!sent) return setPictureFault(fieldText('image_invalid'))
    const result = await api.upload.create.call({ kind: 'image' }, { file: sent })
    if (result.status) onTry(check.head, result.data.path)
    else setPictureFault(result.message.text)
  }
  return (
    <Form {...frame}>
      <Stack gap="sm">
        <TextInput label={t('model.name')} withAsterisk data-autofocus {...field('model_name')} />
        <div>
          <Found check={check} labels={labels} names={names} />
          <Group justify="space-between" mt={6} gap="xs">
            <Text size="sm" className="t2">
              {check.vector_length === null
                ? t('model.found', { count: check.boxes.length })
                : t('model.vector', { count: check.vector_length })}{' '}
              {t('model.took', { ms: formatNumber(check.run_ms) })}
            </Text>
            <FileButton onChange={(file) => void another(file)} accept="image/jpeg,image/png,image/webp">
              {(props) => (
                <Button {...props} variant="default" size="compact-sm" leftSection={<IconPhotoSearch size={15} />}>
                  {t('model.anotherPicture')}
                </Button>
              )}
            </FileButton>
          </Group>
          {pictureFault && (
            <Text size="sm" c="red" role="alert">
              {pictureFault}
            </Text>
          )}
        </div>
        {check.blank_boxes > 0 && (
          <Alert color="orange" variant="light">
            {t('model.blank', { count: check.blank_boxes })}
          </Alert>
        )}
        <Select
          label={t('model.head')}
          description={t('model.headText')}
          data={check.heads}
          value={check.head}
          allowDeselect={false}
          onChange={(head) => head && onTry(head as ModelHead)}
        />
        {check.head === 'embedding' ? (
          <Select
            label={t('model.range')}
            description={t('model.rangeText')}
            data={valueRanges.map((value) => ({ value, label: t(`model.ranges.${value}`) }))}
            allowDeselect={false}
            {...field('value_range')}
          />
        ) : (
          <Classes
            {...{ check, labels, names }}
            onLabel={label}
            pasted={form.values.names}
            onPaste={rename}
            error={field('labels').error}
          />
        )}
        <Text size="xs" className="t2">
          {t('model.facts', {
            size: formatBytes(check.size),
            opset: check.opset,
            input: `${check.input_width} × ${check.input_height}`,
          })}{' '}
          {t('model.tensors', { inputs: tensorText(check.inputs), outputs: tensorText(check.outputs) })}{' '}
          <span className={classes.hash}>SHA-256 {check.sha256}</span>
        </Text>
      </Stack>
      <FormActions submitLabel={t('model.confirm')} isSaving={isSaving} onCancel={onDone} />
    </Form>
  )
}

/** `images [1, 3, 640, 640]`, as the file declares them. */
const tensorText = (tensors: readonly TensorShape[]): string =>
  tensors.map(({ name, dims }) => `${name} [${dims.join(', ')}]`).join(', ')

/** The picture that it was tried on, with what it found there. */
function Found({ check, labels, names }: Pick<ClassesProps, 'check' | 'labels' | 'names'>) {
  const { t } = useTranslation()
  const nameOf = (index: number) => {
    const label = labels[index]
    return label ? t(`model.label.${label}`) : (names.get(index) ?? t('model.class', { index }))
  }
  return (
    <div className={classes.picture}>
      <img src={`data:image/jpeg;base64,${check.picture}`} alt={t('model.pictureAlt')} />
      {check.boxes.map(({ box: [x, y, w, h], class_index, score }, i) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: boxes have nothing else, and never move
          key={i}
          className={classes.box}
          style={{ left: `${x * 100}%`, top: `${y * 100}%`, width: `${w * 100}%`, height: `${h * 100}%` }}
        >
          <span className={classes.tag}>
            {nameOf(class_index)} {formatNumber(Math.round(score * 100) / 100)}
          </span>
        </span>
      ))}
    </div>
  )
}

type ClassesProps = {
  check: ModelCheck
  labels: LabelMap
  names: ReadonlyMap<number, string>
  onLabel: (index: string, label: DetectionLabel | null) => void
  pasted: string
  onPaste: (text: string) => void
  error: React.ReactNode
}

/** Up to so many classes stand there all at once; of more, those that have a meaning, were found or are looked up. */
const allShown = 20
/** So many are offered at once; the others are found by their number or name. */
const mostOffered = 100

function Classes({ check, labels, names, onLabel, pasted, onPaste, error }: ClassesProps) {
  const { t } = useTranslation()
  const [lookedUp, setLookedUp] = useState<readonly string[]>([])
  const latest = useRef<HTMLInputElement>(null)
  const count = countOf(check)
  const indexes = Array.from({ length: count }, (_, index) => String(index))
  const known = new Set([...Object.keys(labels), ...check.boxes.map((box) => String(box.class_index)), ...lookedUp])
  const shown = count <= allShown ? indexes : indexes.filter((index) => known.has(index))
  const nameOf = (index: string) => names.get(Number(index)) ?? t('model.class', { index })
  const newest = lookedUp.at(-1)
  useEffect(() => {
    if (newest) latest.current?.focus()
  }, [newest])
  const inFile = Object.keys(check.names).length
  const isUnnamed = check.classes === null ? inFile === 0 : inFile < count
  const read = [...pastedNames(pasted).keys()]
  return (
    <fieldset className={classes.classes}>
      <legend>{t('model.labels')}</legend>
      <Text size="sm" className="t2" mb={6}>
        {t('model.labelsText')}
      </Text>
      {error && (
        <Text size="sm" c="red" role="alert">
          {error}
        </Text>
      )}
      {isUnnamed && (
        <Textarea
          label={t('model.names')}
          description={t('model.namesText')}
          placeholder={'person\nbicycle\ncar'}
          size="xs"
          mb="sm"
          autosize
          minRows={3}
          maxRows={8}
          spellCheck={false}
          value={pasted}
          onChange={({ currentTarget: { value } }) => onPaste(value)}
        />
      )}
      {/* There before its text is: only a change of it is told. */}
      <Text size="xs" className="t2" mb={read.length > 0 ? 'sm' : 0} role="status">
        {read.length > 0 && t('model.namesRead', { count: read.length })}{' '}
        {read.some((index) => index >= count) && t('model.namesBeyond', { count })}
      </Text>
      <div className={classes.grid}>
        {shown.map((index) => (
          <Select
            key={index}
            ref={index === newest ? latest : undefined}
            label={nameOf(index)}
            placeholder={t('model.leftOut')}
            data={detectionLabels.map((value) => ({ value, label: t(`model.label.${value}`) }))}
            value={labels[index] ?? null}
            onChange={(value) => {
              // It stays where it is, also without a meaning.
              setLookedUp((now) => (now.includes(index) ? now : [index, ...now]))
              onLabel(index, value as DetectionLabel | null)
            }}
            clearable
            size="xs"
          />
        ))}
      </div>
      {shown.length < count && (
        <Select
          // Empty again for the next one.
          key={lookedUp.length}
          mt="sm"
          size="xs"
          label={t('model.lookUp')}
          description={check.classes === null ? t('model.lookUpAny') : t('model.lookUpText', { count })}
          placeholder={t('model.lookUpHint')}
          searchable
          limit={mostOffered}
          nothingFoundMessage={t('common.nothingMatches')}
          value={null}
          onChange={(index) => index && setLookedUp((now) => [...now, index])}
          data={indexes
            .filter((index) => !known.has(index))
            .map((value) => {
              const name = names.get(Number(value))
              return { value, label: name ? `${value} · ${name}` : t('model.class', { index: value }) }
            })}
        />
      )}
    </fieldset>
  )
}
