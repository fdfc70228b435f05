import { Button, Group, Switch } from '@mantine/core'
import type { Customer } from '@sightline/contract'
import { focusManager, keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { portalNow } from '../app/clock.ts'
import { shownZone } from '../i18n/format.ts'
import { EventItems } from '../ui/analytics/EventItems.tsx'
import { ClockChoice } from '../ui/ClockChoice.tsx'
import { useCameraNames } from '../ui/cameras/camera-names.ts'
import { Empty } from '../ui/Empty.tsx'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { Go } from '../ui/Go.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { Panel } from '../ui/Panel.tsx'
import { Shown } from '../ui/Shown.tsx'
import { RowsSkeleton } from '../ui/Skeletons.tsx'
import { EventFilters } from './EventFilters.tsx'
import { ExportButton } from './ExportButton.tsx'
import classes from './event.module.css'
import { FilterChips } from './FilterChips.tsx'
import { Histogram } from './Histogram.tsx'
import { KeptFrom } from './KeptFrom.tsx'
import { type EventSearch, isFiltered, noFilter, pageSize, selectionOf } from './search.ts'
import { useEvents } from './useEvents.ts'
import { useNewer } from './useNewer.ts'

/** From here on down somebody reads: nothing moves under their eyes. */
const readingPx = 240

/** What happened, newest first, filtered by what the address says; what is new waits behind a pill, or comes by itself. */
export function EventList({ search, customer }: { search: EventSearch; customer: Customer | null }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [follows, setFollows] = useState(false)
  /** What came later waits. Whatever else is asked for is asked of now: a period that ends now would end back then. */
  const about = JSON.stringify([search, customer?.customer_id])
  const [read, setRead] = useState(() => ({ about, at: portalNow(), isOther: false }))
  const reload = () => setRead({ about, at: portalNow(), isOther: read.about !== about })
  if (read.about !== about) reload()
  const set = (change: Partial<EventSearch>) =>
    void navigate({ to: '.', search: (now: EventSearch) => ({ ...now, ...change }), replace: true } as never)

  const { cid, uc, sid, show, from, period } = search
  const view = show ? ('records' as const) : ('occasions' as const)
  const { end, ...asked } = {
    ...selectionOf(search, customer, read.at),
    ...{ view, kind: show === 'window' ? ['window' as const] : undefined },
  }
  const listed = { ...asked, end }
  const { query, events, total } = useEvents({ ...listed, event_limit: pageSize })
  const { usecase_key, usecase_meta_key, channel_id, site_id, customer_id, start } = listed
  const histogram = useQuery({
    ...api.event.histogram.query({ usecase_key, usecase_meta_key, channel_id, site_id, customer_id, start, end }),
    placeholderData: keepPreviousData,
  })

  // What is listed was read with its end; what comes now has none.
  const { waiting, look } = useNewer({ ...asked, event_limit: pageSize }, events, (told) => {
    const isOurs =
      (!cid || told.channel_id === cid) && (!uc || told.usecase_key === uc) && (!sid || told.site_id === sid)
    return !from && isOurs && (show ? told.records : told.opened) > 0
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: reads again when something waits, not when the rest changes
  useEffect(() => {
    if (follows && waiting > 0 && window.scrollY < readingPx) reload()
  }, [follows, waiting])
  // Who comes back begins with what is there now; who was reading further down is told that something waits.
  const comeBack = useEffectEvent(() => {
    if (window.scrollY < readingPx) reload()
    else if (!from) look()
  })
  useEffect(() => focusManager.subscribe((isFocused) => isFocused && comeBack()), [])

  const nameOf = useCameraNames(events?.map(({ device_id }) => device_id) ?? [])
  return (
    <>
      <PageHeader
        title={t('event.title')}
        meta={total === undefined ? '' : total === null ? t('event.metaMany') : t('event.meta', { count: total })}
      >
        <Switch
          style={{ alignSelf: 'center' }}
          label={t('event.tail')}
          checked={follows}
          onChange={() => setFollows(!follows)}
        />
        <Button component={Go} to="/event/gallery" search={addressOf(search)} variant="default">
          {t('event.gallery.title')}
        </Button>
        <ExportButton asked={listed} isEmpty={events?.length === 0} />
      </PageHeader>
      <EventFilters search={search} set={set} customer={customer} zone={shownZone(histogram.data?.timezone)} />
      <FilterChips search={search} set={set} zone={shownZone(histogram.data?.timezone)} />
      {histogram.data && (
        <Histogram
          key={`${histogram.data.start} ${histogram.data.end}`}
          data={histogram.data}
          isNarrowed={from !== undefined}
          onNarrow={(from, to) => set({ from, to })}
          onReset={() => set({ from: undefined, to: undefined })}
        />
      )}
      {histogram.data && <KeptFrom data={histogram.data} />}
      <div className={classes.over}>
        <ClockChoice />
      </div>
      {waiting > 0 && (
        <div className={classes.pill} role="status">
          <Button
            radius="xl"
            size="compact-md"
            onClick={() => {
              window.scrollTo({ top: 0 })
              reload()
            }}
          >
            {t(waiting < pageSize ? 'event.newer' : 'event.newerMany', { count: waiting })}
          </Button>
        </div>
      )}
      <Panel flush>
        {query.isError && !events ? (
          <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />
        ) : !events ? (
          <RowsSkeleton />
        ) : events.length === 0 ? (
          <Empty
            title={isFiltered(search) ? t('common.nothingMatches') : t('event.empty')}
            text={t('event.emptyText')}
            action={
              isFiltered(search) ? (
                <Button variant="default" onClick={() => set(noFilter)}>
                  {t('common.clearFilters')}
                </Button>
              ) : (
                <Group justify="center">
                  {/* Where people are only counted nothing begins: what was measured is there all the same. */}
                  <Button onClick={() => set({ show: 'all' })}>{t('event.showAll')}</Button>
                  {period !== 'd7' && period !== 'd30' && (
                    <Button variant="default" onClick={() => set({ period: 'd7', from: undefined, to: undefined })}>
                      {t('event.widen')}
                    </Button>
                  )}
                </Group>
              )
            }
          />
        ) : (
          // The same list at a later moment is no other one.
          <Shown isStale={query.isPlaceholderData && read.isOther}>
            <EventItems events={events} nameOf={({ device_id }) => nameOf(device_id) ?? '–'} withDate />
            {query.hasNextPage && (
              <div className={classes.more}>
                <Button variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                  {t('event.more')}
                </Button>
              </div>
            )}
          </Shown>
        )}
      </Panel>
    </>
  )
}

/** The filters, for the other screen that has them. */
const addressOf = ({ cid, uid, sid, uc, key, period, from, to }: EventSearch) => ({
  ...{ cid, uid, sid, uc, key, period, from, to },
})
