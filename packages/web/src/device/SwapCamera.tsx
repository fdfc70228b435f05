import { Alert, Button, Group, Modal, Radio, SimpleGrid, Stack, Text } from '@mantine/core'
import type { Device } from '@sightline/contract'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, refresh } from '../app/client.ts'
import { notify } from '../app/messages.ts'
import { codecName } from '../i18n/format.ts'
import { fieldText } from '../i18n/words.ts'
import { CameraFields, noAddress } from '../ui/cameras/CameraFields.tsx'
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
  const [stream, setStream] = useState('')
  const [isSaving, setIsSaving] = useState(false)
  const [fault, setFault] = useState<string | null>(null)
  const trial = useProbe({ nimble_id, ...camera }, setStream)
  const profiles = trial.result?.profiles ?? []

  const save = async () => {
    setIsSaving(true)
    const result = await api.device.update.call({
      device_id,
      UUID: trial.result?.UUID ?? null,
      stream_address: stream,
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
          trial.run()
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
          <Findings findings={trial.findings} />
          {profiles.length > 1 && (
            <Radio.Group label={t('device.form.profile')} value={stream} onChange={setStream}>
              {profiles.map((profile) => (
                <Radio
                  key={profile.stream_address}
                  mt={6}
                  value={profile.stream_address}
                  label={[profile.name, profile.codec && codecName(profile.codec), profile.resolution]
                    .filter(Boolean)
                    .join(' · ')}
                />
              ))}
            </Radio.Group>
          )}
        </>
      )}
      <Group justify="flex-end" gap="xs">
        {trial.works && source_channels.length > 0 && (
          <span className="t3">
            {t('device.form.restarts', { names: source_channels.map(({ channel_name }) => channel_name).join(', ') })}
          </span>
        )}
        <Button variant="default" onClick={onClose} disabled={isSaving}>
          {t('common.cancel')}
        </Button>
        <Button disabled={!trial.works} loading={isSaving} onClick={() => void save()}>
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
