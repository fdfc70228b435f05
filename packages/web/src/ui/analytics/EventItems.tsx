import type { EventEntity } from '@sightline/contract'
import { type MetricId, violationMetrics } from '@sightline/domain'
import { IconPlayerPlay } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { formatDuration, formatNumber, formatSiteTime } from '../../i18n/format.ts'
import { i18n } from '../../i18n/index.ts'
import { metricText, usecaseBeside } from '../../i18n/words.ts'
import { Go } from '../Go.tsx'
import { Tag } from '../Health.tsx'
import { type KnownZones, useSiteZones } from '../site-zones.ts'
import classes from './analytics.module.css'
import { bundlesOf } from './bundles.ts'
import { stateOf, useNowOf } from './occasion-end.ts'
import { usecaseIcons } from './usecase-icons.ts'

/** `Up 1 · Down 2`: the metrics of an event that are above zero. */
export const metricsText = ({ metrics, usecase_key }: EventEntity): string =>
  Object.entries(metrics)
    .filter(([id, value]) => value > 0 && !/_(min|max)$/.test(id))
    // Of a window the most at once is a number of people; the mean is not.
    .map(([id, value]) => [id, metrics[`${id}_max`] ?? value] as const)
    .map(([id, value]) => `${metricText(id as MetricId, usecase_key)} ${formatNumber(value)}`)
    .join(' · ')

/** Which way a line was crossed. */
export const directionText = (direction: string): string =>
  direction === 'up' || direction === 'down' ? i18n.t(`event.directions.${direction}`) : direction

/** `zone1 · peak 12 · ended after 2 min`: what became of what an event began; of other events nothing. */
export function useOccasionText(): (event: EventEntity) => string {
  const { t } = useTranslation()
  return ({ occasion, metrics, observed_at, usecase_key }) => {
    if (!occasion) return ''
    const { person, zone, direction, is_instant, ended_at, peak } = occasion
    const values = Object.entries(peak)
      .filter(([id, value]) => value > 0 && !(id in metrics) && !/_(min|max)$/.test(id))
      .map(([id, value]) => `${metricText(id as MetricId, usecase_key)} ${formatNumber(value)}`)
    const length = ended_at && formatDuration((Date.parse(ended_at) - Date.parse(observed_at)) / 1000)
    const state = is_instant ? null : length ? t('event.lasted', { time: length }) : t('event.goesOn')
    const who = usecase_key === 'fcrecog' ? (person ?? t('face.unknown')) : null
    return [who, zone, direction && directionText(direction), ...values, state].filter(Boolean).join(' · ')
  }
}

/** Whether it began something that must not happen. */
export const isViolation = ({ kind, metrics }: EventEntity): boolean =>
  kind === 'open' && Object.entries(metrics).some(([id, value]) => value > 0 && violationMetrics.has(id))

type Props = {
  events: readonly EventEntity[]
  /** Of its camera or channel. */
  nameOf: (event: EventEntity) => string
  /** Of sites that the screen has read anyway. */
  zones?: KnownZones | undefined
  /** Whole date instead of the time of day. */
  withDate?: boolean
}

/** Events newest first, each a link to its page, with its time by the clock of its site; those that share a clip together. */
export function EventItems({ events, nameOf, zones, withDate }: Props) {
  const { t } = useTranslation()
  const zoneOf = useSiteZones(
    events.map(({ site_id }) => site_id),
    zones,
  )
  const now = useNowOf(events)
  const item = (event: EventEntity) => (
    <EventItem
      event={event}
      name={nameOf(event)}
      now={now}
      time={formatSiteTime(event.observed_at, zoneOf(event.site_id), !withDate)}
    />
  )
  return (
    <ul className={classes.events}>
      {bundlesOf(events).map(([first, ...more]) => (
        <li key={first.event_uuid}>
          {item(first)}
          {more.length > 0 && (
            <details className={classes.bundle}>
              <summary>{t('event.overlapping', { count: more.length })}</summary>
              <ul className={classes.events}>
                {more.map((event) => (
                  <li key={event.event_uuid}>{item(event)}</li>
                ))}
              </ul>
            </details>
          )}
        </li>
      ))}
    </ul>
  )
}

type ItemProps = {
  event: EventEntity
  /** Of its camera or channel. */
  name: string
  now: number
  time: string
}

function EventItem({ event, name, now, time }: ItemProps) {
  const { t } = useTranslation()
  const occasionText = useOccasionText()
  const Icon = usecaseIcons[event.usecase_key]
  return (
    <Go to="/event/detail" search={{ eid: event.event_uuid, cid: event.channel_id }} className={classes.event}>
      <span className={classes.thumb}>
        {event.snapshot_url ? (
          <img src={event.snapshot_url} alt="" loading="lazy" />
        ) : (
          <Icon size={18} stroke={1.6} aria-hidden="true" />
        )}
        {event.clip_url && <IconPlayerPlay size={16} className={classes.play} aria-label={t('event.hasClip')} />}
      </span>
      <span className={classes.eventWords}>
        <span className={classes.eventTitle}>{metricsText(event) || t(`event.kind.${event.kind}`)}</span>
        <span className={`${classes.eventWhere} t3`}>
          {[name, usecaseBeside(name, event.usecase_key), occasionText(event)].filter(Boolean).join(' · ')}
        </span>
      </span>
      <span className={classes.eventEnd}>
        <Tag tone={isViolation(event) ? 'bad' : event.kind === 'open' ? 'info' : 'neutral'}>
          {t(stateOf(event, now))}
        </Tag>
        <time className="num t3" dateTime={event.observed_at}>
          {time}
        </time>
      </span>
    </Go>
  )
}
