import { Button, Group, SegmentedControl, Switch, Textarea } from '@mantine/core'
import type { bundle, Reply } from '@sightline/contract'
import type { UsecaseKey } from '@sightline/domain'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import * as z from 'zod'
import { api, refresh } from '../app/client.ts'
import { notify } from '../app/messages.ts'
import { fieldText, words } from '../i18n/words.ts'
import { useMay } from '../session.ts'
import { usecaseIcons } from '../ui/analytics/usecase-icons.ts'
import { Diff } from '../ui/Diff.tsx'
import { diffLines } from '../ui/diff.ts'
import { dropDraft, readDraft } from '../ui/draft.ts'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { ElementForm } from '../ui/elements/ElementForm.tsx'
import { BehindNote, DraftNote } from '../ui/form.tsx'
import { Tag } from '../ui/Health.tsx'
import { jsonText } from '../ui/json-text.ts'
import { mayLeave } from '../ui/leaving.ts'
import { PageHeader } from '../ui/PageHeader.tsx'
import { Panel } from '../ui/Panel.tsx'
import { isSame, rebase } from '../ui/rebase.ts'
import { RowsSkeleton } from '../ui/Skeletons.tsx'
import { useKept } from '../ui/useKept.ts'
import { type Defaults, faultsOf, refusedOf, textOf } from './defaults.ts'
import classes from './settings.module.css'

type Props = { usecaseKey: UsecaseKey | undefined; onChoose: (key: UsecaseKey) => void }

/** What each use case starts with on a new channel, for the whole organization. */
export function BundleDefaults({ usecaseKey, onChoose }: Props) {
  const { t } = useTranslation()
  const { data: bundles } = useSuspenseQuery(api.bundle.list.query({}))
  const mayEdit = useMay('super_admin_only')
  const chosen = usecaseKey ?? bundles[0]?.bundle_usecases[0]?.usecase_key
  const choose = async (key: UsecaseKey) => {
    if (key !== chosen && (await mayLeave())) onChoose(key)
  }
  return (
    <>
      <PageHeader title={t('screen./settings/bundle')} meta={t(mayEdit ? 'bundle.meta' : 'bundle.readOnly')} />
      <div className={classes.columns}>
        <nav className={classes.list} aria-label={t('bundle.usecases')}>
          {bundles.map(({ bundle_id, type, bundle_usecases }) => (
            <section key={bundle_id}>
              <h2>{t(`usecase.bundle.${type}`)}</h2>
              {bundle_usecases.map(({ usecase_key }) => {
                const Icon = usecaseIcons[usecase_key]
                return (
                  <button
                    key={usecase_key}
                    type="button"
                    aria-current={usecase_key === chosen || undefined}
                    onClick={() => void choose(usecase_key)}
                  >
                    <Icon size={18} stroke={1.6} aria-hidden="true" />
                    {t(`usecase.name.${usecase_key}`)}
                  </button>
                )
              })}
            </section>
          ))}
        </nav>
        {chosen && <OfUsecase key={chosen} usecaseKey={chosen} mayEdit={mayEdit} />}
      </div>
    </>
  )
}

function OfUsecase({ usecaseKey, mayEdit }: { usecaseKey: UsecaseKey; mayEdit: boolean }) {
  const defaults = useQuery(api.bundle.defaultsGet.query({ bundle_usecase: usecaseKey }))
  if (defaults.isError && !defaults.data)
    return <ErrorPanel error={defaults.error} onRetry={() => void defaults.refetch()} />
  if (!defaults.data) return <RowsSkeleton />
  return <Editor stored={defaults.data} mayEdit={mayEdit} />
}

type Stored = Reply<typeof bundle.defaultsGet>

const document = jsonText(
  z.strictObject({
    pipeline_elements: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    auto_recovery: z.boolean(),
  }),
)

/** What was typed, and what was stored when it was begun. */
type Kept = { before: Defaults; wanted: Defaults; view: 'form' | 'json'; text: string }

const defaultsOf = ({ defaults: { pipeline_elements, auto_recovery } }: Stored): Defaults => ({
  pipeline_elements,
  auto_recovery,
})

