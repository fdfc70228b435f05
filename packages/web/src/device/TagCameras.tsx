import { Alert, Button, Group, Modal, Progress, Stack, TextInput } from '@mantine/core'
import { type Device, deviceChange } from '@sightline/contract'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, refresh } from '../app/client.ts'
import { notify } from '../app/messages.ts'
import { fieldText } from '../i18n/words.ts'

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
  const [failed, setFailed] = useState<readonly string[]>([])
  const known = [...new Set(cameras.flatMap(({ device_tags }) => Object.keys(device_tags)))].toSorted()
  const tag = deviceChange.shape.device_tags.safeParse({ [key.trim()]: value.trim() || 'none' })
  const fault = key.trim() === '' ? null : (tag.error?.issues[0]?.message ?? null)

  const save = async () => {
    const problems: string[] = []
    for (const [index, { device_id, device_name, device_tags, version }] of cameras.entries()) {
      setDone(index)
      const { [key.trim()]: _, ...others } = device_tags
      const next = value.trim() === '' ? others : { ...others, [key.trim()]: value.trim() }
      const result = await api.device.update.call({ device_id, device_tags: next, version })
      if (!result.status) problems.push(t('common.pair', { name: device_name, text: result.message.text }))
    }
    setDone(null)
    refresh('device')
    if (problems.length > 0) return setFailed(problems)
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
          onChange={({ currentTarget }) => setKey(currentTarget.value)}
        />
        <TextInput
          label={t('device.tag.value')}
          description={t('device.tag.valueHint')}
          value={value}
          onChange={({ currentTarget }) => setValue(currentTarget.value)}
        />
        {done !== null && <Progress value={(100 * done) / cameras.length} aria-label={t('device.tag.open')} />}
        {failed.length > 0 && (
          <Alert color="red" role="alert">
            {failed.map((text) => (
              <div key={text}>{text}</div>
            ))}
          </Alert>
        )}
      </Stack>
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={onClose}>
          {t('common.cancel')}
        </Button>
        <Button type="submit" loading={done !== null} disabled={key.trim() === '' || fault !== null}>
          {t(value.trim() === '' ? 'device.tag.remove' : 'device.tag.set', { count: cameras.length })}
        </Button>
      </Group>
    </form>
  )
}
