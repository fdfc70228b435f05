import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { causeText } from '../i18n/words.ts'
import { type Camera, refreshMs } from '../ui/cameras/customer-cameras.ts'
import { byCause } from '../ui/cameras/shared-cause.ts'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { Go } from '../ui/Go.tsx'
import { HealthTag } from '../ui/Health.tsx'
import { Panel } from '../ui/Panel.tsx'
import { RowsSkeleton } from '../ui/Skeletons.tsx'
import classes from './dashboard.module.css'

/** So many are listed: what is worst is mended first. */
const most = 8

/**
 * Cameras and analytics that are not healthy, worst first, each with why and a way to its own page. What several
 * analytics of a camera suffer from alike is one line.
 */
export function Attention({ customerId, cameras }: { customerId: string; cameras: readonly Camera[] }) {
  const { t } = useTranslation()
  // Of very many cameras only some are on this page: which of all are ill the server says.
  const found = useQuery({
    ...api.device.list.query({ customer_id: customerId, health: ['offline', 'needs attention'], limit: most }),
    refetchInterval: refreshMs,
  })
  const devices = found.data?.map(({ device_id, device_name, device_health, health_cause, site_id }) => ({
    id: device_id,
    name: device_name,
    health: device_health,
    cause: health_cause,
    to: '/device/detail' as const,
    search: { sid: site_id, did: device_id },
  }))
  const channels = cameras.flatMap(({ device_id, device_name, site_id, health_cause, channels }) =>
    byCause(channels, health_cause).flatMap(([first, ...others]) => {
      if (!first) return []
      const { channel_id, channel_name, channel_health, state_cause, usecase_id } = first
      const about = { id: channel_id, health: channel_health, cause: state_cause }
      return others.length === 0
        ? {
            ...about,
            name: `${device_name} · ${channel_name}`,
            to: '/channel/detail' as const,
            search: { did: device_id, cid: channel_id, uid: usecase_id },
          }
        : {
            ...about,
            name: `${device_name} · ${t('deployment.analytics', { count: others.length + 1 })}`,
            to: '/device/detail' as const,
            search: { sid: site_id, did: device_id },
          }
    }),
  )
  const ill = [...(devices ?? []), ...channels]
    .filter(({ health }) => health === 'offline' || health === 'needs attention')
    .toSorted((a, b) => Number(b.health === 'offline') - Number(a.health === 'offline'))
  return (
    <Panel title={t('dashboard.attention')}>
      {found.isError && !found.data ? (
        // Which cameras are ill nobody knows then: their analytics alone would look like all.
        <ErrorPanel error={found.error} onRetry={() => void found.refetch()} />
      ) : !found.data ? (
        <RowsSkeleton rows={2} />
      ) : ill.length === 0 ? (
        <p className="t2">{t('dashboard.allWell')}</p>
      ) : (
        <ul className={classes.ill}>
          {ill.slice(0, most).map(({ id, name, health, cause, to, search }) => {
            return (
              <li key={id}>
                <span className={classes.illWords}>
                  <Go to={to} search={search} className="truncate">
                    {name}
                  </Go>
                  {cause && <span className="t3">{causeText(cause)}</span>}
                </span>
                <HealthTag health={health} />
              </li>
            )
          })}
        </ul>
      )}
    </Panel>
  )
}
