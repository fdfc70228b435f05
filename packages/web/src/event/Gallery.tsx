import { Button, Checkbox, Modal } from '@mantine/core'
import type { Customer, EventEntity } from '@sightline/contract'
import { IconChevronLeft, IconChevronRight, IconPlayerPlay } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { formatSiteTime, shownZone } from '../i18n/format.ts'
import { bundlesOf } from '../ui/analytics/bundles.ts'
import { occasionText, titleOf } from '../ui/analytics/event-words.ts'
import { KeptPicture } from '../ui/analytics/KeptPicture.tsx'
import { ClockChoice } from '../ui/ClockChoice.tsx'
import { useCameraNames } from '../ui/cameras/camera-names.ts'
import { Empty } from '../ui/Empty.tsx'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { Go } from '../ui/Go.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { Shown } from '../ui/Shown.tsx'
import { BlockSkeleton } from '../ui/Skeletons.tsx'
import { useSiteZones } from '../ui/site-zones.ts'
import { EventFilters } from './EventFilters.tsx'
import { EventMedia } from './EventMedia.tsx'
import eventClasses from './event.module.css'
import { FilterChips } from './FilterChips.tsx'
import classes from './gallery.module.css'
import { KeptFrom } from './KeptFrom.tsx'
import { mostSelected, SelectedBar } from './SelectedBar.tsx'
import { type EventSearch, isFiltered, noFilter, selectionOf } from './search.ts'
import { hourOf } from './site-moment.ts'
import { useEvents } from './useEvents.ts'

const pictures = 48

/** Pictures of what happened, newest first; one opens large, with its clip, and the arrow keys go on from there. */
export function Gallery({ search, customer }: { search: EventSearch; customer: Customer | null }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [shownId, setShownId] = useState<string | null>(null)
  const set = (change: Partial<EventSearch>) =>
    void navigate({ to: '.', search: (now: EventSearch) => ({ ...now, ...change }), replace: true } as never)

  const { query, events = [] } = useEvents({
    ...selectionOf(search, customer),
    ...{ view: 'gallery', details: true, event_limit: pictures },
  })
  const { data: kept } = useQuery({
    ...api.event.kept.query(selectionOf(search, customer)),
    placeholderData: keepPreviousData,
  })
  const nameOf = useCameraNames(events.map(({ device_id }) => device_id))
  const zoneOf = useSiteZones(events.map(({ site_id }) => site_id))
  // Dates are typed, and told by the chips, by the same clock, also where there is nothing to show.
  const zone = shownZone(kept?.timezone)
  const time = ({ observed_at, site_id }: EventEntity) => formatSiteTime(observed_at, zoneOf(site_id))
  const shownAt = events.findIndex(({ event_uuid }) => event_uuid === shownId)
  const [selected, setSelected] = useState<readonly string[]>([])
  // What is not listed any more is not chosen any more.
  const chosen = selected.filter((id) => events.some(({ event_uuid }) => event_uuid === id))
  const isChosen = (ids: readonly string[]) => ids.every((id) => chosen.includes(id))
  const toggle = (ids: readonly string[]) =>
    setSelected(isChosen(ids) ? chosen.filter((one) => !ids.includes(one)) : [...new Set([...chosen, ...ids])])
  // A picture stands for all that overlaps with it; opened large, they come one after the other.
  const hours = Map.groupBy(bundlesOf(events), ([event]) => hourOf(time(event)))

  return (
    <>
      <PageHeader title={t('event.gallery.title')} meta={t('event.gallery.meta')}>
        <ClockChoice />
        <Button component={Go} to="/event" search={{ ...search, show: undefined }} variant="default">
          {t('event.gallery.list')}
        </Button>
      </PageHeader>
      <EventFilters search={search} set={set} customer={customer} zone={zone} isGallery />
      <FilterChips search={search} set={set} zone={zone} isGallery />
      {kept && <KeptFrom data={kept} />}
      {query.isError && !query.data ? (
        <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />
      ) : !query.data ? (
        <BlockSkeleton height={320} />
      ) : events.length === 0 ? (
        <Empty
          title={isFiltered(search) ? t('common.nothingMatches') : t('event.gallery.empty')}
          text={t('event.gallery.emptyText')}
          action={
            isFiltered(search) && (
              <Button variant="default" onClick={() => set(noFilter)}>
                {t('common.clearFilters')}
              </Button>
            )
          }
        />
      ) : (
        <Shown isStale={query.isPlaceholderData}>
          {[...hours].map(([hour, taken]) => (
            <section key={hour} aria-label={hour}>
              <h2 className={`${classes.hour} num`}>{hour}</h2>
              <ul className={classes.grid}>
                {taken.map(([event, ...more]) => {
                  // Of a bundle that is larger than an archive may be, what fits: its gravest and newest.
                  const ids = [event, ...more].map(({ event_uuid }) => event_uuid).slice(0, mostSelected)
                  const isFull = chosen.length + ids.length > mostSelected && !isChosen(ids)
                  return (
                    <li key={event.event_uuid} data-selected={isChosen(ids) || undefined}>
                      <Checkbox
                        className={classes.pick}
                        aria-label={t('event.gallery.pick', {
                          name: `${titleOf(event)}, ${nameOf(event.device_id) ?? ''}, ${time(event).slice(11)}`,
                        })}
                        checked={isChosen(ids)}
                        disabled={isFull}
                        title={isFull ? t('event.gallery.full', { most: mostSelected }) : undefined}
                        onChange={() => toggle(ids)}
                      />
                      <button type="button" className={classes.tile} onClick={() => setShownId(event.event_uuid)}>
                        <KeptPicture url={event.snapshot_url ?? ''} alt={titleOf(event)}>
                          <span className={classes.gone}>{t('event.gallery.gone')}</span>
                        </KeptPicture>
                        {event.clip_url && (
                          <IconPlayerPlay size={22} className={classes.play} aria-label={t('event.hasClip')} />
                        )}
                        <span className={classes.words}>
                          <span>{titleOf(event)}</span>
                          <span className="t3 num">
                            {nameOf(event.device_id)} · {time(event).slice(11)}
                          </span>
                          {more.length > 0 && (
                            <span className="t3">{t('event.overlapping', { count: more.length })}</span>
                          )}
                        </span>
                      </button>
                    </li>
                  )
                })}
              </ul>
            </section>
          ))}
        </Shown>
      )}
      {query.hasNextPage && (
        <div className={eventClasses.more}>
          <Button variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {t('event.gallery.more')}
          </Button>
        </div>
      )}
      {chosen.length > 0 && <SelectedBar selected={chosen} onClear={() => setSelected([])} />}
      <Lightbox
        event={events[shownAt] ?? null}
        title={events[shownAt] ? `${nameOf(events[shownAt].device_id) ?? ''} · ${time(events[shownAt])}` : ''}
        newer={events[shownAt - 1]}
        older={shownAt < 0 ? undefined : events[shownAt + 1]}
        onShow={(event) => setShownId(event?.event_uuid ?? null)}
      />
    </>
  )
}

