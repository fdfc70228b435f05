import type { EventEntity } from '@sightline/contract'
import { IconPlayerPlay } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { formatSiteTime } from '../../i18n/format.ts'
import { usecaseBeside } from '../../i18n/words.ts'
import { Go } from '../Go.tsx'
import { Tag } from '../Health.tsx'
import { type KnownZones, useSiteZones } from '../site-zones.ts'
import classes from './analytics.module.css'
import { bundlesOf } from './bundles.ts'
import { beganViolation, occasionText, titleOf } from './event-words.ts'
import { KeptPicture } from './KeptPicture.tsx'
import { stateOf, useNowOf } from './occasion-end.ts'
import { usecaseIcons } from './usecase-icons.ts'

type Props = {
  events: readonly EventEntity[]
  /** Of its camera or channel. */
  nameOf: (event: EventEntity) => string
  /** Of sites that the screen has read anyway. */
  zones?: KnownZones | undefined
  /** Whole date instead of the time of day. */
  withDate?: boolean
}

/** Events newest first, each a link to its page, with its time by the clock of its site; what overlaps as one. */
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
  const Icon = usecaseIcons[event.usecase_key]
  const icon = <Icon size={18} stroke={1.6} aria-hidden="true" />
  return (
    <Go to="/event/detail" search={{ eid: event.event_uuid, cid: event.channel_id }} className={classes.event}>
      <span className={classes.thumb}>
        {event.snapshot_url ? (
          <KeptPicture url={event.snapshot_url} alt="">
            {icon}
          </KeptPicture>
        ) : (
          icon
        )}
        {event.clip_url && <IconPlayerPlay size={16} className={classes.play} aria-label={t('event.hasClip')} />}
      </span>
      <span className={classes.eventWords}>
        <span className={classes.eventTitle}>{titleOf(event) || t(`event.kind.${event.kind}`)}</span>
        <span className={`${classes.eventWhere} t3`}>
          {[name, usecaseBeside(name, event.usecase_key), occasionText(event)].filter(Boolean).join(' · ')}
        </span>
      </span>
      <span className={classes.eventEnd}>
        <Tag tone={beganViolation(event) ? 'bad' : event.kind === 'open' ? 'info' : 'neutral'}>
          {t(stateOf(event, now))}
        </Tag>
        <time className="num t3" dateTime={event.observed_at}>
          {time}
        </time>
      </span>
    </Go>
  )
}
