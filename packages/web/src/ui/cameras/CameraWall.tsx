import { Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, memo, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../app/client.ts'
import { portalNow } from '../../app/clock.ts'
import { useIsServerAway } from '../../app/ServerWatch.tsx'
import { formatNumber, formatSince } from '../../i18n/format.ts'
import { CameraGrid, CameraTile } from '../CameraTile.tsx'
import { useSiteZones } from '../site-zones.ts'
import { toneOf } from '../tone.ts'
import { useSeen } from '../useSeen.ts'
import type { Camera } from './customer-cameras.ts'
import type { Levels } from './levels.ts'
import { figureOf, isViolating } from './now.ts'
import { useStill } from './useStill.ts'

const LivePicture = lazy(() => import('../live/LivePicture.tsx').then((module) => ({ default: module.LivePicture })))

type Props = {
  cameras: readonly Camera[]
  levels: Levels
  /** Ids of the channels whose newest record was a violation. */
  alarming: ReadonlySet<string>
  /** How many there are in all; null when they are too many to count. */
  total: number | null
  /** The next ones by name. */
  remote?: { hasMore: boolean; isFetching: boolean; more: () => void }
  /** Tiles in a row; as many as fit when it is not said. */
  columns?: number
  /** Ids of the cameras that show a video now; none where only stills are shown. */
  live?: ReadonlySet<string>
}

/** More pictures than these nobody follows at once. */
const tilesAtOnce = 24

/** The cameras with their newest still and numbers; those in violation first. */
export function CameraWall({ cameras, levels, alarming, total, remote, columns, live }: Props) {
  const { t } = useTranslation()
  const [most, setMost] = useState(tilesAtOnce)
  const violating = new Set(cameras.filter((camera) => isViolating(camera, levels, alarming)))
  const order = [...violating, ...cameras.filter((camera) => !violating.has(camera))]
  const shown = Math.min(most, order.length)
  const showMore = () => {
    setMost(most + tilesAtOnce)
    if (remote?.hasMore && most + tilesAtOnce > order.length) remote.more()
  }
  return (
    <>
      <CameraGrid label={t('dashboard.cameraGrid')} columns={columns}>
        {order.slice(0, most).map((camera) => (
          <Tile
            key={camera.device_id}
            camera={camera}
            figure={figureOf(camera, levels)}
            isViolating={violating.has(camera)}
            isLive={live?.has(camera.device_id)}
          />
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

/** Since when a camera is offline, as far as the last 24 hours tell, in words. */
function useOfflineSince({ device_id, device_health, site_id }: Camera): string | null {
  const isOffline = device_health === 'offline'
  const view = useQuery({ ...api.device.view.query({ device_id }), enabled: isOffline })
  const last = view.data?.health.at(-1)
  const zoneOf = useSiteZones(isOffline ? [site_id] : [])
  return isOffline && last?.state === 'offline' ? formatSince(last.start, zoneOf(site_id), portalNow()) : null
}

type TileProps = {
  camera: Camera
  /** Of what it counts now; a text, so that only the tiles are drawn anew whose numbers changed. */
  figure: string
  isViolating: boolean
  isLive?: boolean | undefined
}

/** One camera of a wall with its newest still or its video, its state and its numbers of now. */
export const Tile = memo(({ camera, figure, isViolating, isLive }: TileProps) => {
  const { t } = useTranslation()
  const { device_id, device_name, site_id, site_name, device_health, channels } = camera
  const isAway = useIsServerAway()
  const health = isAway ? 'unknown' : device_health
  const usecases = channels.map(({ usecase_key }) => t(`usecase.name.${usecase_key}`)).join(', ')
  const [tile, isSeen] = useSeen<HTMLAnchorElement>()
  const still = useStill(camera, isSeen)
  const since = useOfflineSince(camera)
  const status =
    isViolating && !isAway
      ? t('wall.inViolation')
      : health === 'healthy'
        ? t('dashboard.live')
        : since && !isAway
          ? t('wall.offlineSince', { at: since })
          : t(`health.${health}`)
  return (
    <CameraTile
      ref={tile}
      to="/device/view"
      search={{ sid: site_id, did: device_id }}
      name={device_name}
      detail={`${site_name} · ${usecases || t('dashboard.noAnalytic')}`}
      still={still}
      live={
        isLive &&
        health === 'healthy' && (
          <Suspense>
            <LivePicture deviceId={device_id} siteId={site_id} label={device_name} still={still} bare />
          </Suspense>
        )
      }
      tone={toneOf[health]}
      status={status}
      isViolating={isViolating && !isAway}
      figure={figure}
    />
  )
})
