import { Alert, Button, Menu, Tabs } from '@mantine/core'
import type { Nimble, NimbleStatus, Reply, api as table } from '@sightline/contract'
import { IconChartLine, IconChevronDown } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, refresh } from '../app/client.ts'
import { formatBytes, formatClock, formatNumber, formatPercent, shownZone } from '../i18n/format.ts'
import { edgeName } from '../i18n/seeded.ts'
import { causeText, clockText } from '../i18n/words.ts'
import { useMay } from '../session.ts'
import { axisBegin } from '../ui/axis.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { EChart } from '../ui/EChart.tsx'
import type { ChartColors } from '../ui/EChartCanvas.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { Facts } from '../ui/Facts.tsx'
import { useGo } from '../ui/Go.tsx'
import { StatusDot } from '../ui/Health.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { Panel } from '../ui/Panel.tsx'
import { BlockSkeleton } from '../ui/Skeletons.tsx'
import { browserZone } from '../ui/TimezoneSelect.tsx'
import { Enrolment } from './Enrolment.tsx'
import classes from './nimble.module.css'
import { Override } from './Override.tsx'
import { PipelineList } from './PipelineList.tsx'
import { RemoveDemo } from './RemoveDemo.tsx'
import { StreamList } from './StreamList.tsx'
import { SyncPanel } from './SyncPanel.tsx'
import { edgeTone, formatEdgeTime, placeOf } from './state.ts'
import type { EdgeTab } from './tabs.ts'

/** What a new command mends. */
const enrolsAnew = new Set(['key_changed', 'not_enrolled', 'identity_twice'])

type Stats = Reply<(typeof table)['nimble']['stats']>
type Point = Stats['points'][number]

type Props = { nimble: Nimble; tab: EdgeTab | undefined; onTab: (tab: EdgeTab) => void }

