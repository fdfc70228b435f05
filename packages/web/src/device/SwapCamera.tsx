import { Alert, Button, Group, Modal, SimpleGrid, Stack, Text } from '@mantine/core'
import type { Device } from '@sightline/contract'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { liveProfiles, onvifPortOf, type StreamChoice, swappedStreams } from '../app/camera-choice.ts'
import { api, refresh } from '../app/client.ts'
import { notify } from '../app/messages.ts'
import { fieldText } from '../i18n/words.ts'
import { CameraFields, noAddress } from '../ui/cameras/CameraFields.tsx'
import { ChooseStreams } from '../ui/cameras/ChooseStreams.tsx'
import { Findings } from '../ui/cameras/Findings.tsx'
import { useProbe } from '../ui/cameras/useProbe.ts'
import classes from './device.module.css'

type Props = { device: Device; still: string | null; opened: boolean; onClose: () => void }

/** Another camera in the place of this one: name, zones, analytics and history stay, only what is read changes. */
export function SwapCamera({ device, still, opened, onClose }: Props) {
  const { t } = useTranslation()
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t('swap.title', { name: device.device_name })}
      size="xl"
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      {opened && <Swap device={device} still={still} onClose={onClose} />}
    </Modal>
  )
}

function Swap({ device, still, onClose }: Omit<Props, 'opened'>) {
  const { t } = useTranslation()
  const { device_id, nimble_id, version, source_channels } = device
  const [camera, setCamera] = useState(noAddress)
  const { address, username, password } = camera
  const [streams, setStreams] = useState<StreamChoice>({ main: '', live: '' })
  const [isSaving, setIsSaving] = useState(false)
  const [fault, setFault] = useState<string | null>(null)
  // Who had a stream of its own to look at gets one again, where the new camera has one.
  const hasLive = device.device_source.some(({ role }) => role === 'live')
  const trial = useProbe({ nimble_id, is_swap: true, ...camera }, (main, { profiles }) =>
    setStreams({ main, live: (hasLive && liveProfiles(profiles, main)[0]?.stream_address) || '' }),
  )
  const next = swappedStreams(device, streams, t('stream.liveName'))

  // Two cameras of the portal on one real one would count everything twice.
  const elsewhere = trial.result?.findings.find(({ code }) => code === 'already_added')

  const save = async () => {
    setIsSaving(true)
    const result = await api.device.update.call({
      device_id,
      UUID: trial.result?.UUID ?? null,
      onvif_port: onvifPortOf(address),
      device_source: next.streams,
      stream_type: address.trim().startsWith('http') ? 'onvif' : 'rtsp',
      username: username || null,
      password: password || null,
      version,
    })
    setIsSaving(false)
    if (!result.status) {
      const [ids] = Object.values(result.failure.errors)
      return setFault(ids?.[0] ? fieldText(ids[0]) : result.message.text)
    }
    notify({ type: 'success', text: t('swap.done', { name: device.device_name }) })
    refresh('device')
    onClose()
  }
  return (
    <Stack gap="md">
      <Text size="sm" className="t2">
        {t('swap.text')}
      </Text>
      <form
        noValidate
        onSubmit={(submitted) => {
          submitted.preventDefault()
          setFault(null)
          trial.run(device_id)
        }}
      >
        <CameraFields label={t('swap.address')} required autoFocus value={camera} onChange={setCamera} />
        <Button
          mt="md"
          type="submit"
          variant={trial.works ? 'default' : 'filled'}
          loading={trial.isRunning}
          disabled={address.trim() === ''}
        >
          {t(trial.result ? 'device.form.retest' : 'swap.test')}
        </Button>
      </form>
      {(trial.error ?? fault) && (
        <Alert color="red" role="alert">
          {trial.error ?? fault}
        </Alert>
      )}
      {!trial.result && trial.findings.length > 0 && <Findings findings={trial.findings} />}
      {trial.result && (
        <>
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
            <Picture label={t('swap.before')} src={still} />
            <Picture label={t('swap.after')} src={trial.result.snapshot_url} />
          </SimpleGrid>
          <Text size="sm" className="t2">
            {t('swap.compare')}
          </Text>
          {elsewhere && (
            <Alert color="red" role="alert">
              {t('swap.elsewhere', { name: String(elsewhere.args?.device ?? '') })}
            </Alert>
          )}
          <Findings findings={trial.findings.filter((finding) => finding !== elsewhere)} />
          <ChooseStreams profiles={trial.result.profiles} value={streams} onChange={setStreams} />
          {(next.streams.length > 1 || next.gone.length > 0) && (
            <ul className={classes.swapped} aria-label={t('swap.streams')}>
              {next.streams.map(({ source_name, source_address }) => (
                <li key={source_name}>
                  <b>{source_name}</b> <span className="num muted">{t('swap.reads', { address: source_address })}</span>
                </li>
              ))}
              {next.gone.map(({ source_id, source_name }) => (
                <li key={source_id}>
                  <b>{source_name}</b> <span className="muted">{t('swap.gone')}</span>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
      <Group justify="flex-end" gap="xs">
        {trial.works && !elsewhere && source_channels.length > 0 && (
          <span className="t3">
            {t('device.form.restarts', { names: source_channels.map(({ channel_name }) => channel_name).join(', ') })}
          </span>
        )}
        <Button variant="default" onClick={onClose} disabled={isSaving}>
          {t('common.cancel')}
        </Button>
        <Button disabled={!trial.works || elsewhere !== undefined} loading={isSaving} onClick={() => void save()}>
          {t('swap.save')}
        </Button>
      </Group>
    </Stack>
  )
}

function Picture({ label, src }: { label: string; src: string | null }) {
  const { t } = useTranslation()
  return (
    <figure className={classes.picture}>
      <figcaption className="t2">{label}</figcaption>
      {src ? <img src={src} alt={label} /> : <span className={classes.noPicture}>{t('swap.noPicture')}</span>}
    </figure>
  )
}
