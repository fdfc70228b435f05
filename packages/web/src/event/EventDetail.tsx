import { ActionIcon, Button } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import type { EventEntity, Occasion } from '@sightline/contract'
import type { MetricId, UsecaseKey } from '@sightline/domain'
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { formatDuration, formatNumber, formatSiteTime } from '../i18n/format.ts'
import { i18n } from '../i18n/index.ts'
import { causeText, metricText, metricValue } from '../i18n/words.ts'
import { useUser } from '../session.ts'
import { beganViolation, missingText, personText, titleOf, wayText } from '../ui/analytics/event-words.ts'
import { goingOnMs, hasJustEnded, isGoingOn, reopenSeconds, stateOf, useNowOf } from '../ui/analytics/occasion-end.ts'
import { ClockChoice } from '../ui/ClockChoice.tsx'
import { Facts } from '../ui/Facts.tsx'
import { Go, useGo } from '../ui/Go.tsx'
import { Tag } from '../ui/Health.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { Panel } from '../ui/Panel.tsx'
import { EventMedia } from './EventMedia.tsx'
import { EvidencePanel } from './EvidencePanel.tsx'
import classes from './event.module.css'

/** To the event of its kind before and after it at the same analytic; also by k or ← and j or →. */
function Beside({ eventId, channelId }: { eventId: string; channelId: string }) {
  const { t } = useTranslation()
  const go = useGo()
  const { data } = useQuery({
    ...api.event.neighbours.query({ event_uuid: eventId }),
    // A newer one may come while this is looked at.
    refetchInterval: ({ state }) => (state.data?.newer === null ? 10_000 : false),
  })
  const show = (eid: string | null | undefined) => {
    if (eid) go('/event/detail', { eid, cid: channelId }, { replace: true })
  }
  const hasLetters = useUser().user_config.ui_config.single_keys !== false
  const keys = (names: string[], eid: string | null | undefined) =>
    names
      .filter((name) => hasLetters || name.startsWith('Arrow'))
      .map((name): [string, () => void] => [name, () => show(eid)])
  // In a clip the arrow keys are the player's.
  useHotkeys(
    [...keys(['k', 'ArrowLeft'], data?.newer), ...keys(['j', 'ArrowRight'], data?.older)],
    ['INPUT', 'TEXTAREA', 'SELECT', 'VIDEO'],
  )
  return (
    <ActionIcon.Group>
      <ActionIcon
        variant="default"
        size={36}
        aria-label={t('event.gallery.newer')}
        title={t('event.gallery.newer')}
        disabled={!data?.newer}
        onClick={() => show(data?.newer)}
      >
        <IconChevronLeft size={18} />
      </ActionIcon>
      <ActionIcon
        variant="default"
        size={36}
        aria-label={t('event.gallery.older')}
        title={t('event.gallery.older')}
        disabled={!data?.older}
        onClick={() => show(data?.older)}
      >
        <IconChevronRight size={18} />
      </ActionIcon>
    </ActionIcon.Group>
  )
}

const lengthOf = (from: string, to: string) => formatDuration((Date.parse(to) - Date.parse(from)) / 1000)

/** What happened beside its numbers, as label and text. */
function contentOf(occasion: Occasion, key: UsecaseKey): (readonly [string, string])[] {
  const { finding, item, likeness, person, zone, distance_m, time_to_collision_s } = occasion
  const told: (readonly [string, string | null])[] = [
    [i18n.t('event.finding'), finding && causeText(finding)],
    [i18n.t('event.missing'), item && missingText(item)],
    [i18n.t('face.person'), key === 'fcrecog' ? personText(occasion) : null],
    [i18n.t('event.likeness'), person !== null && likeness !== null ? formatNumber(likeness) : null],
    [i18n.t('event.distance'), distance_m === null ? null : `${formatNumber(distance_m)} m`],
    [i18n.t('event.collisionIn'), time_to_collision_s === null ? null : `${formatNumber(time_to_collision_s)} s`],
    [i18n.t('event.zone'), zone],
    [i18n.t('event.direction'), wayText(occasion)],
  ]
  return told.flatMap(([label, text]) => (text === null ? [] : [[label, text] as const]))
}

