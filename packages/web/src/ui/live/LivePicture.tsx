import { ActionIcon, Tooltip } from '@mantine/core'
import type { OverlayBox } from '@sightline/contract/edge'
import { IconAlertTriangle, IconBoxMultiple, IconMaximize, IconPolygon } from '@tabler/icons-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { apiBase } from '../../app/client.ts'
import { portalNow } from '../../app/clock.ts'
import { formatNumber, formatSince } from '../../i18n/format.ts'
import { causeText } from '../../i18n/words.ts'
import { socketUrl, subscribe } from '../../live.ts'
import { StatusDot } from '../Health.tsx'
import { useSiteZones } from '../site-zones.ts'
import classes from './LivePicture.module.css'
import type { LiveOverlay } from './player.ts'
import { LivePlayer, type LiveState } from './player.ts'
import { Names, Outlines, type Shape } from './ShapesOver.tsx'
import { lineOf, noTrails, walked } from './trails.ts'

type Props = {
  /** Whose picture: a channel's or a camera's. */
  channelId?: string
  deviceId?: string
  /** By whose clock it is said since when there is none. */
  siteId: string
  /** For people who cannot see it. */
  label: string
  shapes?: readonly Shape[]
  /** Shown until the first picture, and under the reason when there is none. */
  still?: string | null
  /** Called with the numbers and boxes of the picture on screen. */
  onOverlay?: (overlay: LiveOverlay) => void
  /** Where each who is followed has walked, too. */
  hasTrails?: boolean
  /** Without tools and without a frame of its own: filling what it lies in, under a drawing. */
  bare?: boolean
  children?: ReactNode
}

/** After zones or masks were changed: when it is asked whether there is video again. */
const masksGoneMs = [3000, 12_000]

const idle: LiveState = {
  phase: 'connecting',
  transport: 'fmp4',
  instead: null,
  isFallback: false,
  cause: null,
  since: null,
  overlay: null,
  behind: null,
  fps: null,
  jpeg: null,
}

/** The live picture with boxes and zones over it, its transport and delay, and the reason when there is none. */
export function LivePicture({ channelId, deviceId, siteId, label, shapes = [], still, onOverlay, ...rest }: Props) {
  const { hasTrails = false, bare, children } = rest
  const { t } = useTranslation()
  const video = useRef<HTMLVideoElement>(null)
  const frame = useRef<HTMLDivElement>(null)
  const [state, setState] = useState<LiveState>(idle)
  const [showBoxes, setShowBoxes] = useState(true)
  const [showShapes, setShowShapes] = useState(true)
  const [ratio, setRatio] = useState(16 / 9)

  useEffect(() => {
    if (!video.current) return
    const whose: Record<string, string> = channelId ? { channel_id: channelId } : { device_id: deviceId ?? '' }
    const player = new LivePlayer(video.current, (mode) =>
      socketUrl(`${apiBase}/live?${new URLSearchParams({ ...whose, mode })}`),
    )
    const end = player.state.subscribe(() => setState(player.state.get()))
    setState(player.state.get())
    // A mask may have gone: the edge server knows of it some seconds later.
    const timers = new Set<ReturnType<typeof setTimeout>>()
    const deaf = subscribe('changed', ({ feature }) => {
      if (feature !== 'static' && feature !== 'channel') return
      for (const timer of timers) clearTimeout(timer)
      timers.clear()
      for (const ms of masksGoneMs) timers.add(setTimeout(() => player.retryVideo(), ms))
    })
    return () => {
      end()
      deaf()
      for (const timer of timers) clearTimeout(timer)
      player.close()
    }
  }, [channelId, deviceId])

  const { overlay } = state
  useEffect(() => {
    if (overlay) onOverlay?.(overlay)
  }, [overlay, onOverlay])
  const [trails, setTrails] = useState(noTrails)
  useEffect(() => {
    setTrails((before) => (hasTrails && overlay ? walked(before, overlay) : noTrails))
  }, [hasTrails, overlay])

  const isPlaying = state.phase === 'playing'
  // At an analytic what it counts as one, at a camera what any of them does.
  const violates = ({ violates }: OverlayBox) =>
    (channelId ? violates.includes(channelId) : violates.length > 0) || undefined
  const size = (width: number, height: number) => {
    if (width > 0 && height > 0) setRatio(width / height)
  }
  return (
    <div
      ref={frame}
      className={classes.root}
      style={bare ? undefined : { aspectRatio: ratio }}
      data-bare={bare || undefined}
      data-phase={state.phase}
    >
      {still && !isPlaying && <img className={classes.picture} src={still} alt="" data-still />}
      <video
        ref={video}
        className={classes.picture}
        aria-label={label}
        muted
        playsInline
        hidden={!isPlaying || state.transport !== 'fmp4'}
        onResize={({ currentTarget }) => size(currentTarget.videoWidth, currentTarget.videoHeight)}
      />
      {state.jpeg && isPlaying && (
        <img
          className={classes.picture}
          src={state.jpeg}
          alt={label}
          onLoad={({ currentTarget }) => size(currentTarget.naturalWidth, currentTarget.naturalHeight)}
        />
      )}
      {/* Points are shares of the picture, whatever its size on screen. */}
      <svg className={classes.overlay} viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">
        {showShapes && <Outlines shapes={shapes} />}
        {showBoxes &&
          isPlaying &&
          [...trails].map(([track, steps]) => (
            <polyline key={track} className={classes.trail} points={lineOf(steps)} />
          ))}
        {showBoxes &&
          isPlaying &&
          overlay?.boxes.map((one, index) => {
            const [x, y, width, height] = one.box
            const key = one.track_id ?? `new-${index}`
            return <rect key={key} className={classes.box} data-violates={violates(one)} {...{ x, y, width, height }} />
          })}
      </svg>
      {showShapes && <Names shapes={shapes} />}
      {showBoxes &&
        isPlaying &&
        overlay?.boxes.map((one, index) => {
          const { box, track_id } = one
          const [x, y, w, h] = box
          return (
            <span key={track_id ?? `new-${index}`} data-violates={violates(one)}>
              {track_id !== null && (
                <span className={classes.track} style={{ left: `${x * 100}%`, top: `${y * 100}%` }}>
                  {violates(one) && <IconAlertTriangle size={11} stroke={2.4} aria-label={t('wall.inViolation')} />}#
                  {track_id}
                </span>
              )}
              {/* The foot point is what zones and lines go by. */}
              <span className={classes.anchor} style={{ left: `${(x + w / 2) * 100}%`, top: `${(y + h) * 100}%` }} />
            </span>
          )
        })}
      {!isPlaying && <Absent state={state} siteId={siteId} />}
      <Status
        state={state}
        notes={[
          ...(state.isFallback ? [t('live.fallback')] : []),
          ...(showBoxes && overlay?.boxes_cause === 'other_shape' ? [t('live.otherShape')] : []),
        ]}
      />
      {!bare && (
        <div className={classes.tools}>
          {shapes.length > 0 && (
            <Tool label={t('live.zones')} pressed={showShapes} onClick={() => setShowShapes(!showShapes)}>
              <IconPolygon size={18} />
            </Tool>
          )}
          <Tool label={t('live.boxes')} pressed={showBoxes} onClick={() => setShowBoxes(!showBoxes)}>
            <IconBoxMultiple size={18} />
          </Tool>
          <Tool label={t('live.fullscreen')} onClick={() => void toggleFullscreen(frame.current)}>
            <IconMaximize size={18} />
          </Tool>
        </div>
      )}
      {children}
    </div>
  )
}

