import { Alert, Button, Group } from '@mantine/core'
import type { Device, Nimble, Site } from '@sightline/contract'
import { useMemo, useState } from 'react'
import { flushSync } from 'react-dom'
import { useTranslation } from 'react-i18next'
import { bestProfile, cameraName, onvifPortOf } from '../app/camera-choice.ts'
import { api, refresh } from '../app/client.ts'
import { fieldText } from '../i18n/words.ts'
import { type CameraAddress, CameraFields, noAddress } from '../ui/cameras/CameraFields.tsx'
import { Findings } from '../ui/cameras/Findings.tsx'
import { useProbe } from '../ui/cameras/useProbe.ts'
import { readDraft } from '../ui/draft.ts'
import { useKept } from '../ui/useKept.ts'
import classes from './onboarding.module.css'

type Props = { nimble: Nimble; site: Site; devices: readonly Device[]; onAdded: () => void }

/** A camera that no search finds, such as one in another network: typed, tried, added. */
export function ByAddress({ nimble: { nimble_id }, site, devices, onAdded }: Props) {
  const { t } = useTranslation()
  const draft = `first-run.camera:${site.site_id}`
  const [camera, setCamera] = useState(() => ({ ...noAddress, ...readDraft<Partial<CameraAddress>>(draft) }))
  const { address, username, password } = camera
  const now = useMemo(() => (address || username ? { address, username } : null), [address, username])
  useKept({ name: draft, now, lost: password === '' ? [] : [t('state.lostSecrets')] })
  const [isSaving, setIsSaving] = useState(false)
  const [fault, setFault] = useState<string | null>(null)
  const trial = useProbe({ nimble_id, ...camera }, () => undefined)

  const add = async () => {
    const best = trial.result && bestProfile(trial.result.profiles)
    if (!trial.result || !best) return
    const { model, UUID } = trial.result
    setIsSaving(true)
    const result = await api.device.create.call({
      device_name: cameraName(
        { name: model, model, host: new URL(best.stream_address).hostname },
        devices.map(({ device_name }) => device_name),
      ),
      site_id: site.site_id,
      nimble_id,
      UUID,
      stream_address: best.stream_address,
      stream_type: address.trim().startsWith('http') ? 'onvif' : 'rtsp',
      username: username || null,
      password: password || null,
      onvif_port: onvifPortOf(address),
    })
    setIsSaving(false)
    if (!result.status) {
      const [ids] = Object.values(result.failure.errors)
      return setFault(ids?.[0] ? fieldText(ids[0]) : result.message.text)
    }
    // It is saved: nothing is left to ask about.
    flushSync(() => setCamera(noAddress))
    refresh('device')
    onAdded()
  }
  return (
    <section className={classes.byAddress} aria-label={t('device.byAddress')}>
      <h3>{t('device.byAddress')}</h3>
      <p className="t2">{t('onboarding.cameras.byAddressText')}</p>
      <form
        noValidate
        onSubmit={(submitted) => {
          submitted.preventDefault()
          setFault(null)
          if (trial.works) void add()
          else if (address.trim() !== '') trial.run()
        }}
      >
        <CameraFields label={t('device.form.address')} value={camera} onChange={setCamera} />
        {(trial.error ?? fault) && (
          <Alert mt="sm" color="red" role="alert">
            {trial.error ?? fault}
          </Alert>
        )}
        {trial.findings.length > 0 && <Findings findings={trial.findings} />}
        <Group mt="sm" gap="xs">
          {trial.works ? (
            <Button type="submit" loading={isSaving}>
              {t('device.form.create')}
            </Button>
          ) : (
            <Button type="submit" variant="default" loading={trial.isRunning} disabled={address.trim() === ''}>
              {t(trial.result ? 'device.form.retest' : 'device.form.test')}
            </Button>
          )}
        </Group>
      </form>
    </section>
  )
}
