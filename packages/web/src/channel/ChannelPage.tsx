import { ActionIcon, Alert, Button, Menu, SegmentedControl } from '@mantine/core'
import type { Channel, Device } from '@sightline/contract'
import { countsOccupancy, type MetricId } from '@sightline/domain'
import {
  IconArrowsExchange,
  IconCopy,
  IconDots,
  IconPolygon,
  IconRefresh,
  IconStethoscope,
  IconTrash,
} from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CallFailed } from '../api.ts'
import { api } from '../app/client.ts'
import { causeText } from '../i18n/words.ts'
import { useTopic } from '../live.ts'
import { useMay } from '../session.ts'
import { EventItems } from '../ui/analytics/EventItems.tsx'
import { useLatest } from '../ui/analytics/latest.ts'
import { MetricChart } from '../ui/analytics/MetricChart.tsx'
import { UsecaseCards } from '../ui/analytics/UsecaseCards.tsx'
import { ChannelHealth } from '../ui/ChannelHealth.tsx'
import { Confirm } from '../ui/Confirm.tsx'
import { type Levels, useLevels } from '../ui/cameras/levels.ts'
import { liveFigure } from '../ui/cameras/live-figure.ts'
import { Empty } from '../ui/Empty.tsx'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { Go, useGo } from '../ui/Go.tsx'
import { LivePicture } from '../ui/live/LivePicture.tsx'
import type { LiveOverlay } from '../ui/live/player.ts'
import { shapesOf } from '../ui/live/ShapesOver.tsx'
import { MetricGrid } from '../ui/MetricCard.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { Panel } from '../ui/Panel.tsx'
import { BlockSkeleton, RowsSkeleton } from '../ui/Skeletons.tsx'
import { ChannelFacts } from './ChannelFacts.tsx'
import { CopyChannel } from './CopyChannel.tsx'
import classes from './channel.module.css'
import { FacesOff, useMissing } from './Needs.tsx'
import { RefactorChannel } from './RefactorChannel.tsx'
import { SetOccupancy } from './SetOccupancy.tsx'
import { useChannelJob } from './useJob.ts'

/** Numbers of the page are read again this long after the last event, and at least this often. */
const refreshMs = 10_000
/** Without a counted picture for so long, the windows of the stream tell how it is. */
const quietMs = 5000
const periods = { h1: '-1h', h24: '-24h', d7: '-7d', d30: '-30d' } as const
type Period = keyof typeof periods