type LightboxProps = {
  event: EventEntity | null
  title: string
  newer: EventEntity | undefined
  older: EventEntity | undefined
  onShow: (event: EventEntity | null) => void
}

function Lightbox({ event, title, newer, older, onShow }: LightboxProps) {
  const { t } = useTranslation()
  const onKeyDown = ({ key, target }: KeyboardEvent) => {
    // In a clip the arrow keys are the player's.
    if (target instanceof HTMLVideoElement) return
    if ((key === 'ArrowRight' || key === 'j') && older) onShow(older)
    if ((key === 'ArrowLeft' || key === 'k') && newer) onShow(newer)
  }
  return (
    <Modal
      opened={event !== null}
      onClose={() => onShow(null)}
      size="xl"
      title={title}
      closeButtonProps={{ 'aria-label': t('common.close') }}
      onKeyDown={onKeyDown}
    >
      {event && (
        <>
          <EventMedia key={event.event_uuid} event={event} />
          <div className={classes.bar}>
            <Button
              variant="default"
              leftSection={<IconChevronLeft size={16} />}
              disabled={!newer}
              onClick={() => newer && onShow(newer)}
            >
              {t('event.gallery.newer')}
            </Button>
            <span className="truncate">{[titleOf(event), occasionText(event)].filter(Boolean).join(' · ')}</span>
            <Button
              variant="default"
              rightSection={<IconChevronRight size={16} />}
              disabled={!older}
              onClick={() => older && onShow(older)}
            >
              {t('event.gallery.older')}
            </Button>
          </div>
          <Button component={Go} to="/event/detail" search={{ eid: event.event_uuid, cid: event.channel_id }} mt="sm">
            {t('event.gallery.open')}
          </Button>
        </>
      )}
    </Modal>
  )
}
