import { Button, Group, Select, Switch } from '@mantine/core'
import type { Customer, EventEntity } from '@sightline/contract'
import { type UsecaseKey, usecaseKeys } from '@sightline/domain'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, queryClient } from '../app/client.ts'
import { useTopic } from '../live.ts'
import { EventItems } from '../ui/analytics/EventItems.tsx'
import { useCameraNames } from '../ui/cameras/camera-names.ts'
import { Empty } from '../ui/Empty.tsx'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { Panel } from '../ui/Panel.tsx'
import { RowsSkeleton } from '../ui/Skeletons.tsx'
import { CameraChoice } from './CameraChoice.tsx'
import classes from './event.module.css'
import { type EventSearch, kinds, pageSize, periods } from './search.ts'

/** Events newest first, filtered by what the address says; new ones wait behind a pill, or follow by themselves. */
export function EventList({ search, customer }: { search: EventSearch; customer: Customer | null }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [waiting, setWaiting] = useState(0)
  const [follows, setFollows] = useState(false)
  const set = (change: Partial<EventSearch>) =>
    void navigate({ to: '.', search: (now: EventSearch) => ({ ...now, ...change }), replace: true } as never)

  const { period = 'h24', uc, cid, kind } = search
  const selection = {
    usecase_key: uc,
    channel_id: cid ? [cid] : undefined,
    site_id: search.sid,
    customer_id: cid || search.sid ? undefined : customer?.customer_id,
    kind: kind ? [kind] : undefined,
    start: periods[period],
    type: 1,
    event_limit: pageSize,
  }
  const key = [...api.event.range.key(), 'pages', selection]
  const query = useInfiniteQuery({
    queryKey: key,
    initialPageParam: 0,
    queryFn: async ({ pageParam, signal }) => {
      const result = await api.event.range.call({ ...selection, event_offset: pageParam }, { signal })
      if (!result.status) throw result.failure
      return { events: result.data as EventEntity[], page: result.page }
    },
    getNextPageParam: ({ page }) => {
      if (!page) return null
      const next = page.offset + page.limit
      // What lies deeper is reached by a narrower period, not by paging.
      return next < (page.total ?? Number.POSITIVE_INFINITY) && next <= 10_000 ? next : null
    },
  })
  const reload = () => {
    setWaiting(0)
    void queryClient.resetQueries({ queryKey: key })
  }
  useTopic('event', (message) => {
    const concerns =
      (!cid || message.channel_id === cid) &&
      (!uc || message.usecase_key === uc) &&
      (!search.sid || message.site_id === search.sid)
    if (concerns && (message.opened > 0 || kind === 'window')) setWaiting((now) => now + Math.max(1, message.opened))
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: reads again when something waits, not when the key changes
  useEffect(() => {
    if (follows && waiting > 0) reload()
  }, [follows, waiting])

  const events = query.data?.pages.flatMap((page) => page.events)
  const total = query.data?.pages[0]?.page?.total
  const nameOf = useCameraNames(events?.map(({ device_id }) => device_id) ?? [])
  const isFiltered = Boolean(uc || cid || kind)
  return (
    <>
      <PageHeader
        title={t('event.title')}
        meta={total === undefined ? '' : total === null ? t('event.metaMany') : t('event.meta', { count: total })}
      >
        <Switch label={t('event.tail')} checked={follows} onChange={() => setFollows(!follows)} />
      </PageHeader>
      <Group gap="xs" mb="md" className={classes.filters}>
        <Select
          aria-label={t('event.filter.period')}
          allowDeselect={false}
          value={period}
          onChange={(next) => set({ period: (next ?? 'h24') as EventSearch['period'] })}
          data={(Object.keys(periods) as (keyof typeof periods)[]).map((value) => ({
            value,
            label: t(`chart.${value}`),
          }))}
        />
        <Select
          aria-label={t('event.filter.usecase')}
          placeholder={t('event.filter.allUsecases')}
          clearable
          value={uc ?? null}
          onChange={(next) =>
            set({ uc: (next ?? undefined) as UsecaseKey | undefined, cid: undefined, uid: undefined })
          }
          data={usecaseKeys.map((value) => ({ value, label: t(`usecase.name.${value}`) }))}
        />
        <CameraChoice
          value={cid}
          uc={uc}
          siteId={search.sid}
          customerId={customer?.customer_id}
          onChange={(next) => set({ cid: next, uid: undefined })}
        />
        <Select
          aria-label={t('event.filter.kind')}
          placeholder={t('event.filter.allKinds')}
          clearable
          value={kind ?? null}
          onChange={(next) => set({ kind: (next ?? undefined) as EventSearch['kind'] })}
          data={kinds.map((value) => ({ value, label: t(`event.kind.${value}`) }))}
        />
      </Group>
      {waiting > 0 && !follows && (
        <div className={classes.pill} role="status">
          <Button radius="xl" size="compact-md" onClick={reload}>
            {t('event.newer', { count: waiting })}
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
            title={isFiltered ? t('common.nothingMatches') : t('event.empty')}
            text={t('event.emptyText')}
            action={
              isFiltered ? (
                <Button
                  variant="default"
                  onClick={() => set({ uc: undefined, cid: undefined, uid: undefined, kind: undefined })}
                >
                  {t('common.clearFilters')}
                </Button>
              ) : (
                period !== 'd7' &&
                period !== 'd30' && <Button onClick={() => set({ period: 'd7' })}>{t('event.widen')}</Button>
              )
            }
          />
        ) : (
          <>
            <EventItems events={events} nameOf={({ device_id }) => nameOf(device_id) ?? '–'} withDate />
            {query.hasNextPage && (
              <div className={classes.more}>
                <Button variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                  {t('event.more')}
                </Button>
              </div>
            )}
          </>
        )}
      </Panel>
    </>
  )
}
