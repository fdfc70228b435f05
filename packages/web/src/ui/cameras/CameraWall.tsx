import { Button, Group } from '@mantine/core'
import type { EventStats } from '@sightline/contract'
import { metricsOf } from '@sightline/domain'
import { useQuery } from '@tanstack/react-query'
import { memo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../app/client.ts'
import { useIsServerAway } from '../../app/ServerWatch.tsx'
import { formatNumber } from '../../i18n/format.ts'
import { CameraGrid, CameraTile } from '../CameraTile.tsx'
import { toneOf } from '../tone.ts'
import { type Camera, refreshMs } from './customer-cameras.ts'
import type { Levels } from './levels.ts'

type Stats = EventStats['channels']
type Props = {
  cameras: readonly Camera[]
  levels: Levels
  stats: Stats
  /** How many there are in all; null when they are too many to count. */
  total: number | null
  /** The next ones by name. */
  remote?: { hasMore: boolean; isFetching: boolean; more: () => void }
  /** Tiles in a row; as many as fit when it is not said. */
  columns?: number
}

/** More pictures than these nobody follows; each asks for a new still again and again. */
const tilesAtOnce = 24

export const isViolating = (camera: Camera, levels: Levels, stats: Stats): boolean =>
  camera.channels.some(
    ({ channel_id }) =>
      (levels[channel_id]?.violation ?? 0) > 0 ||
      stats.some((one) => one.channel_id === channel_id && one.in_violation),
  )

/** The cameras with their newest still and numbers; those in violation first. */
export function CameraWall({ cameras, levels, stats, total, remote, columns }: Props) {
  const { t } = useTranslation()
  const inViolation = (camera: Camera) => isViolating(camera, levels, stats)
  const [most, setMost] = useState(tilesAtOnce)
  const order = cameras.toSorted((a, b) => Number(inViolation(b)) - Number(inViolation(a)))
  const shown = Math.min(most, order.length)
  const showMore = () => {
    setMost(most + tilesAtOnce)
    if (remote?.hasMore && most + tilesAtOnce > order.length) remote.more()
  }
  return (
    <>
      <CameraGrid label={t('dashboard.cameraGrid')} columns={columns}>
        {order.slice(0, most).map((camera) => (
          <Tile key={camera.device_id} camera={camera} levels={levels} isViolating={inViolation(camera)} />
        ))}
      </CameraGrid>
      {(order.length > most || remote?.hasMore) && (
        <Group justify="center">
          <span className="t2 num" role="status">
            {total === null
              ? t('dashboard.shownOfMany', { shown: formatNumber(shown) })
              : t('dashboard.shown', { shown: formatNumber(shown), total: formatNumber(total) })}
          </span>
          <Button variant="default" loading={remote?.isFetching ?? false} onClick={showMore}>
            {t('dashboard.moreCameras')}
          </Button>
        </Group>
      )}
    </>
  )
}

/** A new still every few seconds while an analytic looks, now and then otherwise; the last one known when there is no picture. */
function useStill({ device_id, channels, device_health, snapshot_url }: Camera): string | null {
  const [first] = channels
  const isThere = device_health === 'healthy'
  const newest = useQuery({
    ...api.channel.ondemand.query({ channel_id: first?.channel_id ?? '' }),
    meta: { op: 'channel.ondemand', quiet: true },
    enabled: isThere && first !== undefined,
    refetchInterval: refreshMs,
    retry: false,
  })
  const view = useQuery({ ...api.device.view.query({ device_id }), enabled: isThere && first === undefined })
  return newest.data?.kind === 'snapshot' ? newest.data.snapshot_url : (view.data?.snapshot_url ?? snapshot_url)
}

type TileProps = { camera: Camera; levels: Levels; isViolating: boolean }

const Tile = memo(({ camera, levels, isViolating }: TileProps) => {
  const { t } = useTranslation()
  const { device_id, device_name, site_id, site_name, device_health, channels } = camera
  const isAway = useIsServerAway()
  const health = isAway ? 'unknown' : device_health
  const usecases = channels.map(({ usecase_key }) => t(`usecase.name.${usecase_key}`)).join(', ')
  const figure = channels
    .flatMap(({ channel_id, usecase_key }) => {
      const now = levels[channel_id]
      const id = metricsOf(usecase_key).find((metric) => now?.[metric] !== undefined)
      // People now, not their mean over a window: a whole number.
      return id && now ? [`${t(`usecase.name.${usecase_key}`)} ${formatNumber(Math.round(now[id] ?? 0))}`] : []
    })
    .join(' · ')
  return (
    <CameraTile
      to="/device/view"
      search={{ sid: site_id, did: device_id }}
      name={device_name}
      detail={`${site_name} · ${usecases || t('dashboard.noAnalytic')}`}
      still={useStill(camera)}
      tone={toneOf[health]}
      status={health === 'healthy' ? t('dashboard.live') : t(`health.${health}`)}
      isViolating={isViolating && !isAway}
      figure={figure}
    />
  )
})