/** One event: its picture with boxes, every number, and where it came from. */
export function EventDetail({ event }: { event: EventEntity }) {
  const { t } = useTranslation()
  const site = useQuery(api.site.get.query({ site_id: event.site_id }))
  const device = useQuery(api.device.get.query({ device_id: event.device_id }))
  const channel = useQuery(api.channel.id.query({ channel_id: event.channel_id }))
  const pipeline_id = channel.data?.pipeline_id
  const pipeline = useQuery({
    ...api.pipeline.get.query({ pipeline_id: pipeline_id ?? '' }),
    enabled: pipeline_id !== undefined,
  })
  const seconds = reopenSeconds(pipeline.data?.pipeline_elements)
  const now = useNowOf([event], seconds)
  // The route reads it; here it is known for how long it may change.
  useQuery({
    ...api.event.id.query({ event_uuid: event.event_uuid }),
    refetchInterval: () => (isGoingOn(event, seconds) ? goingOnMs : false),
  })
  const models = useQuery({ ...api.model.list.query({}), enabled: event.model_version !== null })
  const modelText = (version: string) => {
    const model = models.data?.find(({ sha256 }) => sha256 === version)
    const short = t('event.modelVersion', { version: version.slice(0, 12) })
    if (model) return `${model.model_name} · ${short}`
    return models.data ? `${t('event.modelGone')} · ${short}` : short
  }
  const timezone = site.data?.site_address.site_timezone
  const before = event.details?.before
  const { occasion } = event
  const text = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : null)
  /** Several numbers as one fact: each alone would look like another number of the event. */
  const together = (values: Record<string, number>) =>
    numbers(values)
      .map(([name, value]) => `${name} ${value}`)
      .join(' · ')
  const numbers = (values: Record<string, number>) =>
    Object.entries(values)
      .filter(([id]) => !/_(min|max)$/.test(id))
      .map(([id, value]) => [metricText(id as MetricId, event.usecase_key), metricValue(id, value)] as const)

  const greatest =
    occasion && together(Object.fromEntries(Object.entries(occasion.peak).filter(([id, v]) => event.metrics[id] !== v)))
  return (
    <>
      <PageHeader
        title={titleOf(event) || t('event.one')}
        meta={[device.data?.device_name, site.data?.site_name, formatSiteTime(event.observed_at, timezone)]
          .filter(Boolean)
          .join(' · ')}
      >
        <ClockChoice />
        <Beside eventId={event.event_uuid} channelId={event.channel_id} />
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
          aside={<Tag tone={beganViolation(event) ? 'bad' : 'info'}>{t(stateOf(event, now, seconds))}</Tag>}
        >
          <Facts
            items={[
              ...numbers(event.metrics),
              ...(occasion ? contentOf(occasion, event.usecase_key) : []),
              ...(typeof before === 'number' ? [[t('event.before'), formatNumber(before)] as const] : []),
              [t('event.observed'), formatSiteTime(event.observed_at, timezone)],
              ...(occasion && !occasion.is_instant
                ? [
                    [
                      t('event.endedAt'),
                      occasion.ended_at ? formatSiteTime(occasion.ended_at, timezone) : t('event.goesOn'),
                    ] as const,
                    ...(hasJustEnded(event, now, seconds)
                      ? [[t('event.mayGoOn'), t('event.mayGoOnHint', { time: formatDuration(seconds) })] as const]
                      : []),
                    ...(occasion.ended_at
                      ? [[t('event.length'), lengthOf(event.observed_at, occasion.ended_at)] as const]
                      : []),
                    ...(greatest ? [[t('event.peak'), greatest] as const] : []),
                  ]
                : []),
              ...(event.levels ? [[t('event.levels'), together(event.levels)] as const] : []),
              [t('event.received'), formatSiteTime(event.received_at, timezone)],
              ...(event.kind === 'window'
                ? [[t('event.watched'), formatDuration(event.observed_ms / 1000)] as const]
                : []),
              [t('event.clock'), `${formatNumber(event.clock_offset_ms)} ms`],
              [t('event.detector'), t(`event.detectors.${event.detector as 'hog'}`)],
              ...(event.model_version ? [[t('event.model'), modelText(event.model_version)] as const] : []),
              ...(event.state_cause ? [[t('event.cause'), causeText(event.state_cause)] as const] : []),
              ...(['zone', 'track_id'] as const).flatMap((name) => {
                // What began says its place by the name that it has.
                const value = name === 'zone' && occasion ? null : text(event.details?.[name])
                const label = { zone: 'zone', track_id: 'track' } as const
                return value === null ? [] : [[t(`event.${label[name]}`), value] as const]
              }),
            ]}
          />
        </Panel>
      </div>
    </>
  )
}
