import { Button, Group, Image, Input, Modal, Text } from '@mantine/core'
import { Dropzone, type FileRejection } from '@mantine/dropzone'
import '@mantine/dropzone/styles.css'
import { IconCamera, IconPhotoUp } from '@tabler/icons-react'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { fieldText } from '../i18n/words.ts'
import { withinLimit } from './shrink.ts'
import { Webcam } from './Webcam.tsx'

type Props = {
  label: string
  description?: string
  /** Path that the upload answered, null for none. */
  value: string | null
  onChange: (path: string | null) => void
  error?: string
  /** During onboarding there is no session yet. */
  isPublic?: boolean
}

const types = ['image/jpeg', 'image/png', 'image/webp']
/** A larger file is no photo; reading it could take all memory that the page has. */
const largestBytes = 100 * 1024 * 1024

/** One image: chosen or dropped, made smaller where it has to be, sent at once, shown as the server kept it. */
export function ImageUpload({ label, description, value, onChange, error, isPublic }: Props) {
  const { t } = useTranslation()
  const id = useId()
  // Browsers offer it in a secure context only.
  const hasWebcam = !isPublic && typeof navigator.mediaDevices?.getUserMedia === 'function'
  const [takes, setTakes] = useState(false)
  const [isSending, setIsSending] = useState(false)
  const [refused, setRefused] = useState<string | null>(null)

  const send = async ([file]: File[]) => {
    if (!file) return
    setIsSending(true)
    setRefused(null)
    const upload = isPublic ? api.upload.public : api.upload.create
    const sent = await withinLimit(file)
    const result = sent && (await upload.call({ kind: 'image' }, { file: sent }))
    setIsSending(false)
    if (!result) return setRefused(fieldText('image_invalid'))
    if (result.status) onChange(result.data.path)
    else setRefused(result.message.text)
  }
  const reject = ([first]: FileRejection[]) =>
    setRefused(fieldText(first?.errors[0]?.code === 'file-too-large' ? 'image_too_large' : 'image_invalid'))

  return (
    <Input.Wrapper label={label} labelProps={{ htmlFor: id }} description={description} error={refused ?? error}>
      <Dropzone
        mt={6}
        onDrop={send}
        onReject={reject}
        accept={types}
        maxSize={largestBytes}
        multiple={false}
        loading={isSending}
        inputProps={{ id }}
        p="sm"
      >
        <Group wrap="nowrap" gap="md">
          {value ? (
            <Image src={value} alt="" w={96} h={54} radius="sm" fit="cover" />
          ) : (
            <IconPhotoUp size={28} stroke={1.5} style={{ flex: 'none' }} aria-hidden="true" />
          )}
          <Text size="sm" className="t2">
            {t('image.drop')}
          </Text>
        </Group>
      </Dropzone>
      <Group gap="xs" mt={6}>
        {hasWebcam && (
          <Button
            variant="subtle"
            color="gray"
            size="compact-sm"
            leftSection={<IconCamera size={15} aria-hidden="true" />}
            disabled={isSending}
            onClick={() => setTakes(true)}
          >
            {t('image.webcam')}
          </Button>
        )}
        {value && (
          <Button variant="subtle" color="gray" size="compact-sm" onClick={() => onChange(null)}>
            {t('image.remove')}
          </Button>
        )}
      </Group>
      <Modal
        opened={takes}
        onClose={() => setTakes(false)}
        title={t('image.webcam')}
        closeButtonProps={{ 'aria-label': t('common.close') }}
      >
        {takes && (
          <Webcam
            onTaken={(file) => {
              setTakes(false)
              void send([file])
            }}
          />
        )}
      </Modal>
    </Input.Wrapper>
  )
}
