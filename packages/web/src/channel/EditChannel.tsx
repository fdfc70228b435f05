import { Alert, Button, NumberInput, Switch, Tabs, TextInput } from '@mantine/core'
import { type Channel, channelChange, type Device, type Zone } from '@sightline/contract'
import { calibrationKeys, dwellItem, elementFaults, type PipelineElements, usecases } from '@sightline/domain'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, refresh } from '../app/client.ts'
import { formatSetting } from '../i18n/format.ts'
import { i18n } from '../i18n/index.ts'
import { useMay } from '../session.ts'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { Facts } from '../ui/Facts.tsx'
import { useDraftForm } from '../ui/form.tsx'
import { useGo } from '../ui/Go.tsx'
import { LivePicture } from '../ui/live/LivePicture.tsx'
import { shapesOf } from '../ui/live/ShapesOver.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { Panel } from '../ui/Panel.tsx'
import { BlockSkeleton } from '../ui/Skeletons.tsx'
import { type Drawing, faultOf, floorDrawing } from '../ui/zones/editing.ts'
import { draftsOf, drawingOf, useZones } from '../ui/zones/useZones.ts'
import { ZoneEditor } from '../ui/zones/ZoneEditor.tsx'
import classes from './channel.module.css'
import { Needs } from './Needs.tsx'
import { useStill } from './still.ts'
import { Tuning } from './Tuning.tsx'

type Props = { channel: Channel; device: Device; tab: string | undefined }

type Values = {
  channel_name: string
  /** Without its prefix, as the specification wants it in forms. */
  channel_sid: string
  channel_threshold: number | ''
  auto_recovery: boolean
}

