import { Alert, Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core'
import { type Nimble, type NimbleConfiguration, nimbleConfiguration } from '@sightline/contract'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, refresh } from '../app/client.ts'
import { notify } from '../app/messages.ts'
import { edgeName } from '../i18n/seeded.ts'
import { fieldText, words } from '../i18n/words.ts'
import { useStore } from '../store.ts'
import { Diff } from '../ui/Diff.tsx'
import { diffLines } from '../ui/diff.ts'
import { dropDraft, readDraft } from '../ui/draft.ts'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { DraftNote } from '../ui/form.tsx'
import { asJson, jsonText } from '../ui/json-text.ts'
import { mayLeave, question } from '../ui/leaving.ts'
import { BlockSkeleton } from '../ui/Skeletons.tsx'
import { useKept } from '../ui/useKept.ts'
import classes from './nimble.module.css'

const written = jsonText(nimbleConfiguration)

type Props = { nimble: Nimble; opened: boolean; onClose: () => void }

/** The whole configuration of an edge server as one document; what changes is shown before it is replaced. */
export function Override({ nimble, opened, onClose }: Props) {
  const { t } = useTranslation()
  const isAsked = useStore(question) !== null
  const leave = async () => {
    if (await mayLeave()) onClose()
  }
  return (
    <Modal
      opened={opened}
      onClose={() => void leave()}
      // Escape answers the question then.
      closeOnEscape={!isAsked}
      // A whole document must not go by a press beside the dialog.
      closeOnClickOutside={false}
      title={t('nimble.override.title', { name: edgeName(nimble) })}
      size="xl"
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      {opened && <Document nimble={nimble} onCancel={() => void leave()} onDone={onClose} />}
    </Modal>
  )
}

function Document({ nimble, onCancel, onDone }: { nimble: Nimble; onCancel: () => void; onDone: () => void }) {
  const { t } = useTranslation()
  const { nimble_id } = nimble
  // Read once: another look at it, such as on coming back to the window, would take away what was typed.
  const read = useQuery({
    ...api.setting.nimbleGet.query({ nimble_id }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  if (read.isError && !read.data) return <ErrorPanel error={read.error} onRetry={() => void read.refetch()} />
  if (!read.data) return <BlockSkeleton height={360} />
  const { nimble_id: _, version, ...configuration } = read.data
  return (
    <Editor
      nimbleId={nimble_id}
      version={version}
      before={asJson(configuration)}
      onStale={() => void read.refetch()}
      onCancel={onCancel}
      onDone={onDone}
      label={t('nimble.override.document')}
    />
  )
}

type EditorProps = {
  nimbleId: string
  version: number | undefined
  /** The stored document; read again when somebody else has changed it. */
  before: string
  label: string
  onStale: () => void
  onCancel: () => void
  onDone: () => void
}

function Editor({ nimbleId, version, before, label, onStale, onCancel, onDone }: EditorProps) {
  const { t } = useTranslation()
  const keptAs = `nimble.override:${nimbleId}`
  const [kept] = useState(() => readDraft<{ text: string }>(keptAs))
  const [isRestored, setIsRestored] = useState(kept !== null)
  const [text, setText] = useState(kept?.text ?? before)
  const [isStale, setIsStale] = useState(false)
  const [faults, setFaults] = useState<readonly string[]>([])
  const [next, setNext] = useState<NimbleConfiguration | null>(null)
  const [isSaving, setIsSaving] = useState(false)
  const now = useMemo(() => (text === before ? null : { text }), [text, before])
  useKept({ name: keptAs, now, isUnsaved: now !== null && !isSaving })
  const takeStored = () => {
    setText(before)
    setNext(null)
    setIsStale(false)
    setIsRestored(false)
  }

  const review = () => {
    const read = written.safeParse(text)
    if (read.success) {
      setFaults([])
      setNext(read.data)
    } else
      setFaults(
        read.error.issues.map(({ path, message }) => [path.join('.'), fieldText(message)].filter(Boolean).join(': ')),
      )
  }
  const save = async () => {
    if (!next) return
    setIsSaving(true)
    const result = await api.nimble.override.call({ nimble_id: nimbleId, configuration: next, version })
    setIsSaving(false)
    if (result.status) {
      notify({ type: 'success', text: words.pair('nimble.override').done })
      refresh('nimble')
      refresh('setting')
      dropDraft(keptAs)
      onDone()
      return
    }
    if (result.failure.code === 412) {
      // The review that is open compares with what is stored now: what would be undone is seen before it is saved.
      setIsStale(true)
      return onStale()
    }
    setNext(null)
    const fields = Object.entries(result.failure.errors).flatMap(([field, ids]) =>
      ids.map((id) => t('common.pair', { name: field, text: fieldText(id) })),
    )
    setFaults(fields.length > 0 ? fields : [result.message.text])
  }

  // What is filled in by default counts as a change too: both sides are written the same way.
  const lines = next ? diffLines(before, asJson(next)) : []
  const changed = lines.filter(({ kind }) => kind !== 'same').length
  return (
    <Stack gap="sm">
      {isRestored && now && !isStale && <DraftNote onDiscard={takeStored} />}
      {isStale && (
        <Alert color="orange" role="alert" title={t('state.behindTitle')}>
          {t('nimble.override.stale')}
          <Button mt="sm" display="block" variant="default" size="compact-sm" onClick={takeStored}>
            {t('state.behindTheirs')}
          </Button>
        </Alert>
      )}
      {next ? (
        <>
          <Text size="sm" role="status">
            {changed === 0 ? t('nimble.override.same') : t('nimble.override.changed', { count: changed })}
          </Text>
          <Diff lines={lines} label={t('nimble.override.diff')} />
        </>
      ) : (
        <Textarea
          label={label}
          description={`${t('nimble.override.hint')} ${t('nimble.form.keptOnly')}`}
          classNames={{ input: classes.json }}
          spellCheck={false}
          minRows={14}
          maxRows={26}
          data-autofocus
          value={text}
          onChange={({ currentTarget: { value } }) => setText(value)}
        />
      )}
      {faults.length > 0 && (
        <Alert color="red" role="alert">
          {faults.map((fault) => (
            <div key={fault}>{fault}</div>
          ))}
        </Alert>
      )}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={next ? () => setNext(null) : onCancel} disabled={isSaving}>
          {t(next ? 'common.back' : 'common.cancel')}
        </Button>
        {next ? (
          <Button loading={isSaving} disabled={changed === 0} onClick={() => void save()}>
            {t('nimble.override.save')}
          </Button>
        ) : (
          <Button disabled={text === before} onClick={review}>
            {t('nimble.override.review')}
          </Button>
        )}
      </Group>
    </Stack>
  )
}
