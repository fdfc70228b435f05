import { Alert, Button, Group, NumberInput, Select, Switch, TextInput } from '@mantine/core'
import { type Bundle, channelDraft, type Device } from '@sightline/contract'
import {
  calibrationKeys,
  dwellItem,
  elementFaults,
  type PipelineElements,
  type UsecaseKey,
  usecases,
} from '@sightline/domain'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, refresh } from '../app/client.ts'
import { type LicenseRoom, licenseRoom } from '../app/license.ts'
import { licenseName } from '../i18n/seeded.ts'
import { fieldText } from '../i18n/words.ts'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { ElementForm } from '../ui/elements/ElementForm.tsx'
import { Facts } from '../ui/Facts.tsx'
import { FormActions, useDraftForm } from '../ui/form.tsx'
import { Go, useGo } from '../ui/Go.tsx'
import { LivePicture } from '../ui/live/LivePicture.tsx'
import { Panel } from '../ui/Panel.tsx'
import { RowsSkeleton } from '../ui/Skeletons.tsx'
import { useSiteZones } from '../ui/site-zones.ts'
import { Wizard } from '../ui/Wizard.tsx'
import { type Drawing, faultOf } from '../ui/zones/editing.ts'
import { useZones } from '../ui/zones/useZones.ts'
import { ZoneEditor } from '../ui/zones/ZoneEditor.tsx'
import { EdgeRoom } from './EdgeRoom.tsx'
import { Needs } from './Needs.tsx'
import { useStill } from './still.ts'
import { UsecaseGallery } from './UsecaseGallery.tsx'

const steps = ['usecase', 'picture', 'tune', 'review'] as const
type Step = (typeof steps)[number]

type Values = {
  channel_name: string
  usecase_key: UsecaseKey | ''
  source_id: string
  channel_threshold: number | ''
  auto_recovery: boolean
}
/** Where the form says nothing of it, the organization's own default counts. */
type Overrides = { usecase: UsecaseKey; elements: PipelineElements }

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
  dwell_s: null,
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

/** Use cases whose zone is the place itself: in the whole picture everybody would be in it. */
const watchesPlace: readonly UsecaseKey[] = ['intrdtec', 'loiterdtec']

