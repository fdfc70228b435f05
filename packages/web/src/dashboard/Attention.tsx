import { useTranslation } from 'react-i18next'
import { Go } from '../ui/Go.tsx'
import { HealthTag } from '../ui/Health.tsx'
import { Panel } from '../ui/Panel.tsx'
import type { Camera } from './Dashboard.tsx'
import classes from './dashboard.module.css'

/** Cameras and analytics that are not healthy, worst first. */
export function Attention({ cameras }: { cameras: readonly Camera[] }) {
  const { t } = useTranslation()
  const ill = cameras
    .flatMap((camera) => [
      { key: camera.device_id, camera, name: camera.device_name, health: camera.device_health },
      ...camera.channels.map(({ channel_id, channel_name, channel_health }) => ({
        key: channel_id,
        camera,
        name: `${camera.device_name}: ${channel_name}`,
        health: channel_health,
      })),
    ])
    .filter(({ health }) => health === 'offline' || health === 'needs attention')
    .toSorted((a, b) => Number(b.health === 'offline') - Number(a.health === 'offline'))
  return (
    <Panel title={t('dashboard.attention')}>
      {ill.length === 0 ? (
        <p className="t2">{t('dashboard.allWell')}</p>
      ) : (
        <ul className={classes.ill}>
          {ill.slice(0, 8).map(({ key, camera, name, health }) => (
            <li key={key}>
              <Go to="/device/detail" search={{ sid: camera.site_id, did: camera.device_id }} className="truncate">
                {name}
              </Go>
              <HealthTag health={health} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}
