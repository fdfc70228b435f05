import {
  Alert,
  Button,
  Group,
  Input,
  NumberInput,
  PasswordInput,
  Select,
  Stack,
  Textarea,
  TextInput,
} from '@mantine/core'
import { type Device, deviceChange, deviceDraft, type Nimble, type Site } from '@sightline/contract'
import { useTranslation } from 'react-i18next'
import { cameraName, endpointAt, isAtHost, movesOthers, onvifPortOf, streamsToAdd } from '../app/camera-choice.ts'
import { api, refresh } from '../app/client.ts'
import { edgeName } from '../i18n/seeded.ts'
import { ChooseStreams } from '../ui/cameras/ChooseStreams.tsx'
import { Findings } from '../ui/cameras/Findings.tsx'
import { addressToSave } from '../ui/cameras/trial.ts'
import { useProbe } from '../ui/cameras/useProbe.ts'
import { Form, FormActions, useDraftForm } from '../ui/form.tsx'
import { useGo } from '../ui/Go.tsx'
import { Panel } from '../ui/Panel.tsx'
import classes from './device.module.css'
import { parseTags, tagsText } from './tags.ts'

type Values = {
  nimble_id: string
  /** What was typed: a stream, or an ONVIF service. */
  address: string
  username: string
  password: string
  /** The stream that was chosen among those the camera offers. */
  stream_address: string
  /** The address that was typed when that stream was found. */
  stream_of: string
  /** Another stream of it to look at; empty: the same. */
  live: string
  onvif_port: number | string
  device_name: string
  tags: string
}

/** What the server answers in place of a stored password, and takes to keep it. */
const kept = '****'

type Props = { site: Site; nimbles: readonly Nimble[]; device?: Device; taken: readonly string[] }

