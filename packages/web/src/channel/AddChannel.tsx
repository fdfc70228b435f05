import { Alert, Button, Group, NumberInput, Select, Switch, TextInput } from '@mantine/core'
import { channelDraft, type Device } from '@sightline/contract'
import { type UsecaseKey, usecases } from '@sightline/domain'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, refresh } from '../app/client.ts'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { Facts } from '../ui/Facts.tsx'
import { FormActions, useDraftForm } from '../ui/form.tsx'
import { Go, useGo } from '../ui/Go.tsx'
import { Panel } from '../ui/Panel.tsx'
import { RowsSkeleton } from '../ui/Skeletons.tsx'
import { Wizard } from '../ui/Wizard.tsx'
import type { Drawing } from '../ui/zones/editing.ts'
import { useZones } from '../ui/zones/useZones.ts'
import { ZoneEditor } from '../ui/zones/ZoneEditor.tsx'
import { Still, useStill } from './Still.tsx'
import { UsecaseGallery } from './UsecaseGallery.tsx'

const steps = ['usecase', 'picture', 'review'] as const
type Step = (typeof steps)[number]

type Values = {
  channel_name: string
  usecase_key: UsecaseKey | ''
  source_id: string
  channel_threshold: number | ''
  auto_recovery: boolean
}

const whole: Drawing = {
  key: 'whole',
  kind: 'zone',
  name: 'zone1',
  label: null,
  points: [
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 1],
  ],
  direction: 'both',
  side_a: 'a',
  side_b: 'b',
  is_active: true,
  open: false,
}

const across: Drawing = {
  ...whole,
  key: 'across',
  kind: 'line',
  name: 'line1',
  points: [
    [0.1, 0.6],
    [0.9, 0.6],
  ],
}

