import { Button } from '@mantine/core'
import type { EventEntity } from '@sightline/contract'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { formatDuration, formatNumber, formatSiteTime } from '../i18n/format.ts'
import { causeText } from '../i18n/words.ts'
import { isViolation, stateOf, useMetricsText } from '../ui/analytics/EventItems.tsx'
import { ClockChoice } from '../ui/ClockChoice.tsx'
import { Facts } from '../ui/Facts.tsx'
import { Go } from '../ui/Go.tsx'
import { Tag } from '../ui/Health.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { Panel } from '../ui/Panel.tsx'
import { EventMedia } from './EventMedia.tsx'
import { EvidencePanel } from './EvidencePanel.tsx'
import classes from './event.module.css'

const lengthOf = (from: string, to: string) => formatDuration((Date.parse(to) - Date.parse(from)) / 1000)

/** One event: its picture with boxes, every number, and where it came from. */
export function EventDetail({ event }: { event: EventEntity }) {
  const { t } = useTranslation()
  const metricsText = useMetricsText()
  const site = useQuery(api.site.get.query({ site_id: event.site_id }))
  const device = useQuery(api.device.get.query({ device_id: event.device_id }))
  const channel = useQuery(api.channel.id.query({ channel_id: event.channel_id }))
  const timezone = site.data?.site_address.site_timezone
  const details = event.details ?? {}
  const { occasion } = event
  const text = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : null)
  const numbers = (values: Record<string, number>) =>
    Object.entries(values)
      .filter(([id]) => !/_(min|max)$/.test(id))
      .map(([id, value]) => [t(`usecase.metric.${id as 'total'}`), formatNumber(value)] as const)

  return (
    <>
      <PageHeader
        title={metricsText(event) || t('event.one')}
        meta={[device.data?.device_name, site.data?.site_name, formatSiteTime(event.observed_at, timezone)]
          .filter(Boolean)
          .join(' · ')}
      >
        <ClockChoice />
        {channel.data && (
          <Button
            component={Go}
            to="/channel/detail"
            search={{ did: event.device_id, cid: event.channel_id, uid: channel.data.usecase_id }}
            variant="default"
          >
            {t('event.openChannel')}
          </Button>
        )}
      </PageHeader>
      <div className={classes.columns}>
        <div className={classes.stack}>
          <EventMedia event={event} />
          <EvidencePanel eventId={event.event_uuid} />
        </div>
        <Panel
          title={t('event.facts')}
          aside={<Tag tone={isViolation(event) ? 'bad' : 'info'}>{t(stateOf(event))}</Tag>}
        >
          <Facts
            items={[
              ...numbers(event.metrics),
              ...(event.levels
                ? numbers(event.levels).map(([id, value]) => [`${id} (${t('event.levels')})`, value] as const)
                : []),
              [t('event.observed'), formatSiteTime(event.observed_at, timezone)],
              ...(occasion && !occasion.is_instant
                ? [
                    [
                      t('event.endedAt'),
                      occasion.ended_at ? formatSiteTime(occasion.ended_at, timezone) : t('event.goesOn'),
                    ] as const,
                    ...(occasion.ended_at
                      ? [[t('event.length'), lengthOf(event.observed_at, occasion.ended_at)] as const]
                      : []),
                    ...numbers(occasion.peak).map(([id, value]) => [t('event.peak', { metric: id }), value] as const),
                  ]
                : []),
              [t('event.received'), formatSiteTime(event.received_at, timezone)],
              ...(event.kind === 'window'
                ? [[t('event.watched'), formatDuration(event.observed_ms / 1000)] as const]
                : []),
              [t('event.clock'), `${formatNumber(event.clock_offset_ms)} ms`],
              [t('event.detector'), t(`event.detectors.${event.detector as 'hog'}`)],
              ...(event.state_cause ? [[t('event.cause'), causeText(event.state_cause)] as const] : []),
              ...(['zone', 'line', 'direction', 'track_id'] as const).flatMap((name) => {
                const value = text(details[name])
                const label = { zone: 'zone', line: 'zone', direction: 'direction', track_id: 'track' } as const
                return value === null ? [] : [[t(`event.${label[name]}`), value] as const]
              }),
            ]}
          />
        </Panel>
      </div>
    </>
  )
}