const withoutPrefix = (sid: string) => sid.replace(/^channel\//, '')

/** Zones on the live picture, and the settings of one analytic. */
export function EditChannel({ channel, device, tab }: Props) {
  const { t } = useTranslation()
  return useMay('edit') ? (
    <WithPipeline channel={channel} device={device} tab={tab} />
  ) : (
    <>
      <PageHeader title={t('channel.edit.title', { name: channel.channel_name })} meta={t('channel.edit.readOnly')} />
      <LivePicture
        channelId={channel.channel_id}
        siteId={channel.site_id}
        label={channel.channel_name}
        shapes={shapesOf(channel.zones)}
      />
      <Panel title={t('channel.edit.settings')}>
        <Facts
          items={[
            [t('channel.field.name'), channel.channel_name],
            [t('channel.field.threshold'), channel.channel_threshold],
            [t('channel.field.autoRecovery'), t(channel.auto_recovery ? 'common.yes' : 'common.no')],
            ...(dwellItem(channel.usecase_key) ? [[t('zones.dwell'), dwellsText(channel.zones)] as const] : []),
          ]}
        />
      </Panel>
    </>
  )
}

/** How long somebody may stay in which zone. */
const dwellsText = (zones: readonly Zone[]): string =>
  zones
    .filter(({ kind }) => kind === 'zone')
    .map(({ name, label, dwell_s }) =>
      dwell_s === null
        ? i18n.t('zones.asAnalytic', { zone: label ?? name })
        : i18n.t('zones.ownDwell', { zone: label ?? name, value: formatSetting(dwell_s) }),
    )
    .join(', ')

function WithPipeline(props: Props) {
  const pipeline = useQuery(api.pipeline.get.query({ pipeline_id: props.channel.pipeline_id }))
  if (pipeline.isError && !pipeline.data)
    return <ErrorPanel error={pipeline.error} onRetry={() => void pipeline.refetch()} />
  return pipeline.data ? (
    <Editor {...props} elements={pipeline.data.pipeline_elements} />
  ) : (
    <BlockSkeleton height={420} />
  )
}

function Editor({ channel, device, tab: first, elements }: Props & { elements: PipelineElements }) {
  const { t } = useTranslation()
  const go = useGo()
  const [tab, setTab] = useState<string | null>(first ?? 'zones')
  const [showsReference, setShowsReference] = useState(false)
  const [tuned, setTuned] = useState<PipelineElements>({})
  const [zonesError, setZonesError] = useState<string | null>(null)
  const zones = useZones(channel.zones, floorDrawing(elements))
  const { usecase_key, channel_id } = channel
  // How the camera looks now, against the picture that the zones were drawn on.
  const view = useQuery({ ...api.channel.ondemand.query({ channel_id }), meta: { quiet: true } })
  const seen = view.data?.kind === 'snapshot' ? view.data : null
  const look =
    seen?.view === 'moved' || seen?.view === 'different'
      ? seen.view
      : channel.state_cause === 'degraded:other_shape'
        ? 'shape'
        : null
  const ratio = useStill(device).ratioOf(channel.source_id)
  const search = { did: channel.device_id, cid: channel.channel_id, uid: channel.usecase_id }

  const calibration = zones.calibration()
  const tuning = Object.fromEntries(Object.entries(tuned).filter(([key, value]) => value !== elements[key]))
  const isTuned = Object.keys(tuning).length > 0
  const toInput = (values: Values) => ({
    channel_id: channel.channel_id,
    channel_name: values.channel_name,
    channel_sid: values.channel_sid,
    channel_threshold: values.channel_threshold === '' ? -1 : values.channel_threshold,
    auto_recovery: values.auto_recovery,
    zones: zones.isChanged ? zones.drafts(ratio) : undefined,
    pipeline: calibration || isTuned ? { pipeline_elements: { ...tuning, ...calibration } } : undefined,
  })
  const { field, isSaving, isDirty, frame } = useDraftForm<Values>({
    name: `channel.edit:${channel.channel_id}`,
    initial: {
      channel_name: channel.channel_name,
      channel_sid: withoutPrefix(channel.channel_sid),
      channel_threshold: channel.channel_threshold,
      auto_recovery: channel.auto_recovery,
    },
    version: channel.version,
    beside: {
      stored: [channel.zones.map(drawingOf), calibrationKeys.map((key) => elements[key])],
      now: { drawings: zones.drawings, tuned },
      isChanged: zones.isChanged || isTuned,
      restore(kept) {
        const { drawings, tuned } = kept as { drawings: Drawing[]; tuned: PipelineElements }
        zones.restore(drawings)
        setTuned(tuned)
      },
      take(keepsMine) {
        zones.begin(channel.zones, floorDrawing(elements), keepsMine)
        if (!keepsMine) setTuned({})
      },
    },
    reveal: () => setTab('settings'),
    schema: channelChange,
    toInput,
    submit: async (values, version) => {
      const result = await api.channel.update.call({ ...toInput(values), version })
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
  const keeping = useMutation(api.channel.update.mutation())
  /** The zones as they are stored fit what the camera shows now: from here on that is what it is compared with. */
  const keep = () => {
    const stored = draftsOf(channel.zones.map(drawingOf), ratio)
    keeping.mutate({ channel_id, version: channel.version, zones: stored }, { onSuccess: () => void view.refetch() })
  }
  const save = () => {
    if (zones.selectWrongDwell(usecase_key)) {
      setTab('zones')
      return
    }
    const shapes = channelChange.safeParse(
      toInput({ channel_name: 'any name', channel_sid: 'any', channel_threshold: -1, auto_recovery: true }),
    )
    const fault = shapes.error?.issues.find(({ path: [first] }) => first === 'zones')?.message
    const drawn = zones.drawings.filter(({ kind }) => kind !== 'mask' && kind !== 'floor')
    const floor = zones.drawings.find(({ kind }) => kind === 'floor')
    const missing =
      drawn.length === 0
        ? 'zone_required'
        : usecases[usecase_key].needsLine && !drawn.some(({ kind }) => kind === 'line')
          ? 'line_required'
          : null
    const wrong = fault ?? missing ?? (floor && faultOf(floor)) ?? null
    setZonesError(wrong)
    if (wrong) setTab('zones')
    else if (Object.keys(elementFaults({ ...elements, ...tuning })).length > 0) setTab('tuning')
    else frame.onSubmit()
  }

  return (
    <>
      <PageHeader title={t('channel.edit.title', { name: channel.channel_name })} meta={t('channel.edit.moved')}>
        <Button variant="default" onClick={() => go('/channel/detail', search)}>
          {t('common.cancel')}
        </Button>
        {tab !== 'tuning' && (
          <Button loading={isSaving} disabled={!isDirty && !zones.isChanged && !isTuned} onClick={save}>
            {t('channel.edit.save')}
          </Button>
        )}
      </PageHeader>
      {frame.notes}
      <Needs usecaseKey={usecase_key} elements={{ ...elements, ...calibration }} siteId={channel.site_id} />
      {look && (
        <Alert color="orange" variant="light" mb="md" title={t(`channel.edit.view.${look}`)}>
          {t('channel.edit.viewText')}
          <div>
            <Button mt="sm" variant="default" loading={keeping.isPending} onClick={keep}>
              {t('channel.edit.stillRight')}
            </Button>
          </div>
        </Alert>
      )}
      <Tabs value={tab} onChange={setTab} keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="zones">{t('channel.edit.zones')}</Tabs.Tab>
          <Tabs.Tab value="tuning">{t('channel.edit.tuning')}</Tabs.Tab>
          <Tabs.Tab value="settings">{t('channel.edit.settings')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="zones">
          <ZoneEditor
            zones={zones}
            picture={
              showsReference && seen?.reference_url ? (
                <img className={classes.reference} src={seen.reference_url} alt={t('channel.edit.reference')} />
              ) : (
                <LivePicture
                  channelId={channel_id}
                  siteId={channel.site_id}
                  label={channel.channel_name}
                  still={seen?.snapshot_url}
                  bare
                />
              )
            }
            aspectRatio={ratio}
            usecase={usecase_key}
            elements={{ ...elements, ...tuning }}
            error={zonesError}
            camera={device}
            channelId={channel_id}
          >
            {seen?.reference_url && (
              <Switch
                size="xs"
                label={t('channel.edit.showReference')}
                checked={showsReference}
                onChange={({ currentTarget }) => setShowsReference(currentTarget.checked)}
              />
            )}
          </ZoneEditor>
        </Tabs.Panel>
        <Tabs.Panel value="tuning">
          <Tuning channel={channel} elements={elements} changes={tuned} onChange={setTuned} />
        </Tabs.Panel>
        <Tabs.Panel value="settings">
          <Panel>
            <form onSubmit={frame.onSubmit} noValidate>
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
    </>
  )
}
