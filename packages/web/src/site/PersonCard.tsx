import { ActionIcon, Button, FileButton, Group, Menu, Text } from '@mantine/core'
import type { Face } from '@sightline/contract'
import { fairFacePx, mostFacePictures } from '@sightline/domain'
import { IconDots, IconFaceId, IconPhotoPlus, IconTrash } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, refresh } from '../app/client.ts'
import { formatDate } from '../i18n/format.ts'
import { fieldText } from '../i18n/words.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { withinLimit } from '../ui/shrink.ts'
import classes from './face.module.css'

type Props = { person: Face; timezone: string; mayEdit: boolean; takesPictures: boolean; onRename: () => void }

/** Somebody a site knows: pictures with how well they serve, and what an administrator may do. */
export function PersonCard({ person, timezone, mayEdit, takesPictures, onRename }: Props) {
  const { t } = useTranslation()
  const { face_id, face_name, pictures, kept_until } = person
  const [isSending, setIsSending] = useState(false)
  const [refused, setRefused] = useState<string | null>(null)
  const [isLeaving, setIsLeaving] = useState(false)
  const forget = useRef<() => void>(null)
  const remove = useMutation(api.face.delete.mutation())
  const renew = useMutation(api.face.renew.mutation())
  const removePicture = useMutation(api.face.deletePicture.mutation())

  const send = async (file: File | null) => {
    if (!file) return
    forget.current?.()
    setRefused(null)
    setIsSending(true)
    const sent = await withinLimit(file)
    const result = sent && (await api.face.addPicture.call({ face_id }, { file: sent }))
    setIsSending(false)
    if (!result) return setRefused(fieldText('image_invalid'))
    if (result.status) return refresh('face')
    const [fault] = result.failure.errors.file ?? []
    setRefused(fault ? fieldText(fault) : result.message.text)
  }
  return (
    <article className={classes.person} aria-label={face_name}>
      <Group gap={8} wrap="nowrap">
        <h3 className={classes.name}>{face_name}</h3>
        {mayEdit && (
          <Menu position="bottom-end">
            <Menu.Target>
              <ActionIcon ml="auto" variant="subtle" color="gray" aria-label={t('face.actions', { name: face_name })}>
                <IconDots size={17} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item onClick={onRename}>{t('face.rename')}</Menu.Item>
              {kept_until && <Menu.Item onClick={() => renew.mutate({ face_id })}>{t('face.renew')}</Menu.Item>}
              <Menu.Item color="red" onClick={() => setIsLeaving(true)}>
                {t('face.delete')}
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        )}
      </Group>
      {kept_until && (
        <Text size="sm" className="t2">
          {t('face.keptUntil', { date: formatDate(kept_until, timezone) })}
        </Text>
      )}
      {pictures.length === 0 ? (
        <Text size="sm" className="t2">
          {t('face.noPictures')}
        </Text>
      ) : mayEdit ? (
        <ul className={classes.pictures}>
          {pictures.map(({ picture_id, url, face_px, is_read }, i) => (
            <li key={picture_id}>
              {url ? (
                <img src={url} alt={t('face.pictureAlt', { name: face_name })} width={72} height={72} />
              ) : (
                <IconFaceId size={72} stroke={1} aria-hidden="true" />
              )}
              <span>{t('face.px', { px: face_px })}</span>
              {face_px < fairFacePx && <span className="t2">{t('face.small')}</span>}
              {is_read === false && <span className="t2">{t('face.unread')}</span>}
              <ActionIcon
                variant="subtle"
                color="gray"
                size="sm"
                disabled={removePicture.isPending}
                aria-label={t('face.deletePicture', { number: i + 1, name: face_name })}
                onClick={() => removePicture.mutate({ picture_id })}
              >
                <IconTrash size={15} />
              </ActionIcon>
            </li>
          ))}
        </ul>
      ) : (
        <Text size="sm" className="t2">
          {t('face.pictures', { count: pictures.length })}
        </Text>
      )}
      {refused && (
        <Text size="sm" c="red" role="alert">
          {refused}
        </Text>
      )}
      {isSending && (
        <Text size="sm" className="t2" role="status">
          {t('face.adding')}
        </Text>
      )}
      {mayEdit && takesPictures && pictures.length < mostFacePictures && (
        <FileButton resetRef={forget} onChange={(file) => void send(file)} accept="image/jpeg,image/png,image/webp">
          {(props) => (
            <Button
              {...props}
              mt="xs"
              variant="default"
              size="compact-sm"
              loading={isSending}
              leftSection={<IconPhotoPlus size={15} />}
            >
              {t('face.addPicture')}
            </Button>
          )}
        </FileButton>
      )}
      <Confirm
        opened={isLeaving}
        onClose={() => setIsLeaving(false)}
        title={t('face.deleteNamed', { name: face_name })}
        confirmLabel={t('face.delete')}
        pending={remove.isPending}
        onConfirm={() => remove.mutate({ face_id }, { onSettled: () => setIsLeaving(false) })}
      >
        <b>{face_name}</b> {t('face.deleteText')}
      </Confirm>
    </article>
  )
}