function Editor({ stored, mayEdit }: { stored: Stored; mayEdit: boolean }) {
  const { t } = useTranslation()
  const { bundle_usecase, factory, is_own } = stored
  const theirs = defaultsOf(stored)
  const keptAs = `bundle.defaults:${bundle_usecase}`
  const [kept] = useState(() => readDraft<Kept>(keptAs))
  const [isRestored, setIsRestored] = useState(kept !== null)
  const [before, setBefore] = useState(kept?.before ?? theirs)
  const [wanted, setWanted] = useState(kept?.wanted ?? theirs)
  const [view, setView] = useState(kept?.view ?? 'form')
  const [text, setText] = useState(kept?.text ?? '')
  /** What the server answered to the last change made here, until it is what is read. */
  const [saved, setSaved] = useState<Defaults | null>(null)
  const [isSaving, setIsSaving] = useState(false)
  const [refused, setRefused] = useState<Record<string, string>>({})

  const read = view === 'json' ? document.safeParse(text) : null
  const now = read?.success ? (read.data as Defaults) : wanted
  const faults = { ...faultsOf(now, factory), ...refused }
  // What cannot be read yet was typed too.
  const isChanged = read?.success === false || !isSame(now, before)
  const take = (next: Defaults) => {
    setBefore(theirs)
    setWanted(next)
    if (read?.success !== false || next === theirs) setText(textOf(next, factory))
    setRefused({})
    setSaved(null)
  }
  const discard = () => {
    take(theirs)
    setIsRestored(false)
  }
  const isBehind = !isSame(theirs, before)
  // Nothing typed is lost by it: it was saved just now, or there is nothing.
  if (isBehind && (!isChanged || isSame(theirs, saved))) discard()
  const isContested = isBehind && isChanged
  const isReady = isChanged && !isContested && (read === null || read.success) && Object.keys(faults).length === 0
  const unsaved = useMemo(
    (): Kept | null => (isChanged ? { before, wanted, view, text } : null),
    [isChanged, before, wanted, view, text],
  )
  useKept({ name: keptAs, now: unsaved, isUnsaved: isChanged && !isSaving && saved === null })
  const show = (next: 'form' | 'json') => {
    if (next === 'json') setText(textOf(wanted, factory))
    else if (read?.success) setWanted(read.data as Defaults)
    setView(next)
  }
  const save = async (defaults: Defaults | null) => {
    setIsSaving(true)
    const result = await api.bundle.defaultsSet.call({ bundle_usecase, defaults })
    setIsSaving(false)
    if (result.status) {
      notify({ type: 'success', text: words.pair('bundle.defaultsSet').done })
      dropDraft(keptAs)
      const after = defaultsOf(result.data)
      if (isSame(after, theirs)) discard()
      else setSaved(after)
      refresh('bundle')
      return
    }
    const ids = refusedOf(result.failure.errors)
    if (Object.keys(ids).length > 0) setRefused(ids)
    else notify({ type: 'error', text: result.message.text })
  }
  const lines = diffLines(textOf(factory, factory), textOf(now, factory))
  const differs = lines.filter(({ kind }) => kind !== 'same')
  const jsonFaults =
    read && !read.success ? read.error.issues.map(({ path, message }) => [path.join('.'), message]) : []
  const shownFaults = [...jsonFaults, ...(view === 'json' ? Object.entries(faults) : [])]

  return (
    <Panel
      title={t(`usecase.name.${bundle_usecase}`)}
      hint={t(`usecase.about.${bundle_usecase}`)}
      aside={
        <Group gap="xs">
          <Tag tone={is_own ? 'info' : 'neutral'}>{t(is_own ? 'bundle.own' : 'bundle.factory')}</Tag>
          <SegmentedControl
            size="xs"
            aria-label={t('bundle.view')}
            value={view}
            // What cannot be read stays where it can be mended.
            disabled={read?.success === false}
            onChange={(next) => show(next as 'form' | 'json')}
            data={[
              { value: 'form', label: t('bundle.form') },
              { value: 'json', label: 'JSON' },
            ]}
          />
        </Group>
      }
    >
      {isRestored && !isContested && <DraftNote onDiscard={discard} />}
      {isContested && (
        <BehindNote
          onTheirs={discard}
          onMine={() => take(read?.success === false ? wanted : rebase(before, now, theirs))}
        />
      )}
      <div className={classes.beside}>
        <fieldset className={classes.fields} disabled={!mayEdit}>
          {view === 'form' ? (
            <>
              <Switch
                mb="md"
                label={t('channel.field.autoRecovery')}
                description={t('channel.field.autoRecoveryHint')}
                checked={wanted.auto_recovery}
                onChange={({ currentTarget }) => setWanted({ ...wanted, auto_recovery: currentTarget.checked })}
              />
              <ElementForm
                values={wanted.pipeline_elements}
                base={factory.pipeline_elements}
                faults={faults}
                // An analytic takes the zone of its site.
                hidden={['analytic.timezone']}
                onChange={(key, value) => {
                  setRefused({})
                  setWanted({ ...wanted, pipeline_elements: { ...wanted.pipeline_elements, [key]: value } })
                }}
              />
            </>
          ) : (
            <Textarea
              className={classes.json}
              label={t('bundle.document')}
              autosize
              minRows={14}
              spellCheck={false}
              value={text}
              onChange={({ currentTarget }) => {
                setRefused({})
                setText(currentTarget.value)
              }}
              error={
                shownFaults.length > 0 &&
                shownFaults
                  .map(([path, id]) => [path, fieldText(id ?? 'invalid')].filter(Boolean).join(': '))
                  .join(' · ')
              }
            />
          )}
        </fieldset>
        <div className={classes.against}>
          <h3>{t('bundle.against')}</h3>
          <p role="status">
            {differs.length === 0 ? t('bundle.sameAsFactory') : t('bundle.differs', { count: differs.length })}
          </p>
          {differs.length > 0 && <Diff lines={differs} label={t('bundle.against')} />}
        </div>
      </div>
      {mayEdit && (
        <Group justify="flex-end" mt="lg" gap="xs">
          {is_own && (
            <Button variant="default" loading={isSaving} onClick={() => void save(null)}>
              {t('bundle.toFactory')}
            </Button>
          )}
          <Button loading={isSaving} disabled={!isReady} onClick={() => void save(now)}>
            {t('bundle.save')}
          </Button>
        </Group>
      )}
    </Panel>
  )
}
