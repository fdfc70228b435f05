import type { Site } from '@sightline/contract'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { Confirm } from '../ui/Confirm.tsx'

type Props = { site: Site; opened: boolean; onClose: () => void; onDeleted?: () => void }

/** Asks before a site goes for good. */
export function DeleteSite({ site, opened, onClose, onDeleted }: Props) {
  const { t } = useTranslation()
  const remove = useMutation(api.site.delete.mutation())
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={t('site.delete')}
      confirmLabel={t('site.delete')}
      pending={remove.isPending}
      onConfirm={() => remove.mutate({ site_id: site.site_id }, { onSuccess: onDeleted, onSettled: onClose })}
    >
      {t('common.pair', { name: site.site_name, text: t('site.deleteText') })}
    </Confirm>
  )
}