/** One analytic: the live picture, its numbers, their course, its latest events and its state. */
export function ChannelPage({ channel, device, timezone }: { channel: Channel; device: Device; timezone: string }) {
  const { t } = useTranslation()
  const mayEdit = useMay('edit')
  const mayOperate = useMay('user_edit')
  const maySeeSettings = useMay('user_nav')
  const { channel_id, usecase_key } = channel
  const [period, setPeriod] = useState<Period>('h1')
  // There are no cards of longer periods.
  const cards = period === 'h1' ? 'h1' : 'h24'
  // The picture on screen says how it is now; the stream, how the last five seconds were.
  const [counted, setCounted] = useState<Levels[string] | null>(null)
  const told = useLevels()[channel_id]
  useEffect(() => {
    if (!counted) return
    const timer = setTimeout(() => setCounted(null), quietMs)
    return () => clearTimeout(timer)
  }, [counted])
  const status = useQuery({ ...api.channel.status.query({ channel_id }), refetchInterval: refreshMs })
  const stats = useQuery({
    ...api.event.stats.query({ usecase_key, channel_id: [channel_id], frequency: cards === 'h1' ? '1h' : '1d' }),
    refetchInterval: refreshMs,
    placeholderData: (before) => before,
  })
  const chart = useQuery({
    ...api.event.range.query({ usecase_key, channel_id: [channel_id], start: periods[period], type: 2, timezone }),
    refetchInterval: refreshMs,
    placeholderData: (before) => before,
  })
  const { query: events, events: list } = useLatest([channel_id], 8)
  useTopic('event', (message) => {
    if (message.channel_id !== channel_id) return
    if (message.opened > 0) {
      for (const query of [stats, chart]) void query.refetch()
    }
  })
  const onOverlay = useCallback(
    (overlay: LiveOverlay) => {
      const mine = overlay.levels[channel_id]
      if (mine) setCounted(mine)
    },
    [channel_id],
  )

  const state = status.data
  const series = chart.data && !Array.isArray(chart.data) ? chart.data : null
  const levels = counted ?? told ?? {}
  const now = Object.entries(levels).filter(([id]) => channel.metric_keys.includes(id))
  return (
    <>
      <PageHeader
        title={`${device.device_name} · ${channel.channel_name}`}
        meta={<ChannelHealth channel={state ?? channel} />}
      >
        {mayOperate && <More channel={channel} device={device} mayEdit={mayEdit} />}
        {mayOperate && countsOccupancy(usecase_key) && <SetOccupancy channel={channel} counted={levels.occupancy} />}
        {maySeeSettings && (
          <Button
            component={Go}
            variant="default"
            to="/channel/diagnostic"
            search={{ did: device.device_id, cid: channel_id, uid: channel.usecase_id }}
            leftSection={<IconStethoscope size={16} />}
          >
            {t('channel.detail.diagnose')}
          </Button>
        )}
        {maySeeSettings && (
          <Button
            component={Go}
            to="/channel/edit"
            search={{ did: device.device_id, cid: channel_id, uid: channel.usecase_id }}
            leftSection={<IconPolygon size={16} />}
          >
            {t('channel.detail.edit')}
          </Button>
        )}
      </PageHeader>
      <Waits channel={channel} cause={(state ?? channel).state_cause} />
      <div className={classes.columns}>
        <div className={classes.main}>
          <LivePicture
            channelId={channel_id}
            siteId={device.site_id}
            label={t('common.pair', { name: t('channel.detail.live'), text: device.device_name })}
            shapes={shapesOf(channel.zones)}
            onOverlay={onOverlay}
            hasTrails={channel.usecase_key === 'ppltrk'}
          >
            {now.length > 0 ? (
              <span className={`${classes.now} num`} data-testid="levels" title={t('channel.detail.nowHint')}>
                {now.map(([id, value]) => liveFigure(channel.usecase_key, id as MetricId, value)).join(' · ')}
              </span>
            ) : (
              // A picture alone looks as if nobody were there.
              <span className={classes.now}>{t('channel.detail.uncounted')}</span>
            )}
          </LivePicture>
          {stats.isError && !stats.data ? (
            <ErrorPanel error={stats.error} onRetry={() => void stats.refetch()} />
          ) : stats.data ? (
            <MetricGrid>
              <UsecaseCards
                usecaseKey={usecase_key}
                metrics={stats.data.metrics}
                period={stats.data.frequency === '1h' ? 'h1' : 'h24'}
                cause={(state ?? channel).state_cause}
              />
            </MetricGrid>
          ) : (
            <BlockSkeleton height={108} />
          )}
          <Panel
            title={t('chart.title')}
            aside={
              <SegmentedControl
                size="xs"
                aria-label={t('chart.period')}
                value={period}
                onChange={(next) => setPeriod(next as Period)}
                data={(Object.keys(periods) as Period[]).map((value) => ({ value, label: t(`chart.short.${value}`) }))}
              />
            }
          >
            {chart.isError && !series ? (
              <ErrorPanel error={chart.error} onRetry={() => void chart.refetch()} />
            ) : series ? (
              <MetricChart data={series} />
            ) : (
              <BlockSkeleton height={260} />
            )}
          </Panel>
        </div>
        <aside className={classes.side}>
          <Panel title={t('channel.detail.state')}>
            {state ? <ChannelFacts status={state} timezone={timezone} /> : <RowsSkeleton rows={4} height={40} />}
          </Panel>
          <Panel
            flush
            title={t('event.latest')}
            aside={
              <Go to="/event" search={{ cid: channel_id, uid: channel.usecase_id }}>
                {t('event.all')}
              </Go>
            }
          >
            {events.isError && !list ? (
              <ErrorPanel error={events.error} onRetry={() => void events.refetch()} />
            ) : !list ? (
              <RowsSkeleton rows={4} />
            ) : list.length === 0 ? (
              <Empty title={t('event.none')} />
            ) : (
              <EventItems events={list} nameOf={() => channel.channel_name} />
            )}
          </Panel>
        </aside>
      </div>
    </>
  )
}

/** What somebody has to do first, so that it counts, or counts what was meant. */
function Waits({ channel, cause }: { channel: Channel; cause: string | null }) {
  const { detector_state, site_id } = channel
  if (cause === 'faces_off') return <FacesOff siteId={site_id} />
  if (cause === 'camera_moved' || cause === 'view_different' || cause === 'degraded:other_shape')
    return <LooksElsewhere channel={channel} cause={cause} />
  return detector_state === 'needs_model' || detector_state === 'needs_calibration' ? <Lacks channel={channel} /> : null
}

