import { Button, SegmentedControl } from '@mantine/core'
import type { EventEntity } from '@sightline/contract'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { foundText } from '../i18n/words.ts'
import { beganViolation, titleOf } from '../ui/analytics/event-words.ts'
import { type Shape, ShapesOver, shapesOf } from '../ui/live/ShapesOver.tsx'
import classes from './event.module.css'

type Box = { box: [number, number, number, number]; track_id?: number | null; label?: string }
type Details = {
  boxes?: Box[]
  zones?: Omit<Shape, 'id'>[]
  clip_at_s?: number
  clip_cause?: 'clip_off' | 'no_video' | 'privacy_masks'
}

/** How near to the moment of the event, in seconds, its boxes are right for a moving picture. */
const momentSeconds = 0.4
const writingMs = 2000

/** Picture and clip of an event, with its boxes and the zones as they were; or why there is none. */
export function EventMedia({ event }: { event: EventEntity }) {
  const { t } = useTranslation()
  const [shown, setShown] = useState<'picture' | 'clip'>('picture')
  const details = (event.details ?? {}) as Details
  // Events from before zones were kept with them show today's.
  const channel = useQuery({
    ...api.channel.id.query({ channel_id: event.channel_id }),
    enabled: details.zones === undefined,
  })
  const shapes = details.zones
    ? details.zones.map((zone, index) => ({ id: `${zone.name}-${index}`, ...zone }))
    : shapesOf(channel.data?.zones ?? [])
  const why = details.clip_cause ?? (beganViolation(event) ? 'none' : 'notViolation')
  const over = { boxes: details.boxes ?? [], isViolation: beganViolation(event), shapes }
  return (
    <div>
      {event.clip_url && (
        <SegmentedControl
          mb="xs"
          value={shown}
          onChange={setShown}
          data={[
            { value: 'picture', label: t('event.media.picture') },
            { value: 'clip', label: t('event.media.clip') },
          ]}
        />
      )}
      {shown === 'clip' && event.clip_url ? (
        <Clip url={event.clip_url} moment={details.clip_at_s ?? null} {...over} />
      ) : (
        <Picture event={event} {...over} />
      )}
      <p className={`${classes.under} t3`}>
        {[
          !details.zones && shapes.length > 0 && t('event.zonesOfToday'),
          !event.clip_url && event.kind === 'open' && t(`event.noClip.${why}`),
        ]
          .filter(Boolean)
          .join(' ')}
      </p>
    </div>
  )
}

function Boxes({ boxes, isViolation }: Pick<Over, 'boxes' | 'isViolation'>) {
  return boxes.map(({ box: [x, y, w, h], track_id, label }, index) => (
    <span
      key={track_id ?? `box-${index}`}
      className={classes.box}
      data-violates={isViolation || undefined}
      style={{ left: `${x * 100}%`, top: `${y * 100}%`, width: `${w * 100}%`, height: `${h * 100}%` }}
    >
      <span>{foundText(label, track_id)}</span>
    </span>
  ))
}

/** `isViolation`: the boxes are of what must not be. */
type Over = { boxes: readonly Box[]; isViolation: boolean; shapes: readonly Shape[] }

function Picture({ event, boxes, isViolation, shapes }: Over & { event: EventEntity }) {
  const { t } = useTranslation()
  const [isGone, setIsGone] = useState(false)
  return (
    <div className={classes.picture}>
      {event.snapshot_url && !isGone ? (
        <>
          <img src={event.snapshot_url} alt={titleOf(event)} onError={() => setIsGone(true)} />
          <ShapesOver shapes={shapes} />
          <Boxes boxes={boxes} isViolation={isViolation} />
        </>
      ) : (
        <p>{t(isGone ? 'event.pictureGone' : 'event.noPicture')}</p>
      )}
    </div>
  )
}

type ClipState = 'ready' | 'writing' | 'gone' | 'away' | 'blurred'

/** Whether a clip is to be had, by its first byte. */
async function clipState(url: string, signal: AbortSignal): Promise<ClipState> {
  const { status } = await fetch(url, { headers: { range: 'bytes=0-0' }, signal })
  if (status === 206) return 'ready'
  if (status === 409) return 'writing'
  if (status === 403) return 'blurred'
  return status === 404 ? 'gone' : 'away'
}

type ClipProps = Over & {
  url: string
  /** When the event began in it, in seconds; null when that is not known. */
  moment: number | null
}

function Clip({ url, moment, boxes, isViolation, shapes }: ClipProps) {
  const { t } = useTranslation()
  const video = useRef<HTMLVideoElement>(null)
  const [isMoment, setIsMoment] = useState(false)
  const state = useQuery({
    queryKey: ['clip', url],
    queryFn: ({ signal }) => clipState(url, signal),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data === 'writing' ? writingMs : false),
  })
  const look = () => {
    const at = video.current?.currentTime ?? 0
    setIsMoment(moment !== null && Math.abs(at - moment) <= momentSeconds)
  }
  if (state.data !== 'ready')
    return (
      <div className={classes.picture} role="status">
        <p>{t(`event.clip.${state.isError ? 'away' : (state.data ?? 'loading')}`)}</p>
        {(state.isError || state.data === 'away') && (
          <Button variant="default" size="compact-sm" onClick={() => void state.refetch()}>
            {t('common.retry')}
          </Button>
        )}
      </div>
    )
  return (
    <>
      <div className={classes.picture}>
        <video
          ref={video}
          src={url}
          controls
          playsInline
          muted
          preload="metadata"
          onTimeUpdate={look}
          onSeeked={look}
        />
        <ShapesOver shapes={shapes} />
        {isMoment && <Boxes boxes={boxes} isViolation={isViolation} />}
      </div>
      {moment !== null && (
        <Button
          mt="xs"
          size="compact-sm"
          variant="default"
          onClick={() => {
            if (!video.current) return
            video.current.pause()
            video.current.currentTime = moment
          }}
        >
          {t('event.clip.moment')}
        </Button>
      )}
    </>
  )
}
