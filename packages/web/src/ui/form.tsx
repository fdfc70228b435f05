import { Button, Group, Text } from '@mantine/core'
import { type FormErrors, schemaResolver, useForm } from '@mantine/form'
import { useBlocker } from '@tanstack/react-router'
import { type FormEvent, lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ZodType } from 'zod'
import { CallFailed } from '../api.ts'
import { report } from '../app/client.ts'
import { notify } from '../app/messages.ts'
import { fieldText } from '../i18n/words.ts'
import { session } from '../session.ts'
import { dropDraft, readDraft, writeDraft } from './draft.ts'
import { placeErrors } from './form-errors.ts'

/** Loaded when somebody is about to leave unsaved changes. */
const Confirm = lazy(() => import('./Confirm.tsx').then((module) => ({ default: module.Confirm })))

type Options<V extends object> = {
  /** Names the draft: one per form and entity, e.g. `site.edit:<id>`. */
  name: string
  initial: V
  /** The call's own schema, the one the server checks with. */
  schema: ZodType
  /** What the schema and the call see, where the form's values differ from it. */
  toInput?: (values: V) => unknown
  /** Which input shows the errors of a field of the call, and of all below it, where the two are named differently. */
  shownAt?: Readonly<Record<string, Extract<keyof V, string>>>
  /** Fields that are never written down. */
  secrets?: readonly (keyof V)[]
  /** Saves. A `CallFailed` it throws puts its field errors on the fields, or is shown as a message. */
  submit: (values: V) => Promise<unknown>
}

/** `['a.b', …]` in the order in which their inputs stand on the page. */
const byPosition = (a: Element, b: Element) =>
  a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1

/**
 * A form over a schema of the contract: errors in the person's language, focus on the first wrong field, the server's
 * field errors on their fields, a draft that survives a sign-in, and a question before leaving with unsaved changes.
 */
export function useDraftForm<V extends Record<string, unknown>>(options: Options<V>) {
  const { name, initial, schema, toInput, shownAt = {}, secrets = [], submit } = options
  const { t } = useTranslation()
  const [draft] = useState(() => readDraft<V>(name))
  const [isRestored, setIsRestored] = useState(draft !== null)
  const [isSaving, setIsSaving] = useState(false)
  const [isRefused, setIsRefused] = useState(false)
  const isDone = useRef(false)
  const validate = schemaResolver(schema, { sync: true })
  const form = useForm<V>({
    initialValues: initial,
    validate: (values) => placeErrors(validate(toInput ? toInput(values) : values), shownAt),
    validateInputOnBlur: true,
    onValuesChange: (values) => {
      if (!isDone.current) writeDraft(name, values, secrets)
    },
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the draft is put back once, when the form opens
  useEffect(() => {
    if (draft) form.setValues({ ...initial, ...draft })
  }, [])

  const isDirty = form.isDirty()
  const blocker = useBlocker({
    // Without a session there is nothing to stay for: the draft is kept, and the way leads to the sign-in.
    shouldBlockFn: ({ current, next }) =>
      !isDone.current && form.isDirty() && Boolean(session.get()) && current.pathname !== next.pathname,
    enableBeforeUnload: () => !isDone.current && form.isDirty(),
    withResolver: true,
  })

  /** The fields that this form draws. */
  const drawn = new Set<string>()
  const isDrawn = (path: string) => drawn.has(path) || form.getInputNode(path) !== null
  const focusFirst = (errors: FormErrors) => {
    const nodes = Object.keys(errors).flatMap((path) => form.getInputNode(path) ?? [])
    nodes.toSorted(byPosition)[0]?.focus()
  }
  const fail = (error: unknown) => {
    const fields = error instanceof CallFailed ? Object.entries(placeErrors(error.errors, shownAt)) : []
    const here = fields.filter(([path]) => isDrawn(path))
    // An error on a field that this form does not show would be lost there: it becomes a message.
    if (here.length < fields.length || fields.length === 0) report(error)
    const errors = Object.fromEntries(here.map(([path, ids]) => [path, ids[0] ?? 'invalid']))
    form.setErrors(errors)
    setIsRefused(here.length > 0)
    focusFirst(errors)
  }

  const save = form.onSubmit(
    async (values) => {
      setIsSaving(true)
      setIsRefused(false)
      try {
        isDone.current = true
        await submit(values)
        dropDraft(name)
      } catch (error) {
        isDone.current = false
        fail(error)
      } finally {
        setIsSaving(false)
      }
    },
    (errors) => {
      setIsRefused(true)
      focusFirst(errors)
      // An error that stands at no input would leave a button that does nothing.
      const lost = Object.entries(errors).filter(([path]) => !isDrawn(path))
      for (const [path, id] of lost)
        notify({ type: 'error', text: t('common.pair', { name: path, text: fieldText(String(id)) }) })
    },
  )

  /** Forgets what was typed. */
  const discard = () => {
    dropDraft(name)
    form.reset()
    setIsRestored(false)
  }

  return {
    form,
    values: form.values,
    isDirty,
    isSaving,
    /** The last try to save was stopped by errors at fields, some of which are still there. */
    isRefused: isRefused && Object.keys(form.errors).length > 0,
    discard,
    onSubmit: (event?: FormEvent<HTMLFormElement>) => save(event),
    /** Props of one input, its error translated. */
    field: (path: string, more?: { type?: 'checkbox' }) => {
      drawn.add(path)
      const { error, ...props } = form.getInputProps(path, more)
      return { ...props, error: error ? fieldText(String(error)) : undefined }
    },
    /** The note that a draft came back, and the question before leaving: put it into the form. */
    guards: (
      <>
        {isRestored && (
          <Group gap="xs" mb="sm" role="status">
            <Text size="sm" className="t2">
              {t('state.draftRestored')}
            </Text>
            <Button variant="subtle" size="compact-sm" onClick={discard}>
              {t('state.draftDiscard')}
            </Button>
          </Group>
        )}
        {blocker.status === 'blocked' && (
          <Suspense>
            <Confirm
              opened
              onClose={() => blocker.reset()}
              title={t('state.unsavedTitle')}
              confirmLabel={t('state.unsavedLeave')}
              cancelLabel={t('state.unsavedStay')}
              onConfirm={() => {
                dropDraft(name)
                blocker.proceed()
              }}
            >
              {t('state.unsavedText')}
            </Confirm>
          </Suspense>
        )}
      </>
    ),
  }
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
  return (
    <Group justify="flex-end" gap="xs" mt="lg">
      {children}
      {onCancel && (
        <Button variant="default" onClick={onCancel}>
          {t('common.cancel')}
        </Button>
      )}
      <Button type="submit" variant={isSecondary ? 'default' : 'filled'} loading={isSaving}>
        {submitLabel}
      </Button>
    </Group>
  )
}