/** Adding or changing a camera: where it is, whether it works, what it is called. */
export function DeviceForm({ site, nimbles, device, taken }: Props) {
  const { t } = useTranslation()
  const go = useGo()
  const search = { sid: site.site_id, did: device?.device_id }
  const toInput = (values: Values) => {
    const common = {
      device_name: values.device_name,
      nimble_id: values.nimble_id,
      stream_address: addressToSave(values),
      username: values.username || null,
      password: values.password || null,
      onvif_port: values.onvif_port === '' ? null : Number(values.onvif_port),
      device_tags: parseTags(values.tags),
    }
    const live = common.stream_address === values.stream_address ? values.live : ''
    return device
      ? {
          ...common,
          UUID: endpointAt(common.stream_address, device, trial.result),
          device_id: device.device_id,
        }
      : {
          ...common,
          site_id: site.site_id,
          UUID: trial.result?.UUID ?? null,
          device_source: streamsToAdd(
            { main: common.stream_address, live },
            { main: t('stream.mainName'), live: t('stream.liveName') },
          ),
          stream_type: values.address.startsWith('http') ? ('onvif' as const) : ('rtsp' as const),
        }
  }
  const { form, values, field, isSaving, frame } = useDraftForm<Values>({
    name: device ? `device.edit:${device.device_id}` : `device.add:${site.site_id}`,
    initial: {
      nimble_id: device?.nimble_id ?? nimbles[0]?.nimble_id ?? '',
      address: device?.stream_address ?? '',
      username: device?.username ?? '',
      password: device?.password ?? '',
      stream_address: '',
      stream_of: '',
      live: '',
      onvif_port: device?.onvif_port ?? '',
      device_name: device?.device_name ?? '',
      tags: tagsText(device?.device_tags ?? {}),
    },
    version: device?.version,
    schema: device ? deviceChange : deviceDraft,
    toInput,
    shownAt: { stream_address: 'address', device_source: 'address', UUID: 'address', device_tags: 'tags' },
    secrets: ['password'],
    submit: async (chosen, version) => {
      const input = { ...toInput(chosen), ...(device && { version }) }
      const result = device
        ? await api.device.update.call(input as Parameters<typeof api.device.update.call>[0])
        : await api.device.create.call(input as Parameters<typeof api.device.create.call>[0])
      if (!result.status) throw result.failure
      refresh('device')
      const saved = Array.isArray(result.data) ? result.data[0] : result.data
      go('/device/detail', { sid: site.site_id, did: saved?.device_id }, { ignoreBlocker: true })
    },
  })
  const trial = useProbe(values, (stream, { model }, address) => {
    form.setFieldValue('stream_address', stream)
    form.setFieldValue('stream_of', address)
    form.setFieldValue('live', '')
    const port = onvifPortOf(address)
    if (port !== null) form.setFieldValue('onvif_port', port)
    const named = { name: model, model, host: new URL(stream).hostname }
    if (!form.getValues().device_name) form.setFieldValue('device_name', cameraName(named, taken))
  })
  const restartHint = ({ source_channels }: Device) =>
    source_channels.length > 0
      ? t('device.form.restarts', { names: source_channels.map(({ channel_name }) => channel_name).join(', ') })
      : t('device.form.restartsNone')
  const isSame =
    device !== undefined &&
    values.address.trim() === device.stream_address &&
    values.username === (device.username ?? '') &&
    values.password === (device.password ?? '')
  const maySave = trial.works || isSame
  // The server refuses it anyway; said before, nobody runs into it.
  const isElsewhere = device !== undefined && !isAtHost(values.address, device)
  const saved = addressToSave(values)
  // The port of an ONVIF service says nothing of where its streams are; its host does.
  const takesAlong = device !== undefined && (isElsewhere || onvifPortOf(saved) === null) && movesOthers(saved, device)
  const profiles = trial.result?.profiles ?? []
  return (
    <Form {...frame}>
      <Stack gap="md">
        <Panel title={t('device.stream')} hint={device && restartHint(device)}>
          <Select
            label={t('device.form.nimble')}
            description={t('device.form.nimbleHint')}
            allowDeselect={false}
            data={nimbles.map((one) => ({ value: one.nimble_id, label: edgeName(one) }))}
            {...field('nimble_id')}
          />
          <TextInput
            mt="md"
            label={t('device.form.address')}
            description={t('device.form.addressHint')}
            required
            inputMode="url"
            autoComplete="off"
            spellCheck={false}
            {...field('address')}
          />
          {takesAlong && (
            <p className="t2" role="status" style={{ fontSize: 13 }}>
              {t('device.form.movesOthers')}
            </p>
          )}
          <Group mt="md" grow align="flex-start">
            <TextInput label={t('device.form.username')} autoComplete="off" {...field('username')} />
            <PasswordInput
              label={t('device.form.password')}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              description={t(
                values.password !== kept
                  ? 'device.form.passwordHint'
                  : isElsewhere
                    ? 'message.password_again'
                    : 'device.form.passwordKept',
              )}
              autoComplete="new-password"
              visibilityToggleButtonProps={{ 'aria-label': t('login.show') }}
              {...field('password')}
            />
          </Group>
          <Group mt="md" gap="sm">
            <Button
              variant={maySave ? 'default' : 'filled'}
              loading={trial.isRunning}
              disabled={values.address.trim() === ''}
              onClick={() => trial.run(device?.device_id)}
            >
              {t(trial.result ? 'device.form.retest' : 'device.form.test')}
            </Button>
            {!maySave && !trial.result && !trial.error && <span className="t3">{t('device.form.notTested')}</span>}
          </Group>
          {trial.error && (
            <Alert mt="md" color="red" role="alert">
              {trial.error}
            </Alert>
          )}
          {!trial.result && trial.findings.length > 0 && <Findings findings={trial.findings} />}
          {trial.result && (
            <div className={classes.trial}>
              {trial.result.snapshot_url && (
                <img className={classes.probe} src={trial.result.snapshot_url} alt={t('device.stream')} />
              )}
              <div>
                <Findings findings={trial.findings} />
                <ChooseStreams
                  profiles={profiles}
                  isMainOnly={device !== undefined}
                  value={{ main: addressToSave(values), live: values.live }}
                  onChange={({ main, live }) => {
                    form.setFieldValue('stream_address', main)
                    form.setFieldValue('stream_of', values.address.trim())
                    form.setFieldValue('live', live)
                  }}
                />
              </div>
            </div>
          )}
        </Panel>
        <Panel title={t('device.about')}>
          <TextInput label={t('device.form.name')} required {...field('device_name')} />
          <NumberInput
            mt="md"
            maw={220}
            label={t('bulk.column.onvif_port')}
            description={t('device.form.onvifHint')}
            hideControls
            allowDecimal={false}
            {...field('onvif_port')}
          />
          <Textarea mt="md" label={t('device.form.tags')} description={t('device.form.tagsHint')} {...field('tags')} />
          {!maySave && trial.result && <Input.Error mt="md">{t('device.form.testFailed')}</Input.Error>}
          <FormActions
            submitLabel={t(device ? 'device.form.save' : maySave ? 'device.form.create' : 'device.form.anyway')}
            isSaving={isSaving}
            isSecondary={!maySave}
            onCancel={() => go(device ? '/device/detail' : '/device', search)}
          />
        </Panel>
      </Stack>
    </Form>
  )
}
