import { Button, Group, SegmentedControl, Switch, Textarea } from '@mantine/core'
import type { bundle, Reply } from '@sightline/contract'
import type { UsecaseKey } from '@sightline/domain'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import * as z from 'zod'
import { api, refresh } from '../app/client.ts'
import { notify } from '../app/messages.ts'
import { fieldText, words } from '../i18n/words.ts'
import { useMay } from '../session.ts'
import { usecaseIcons } from '../ui/analytics/usecase-icons.ts'
import { Diff } from '../ui/Diff.tsx'
import { diffLines } from '../ui/diff.ts'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { ElementForm } from '../ui/elements/ElementForm.tsx'
import { Tag } from '../ui/Health.tsx'
import { jsonText } from '../ui/json-text.ts'
import { PageHeader } from '../ui/PageHeader.tsx'
import { Panel } from '../ui/Panel.tsx'
import { RowsSkeleton } from '../ui/Skeletons.tsx'
import { type Defaults, faultsOf, refusedOf, textOf } from './defaults.ts'
import classes from './settings.module.css'

type Props = { usecaseKey: UsecaseKey | undefined; onChoose: (key: UsecaseKey) => void }

/** What each use case starts with on a new channel, for the whole organization. */
export function BundleDefaults({ usecaseKey, onChoose }: Props) {
  const { t } = useTranslation()
  const { data: bundles } = useSuspenseQuery(api.bundle.list.query({}))
  const mayEdit = useMay('super_admin_only')
  const chosen = usecaseKey ?? bundles[0]?.bundle_usecases[0]?.usecase_key
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
                    onClick={() => onChoose(usecase_key)}
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
  if (defaults.isError) return <ErrorPanel error={defaults.error} onRetry={() => void defaults.refetch()} />
  if (!defaults.data) return <RowsSkeleton />
  // What was saved begins anew from what the server answers.
  return <Editor key={JSON.stringify(defaults.data)} stored={defaults.data} mayEdit={mayEdit} />
}

type Stored = Reply<typeof bundle.defaultsGet>

const document = jsonText(
  z.strictObject({
    pipeline_elements: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    auto_recovery: z.boolean(),
  }),
)

function Editor({ stored, mayEdit }: { stored: Stored; mayEdit: boolean }) {
  const { t } = useTranslation()
  const { bundle_usecase, factory, is_own } = stored
  const before: Defaults = {
    pipeline_elements: stored.defaults.pipeline_elements,
    auto_recovery: stored.defaults.auto_recovery,
  }
  const [wanted, setWanted] = useState(before)
  const [view, setView] = useState<'form' | 'json'>('form')
  const [text, setText] = useState('')
  const [isSaving, setIsSaving] = useState(false)
  const [refused, setRefused] = useState<Record<string, string>>({})

  const read = view === 'json' ? document.safeParse(text) : null
  const now = read?.success ? (read.data as Defaults) : wanted
  const faults = { ...faultsOf(now, factory), ...refused }
  const isChanged = JSON.stringify(now) !== JSON.stringify(before)
  const isReady = isChanged && (read === null || read.success) && Object.keys(faults).length === 0
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
