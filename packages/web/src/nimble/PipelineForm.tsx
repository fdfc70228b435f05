import { Alert, Button, Group, Select, TextInput } from '@mantine/core'
import { type PipelineUse, api as table } from '@sightline/contract'
import {
  calibrationKeys,
  elementFaults,
  type PipelineElements,
  type PipelineValue,
  pipelineCatalog,
  type UsecaseKey,
  usecaseKeys,
} from '@sightline/domain'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, refresh } from '../app/client.ts'
import { fieldText } from '../i18n/words.ts'
import { dropDraft, readDraft } from '../ui/draft.ts'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { ElementForm } from '../ui/elements/ElementForm.tsx'
import { DraftNote } from '../ui/form.tsx'
import { PipelineUsers } from '../ui/PipelineUsers.tsx'
import { RowsSkeleton } from '../ui/Skeletons.tsx'
import { useKept } from '../ui/useKept.ts'

const path = 'pipeline_elements.'
const nameOf = table.pipeline.create.input.shape.pipeline_name

type Props = {
  nimbleId: string
  /** The one to change; without it a new one is made. */
  pipeline: PipelineUse | undefined
  onCancel: () => void
  onDone: () => void
}

/** What was set: `version` is that of the pipeline it was set on. */
type Kept = { usecase: UsecaseKey; typed: string | null; changes: PipelineElements; version: number | undefined }

/** Name and elements of a pipeline, and what a change costs the analytics that run it. */
export function PipelineForm({ nimbleId: nimble_id, pipeline, onCancel, onDone }: Props) {
  const { t } = useTranslation()
  const keptAs = pipeline ? `pipeline.edit:${pipeline.pipeline_id}` : `pipeline.add:${nimble_id}`
  const [kept] = useState(() => readDraft<Kept>(keptAs))
  const [isRestored, setIsRestored] = useState(kept !== null)
  const own = pipeline?.pipeline_usecase ?? 'pplcnt'
  const [usecase, setUsecase] = useState<UsecaseKey>(kept?.usecase ?? own)
  const [typed, setTyped] = useState<string | null>(kept?.typed ?? null)
  const name = typed ?? pipeline?.pipeline_name ?? t(`usecase.name.${usecase}`)
  const [changes, setChanges] = useState<PipelineElements>(kept?.changes ?? {})
  /** Of the pipeline as it was opened; after a refusal as stale, of what is shown since. */
  const [opened, setOpened] = useState(kept ? kept.version : pipeline?.version)
  const now = useMemo(
    (): Kept | null =>
      typed !== null || usecase !== own || Object.keys(changes).length > 0
        ? { usecase, typed, changes, version: opened }
        : null,
    [usecase, own, typed, changes, opened],
  )
  useKept({ name: keptAs, now })
  const done = () => {
    dropDraft(keptAs)
    onDone()
  }
  const defaults = useQuery(api.pipeline.defaults.query({ usecase_key: usecase }))
  const create = useMutation(api.pipeline.create.mutation({ inline: true }))
  const update = useMutation(api.pipeline.update.mutation({ inline: true }))
  if (defaults.isError && !defaults.data)
    return <ErrorPanel error={defaults.error} onRetry={() => void defaults.refetch()} />
  if (!defaults.data) return <RowsSkeleton rows={5} height={54} />

  const base = defaults.data.pipeline_elements
  const stored = pipeline?.pipeline_elements ?? base
  const values = { ...stored, ...changes }
  const changed = Object.keys(changes).filter((key) => changes[key] !== stored[key])
  const isPending = create.isPending || update.isPending
  const failure = create.error ?? update.error
  const edit = () => {
    create.reset()
    update.reset()
  }
  const refused = Object.entries(failure?.errors ?? {}).flatMap(([field, [id = 'invalid']]) =>
    field.startsWith(path) ? [[field.slice(path.length), id] as const] : [],
  )
  const faults = { ...elementFaults(values), ...Object.fromEntries(refused) }
  const nameFault = failure?.errors.pipeline_name?.[0] ?? nameOf.safeParse(name).error?.issues[0]?.message
  const isReady =
    !nameFault &&
    Object.keys(faults).length === 0 &&
    (!pipeline || changed.length > 0 || name !== pipeline.pipeline_name)
  const save = () => {
    const pipeline_elements = Object.fromEntries(changed.map((key) => [key, values[key] as PipelineValue]))
    if (!pipeline)
      create.mutate(
        { pipeline_name: name, pipeline_elements, nimble_id, pipeline_usecase: usecase },
        { onSuccess: done },
      )
    else
      update.mutate(
        {
          pipeline_id: pipeline.pipeline_id,
          ...(name !== pipeline.pipeline_name && { pipeline_name: name }),
          ...(changed.length > 0 && { pipeline_elements }),
          version: opened ?? pipeline.version,
        },
        {
          onSuccess: done,
          onError: ({ code }) => {
            // Somebody else was faster: what they changed is shown under what was set here.
            if (code !== 412) return
            setOpened(undefined)
            refresh('pipeline')
          },
        },
      )
  }
  return (
    <form
      className="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (isReady) save()
      }}
    >
      {isRestored && (
        <DraftNote
          onDiscard={() => {
            edit()
            setIsRestored(false)
            setUsecase(own)
            setTyped(null)
            setChanges({})
            setOpened(pipeline?.version)
          }}
        />
      )}
      {!pipeline && (
        <Select
          label={t('pipeline.usecase')}
          description={t('pipeline.addText')}
          allowDeselect={false}
          data-autofocus
          data={usecaseKeys.map((key) => ({ value: key, label: t(`usecase.name.${key}`) }))}
          value={usecase}
          onChange={(next) => {
            if (!next) return
            edit()
            setUsecase(next as UsecaseKey)
            setChanges({})
          }}
        />
      )}
      <TextInput
        label={t('pipeline.name')}
        withAsterisk
        value={name}
        error={nameFault && fieldText(nameFault)}
        onChange={({ currentTarget }) => {
          edit()
          setTyped(currentTarget.value)
        }}
      />
      <ElementForm
        key={`${usecase} ${isRestored}`}
        values={values}
        base={base}
        faults={faults}
        // Drawn on the picture of a camera.
        hidden={calibrationKeys}
        runs={Boolean(pipeline?.channels.length)}
        onChange={(key, value) => {
          edit()
          setChanges({ ...changes, [key]: value })
        }}
      />
      {pipeline && pipeline.channels.length > 0 && (
        <Alert color={changed.length > 0 ? 'orange' : 'gray'} variant="light" role="status">
          {t(costOf(changed), { count: pipeline.channels.length })} <PipelineUsers channels={pipeline.channels} />
        </Alert>
      )}
      {failure && refused.length === 0 && !failure.errors.pipeline_name && (
        <Alert color="red" variant="light" role="alert">
          {failure.message}
        </Alert>
      )}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onCancel} disabled={isPending}>
          {t('common.cancel')}
        </Button>
        <Button type="submit" loading={isPending} disabled={!isReady}>
          {t(pipeline ? 'common.save' : 'pipeline.add')}
        </Button>
      </Group>
    </form>
  )
}

/** What saving these elements does to analytics that run. */
function costOf(changed: readonly string[]) {
  if (changed.length === 0) return 'pipeline.runBy'
  const isHot = changed.every((key) => pipelineCatalog.find((item) => item.key === key)?.hot_reload)
  return isHot ? 'pipeline.goOn' : 'pipeline.anew'
}
