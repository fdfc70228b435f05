import { Alert, Button, NumberInput, Switch, Tabs, TextInput } from '@mantine/core'
import { type Channel, channelChange, type Device } from '@sightline/contract'
import { usecases } from '@sightline/domain'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, refresh } from '../app/client.ts'
import { useMay } from '../session.ts'
import { Facts } from '../ui/Facts.tsx'
import { useDraftForm } from '../ui/form.tsx'
import { useGo } from '../ui/Go.tsx'
import { LivePicture } from '../ui/live/LivePicture.tsx'
import { shapesOf } from '../ui/live/ShapesOver.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { Panel } from '../ui/Panel.tsx'
import { useZones } from '../ui/zones/useZones.ts'
import { ZoneEditor } from '../ui/zones/ZoneEditor.tsx'
import { useStill } from './Still.tsx'

type Props = { channel: Channel; device: Device }

type Values = {
  channel_name: string
  /** Without its prefix, as the specification wants it in forms. */
  channel_sid: string
  channel_threshold: number | ''
  auto_recovery: boolean
}

const withoutPrefix = (sid: string) => sid.replace(/^channel\//, '')

/** Zones on the live picture, and the settings of one analytic. */
export function EditChannel({ channel, device }: Props) {
  const { t } = useTranslation()
  return useMay('edit') ? (
    <Editor channel={channel} device={device} />
  ) : (
    <>
      <PageHeader title={t('channel.edit.title', { name: channel.channel_name })} meta={t('channel.edit.readOnly')} />
      <LivePicture channelId={channel.channel_id} label={channel.channel_name} shapes={shapesOf(channel.zones)} />
      <Panel title={t('channel.edit.settings')}>
        <Facts
          items={[
            [t('channel.field.name'), channel.channel_name],
            [t('channel.field.threshold'), channel.channel_threshold],
            [t('channel.field.autoRecovery'), t(channel.auto_recovery ? 'common.yes' : 'common.no')],
          ]}
        />
      </Panel>
    </>
  )
}

function Editor({ channel, device }: Props) {
  const { t } = useTranslation()
  const go = useGo()
  const [tab, setTab] = useState<string | null>('zones')
  const [zonesError, setZonesError] = useState<string | null>(null)
  const zones = useZones(channel.zones)
  const { ratio } = useStill(device)
  const search = { did: channel.device_id, cid: channel.channel_id, uid: channel.usecase_id }

  const toInput = (values: Values) => ({
    channel_id: channel.channel_id,
    channel_name: values.channel_name,
    channel_sid: values.channel_sid,
    channel_threshold: values.channel_threshold === '' ? -1 : values.channel_threshold,
    auto_recovery: values.auto_recovery,
    version: channel.version,
    zones: zones.isChanged ? zones.drafts(ratio) : undefined,
  })
  const { field, isSaving, isDirty, onSubmit, guards } = useDraftForm<Values>({
    name: `channel.edit:${channel.channel_id}`,
    initial: {
      channel_name: channel.channel_name,
      channel_sid: withoutPrefix(channel.channel_sid),
      channel_threshold: channel.channel_threshold,
      auto_recovery: channel.auto_recovery,
    },
    schema: channelChange,
    toInput,
    submit: async (values) => {
      const result = await api.channel.update.call(toInput(values))
      if (!result.status) {
        const ids = Object.entries(result.failure.errors).find(([path]) => path.startsWith('zones'))?.[1]
        setZonesError(ids?.[0] ?? null)
        if (ids) setTab('zones')
        throw result.failure
      }
      refresh('channel')
      go('/channel/detail', search, { ignoreBlocker: true })
    },
  })
  const save = () => {
    const shapes = channelChange.safeParse(
      toInput({ channel_name: 'any name', channel_sid: 'any', channel_threshold: -1, auto_recovery: true }),
    )
    const fault = shapes.error?.issues.find(({ path: [first] }) => first === 'zones')?.message
    const drawn = zones.drawings.filter(({ kind }) => kind !== 'mask')
    const missing =
      drawn.length === 0
        ? 'zone_required'
        : usecases[channel.usecase_key].needsLine && !drawn.some(({ kind }) => kind === 'line')
          ? 'line_required'
          : null
    setZonesError(fault ?? missing)
    if (fault ?? missing) setTab('zones')
    else onSubmit()
  }

  return (
    <>
      <PageHeader title={t('channel.edit.title', { name: channel.channel_name })} meta={t('channel.edit.moved')}>
        <Button variant="default" onClick={() => go('/channel/detail', search)}>
          {t('common.cancel')}
        </Button>
        <Button loading={isSaving} disabled={!isDirty && !zones.isChanged} onClick={save}>
          {t('channel.edit.save')}
        </Button>
      </PageHeader>
      {guards}
      <Tabs value={tab} onChange={setTab} keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="zones">{t('channel.edit.zones')}</Tabs.Tab>
          <Tabs.Tab value="settings">{t('channel.edit.settings')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="zones">
          <ZoneEditor
            zones={zones}
            picture={<LivePicture channelId={channel.channel_id} label={channel.channel_name} bare />}
            aspectRatio={ratio}
            needsLine={usecases[channel.usecase_key].needsLine}
            error={zonesError}
          />
        </Tabs.Panel>
        <Tabs.Panel value="settings">
          <Panel>
            <form onSubmit={onSubmit} noValidate>
              <TextInput label={t('channel.field.name')} required {...field('channel_name')} />
              <TextInput mt="md" label={t('channel.field.sid')} {...field('channel_sid')} />
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
            </form>
          </Panel>
        </Tabs.Panel>
      </Tabs>
      {channel.detector_state === 'needs_model' && <Alert color="orange">{t('usecase.needsModelText')}</Alert>}
    </>
  )
}
