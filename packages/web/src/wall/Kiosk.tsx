import { ActionIcon, Button, Modal } from '@mantine/core'
import { useViewportSize } from '@mantine/hooks'
import { sessionHours, sessionIdleMinutes } from '@sightline/domain'
import { IconChevronLeft, IconChevronRight, IconMaximize, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useWatching } from '../app/activity.ts'
import { formatNumber } from '../i18n/format.ts'
import { useUser } from '../session.ts'
import { CameraGrid } from '../ui/CameraTile.tsx'
import { Tile } from '../ui/cameras/CameraWall.tsx'
import type { Camera } from '../ui/cameras/customer-cameras.ts'
import type { Levels } from '../ui/cameras/levels.ts'
import { figureOf, isViolating } from '../ui/cameras/now.ts'
import type { ColumnCount } from './columns.ts'
import { rowsThatFit } from './tiles.ts'
import { useWakeLock } from './useWakeLock.ts'
import { WallTiles } from './WallTiles.tsx'
import classes from './wall.module.css'

type Props = {
  title: string
  /** Those in violation first. */
  cameras: readonly Camera[]
  /** How many there are in all; null when they are too many to count. */
  total: number | null
  /** The next ones by name; absent when no more are to be shown. */
  remote?: { hasMore: boolean; more: () => void } | undefined
  levels: Levels
  alarming: ReadonlySet<string>
  columns: ColumnCount
  onColumns: (next: ColumnCount) => void
  onLeave: () => void
  /** In place of the tiles, when there is none. */
  children?: ReactNode
}

/** A page of tiles is shown so long. */
const turnMs = 15_000
/** Bar and edges around the tiles, and between them, in pixels. */
const around = { width: 24, height: 98, gap: 12 }

/** The wall alone on the screen, page after page, for as long as nobody presses Escape. */
export function Kiosk({ title, cameras, total, remote, levels, alarming, columns, ...rest }: Props) {
  const { onColumns, onLeave, children } = rest
  const { t } = useTranslation()
  const { width, height } = useViewportSize()
  const [page, setPage] = useState(0)
  const [isPaused, setIsPaused] = useState(false)
  const [isFull, setIsFull] = useState(document.fullscreenElement !== null)
  const isAwake = useWakeLock(true)
  // Whoever finds a viewer's screen sees what the viewer sees, and changes nothing but their profile: it may stay as long
  // as a sign-in holds at all. A super viewer sees every organization.
  const isViewer = useUser().role_key === 'viewer'
  useWatching(isViewer)
  const note = [
    !isAwake && t('wall.sleeps'),
    isViewer
      ? t('wall.staysFor', { count: sessionHours })
      : t('wall.signsOut', { count: sessionIdleMinutes, hours: sessionHours }),
  ]

  const fits = rowsThatFit(Number(columns), width - around.width, height - around.height, around.gap)
  const perPage = Number(columns) * fits
  const pages = Math.max(1, Math.ceil(cameras.length / perPage))
  const at = page % pages
  const shown = cameras.slice(at * perPage, (at + 1) * perPage)
  useEffect(() => {
    if (pages < 2 || isPaused) return
    const timer = setInterval(() => setPage((now) => (now + 1) % pages), turnMs)
    return () => clearInterval(timer)
  }, [pages, isPaused])
  // Of many cameras the first came: the next ones come when their page is near, and are asked for again with each turn.
  const isNear = remote?.hasMore === true && at >= pages - 2
  const readOn = useEffectEvent(() => remote?.more())
  // biome-ignore lint/correctness/useExhaustiveDependencies: once a turn, also when asking failed before
  useEffect(() => {
    if (isNear) readOn()
  }, [isNear, at])
  // What comes into violation is on the first page: there it is seen at once.
  const violating = cameras.filter((camera) => isViolating(camera, levels, alarming)).length
  useEffect(() => {
    if (violating > 0) setPage(0)
  }, [violating])

  const leave = useEffectEvent(onLeave)
  useEffect(() => {
    // In full screen the browser keeps the Escape key to itself: whoever leaves that leaves the wall too.
    const changed = () => {
      const isNow = document.fullscreenElement !== null
      setIsFull(isNow)
      if (!isNow) leave()
    }
    document.addEventListener('fullscreenchange', changed)
    return () => {
      document.removeEventListener('fullscreenchange', changed)
      if (document.fullscreenElement) void document.exitFullscreen()
    }
  }, [])

  return (
    <Modal.Root opened fullScreen onClose={onLeave} transitionProps={{ duration: 0 }}>
      <Modal.Content aria-label={title} className={classes.kiosk}>
        <header className={classes.bar}>
          <strong className="truncate">{title}</strong>
          {pages > 1 && (
            <>
              <ActionIcon
                variant="default"
                size={34}
                aria-label={t('common.previous')}
                onClick={() => setPage(at + pages - 1)}
              >
                <IconChevronLeft size={18} />
              </ActionIcon>
              <span className="num">
                {t('wall.page', { page: at + 1, pages })}
                {remote?.hasMore &&
                  ` · ${
                    total === null
                      ? t('dashboard.shownOfMany', { shown: formatNumber(cameras.length) })
                      : t('dashboard.shown', { shown: formatNumber(cameras.length), total: formatNumber(total) })
                  }`}
              </span>
              <ActionIcon variant="default" size={34} aria-label={t('common.nextPage')} onClick={() => setPage(at + 1)}>
                <IconChevronRight size={18} />
              </ActionIcon>
              <ActionIcon
                variant="default"
                size={34}
                aria-label={t(isPaused ? 'wall.turn' : 'wall.pause')}
                onClick={() => setIsPaused(!isPaused)}
              >
                {isPaused ? <IconPlayerPlay size={18} /> : <IconPlayerPause size={18} />}
              </ActionIcon>
            </>
          )}
          {!isFull && document.fullscreenEnabled && (
            <ActionIcon
              variant="default"
              size={34}
              aria-label={t('live.fullscreen')}
              onClick={() => void document.documentElement.requestFullscreen()}
            >
              <IconMaximize size={18} />
            </ActionIcon>
          )}
          <Button variant="default" size="compact-md" onClick={onLeave}>
            {t('wall.leave')}
          </Button>
          <span className={`${classes.note} num`}>{note.filter(Boolean).join(' ')}</span>
        </header>
        {shown.length > 0 ? (
          <WallTiles
            cameras={shown}
            levels={levels}
            alarming={alarming}
            columns={columns}
            onColumns={onColumns}
            isAlone
          >
            {(live) => (
              <CameraGrid label={t('dashboard.cameraGrid')} columns={Number(columns)}>
                {shown.map((camera) => (
                  <Tile
                    key={camera.device_id}
                    camera={camera}
                    figure={figureOf(camera, levels)}
                    isViolating={isViolating(camera, levels, alarming)}
                    isLive={live.has(camera.device_id)}
                  />
                ))}
              </CameraGrid>
            )}
          </WallTiles>
        ) : (
          children
        )}
      </Modal.Content>
    </Modal.Root>
  )
}
