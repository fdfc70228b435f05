import { Alert, Button, Group, Text } from '@mantine/core'
import { type FormErrors, schemaResolver, useForm } from '@mantine/form'
import {
  createContext,
  type FormEvent,
  type ReactNode,
  useContext,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from 'react'
import { flushSync } from 'react-dom'
import { useTranslation } from 'react-i18next'
import type { ZodType } from 'zod'
import { CallFailed } from '../api.ts'
import { queryClient, report } from '../app/client.ts'
import { notify } from '../app/messages.ts'
import { fieldText } from '../i18n/words.ts'
import { dropDraft, readDraft, writeDraft } from './draft.ts'
import { placeErrors } from './form-errors.ts'
import { isSame, rebase } from './rebase.ts'
import { useUnsaved } from './useUnsaved.ts'

/** What a screen edits beside the fields of its form, such as shapes on a picture: of the same row, saved with them. */
export type Beside = {
  /** As the stored row has it. */
  stored: unknown
  /** As it is on the screen; kept in the draft. */
  now: unknown
  isChanged: boolean
  /** Puts back what a draft kept. */
  restore: (kept: unknown) => void
  /** Goes on from the stored row, under what was changed here or without it. */
  take: (keepsMine: boolean) => void
}

type Options<V extends object> = {
  /** Names the draft: one per form and entity, e.g. `site.edit:<id>`. */
  name: string
  initial: V
  /** Of the stored row that `initial` shows, which may change while the form is open. */
  version?: number
  beside?: Beside
  /** Reads the row again once somebody else has changed it; without it, what shows the feature of the call is read. */
  reload?: () => Promise<unknown>
  /** The call's own schema, the one the server checks with; without it the server alone checks. */
  schema?: ZodType
  /** What the schema and the call see, where the form's values differ from it. */
  toInput?: (values: V) => unknown
  /** Which input shows the errors of a field of the call, and of all below it, where the two are named differently. */
  shownAt?: Readonly<Record<string, Extract<keyof V, string>>>
  /** Fields that are never written down. */
  secrets?: readonly (keyof V)[]
  /** Brings the fields into sight, where the screen does not always show them. */
  reveal?: () => void
  /**
   * Saves. A `CallFailed` it throws puts its field errors on the fields, or is shown as a message.
   * @param version of the row that the values came from: sent along, it keeps others' changes from being undone unseen
   */
  submit: (values: V, version: number | undefined) => Promise<unknown>
}

/** The stored row as it was when the values were read from it. */
type Base<V> = { values: V; version: number | undefined; stored: unknown }
type Draft<V> = { values: Partial<V>; base: Omit<Base<V>, 'values'> & { values: Partial<V> }; beside?: unknown }

/** `['a.b', …]` in the order in which their inputs stand on the page. */
const byPosition = (a: Element, b: Element) =>
  a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1

/**
 * A form over a schema of the contract: errors in the person's language, focus on the first wrong field, the server's
 * field errors on their fields, a draft that survives a sign-in, a question before leaving with unsaved changes, and
 * both ways on when somebody else has changed the row meanwhile.
 */
export function useDraftForm<V extends Record<string, unknown>>(options: Options<V>) {
  const { name, initial, version, beside, schema, toInput, shownAt = {}, secrets = [] } = options
  const { t } = useTranslation()
  const [draft] = useState(() => readDraft<Draft<V>>(name))
  const theirs: Base<V> = { values: initial, version, stored: beside?.stored }
  const [base, setBase] = useState<Base<V>>(
    draft ? { ...draft.base, values: { ...initial, ...draft.base.values } } : theirs,
  )
  const [isRestored, setIsRestored] = useState(draft !== null)
  const [isSaving, setIsSaving] = useState(false)
  const [isRefused, setIsRefused] = useState(false)
  const [isStale, setIsStale] = useState(false)
  const phase = useRef<'open' | 'saving' | 'saved'>('open')
  const isGivenUp = useRef(false)

  const written = (values: V) =>
    Object.fromEntries(Object.entries(values).filter(([field]) => !secrets.includes(field))) as Partial<V>

  const validate = schema ? schemaResolver(schema, { sync: true }) : () => ({})
  const form = useForm<V>({
    initialValues: { ...base.values, ...draft?.values },
    validate: (values) => placeErrors(validate(toInput ? toInput(values) : values), shownAt),
    validateInputOnBlur: true,
    onValuesChange: () => {
      if (phase.current === 'saved') phase.current = 'open'
      isGivenUp.current = false
    },
  })
  const isDirty = !isSame(form.values, base.values)
  const isTouched = isDirty || beside?.isChanged === true
  const restoreBeside = useEffectEvent(() => {
    if (draft?.beside !== undefined) beside?.restore(draft.beside)
  })
  useEffect(() => restoreBeside(), [])
  const keptAs = useRef(name)
  const keep = useEffectEvent(() => {
    // What a form is about may be chosen in it: what was typed goes along, and is not met again under what it was about.
    if (keptAs.current !== name) dropDraft(keptAs.current)
    keptAs.current = name
    if (phase.current !== 'open') return
    const [values, was] = [written(form.values), written(base.values)]
    if (isSame(values, was) && !beside?.isChanged) dropDraft(name)
    else writeDraft(name, { values, base: { ...base, values: was }, beside: beside?.now } satisfies Draft<V>)
  })
  const besideNow = JSON.stringify(beside?.now)
  // biome-ignore lint/correctness/useExhaustiveDependencies: written down whenever one of these changes
  useEffect(() => keep(), [name, form.values, base, besideNow])

  useUnsaved({
    isUnsaved: () => phase.current === 'open' && isTouched,
    isSaving: () => phase.current === 'saving' && isTouched,
    forget() {
      phase.current = 'saved'
      dropDraft(name)
    },
    lost: () =>
      secrets.some((field) => !isSame(form.getValues()[field], base.values[field])) ? [t('state.lostSecrets')] : [],
  })
  // A dialog that was cancelled begins anew the next time; one that was closed by accident gives back what was typed.
  useEffect(
    () => () => {
      if (isGivenUp.current) dropDraft(name)
    },
    [name],
  )

  /** The fields that this form draws. */
  const drawn = new Set<string>()
  const isDrawn = (path: string) => drawn.has(path) || form.getInputNode(path) !== null
  const focusFirst = (errors: FormErrors) => {
    const { reveal } = options
    if (reveal && Object.keys(errors).length > 0) flushSync(reveal)
    const nodes = Object.keys(errors).flatMap((path) => form.getInputNode(path) ?? [])
    nodes.toSorted(byPosition)[0]?.focus()
  }
  const readAgain = (error: CallFailed) =>
    options.reload ? options.reload() : queryClient.invalidateQueries({ queryKey: [error.op.split('.')[0]] })
  const fail = (error: unknown) => {
    if (error instanceof CallFailed && error.code === 412 && version !== undefined) {
      setIsStale(true)
      void readAgain(error)
      return
    }
    const fields = error instanceof CallFailed ? Object.entries(placeErrors(error.errors, shownAt)) : []
    const here = fields.filter(([path]) => isDrawn(path))
    // An error on a field that this form does not show would be lost there: it becomes a message.
    if (here.length < fields.length || fields.length === 0) report(error)
    const errors = Object.fromEntries(here.map(([path, ids]) => [path, ids[0] ?? 'invalid']))
    form.setErrors(errors)
    setIsRefused(here.length > 0)
    focusFirst(errors)
  }
  const run = async (values: V, from: number | undefined) => {
    setIsSaving(true)
    setIsRefused(false)
    setIsStale(false)
    phase.current = 'saving'
    try {
      await options.submit(values, from)
      phase.current = 'saved'
      dropDraft(name)
    } catch (error) {
      phase.current = 'open'
      fail(error)
    } finally {
      setIsSaving(false)
    }
  }

  const save = form.onSubmit(
    (values) => run(values, base.version),
    (errors) => {
      setIsRefused(true)
      focusFirst(errors)
      // An error that stands at no input would leave a button that does nothing.
      const lost = Object.entries(errors).filter(([path]) => !isDrawn(path))
      for (const [path, id] of lost)
        notify({ type: 'error', text: t('common.pair', { name: path, text: fieldText(String(id)) }) })
    },
  )

  /** Goes on from the row as it is stored now. */
  const take = (keepsMine: boolean) => {
    const values = keepsMine ? rebase(base.values, form.getValues(), initial) : initial
    setBase(theirs)
    form.setValues(values)
    beside?.take(keepsMine)
    setIsStale(false)
    if (!keepsMine) setIsRestored(false)
  }
  const isBehind = version !== undefined && base.version !== undefined && version > base.version
  const isOther = isBehind && !isSame([theirs.values, theirs.stored], [base.values, base.stored])
  const catchUp = useEffectEvent(() => {
    // What was saved here is what is stored now; and a change elsewhere in the row is none of this form's.
    if (phase.current === 'saved' || !isOther) setBase(theirs)
    else if (!isTouched) take(false)
    if (isStale && !isOther) void run(form.getValues(), version)
  })
  const catchesUp = isBehind && !isSaving && !(isOther && isTouched && phase.current === 'open')
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for every newer version
  useEffect(() => {
    if (catchesUp) catchUp()
  }, [catchesUp, version])

  /** Forgets what was typed. */
  const discard = () => take(false)
  const isContested = isOther && isTouched && !isSaving && phase.current === 'open'

  return {
    form,
    values: form.values,
    isDirty,
    isSaving,
    /** The last try to save was stopped by errors at fields, some of which are still there. */
    isRefused: isRefused && Object.keys(form.errors).length > 0,
    /** Props of one input, its error translated. */
    field: (path: string, more?: { type?: 'checkbox' }) => {
      drawn.add(path)
      const { error, ...props } = form.getInputProps(path, more)
      return { ...props, error: error ? fieldText(String(error)) : undefined }
    },
    /** For `Form`, around the fields. */
    frame: {
      onSubmit: (event?: FormEvent<HTMLFormElement>) => save(event),
      onGiveUp: () => {
        isGivenUp.current = true
      },
      /** That a draft came back, and that somebody else changed the row. */
      notes: (
        <>
          {isRestored && !isContested && <DraftNote onDiscard={discard} />}
          {isContested && <BehindNote onTheirs={() => take(false)} onMine={() => take(true)} />}
          {isStale && !isBehind && (
            <Alert color="orange" role="alert" mb="sm">
              {t('message.stale_version')}
            </Alert>
          )}
        </>
      ),
    },
  }
}

/** Says that somebody else changed the same meanwhile, with both ways on. */
export function BehindNote({ onTheirs, onMine }: { onTheirs: () => void; onMine: () => void }) {
  const { t } = useTranslation()
  return (
    <Alert color="orange" role="alert" mb="sm" title={t('state.behindTitle')}>
      {t('state.behindText')}
      <Group gap="xs" mt="sm">
        <Button variant="default" size="compact-sm" onClick={onTheirs}>
          {t('state.behindTheirs')}
        </Button>
        <Button variant="default" size="compact-sm" onClick={onMine}>
          {t('state.behindMine')}
        </Button>
      </Group>
    </Alert>
  )
}

/** Says that what was typed before came back. */
export function DraftNote({ onDiscard }: { onDiscard: () => void }) {
  const { t } = useTranslation()
  return (
    <Group gap="xs" mb="sm" role="status">
      <Text size="sm" className="t2">
        {t('state.draftRestored')}
      </Text>
      <Button variant="subtle" size="compact-sm" onClick={onDiscard}>
        {t('state.draftDiscard')}
      </Button>
    </Group>
  )
}

const GiveUp = createContext<() => void>(() => undefined)

type FormProps = {
  onSubmit: (event: FormEvent<HTMLFormElement>) => void
  onGiveUp: () => void
  notes: ReactNode
  children: ReactNode
}

/** The element of a form of `useDraftForm`, with what is to be said above its fields. */
export function Form({ onSubmit, onGiveUp, notes, children }: FormProps) {
  return (
    <GiveUp value={onGiveUp}>
      <form onSubmit={onSubmit} noValidate>
        {notes}
        {children}
      </form>
    </GiveUp>
  )
}

type ActionsProps = {
  submitLabel: string
  isSaving: boolean
  onCancel?: () => void
  /** Something else on the screen is what should be done first. */
  isSecondary?: boolean
  children?: ReactNode
}

/** The end of a form: cancel, then the one primary action; sticks to the bottom on a phone. */
export function FormActions({ submitLabel, isSaving, onCancel, isSecondary, children }: ActionsProps) {
  const { t } = useTranslation()
  const giveUp = useContext(GiveUp)
  return (
    <Group justify="flex-end" gap="xs" mt="lg">
      {children}
      {onCancel && (
        <Button
          variant="default"
          onClick={() => {
            giveUp()
            onCancel()
          }}
        >
          {t('common.cancel')}
        </Button>
      )}
      <Button type="submit" variant={isSecondary ? 'default' : 'filled'} loading={isSaving}>
        {submitLabel}
      </Button>
    </Group>
  )
}
