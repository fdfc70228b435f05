import type { EventStats } from '@sightline/contract'
import { metricsOf } from '@sightline/domain'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../i18n/format.ts'
import { CameraGrid, CameraTile } from '../ui/CameraTile.tsx'
import { toneOf } from '../ui/Health.tsx'
import type { Camera } from './Dashboard.tsx'
import type { Levels } from './levels.ts'
import { useStillClock } from './still-clock.ts'

type Props = { cameras: readonly Camera[]; levels: Levels; stats: EventStats['channels'] }

/** The cameras with their newest still and numbers; those in violation first. */
export function CameraWall({ cameras, levels, stats }: Props) {
  const { t } = useTranslation()
  const clock = useStillClock()
  const inViolation = (camera: Camera) =>
    camera.channels.some(
      ({ channel_id }) =>
        (levels[channel_id]?.violation ?? 0) > 0 ||
        stats.some((one) => one.channel_id === channel_id && one.in_violation),
    )
  const order = cameras.toSorted((a, b) => Number(inViolation(b)) - Number(inViolation(a)))
  const figure = ({ channels }: Camera) =>
    channels
      .flatMap(({ channel_id, usecase_key }) => {
        const [id] = metricsOf(usecase_key).filter((metric) => levels[channel_id]?.[metric] !== undefined)
        const value = id && levels[channel_id]?.[id]
        return id && value !== undefined ? [`${t(`usecase.metric.${id}`)} ${formatNumber(value)}`] : []
      })
      .join(' · ')
  return (
    <CameraGrid label={t('dashboard.cameraGrid')}>
      {order.map((camera) => {
        const { device_id, device_name, site_id, site_name, device_health, snapshot_url, channels } = camera
        const usecases = channels.map(({ usecase_key }) => t(`usecase.name.${usecase_key}`)).join(', ')
        const isLive = device_health === 'healthy'
        return (
          <CameraTile
            key={device_id}
            to="/device/view"
            search={{ sid: site_id, did: device_id }}
            name={device_name}
            detail={`${site_name} · ${usecases || t('dashboard.noAnalytic')}`}
            still={snapshot_url && `${snapshot_url}?t=${clock}`}
            tone={toneOf[device_health]}
            status={isLive ? t('dashboard.live') : t(`health.${device_health}`)}
            isViolating={inViolation(camera)}
            figure={figure(camera)}
          />
        )
      })}
    </CameraGrid>
  )
}
