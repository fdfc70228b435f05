import { Button } from '@mantine/core'
import type { Device, Zone } from '@sightline/contract'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../app/client.ts'
import { useMay } from '../../session.ts'
import { Confirm } from '../Confirm.tsx'
import { Go } from '../Go.tsx'
import { Tag } from '../Health.tsx'
import classes from './zones.module.css'

type Props = { masks: readonly Zone[]; camera: Device }

/** Masks with where each is changed: among the zones of its analytic, or here where its analytic is gone. */
export function MaskList({ masks, camera }: Props) {
  const { t } = useTranslation()
  const mayEdit = useMay('edit')
  const [asked, setAsked] = useState<Zone | null>(null)
  const remove = useMutation(api.static.delete.mutation())
  return (
    <>
      <ul className={classes.masks}>
        {masks.map((mask) => {
          const owner = camera.source_channels.find(({ channel_id }) => channel_id === mask.channel_id)
          const name = mask.label ?? mask.name
          return (
            <li key={mask.static_id}>
              <b className="truncate">{name}</b>
              {!mask.is_active && <Tag>{t('zones.off')}</Tag>}
              {owner && !mayEdit ? (
                <span className="t3 truncate">{t('zones.maskOf', { name: owner.channel_name })}</span>
              ) : owner ? (
                <span className="truncate">
                  <Go
                    to="/channel/edit"
                    search={{ did: camera.device_id, cid: owner.channel_id, uid: owner.usecase_id }}
                  >
                    {t('zones.maskOf', { name: owner.channel_name })}
                  </Go>
                </span>
              ) : mayEdit ? (
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={t('zones.removeMask', { name })}
                  onClick={() => setAsked(mask)}
                >
                  {t('zones.remove')}
                </Button>
              ) : null}
            </li>
          )
        })}
      </ul>
      <Confirm
        opened={asked !== null}
        onClose={() => setAsked(null)}
        title={t('zones.removeMask', { name: asked?.label ?? asked?.name ?? '' })}
        confirmLabel={t('zones.reveal')}
        pending={remove.isPending}
        onConfirm={() => {
          if (asked) remove.mutate({ static_id: asked.static_id }, { onSettled: () => setAsked(null) })
        }}
      >
        {t('zones.revealText', { name: camera.device_name })}
      </Confirm>
    </>
  )
}