export function EdgeDetail({ nimble, tab = 'overview', onTab }: Props) {
  const { t } = useTranslation()
  const mayEdit = useMay('edit')
  const { nimble_id } = nimble
  const status = useQuery({ ...api.nimble.status.query({ nimble_id }), refetchInterval: 10_000 })
  const stats = useQuery({ ...api.nimble.stats.query({ nimble_id }), refetchInterval: 30_000 })
  const trust = useMutation(api.nimble.update.mutation())
  const state = status.data?.state ?? 'new'
  return (
    <>
      <PageHeader
        title={edgeName(nimble)}
        meta={
          <>
            <StatusDot tone={edgeTone[state]} /> {t(`nimble.state.${state}`)}
            {state !== 'new' &&
              status.data?.since &&
              ` ${t('nimble.since', { time: formatEdgeTime(status.data.since) })}`}
            {placeOf(nimble) && ` · ${placeOf(nimble)}`}
          </>
        }
      >
        {mayEdit && <Manage nimble={nimble} channels={status.data?.channels ?? 0} />}
      </PageHeader>
      {nimble.key_state !== 'pinned' && nimble.key_fingerprint && (
        <Alert
          color="orange"
          variant="light"
          mb="md"
          title={`${t('nimble.key')} ${t(`nimble.keyState.${nimble.key_state}`)}`}
        >
          <code>{nimble.key_fingerprint}</code>
          <p>{t('nimble.trustText')}</p>
          {mayEdit && (
            <Button
              size="xs"
              loading={trust.isPending}
              onClick={() =>
                trust.mutate(
                  { nimble_id, trust_key: nimble.key_fingerprint ?? undefined, version: nimble.version },
                  // It may show another by now, which is the one to compare.
                  { onError: () => refresh('nimble') },
                )
              }
            >
              {t('nimble.trust')}
            </Button>
          )}
        </Alert>
      )}
      {status.data && <Trouble nimble={nimble} status={status.data} />}
      <Tabs value={tab} onChange={(next) => onTab((next ?? 'overview') as EdgeTab)} keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="overview">{t('pipeline.overview')}</Tabs.Tab>
          <Tabs.Tab value="streams">{t('pipeline.streams.tab')}</Tabs.Tab>
          <Tabs.Tab value="pipelines">{t('pipeline.tab')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="overview">
          <div className="split">
            <div className="stack">
              {mayEdit && nimble.mode === 'enrolled' && (
                <Enrolment nimble={nimble} isWanted={enrolsAnew.has(status.data?.cause ?? '')} />
              )}
              <SyncPanel nimble={nimble} isNew={state === 'new'} />
              <Panel title={t('nimble.day')}>
                {stats.isError ? (
                  <ErrorPanel error={stats.error} onRetry={() => void stats.refetch()} />
                ) : !stats.data ? (
                  <BlockSkeleton height={420} />
                ) : stats.data.points.length === 0 ? (
                  <Empty
                    icon={<IconChartLine stroke={1.5} />}
                    title={t('nimble.noStats')}
                    text={t('nimble.noStatsText')}
                  />
                ) : (
                  <Charts stats={stats.data} />
                )}
              </Panel>
            </div>
            <Panel title={t('nimble.facts')}>
              {status.data ? <About nimble={nimble} status={status.data} /> : <BlockSkeleton height={300} />}
            </Panel>
          </div>
        </Tabs.Panel>
        <Tabs.Panel value="streams">
          <StreamList nimbleId={nimble_id} />
        </Tabs.Panel>
        <Tabs.Panel value="pipelines">
          <PipelineList nimbleId={nimble_id} mayEdit={mayEdit} />
        </Tabs.Panel>
      </Tabs>
    </>
  )
}

/** Why it is kept out, and what it sent that could not be kept, each with the next step. */
function Trouble({ nimble: { nimble_id, mode }, status }: { nimble: Nimble; status: NimbleStatus }) {
  const { t } = useTranslation()
  const mayEdit = useMay('edit')
  const retry = useMutation(api.nimble.retry.mutation())
  const { cause, state, rejected_events } = status
  return (
    <>
      {cause !== null && state !== 'connecting' && (
        <Alert color={state === 'online' ? 'orange' : 'red'} variant="light" mb="md">
          {mode === 'enrolled' && cause === 'key_changed' ? t('nimble.enrol.otherKey') : causeText(cause)}
          {mayEdit && mode === 'dial' && state !== 'online' && (
            <p style={{ marginBottom: 0 }}>
              <Button size="xs" variant="default" loading={retry.isPending} onClick={() => retry.mutate({ nimble_id })}>
                {t('nimble.retry')}
              </Button>
            </p>
          )}
        </Alert>
      )}
      {rejected_events !== null && rejected_events > 0 && (
        <Alert color="orange" variant="light" mb="md" title={t('nimble.rejected', { count: rejected_events })}>
          {t('nimble.rejectedText')}
        </Alert>
      )}
    </>
  )
}

function About({ nimble, status }: { nimble: Nimble; status: NimbleStatus }) {
  const { t } = useTranslation()
  const engine = [status.engine_version, status.protocol && t('nimble.protocol', { version: status.protocol })]
  return (
    <Facts
      items={[
        [t('nimble.address'), placeOf(nimble) || t('nimble.mode.enrolled')],
        [t('common.state'), status.cause ? causeText(status.cause) : t(`nimble.state.${status.state}`)],
        [
          t('nimble.syncLabel'),
          `${t(status.state === 'new' ? 'nimble.syncFirst' : `nimble.sync.${status.sync}`)} · ${t('nimble.versions', { applied: status.applied_version ?? '–', desired: status.desired_version })}`,
        ],
        [
          t('nimble.channelsLabel'),
          t('nimble.channels', { running: status.channels_running ?? '–', total: status.channels }),
        ],
        [t('nimble.engine'), engine.filter(Boolean).join(' · ')],
        [t('nimble.lastContact'), status.last_contact_at && formatEdgeTime(status.last_contact_at)],
        [t('nimble.times'), t('nimble.timesOf', { zone: shownZone(undefined) ?? browserZone() })],
        [t('nimble.clock'), status.clock_offset_ms === null ? null : clockText(status.clock_offset_ms)],
        [t('nimble.interfaces'), status.interfaces.map((one) => `${one.name} ${one.address}`).join(', ')],
        [
          t('nimble.journal'),
          status.journal_events === null ? null : t('nimble.journalText', { count: status.journal_events }),
        ],
        ...(status.rejected_events ? [[t('nimble.rejectedLabel'), formatNumber(status.rejected_events)] as const] : []),
        ...(status.lost_events ? [[t('nimble.lost'), formatNumber(status.lost_events)] as const] : []),
        [t('nimble.key'), <code key="key">{nimble.key_fingerprint?.slice(0, 23) ?? '–'}</code>],
      ]}
    />
  )
}

function Manage({ nimble, channels }: { nimble: Nimble; channels: number }) {
  const { t } = useTranslation()
  const go = useGo()
  const [isAsking, setIsAsking] = useState(false)
  const [overrides, setOverrides] = useState(false)
  const [removesDemo, setRemovesDemo] = useState(false)
  const isSuper = useMay('super_admin_only')
  const refresh = useMutation(api.pipeline.refresh.mutation())
  const remove = useMutation(api.nimble.delete.mutation())
  const { nimble_id } = nimble
  return (
    <>
      <Button variant="default" loading={refresh.isPending} onClick={() => refresh.mutate({ nimble_id })}>
        {t('nimble.refresh')}
      </Button>
      <Menu position="bottom-end" width={280}>
        <Menu.Target>
          <Button variant="default" rightSection={<IconChevronDown size={15} />}>
            {t('common.actions')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => go('/configuration/edit', { nid: nimble_id })}>{t('common.edit')}</Menu.Item>
          <Menu.Item onClick={() => setOverrides(true)}>{t('nimble.override.open')}</Menu.Item>
          {nimble.is_local && isSuper && <Menu.Item onClick={() => setRemovesDemo(true)}>{t('demo.open')}</Menu.Item>}
          <Menu.Item color="red" disabled={channels > 0} onClick={() => setIsAsking(true)}>
            {t('nimble.delete')}
          </Menu.Item>
          {channels > 0 && <Menu.Label>{t('nimble.deleteBlocked')}</Menu.Label>}
        </Menu.Dropdown>
      </Menu>
      {removesDemo && <RemoveDemo onClose={() => setRemovesDemo(false)} />}
      <Override nimble={nimble} opened={overrides} onClose={() => setOverrides(false)} />
      <Confirm
        opened={isAsking}
        onClose={() => setIsAsking(false)}
        title={t('nimble.delete')}
        confirmLabel={t('nimble.delete')}
        pending={remove.isPending}
        onConfirm={() =>
          remove.mutate({ nimble_id }, { onSuccess: () => go('/configuration'), onSettled: () => setIsAsking(false) })
        }
      >
        {t('common.pair', { name: edgeName(nimble), text: t('nimble.deleteText') })}
      </Confirm>
    </>
  )
}

type Line = { label: string; pick: (point: Point) => number | null; color: (colors: ChartColors) => string }

/** Load over 24 hours: small charts over the same hours. A gap is a time without figures. */
function Charts({ stats }: { stats: Stats }) {
  const { t } = useTranslation()
  const brand = (colors: ChartColors) => colors.brand
  return (
    <div className={classes.charts}>
      <LoadChart
        title={t('nimble.cpu')}
        stats={stats}
        write={formatPercent}
        top={1}
        lines={[{ label: t('nimble.cpu'), pick: (point) => point.cpu, color: brand }]}
      />
      <LoadChart
        title={t('nimble.memory')}
        stats={stats}
        write={formatBytes}
        lines={[{ label: t('nimble.memory'), pick: (point) => point.memory_bytes, color: brand }]}
      />
      <LoadChart
        title={t('nimble.fps')}
        stats={stats}
        write={formatNumber}
        lines={[
          { label: t('nimble.fps'), pick: (point) => point.fps, color: brand },
          { label: t('nimble.expected'), pick: (point) => point.expected_fps, color: (colors) => colors.compare },
        ]}
      />
      <LoadChart
        title={t('nimble.inference')}
        stats={stats}
        write={(value) => `${formatNumber(value)} ms`}
        lines={[{ label: t('nimble.inference'), pick: (point) => point.inference_ms, color: brand }]}
      />
      <LoadChart
        title={t('nimble.disk')}
        stats={stats}
        write={formatBytes}
        lines={[{ label: t('nimble.disk'), pick: (point) => point.disk_free_bytes, color: brand }]}
      />
      <LoadChart
        title={t('nimble.queue')}
        stats={stats}
        write={formatNumber}
        lines={[{ label: t('nimble.queue'), pick: (point) => point.queue, color: brand }]}
      />
      <LoadChart
        title={t('nimble.clock')}
        stats={stats}
        write={(value) => `${formatNumber(value)} ms`}
        isSigned
        lines={[{ label: t('nimble.clock'), pick: (point) => point.clock_offset_ms, color: brand }]}
      />
    </div>
  )
}

type LoadChartProps = {
  /** Upper end of the axis where it is known. */ top?: number
  title: string
  stats: Stats
  lines: readonly Line[]
  write: (value: number) => string
  /** Values below nothing are possible. */
  isSigned?: boolean
}

/** The points of a line; one that stands alone between gaps would not be seen without a mark of its own. */
function pointsOf({ points }: Stats, pick: Line['pick']) {
  const values = points.map(pick)
  return points.map(({ at }, index) => {
    const isAlone =
      values[index] !== null && (values[index - 1] ?? null) === null && (values[index + 1] ?? null) === null
    return { value: [at, values[index] ?? null], symbol: isAlone ? 'circle' : 'none', symbolSize: 5 }
  })
}

function LoadChart({ title, stats, lines, write, top, isSigned }: LoadChartProps) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: lines and write are made anew at each render, the figures are not
  const make = useCallback(
    (colors: ChartColors) => ({
      useUTC: shownZone(undefined) === 'UTC',
      grid: { left: 8, right: 8, top: 12, bottom: 4, containLabel: true },
      tooltip: {
        trigger: 'axis',
        backgroundColor: colors.surface,
        borderColor: colors.line,
        textStyle: { color: colors.text, fontSize: 12 },
        valueFormatter: (value: number | null) => (value === null ? '–' : write(value)),
      },
      xAxis: {
        type: 'time',
        min: axisBegin(
          Date.parse(stats.start),
          Date.parse(stats.end),
          stats.points[0] ? Date.parse(stats.points[0].at) : null,
        ),
        max: stats.end,
        axisLine: { lineStyle: { color: colors.line } },
        axisLabel: {
          color: colors.text,
          fontSize: 11,
          hideOverlap: true,
          formatter: (at: number) => formatClock(at, shownZone(undefined)).slice(0, 5),
        },
      },
      yAxis: {
        type: 'value',
        min: isSigned ? undefined : 0,
        max: top,
        splitNumber: 3,
        splitLine: { lineStyle: { color: colors.line } },
        axisLabel: { color: colors.text, fontSize: 11, formatter: write },
      },
      series: lines.map(({ label, pick, color }) => ({
        name: label,
        type: 'line',
        showSymbol: true,
        connectNulls: false,
        lineStyle: { width: 1.6, color: color(colors) },
        itemStyle: { color: color(colors) },
        data: pointsOf(stats, pick),
      })),
    }),
    [stats, title],
  )
  return (
    <figure style={{ margin: 0 }}>
      <figcaption className="t2" style={{ fontSize: 12.5 }}>
        {title}
      </figcaption>
      <EChart label={title} make={make} height={170} />
    </figure>
  )
}
