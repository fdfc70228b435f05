import { Button, Group, Modal, Text, Textarea, UnstyledButton } from '@mantine/core'
import { userOps } from '@sightline/contract'
import { seesClear, unblurMinutes } from '@sightline/domain'
import { IconEye, IconEyeOff } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatClock } from '../i18n/format.ts'
import { fieldText } from '../i18n/words.ts'
import { useUser } from '../session.ts'
import { api, report } from './client.ts'

/** In the system bar of who sees pictures blurred: that they do, and the way to see them clearly for a while. */
export default function PictureClarity({ className }: { className?: string }) {
  const { t } = useTranslation()
  const { privileges, unblurred_until } = useUser()
  const until = unblurred_until === null ? null : Date.parse(unblurred_until)
  const [isOpen, setIsOpen] = useState(false)
  const [now, setNow] = useState(Date.now)
  const isClear = seesClear(privileges, until, now)
  useEffect(() => {
    if (!isClear || until === null) return
    const timer = setTimeout(() => setNow(Date.now()), Math.max(0, until - Date.now()) + 1)
    return () => clearTimeout(timer)
  }, [isClear, until])

  const says = isClear ? t('clarity.clearUntil', { at: formatClock(unblurred_until ?? '') }) : t('clarity.blurred')
  return (
    <>
      <UnstyledButton className={className} aria-label={says} title={says} onClick={() => setIsOpen(true)}>
        {isClear ? (
          <IconEye size={19} stroke={1.7} color="var(--warn-dot)" aria-hidden="true" />
        ) : (
          <IconEyeOff size={19} stroke={1.7} aria-hidden="true" />
        )}
      </UnstyledButton>
      <Modal
        opened={isOpen}
        onClose={() => setIsOpen(false)}
        title={says}
        closeButtonProps={{ 'aria-label': t('common.close') }}
      >
        {isClear ? <Again /> : privileges.includes('picture.unblur') ? <Reason /> : <Text>{t('clarity.ask')}</Text>}
      </Modal>
    </>
  )
}

/** Everything on the page shows pictures of before: it is read anew. */
const readAgain = () => location.reload()

function Again() {
  const { t } = useTranslation()
  const [isSaving, setIsSaving] = useState(false)
  const blur = async () => {
    setIsSaving(true)
    const result = await api.user.blur.call({})
    if (result.status) return readAgain()
    setIsSaving(false)
    report(result.failure)
  }
  return (
    <>
      <Text>{t('clarity.again')}</Text>
      <Group justify="flex-end" mt="lg">
        <Button loading={isSaving} onClick={() => void blur()}>
          {t('clarity.blur')}
        </Button>
      </Group>
    </>
  )
}

function Reason() {
  const { t } = useTranslation()
  const [reason, setReason] = useState('')
  const [fault, setFault] = useState<string | null>(null)
  const [isSaving, setIsSaving] = useState(false)
  const unblur = async () => {
    const read = userOps.unblur.input.safeParse({ reason })
    setFault(read.success ? null : fieldText(read.error.issues[0]?.message ?? 'required'))
    if (!read.success) return
    setIsSaving(true)
    const result = await api.user.unblur.call({ reason })
    if (result.status) return readAgain()
    setIsSaving(false)
    setFault(result.message.text)
  }
  return (
    <form
      noValidate
      onSubmit={(submitted) => {
        submitted.preventDefault()
        void unblur()
      }}
    >
      <Text>{t('clarity.why', { minutes: unblurMinutes })}</Text>
      <Textarea
        mt="md"
        data-autofocus
        autosize
        minRows={2}
        maxLength={500}
        withAsterisk
        label={t('clarity.reason')}
        placeholder={t('clarity.example')}
        value={reason}
        error={fault}
        onChange={({ currentTarget }) => {
          setReason(currentTarget.value)
          setFault(null)
        }}
      />
      <Group justify="flex-end" mt="lg">
        <Button type="submit" loading={isSaving}>
          {t('clarity.unblur', { minutes: unblurMinutes })}
        </Button>
      </Group>
    </form>
  )
}