/** Attaching a use case to a camera: what, where in the picture, under which name. */
export function AddChannel({ device, usecaseKey }: { device: Device; usecaseKey: UsecaseKey | undefined }) {
  const { t } = useTranslation()
  const go = useGo()
  const [step, setStep] = useState<Step>(usecaseKey ? 'picture' : 'usecase')
  const [zonesError, setZonesError] = useState<string | null>(null)
  const bundles = useQuery(api.bundle.list.query({}))
  const licenses = useQuery(api.license.list.query({}))
  const zones = useZones([usecaseKey && usecases[usecaseKey].needsLine ? across : whole])
  const still = useStill(device)
  const { ratio } = still

  const left = licenses.data?.reduce((sum, one) => sum + Math.max(0, one.channel_limit - one.channels_used), 0)
  const search = { sid: device.site_id, did: device.device_id }
  const toInput = (values: Values) => ({
    channel_name: values.channel_name,
    device_id: device.device_id,
    source_id: values.source_id || undefined,
    usecase_key: values.usecase_key as UsecaseKey,
    channel_threshold: values.channel_threshold === '' ? -1 : values.channel_threshold,
    auto_recovery: values.auto_recovery,
    zones: zones.drafts(ratio),
  })
  const { form, values, field, isSaving, onSubmit, guards } = useDraftForm<Values>({
    name: `channel.add:${device.device_id}`,
    initial: {
      channel_name: usecaseKey ? t(`usecase.name.${usecaseKey}`) : '',
      usecase_key: usecaseKey ?? '',
      source_id: device.device_source.find(({ role }) => role !== 'live')?.source_id ?? '',
      channel_threshold: -1,
      auto_recovery: true,
    },
    schema: channelDraft,
    toInput,
    submit: async (chosen) => {
      const result = await api.channel.create.call(toInput(chosen))
      if (!result.status) {
        const ids = Object.entries(result.failure.errors).find(([path]) => path.startsWith('zones'))?.[1]
        if (ids?.[0]) {
          setZonesError(ids[0])
          setStep('picture')
        }
        throw result.failure
      }
      refresh('channel')
      go(
        '/channel/detail',
        { did: device.device_id, cid: result.data.channel_id, uid: result.data.usecase_id },
        { ignoreBlocker: true },
      )
    },
  })
  const key = values.usecase_key || null
  const choose = (next: UsecaseKey) => {
    const isOwnName = values.channel_name !== '' && values.channel_name !== (key && t(`usecase.name.${key}`))
    // What nobody has touched yet becomes what the use case needs.
    if (!zones.isChanged || zones.drawings.every(({ key: one }) => one === whole.key || one === across.key))
      zones.set([usecases[next].needsLine ? across : whole], usecases[next].needsLine ? across.key : whole.key)
    form.setValues({ usecase_key: next, ...(isOwnName ? {} : { channel_name: t(`usecase.name.${next}`) }) })
  }
  /** Leaves the picture only with shapes that the server will take. */
  const checkZones = () => {
    const checked = channelDraft.safeParse({ ...toInput(values), channel_name: 'checked later' })
    const fault = checked.error?.issues.find(({ path: [first] }) => first === 'zones')?.message ?? null
    setZonesError(fault)
    if (!fault) setStep('review')
  }

  const isOpen: Record<Step, boolean> = {
    usecase: true,
    picture: key !== null,
    review: key !== null && zones.drawings.length > 0,
  }
  return (
    <Wizard
      title={t('channel.add.title', { camera: device.device_name })}
      steps={steps.map((id, index) => ({
        id,
        label: t(`channel.add.${id}`),
        isDone: index < steps.indexOf(step),
        isOpen: isOpen[id],
      }))}
      current={step}
      onStep={(id) => setStep(id as Step)}
      isWide={step === 'picture'}
    >
      {guards}
      {step === 'usecase' && (
        <Panel
          title={t('channel.add.chooseUsecase')}
          hint={
            left === undefined
              ? undefined
              : left > 0
                ? t('channel.add.left', { count: left })
                : t('channel.add.noneLeft')
          }
        >
          {left === 0 && (
            <Alert color="orange" mb="md">
              {t('channel.add.noneLeft')} <Go to="/license">{t('channel.add.toLicenses')}</Go>
            </Alert>
          )}
          {bundles.isError ? (
            <ErrorPanel error={bundles.error} onRetry={() => void bundles.refetch()} />
          ) : bundles.data ? (
            <UsecaseGallery bundles={bundles.data} value={key} onChange={choose} />
          ) : (
            <RowsSkeleton />
          )}
          <Group justify="flex-end" mt="lg">
            <Button disabled={!key} onClick={() => setStep('picture')}>
              {t('common.continue')}
            </Button>
          </Group>
        </Panel>
      )}
      {step === 'picture' && key && (
        <>
          <ZoneEditor
            zones={zones}
            picture={<Still still={still} />}
            aspectRatio={ratio}
            needsLine={usecases[key].needsLine}
            error={zonesError}
          />
          <Group justify="flex-end" mt="lg" gap="xs">
            <Button variant="default" loading={still.isTaking} onClick={still.take}>
              {t('channel.add.newStill')}
            </Button>
            <Button onClick={checkZones}>{t('common.continue')}</Button>
          </Group>
        </>
      )}
      {step === 'review' && key && (
        <Panel>
          <form onSubmit={onSubmit} noValidate>
            <Facts
              items={[
                [t('channel.add.usecase'), t(`usecase.name.${key}`)],
                [t('channel.add.picture'), zones.drawings.map(({ label, name }) => label ?? name).join(', ')],
              ]}
            />
            <TextInput mt="md" label={t('channel.field.name')} required {...field('channel_name')} />
            {device.device_source.length > 1 && (
              <Select
                mt="md"
                label={t('channel.add.source')}
                data={device.device_source.map((one) => ({ value: one.source_id, label: one.source_name }))}
                {...field('source_id')}
              />
            )}
            <NumberInput
              mt="md"
              label={t('channel.field.threshold')}
              description={t('channel.field.thresholdHint')}
              {...field('channel_threshold')}
            />
            <Switch
              mt="md"
              label={t('channel.field.autoRecovery')}
              description={t('channel.field.autoRecoveryHint')}
              {...field('auto_recovery', { type: 'checkbox' })}
            />
            <FormActions
              submitLabel={t('channel.add.create')}
              isSaving={isSaving}
              onCancel={() => go('/device/detail', search)}
            />
          </form>
        </Panel>
      )}
    </Wizard>
  )
}
