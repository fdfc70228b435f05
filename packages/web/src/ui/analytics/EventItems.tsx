import type { EventEntity } from '@sightline/contract'
import { useTranslation } from 'react-i18next'
import { formatNumber, formatSiteTime } from '../../i18n/format.ts'
import { Go } from '../Go.tsx'
import { Tag } from '../Health.tsx'
import { useSiteZones } from '../site-zones.ts'
import classes from './analytics.module.css'
import { usecaseIcons } from './usecase-icons.ts'

/** `Up 1 · Down 2`: the metrics of an event that are above zero. */
export function useMetricsText(): (event: EventEntity) => string {
  const { t } = useTranslation()
  return ({ metrics }) =>
    Object.entries(metrics)
      .filter(([id, value]) => value > 0 && !/_(min|max)$/.test(id))
      // Of a window the most at once is a number of people; the mean is not.
      .map(([id, value]) => [id, metrics[`${id}_max`] ?? value] as const)
      .map(([id, value]) => `${t(`usecase.metric.${id as 'total'}`)} ${formatNumber(value)}`)
      .join(' · ')
}

type Props = {
  events: readonly EventEntity[]
  /** Of its camera or channel. */
  nameOf: (event: EventEntity) => string
  /** Whole date instead of the time of day. */
  withDate?: boolean
}

/** Events newest first, each a link to its page, with its time by the clock of its site. */
export function EventItems({ events, nameOf, withDate }: Props) {
  const { t } = useTranslation()
  const metricsText = useMetricsText()
  const zoneOf = useSiteZones(events.map(({ site_id }) => site_id))
  return (
    <ul className={classes.events}>
      {events.map((event) => {
        const Icon = usecaseIcons[event.usecase_key]
        const isViolation = event.kind === 'open' && (event.metrics.violation ?? 0) > 0
        return (
          <li key={event.event_uuid}>
            <Go to="/event/detail" search={{ eid: event.event_uuid, cid: event.channel_id }} className={classes.event}>
              {event.snapshot_url ? (
                <img className={classes.thumb} src={event.snapshot_url} alt="" loading="lazy" />
              ) : (
                <span className={classes.thumb}>
                  <Icon size={18} stroke={1.6} aria-hidden="true" />
                </span>
              )}
              <span className={classes.eventWords}>
                <span className={classes.eventTitle}>{metricsText(event) || t(`event.kind.${event.kind}`)}</span>
                <span className="t3 truncate">
                  {nameOf(event)} · {t(`usecase.name.${event.usecase_key}`)}
                </span>
              </span>
              <span className={classes.eventEnd}>
                <Tag tone={isViolation ? 'bad' : event.kind === 'open' ? 'info' : 'neutral'}>
                  {t(`event.kind.${event.kind}`)}
                </Tag>
                <time className="num t3" dateTime={event.observed_at}>
                  {formatSiteTime(event.observed_at, zoneOf(event.site_id), !withDate)}
                </time>
              </span>
            </Go>
          </li>
        )
      })}
    </ul>
  )
}