/** It counts, but its zones may not lie where they were drawn. */
function LooksElsewhere({ channel, cause }: { channel: Channel; cause: string }) {
  const { t } = useTranslation()
  const mayEdit = useMay('edit')
  const { device_id: did, channel_id: cid, usecase_id: uid } = channel
  return (
    <Alert color="orange" variant="light" mb="md" title={causeText(cause)}>
      {t('channel.detail.elsewhere')}{' '}
      {mayEdit && (
        <Go to="/channel/edit" search={{ did, cid, uid }}>
          {t('channel.diagnose.next.zones')}
        </Go>
      )}
    </Alert>
  )
}

function Lacks({ channel }: { channel: Channel }) {
  const { t } = useTranslation()
  const mayEdit = useMay('edit')
  const pipeline = useQuery(api.pipeline.get.query({ pipeline_id: channel.pipeline_id }))
  const { device_id, channel_id, usecase_id, usecase_key } = channel
  const missing = useMissing(usecase_key, pipeline.data?.pipeline_elements)
  if (missing === null) return null
  const search = { did: device_id, cid: channel_id, uid: usecase_id }
  return (
    <Alert color="orange" variant="light" mb="md" title={t(`message.${missing.need}`)}>
      {missing.text}{' '}
      {mayEdit && (
        <Go to="/channel/edit" search={missing.need === 'needs_model' ? { ...search, tab: 'tuning' } : search}>
          {t(missing.need === 'needs_model' ? 'channel.need.chooseModel' : 'channel.need.calibrate')}
        </Go>
      )}
    </Alert>
  )
}

/** What is done rarely: starting anew, running elsewhere, and deleting, which auto recovery blocks. */
function More({ channel, device, mayEdit }: { channel: Channel; device: Device; mayEdit: boolean }) {
  const { t } = useTranslation()
  const go = useGo()
  const [asks, setAsks] = useState(false)
  const [refactors, setRefactors] = useState(false)
  const [copies, setCopies] = useState(false)
  const update = useMutation(api.channel.update.mutation())
  const remove = useMutation(api.channel.delete.mutation({ inline: true }))
  const { revive } = useChannelJob(channel.channel_id)
  const needsForce = remove.error instanceof CallFailed && remove.error.code === 503
  const { channel_id, auto_recovery } = channel
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={t('common.actionsFor', { name: channel.channel_name })}>
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconRefresh size={16} />} onClick={() => revive()}>
            {t('channel.diagnose.revive')}
          </Menu.Item>
          {mayEdit && (
            <Menu.Item leftSection={<IconArrowsExchange size={16} />} onClick={() => setRefactors(true)}>
              {t('channel.refactor.open')}
            </Menu.Item>
          )}
          {mayEdit && (
            <Menu.Item leftSection={<IconCopy size={16} />} onClick={() => setCopies(true)}>
              {t('copy.open')}
            </Menu.Item>
          )}
          {mayEdit && (
            <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={() => setAsks(true)}>
              {t('channel.detail.delete')}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <RefactorChannel channel={channel} device={device} opened={refactors} onClose={() => setRefactors(false)} />
      <CopyChannel channel={channel} opened={copies} onClose={() => setCopies(false)} />
      <Confirm
        opened={asks}
        onClose={() => setAsks(false)}
        title={auto_recovery ? t('channel.detail.deleteBlocked') : t('channel.detail.delete')}
        confirmLabel={
          auto_recovery
            ? t('channel.detail.switchOff')
            : t(needsForce ? 'channel.diagnose.force' : 'channel.detail.delete')
        }
        pending={update.isPending || remove.isPending || remove.isSuccess}
        onConfirm={() => {
          if (auto_recovery) update.mutate({ channel_id, auto_recovery: false })
          else
            remove.mutate(
              { channel_id, force: needsForce },
              { onSuccess: () => go('/device/detail', { did: channel.device_id }, { replace: true }) },
            )
        }}
      >
        {auto_recovery ? t('channel.detail.switchOffFirst') : t('channel.detail.deleteText')}
        {remove.error && (
          <Alert color="red" variant="light" mt="sm">
            {remove.error.message} {needsForce && t('channel.diagnose.forceText')}
          </Alert>
        )}
      </Confirm>
    </>
  )
}