/** Attaching a use case to a camera: what, where in the picture, how, under which name. */
export function AddChannel({ device, usecaseKey }: { device: Device; usecaseKey: UsecaseKey | undefined }) {
  const { t } = useTranslation()
  const go = useGo()
  const [step, setStep] = useState<Step>(usecaseKey ? 'picture' : 'usecase')
  const [zonesError, setZonesError] = useState<string | null>(null)
  const [overrides, setOverrides] = useState<Overrides | null>(null)
  // The route has loaded the site.
  const customer_id = useQuery(api.site.get.query({ site_id: device.site_id })).data?.customer_id
  const offered = useQuery({
    ...api.customer.bundle.query({ customer_id: customer_id ?? '' }),
    enabled: customer_id !== undefined,
  })
  const bundles = useQuery(api.bundle.list.query({}))
  const licenses = useQuery(api.license.list.query({}))
  const begun = [usecaseKey && usecases[usecaseKey].needsLine ? across : whole]
  const zones = useZones(begun)
  const still = useStill(device)
  const ratio = still.ratioOf()

  const search = { sid: device.site_id, did: device.device_id }
  const pipelineOf = (usecase: UsecaseKey | '') => {
    const pipeline_elements = { ...(overrides?.usecase === usecase && overrides.elements), ...zones.calibration() }
    return Object.keys(pipeline_elements).length > 0 ? { pipeline_elements } : undefined
  }
  const toInput = (values: Values) => ({
    channel_name: values.channel_name,
    device_id: device.device_id,
    source_id: values.source_id || undefined,
    usecase_key: values.usecase_key as UsecaseKey,
    channel_threshold: values.channel_threshold === '' ? -1 : values.channel_threshold,
    auto_recovery: values.auto_recovery,
    zones: zones.drafts(still.ratioOf(values.source_id)),
    pipeline: pipelineOf(values.usecase_key),
  })
  const { form, values, field, isSaving, frame } = useDraftForm<Values>({
    // What was drawn and set for one use case is not met under another.
    name: `channel.add:${device.device_id}:${usecaseKey ?? ''}`,
    initial: {
      channel_name: usecaseKey ? t(`usecase.name.${usecaseKey}`) : '',
      usecase_key: usecaseKey ?? '',
      source_id: device.device_source.find(({ role }) => role !== 'live')?.source_id ?? '',
      channel_threshold: -1,
      auto_recovery: true,
    },
    beside: {
      stored: null,
      now: { drawings: zones.drawings, overrides },
      isChanged: zones.isChanged || overrides !== null,
      restore(kept) {
        const { drawings, overrides } = kept as { drawings: Drawing[]; overrides: Overrides | null }
        zones.restore(drawings)
        setOverrides(overrides)
      },
      take() {
        zones.restore(begun)
        setOverrides(null)
      },
    },
    schema: channelDraft,
    toInput,
    submit: async (chosen) => {
      const result = await api.channel.create.call(toInput(chosen))
      if (!result.status) {
        const isAbout = (part: string) =>
          Object.entries(result.failure.errors).find(([path]) => path.startsWith(part))?.[1]
        const ids = isAbout('zones')
        if (isAbout('pipeline')) setStep('tune')
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
  const roomFor = (usecase: UsecaseKey | null) =>
    licenses.data ? licenseRoom(licenses.data, device.nimble_id, usecase) : null
  const room = roomFor(key)
  const defaults = useQuery({ ...api.pipeline.defaults.query({ usecase_key: key ?? 'pplcnt' }), enabled: key !== null })
  const zone = useSiteZones([device.site_id])(device.site_id)
  const known = defaults.data?.pipeline_elements
  // As the portal will: what follows a clock begins with that of the site.
  const base = known && zone && 'analytic.timezone' in known ? { ...known, 'analytic.timezone': zone } : known
  const elements = base && key && { ...base, ...pipelineOf(key)?.pipeline_elements }
  const faults = elements ? elementFaults(elements) : {}
  const choose = (next: UsecaseKey) => {
    const isOwnName = values.channel_name !== '' && values.channel_name !== (key && t(`usecase.name.${key}`))
    // What nobody has touched yet becomes what the use case needs.
    if (!zones.isChanged || zones.drawings.every(({ key: one }) => one === whole.key || one === across.key))
      zones.set([usecases[next].needsLine ? across : whole], usecases[next].needsLine ? across.key : whole.key)
    // One that was typed for another use case would have no field here to take it back in.
    else if (!dwellItem(next)) zones.set(zones.drawings.map((drawing) => ({ ...drawing, dwell_s: null })))
    form.setValues({ usecase_key: next, ...(isOwnName ? {} : { channel_name: t(`usecase.name.${next}`) }) })
    // The address says what is attached: the draft is kept, and after a reload found, under that.
    go('/channel/add', { did: device.device_id, uc: next }, { replace: true })
  }
  /** Leaves the picture only with shapes that the server will take. */
  const checkZones = () => {
    if (key && zones.selectWrongDwell(key)) return
    const checked = channelDraft.safeParse({ ...toInput(values), channel_name: 'checked later' })
    const fault =
      checked.error?.issues.find(({ path: [first] }) => first === 'zones')?.message ?? floorFault(zones.drawings)
    setZonesError(fault)
    if (!fault) setStep('tune')
  }

  const may = keysOf(offered.data)
  const barred = offered.data ? keysOf(bundles.data).filter((one) => !may.includes(one)) : []
  const isChosen = key !== null && !barred.includes(key)
  /** What an address names and the customer may not attach leads back to what can be chosen. */
  const at = key === null || isChosen ? step : 'usecase'

  const isOpen: Record<Step, boolean> = {
    usecase: true,
    picture: isChosen,
    tune: isChosen && zones.drawings.length > 0,
    review: isChosen && zones.drawings.length > 0 && Object.keys(faults).length === 0,
  }
  return (
    <Wizard
      title={t('channel.add.title', { camera: device.device_name })}
      steps={steps.map((id, index) => ({
        id,
        label: t(`channel.add.${id}`),
        isDone: index < steps.indexOf(at),
        isOpen: isOpen[id],
      }))}
      current={at}
      onStep={(id) => setStep(id as Step)}
      isWide={at === 'picture'}
    >
      {frame.notes}
      {(at === 'usecase' || at === 'review') && <EdgeRoom device={device} />}
      {at === 'usecase' && (
        <Panel
          title={t('channel.add.chooseUsecase')}
          hint={
            room?.license && !room.why
              ? t('channel.add.left', { count: room.left, name: licenseName(room.license) })
              : undefined
          }
        >
          {barred.length > 0 && (
            <Alert color="blue" variant="light" mb="md">
              {t('channel.add.barred', { names: barred.map((one) => t(`usecase.name.${one}`)).join(', ') })}{' '}
              <Go to="/customer" search={{ cuid: customer_id }}>
                {t('channel.add.toCustomer')}
              </Go>
            </Alert>
          )}
          {offered.isError ? (
            <ErrorPanel error={offered.error} onRetry={() => void offered.refetch()} />
          ) : offered.data ? (
            <UsecaseGallery
              bundles={offered.data}
              value={key}
              onChange={choose}
              isCovered={(usecase) => roomFor(usecase)?.why !== 'license_bundle'}
            />
          ) : (
            <RowsSkeleton />
          )}
          {room?.why && <NoRoom room={room} />}
          <Group justify="flex-end" mt="lg">
            <Button disabled={!isChosen || Boolean(room?.why)} onClick={() => setStep('picture')}>
              {t('common.continue')}
            </Button>
          </Group>
        </Panel>
      )}
      {at === 'picture' && key && (
        <>
          {room?.why && <NoRoom room={room} />}
          <ZoneEditor
            zones={zones}
            picture={
              <LivePicture
                deviceId={device.device_id}
                siteId={device.site_id}
                label={device.device_name}
                still={still.url}
                bare
              />
            }
            aspectRatio={ratio}
            usecase={key}
            elements={elements || undefined}
            error={zonesError}
            camera={device}
          >
            {/* Until it was moved. */}
            {zones.drawings.some(({ points }) => points === across.points) && (
              <p className="t2">{t('zones.suggestedLine')}</p>
            )}
            {watchesPlace.includes(key) && zones.drawings.some(({ points }) => points === whole.points) && (
              <p className="t2">{t('zones.suggestedZone')}</p>
            )}
            {usecases[key].needsCalibration && !zones.drawings.some(({ kind }) => kind === 'floor') && (
              <p className="t2">{t('zones.floorNext')}</p>
            )}
          </ZoneEditor>
          <Group justify="flex-end" mt="lg" gap="xs">
            <Button onClick={checkZones}>{t('common.continue')}</Button>
          </Group>
        </>
      )}
      {at === 'tune' && key && (
        <Panel title={t('channel.add.tune')} hint={t('channel.add.tuneHint')}>
          {defaults.isError ? (
            <ErrorPanel error={defaults.error} onRetry={() => void defaults.refetch()} />
          ) : base && elements ? (
            <>
              <Needs usecaseKey={key} elements={elements} siteId={device.site_id} />
              <ElementForm
                values={elements}
                base={base}
                faults={faults}
                hidden={zone ? calibrationKeys : [...calibrationKeys, 'analytic.timezone']}
                onChange={(element, value) =>
                  setOverrides({
                    usecase: key,
                    elements: { ...(overrides?.usecase === key && overrides.elements), [element]: value },
                  })
                }
              />
              <Group justify="flex-end" mt="lg">
                <Button disabled={!isOpen.review} onClick={() => setStep('review')}>
                  {t('common.continue')}
                </Button>
              </Group>
            </>
          ) : (
            <RowsSkeleton />
          )}
        </Panel>
      )}
      {at === 'review' && key && (
        <Panel>
          <form onSubmit={frame.onSubmit} noValidate>
            {elements && <Needs usecaseKey={key} elements={elements} siteId={device.site_id} />}
            {room?.why && <NoRoom room={room} />}
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

/** Why the licence of the camera's edge server takes nothing more, and where to do something about it. */
function NoRoom({ room: { license, why } }: { room: LicenseRoom }) {
  const { t } = useTranslation()
  return (
    <Alert color="orange" role="alert" my="md" title={license ? licenseName(license) : undefined}>
      {why && fieldText(why)}.{' '}
      <Go to={license ? '/license' : '/configuration'}>
        {t(license ? 'channel.add.toLicenses' : 'screen./configuration')}
      </Go>
    </Alert>
  )
}

/** A rectangle on the floor that makes no floor would be refused later, by a name that nobody sees here. */
const floorFault = (drawings: readonly Drawing[]): string | null =>
  drawings
    .filter(({ kind }) => kind === 'floor')
    .map(faultOf)
    .find((fault) => fault !== null) ?? null

const keysOf = (bundles: readonly Bundle[] = []) =>
  bundles.flatMap(({ bundle_usecases }) => bundle_usecases.map(({ usecase_key }) => usecase_key))
