import { Alert, Button, Group, Modal, Progress, Stack, TextInput } from '@mantine/core'
import { type Device, deviceChange } from '@sightline/contract'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, refresh } from '../app/client.ts'
import { notify } from '../app/messages.ts'
import { causeText, fieldText } from '../i18n/words.ts'

/** So many cameras in one call, that progress shows. */
const taggedAtOnce = 100

type Failed = { camera: Device; text: string }

/** Sets one tag on many cameras, or takes it from them; the other tags stay. */
export function TagCameras({ cameras, onClose }: { cameras: readonly Device[]; onClose: () => void }) {
  const { t } = useTranslation()
  return (
    <Modal
      opened={cameras.length > 0}
      onClose={onClose}
      title={t('device.tag.title', { count: cameras.length })}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      {cameras.length > 0 && <Tagging cameras={cameras} onClose={onClose} />}
    </Modal>
  )
}

function Tagging({ cameras, onClose }: { cameras: readonly Device[]; onClose: () => void }) {
  const { t } = useTranslation()
  const [key, setKey] = useState('')
  const [value, setValue] = useState('')
  const [done, setDone] = useState<number | null>(null)
  /** Those that were refused it, with the reason: they alone are tried again, until it is another tag. */
  const [failed, setFailed] = useState<readonly Failed[]>([])
  const left = failed.length > 0 ? failed.map(({ camera }) => camera) : cameras
  const known = [...new Set(cameras.flatMap(({ device_tags }) => Object.keys(device_tags)))].toSorted()
  const tag = deviceChange.shape.device_tags.safeParse({ [key.trim()]: value.trim() || 'none' })
  const fault = key.trim() === '' ? null : (tag.error?.issues[0]?.message ?? null)

  const save = async () => {
    const problems: Failed[] = []
    for (let at = 0; at < left.length; at += taggedAtOnce) {
      setDone(at)
      const part = left.slice(at, at + taggedAtOnce)
      const device_id = part.map((camera) => camera.device_id)
      const result = await api.device.tag.call({ device_id, key: key.trim(), value: value.trim() || null })
      if (!result.status) {
        // Nothing is known of these, and the next would fare no better.
        problems.push(...left.slice(at).map((camera) => ({ camera, text: result.message.text })))
        break
      }
      const why = new Map(result.data.devices.map((one) => [one.device_id, one.error_code]))
      for (const camera of part) {
        const code = why.get(camera.device_id)
        if (code) problems.push({ camera, text: causeText(code) })
      }
    }
    setDone(null)
    refresh('device')
    setFailed(problems)
    if (problems.length > 0) return
    notify({ type: 'success', text: t('device.tag.done', { count: cameras.length }) })
    onClose()
  }
  return (
    <form
      noValidate
      onSubmit={(submitted) => {
        submitted.preventDefault()
        void save()
      }}
    >
      <Stack gap="sm">
        <TextInput
          label={t('device.tag.key')}
          description={known.length > 0 ? t('device.tag.known', { tags: known.join(', ') }) : undefined}
          data-autofocus
          value={key}
          error={fault && fieldText(fault)}
          onChange={({ currentTarget }) => {
            setKey(currentTarget.value)
            setFailed([])
          }}
        />
        <TextInput
          label={t('device.tag.value')}
          description={t('device.tag.valueHint')}
          value={value}
          onChange={({ currentTarget }) => {
            setValue(currentTarget.value)
            setFailed([])
          }}
        />
        {done !== null && <Progress value={(100 * done) / left.length} aria-label={t('device.tag.open')} />}
        {failed.length > 0 && (
          <Alert color="red" role="alert">
            {left.length < cameras.length && <div>{t('device.tag.done', { count: cameras.length - left.length })}</div>}
            {failed.map(({ camera: { device_id, device_name: name }, text }) => (
              <div key={device_id}>{t('common.pair', { name, text })}</div>
            ))}
          </Alert>
        )}
      </Stack>
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={onClose}>
          {t('common.cancel')}
        </Button>
        <Button type="submit" loading={done !== null} disabled={key.trim() === '' || fault !== null}>
          {t(value.trim() === '' ? 'device.tag.remove' : 'device.tag.set', { count: left.length })}
        </Button>
      </Group>
    </form>
  )
}
