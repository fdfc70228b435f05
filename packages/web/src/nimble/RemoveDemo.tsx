import { Modal } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, refresh } from '../app/client.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { RowsSkeleton } from '../ui/Skeletons.tsx'

/** Stops the simulated cameras and removes those that were added; says first what goes with them. */
export function RemoveDemo({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const plan = useQuery({
    queryKey: [...api.demo.list.key({}), 'removal'],
    queryFn: async ({ signal }) => {
      const result = await api.demo.stop.call({ dry_run: true }, { signal })
      if (!result.status) throw result.failure
      return result.data
    },
    staleTime: 0,
    gcTime: 0,
    retry: false,
    meta: { op: 'demo.stop', quiet: true },
  })
  const remove = useMutation(api.demo.stop.mutation())
  const goes = plan.data
  const isNothing = goes && goes.devices.length + goes.running === 0
  if (!goes || isNothing)
    return (
      <Modal opened onClose={onClose} title={t('demo.remove')} closeButtonProps={{ 'aria-label': t('common.close') }}>
        {plan.isError ? (
          <ErrorPanel error={plan.error} onRetry={() => void plan.refetch()} />
        ) : isNothing ? (
          t('demo.none')
        ) : (
          <RowsSkeleton rows={3} height={28} />
        )}
      </Modal>
    )
  const { devices, channels, running } = goes
  return (
    <Confirm
      opened
      onClose={onClose}
      title={t('demo.remove')}
      confirmLabel={t('demo.remove')}
      pending={remove.isPending}
      onConfirm={() =>
        remove.mutate(
          { dry_run: false },
          {
            onSuccess: () => {
              refresh('device')
              refresh('channel')
            },
            onSettled: onClose,
          },
        )
      }
    >
      <p>{t('demo.stops', { count: running })}</p>
      {devices.length > 0 && (
        <p>
          {t('demo.cameras', { count: devices.length })} <b>{devices.map((one) => one.device_name).join(', ')}</b>
        </p>
      )}
      {channels.length > 0 && (
        <p>
          {t('demo.analytics', { count: channels.length })} <b>{channels.map((one) => one.channel_name).join(', ')}</b>
        </p>
      )}
      <p>{t('demo.stays')}</p>
    </Confirm>
  )
}