async function toggleFullscreen(element: HTMLElement | null): Promise<void> {
  if (document.fullscreenElement) await document.exitFullscreen()
  else await element?.requestFullscreen()
}

function Tool(props: { label: string; pressed?: boolean; onClick: () => void; children: ReactNode }) {
  const { label, pressed, onClick, children } = props
  return (
    <Tooltip label={label}>
      <ActionIcon className={classes.tool} aria-label={label} aria-pressed={pressed} onClick={onClick} size={34}>
        {children}
      </ActionIcon>
    </Tooltip>
  )
}

/** In place of the picture: what is being done, or why there is none and since when. */
function Absent({ state: { phase, cause, since }, siteId }: { state: LiveState; siteId: string }) {
  const { t } = useTranslation()
  const zoneOf = useSiteZones(since ? [siteId] : [])
  return (
    <div className={classes.absent} role="status">
      <strong>{phase === 'connecting' ? t('live.connecting') : cause ? causeText(cause) : t('live.noPicture')}</strong>
      {since && <span className="num">{t('live.since', { at: formatSince(since, zoneOf(siteId), portalNow()) })}</span>}
      {phase === 'waiting' && <span>{t('live.retrying')}</span>}
    </div>
  )
}

type StatusProps = { state: LiveState; notes: readonly string[] }

function Status({ state: { phase, instead, behind, fps }, notes }: StatusProps) {
  const { t } = useTranslation()
  const rate = fps === null ? '' : ` · ${t('live.fps', { count: fps })}`
  const delay = behind === null ? '' : ` · ${t('live.buffer', { seconds: formatNumber(behind) })}`
  return (
    <span className={`${classes.status} num`}>
      <StatusDot tone={phase === 'playing' ? 'ok' : phase === 'ended' ? 'bad' : 'warn'} pulse={phase === 'playing'} />
      {phase === 'playing' ? <span className={classes.live}>{t('live.live')}</span> : t(`live.${phase}`)}
      {phase === 'playing' && (
        <span className={classes.transport}>
          {instead === null ? `${t('live.video')}${rate}${delay}` : `${t(`live.instead.${instead}`)}${rate}`}
          {notes.map((note) => ` · ${note}`)}
        </span>
      )}
    </span>
  )
}
