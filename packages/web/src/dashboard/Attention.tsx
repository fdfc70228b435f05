import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { causeText } from '../i18n/words.ts'
import { type Camera, refreshMs } from '../ui/cameras/customer-cameras.ts'
import { Go } from '../ui/Go.tsx'
import { HealthTag } from '../ui/Health.tsx'
import { Panel } from '../ui/Panel.tsx'
import classes from './dashboard.module.css'

/** Cameras and analytics that are not healthy, worst first, each with why and a way to its own page. */
export function Attention({ cameras }: { cameras: readonly Camera[] }) {
  const { t } = useTranslation()
  const ill = cameras
    .flatMap(({ device_id, device_name, device_health, site_id, channels }) => [
      {
        id: device_id,
        name: device_name,
        health: device_health,
        to: '/device/detail' as const,
        search: { sid: site_id, did: device_id },
      },
      ...channels.map(({ channel_id, channel_name, channel_health, usecase_id }) => ({
        id: channel_id,
        name: `${device_name} · ${channel_name}`,
        health: channel_health,
        to: '/channel/detail' as const,
        search: { did: device_id, cid: channel_id, uid: usecase_id },
      })),
    ])
    .filter(({ health }) => health === 'offline' || health === 'needs attention')
    .toSorted((a, b) => Number(b.health === 'offline') - Number(a.health === 'offline'))
  const reading = { enabled: ill.length > 0, refetchInterval: refreshMs }
  const devices = useQuery({ ...api.device.list.query({}), ...reading })
  const channels = useQuery({ ...api.channel.mine.query({}), ...reading })
  const causeOf = (id: string) =>
    channels.data?.find(({ channel_id }) => channel_id === id)?.state_cause ??
    devices.data?.find(({ device_id }) => device_id === id)?.health_cause
  return (
    <Panel title={t('dashboard.attention')}>
      {ill.length === 0 ? (
        <p className="t2">{t('dashboard.allWell')}</p>
      ) : (
        <ul className={classes.ill}>
          {ill.slice(0, 8).map(({ id, name, health, to, search }) => {
            const cause = causeOf(id)
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
