import { Button, Group } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { type Channel, type ChannelStats, type Device, api as table } from '@sightline/contract'
import { IconPlus, IconUsers } from '@tabler/icons-react'
import { useQueries, useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { formatNumber } from '../i18n/format.ts'
import { fieldText } from '../i18n/words.ts'
import { useMay } from '../session.ts'
import { ChannelHealth } from '../ui/ChannelHealth.tsx'
import { useCameraNames } from '../ui/cameras/camera-names.ts'
import { type Column, DataTable } from '../ui/DataTable.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { Go, useGo } from '../ui/Go.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { Panel } from '../ui/Panel.tsx'
import { RowsSkeleton } from '../ui/Skeletons.tsx'
import { AssignChannels } from './AssignChannels.tsx'
import classes from './channel.module.css'

const figure = (value: number | null | undefined) => (value === null || value === undefined ? '–' : formatNumber(value))

/** So many analytics get their figures at once. */
const pieceSize = 48
const typingMs = 200

/** The analytics of a camera with their figures of 24 hours; without a camera those of all in reach, piece by piece. */
export function ChannelList({ device }: { device: Device | null }) {
  const { t } = useTranslation()
  const go = useGo()
  const mayEdit = useMay('edit')
  const forDevice = useQuery({
    ...api.channel.list.query({ device_id: device?.device_id }),
    enabled: device !== null,
  })
  const mine = useQuery({ ...api.channel.mine.query({}), enabled: device === null })
  const query = device ? forDevice : mine
  // A list over several streams leaves out the health check of single cameras.
  const several = new Set(query.data?.map(({ source_id }) => source_id)).size > 1
  const all = useMemo(
    () => query.data?.filter(({ usecase_key }) => !several || usecase_key !== 'emptyframecheck') ?? [],
    [query.data, several],
  )
  const { q: typed = '' }: { q?: string } = useSearch({ strict: false })
  const [q] = useDebouncedValue(typed.toLowerCase(), typingMs)
  const fitting = useMemo(
    () => all.filter((row) => `${row.channel_name} ${t(`usecase.name.${row.usecase_key}`)}`.toLowerCase().includes(q)),
    [all, q, t],
  )
  const [pieces, setPieces] = useState(1)
  const rows = useMemo(() => fitting.slice(0, pieces * pieceSize), [fitting, pieces])
  const asked = Array.from({ length: Math.ceil(rows.length / pieceSize) }, (_, piece) =>
    rows.slice(piece * pieceSize, (piece + 1) * pieceSize).map(({ channel_id }) => channel_id),
  )
  const stats = useQueries({
    queries: asked.map((channel_id) => api.channel.stats.query({ channel_id })),
    combine: (found) => new Map(found.flatMap(({ data = [] }) => data.map((one) => [one.channel_id, one] as const))),
  })
  const [isAssigning, setIsAssigning] = useState(false)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [fault, setFault] = useState<string | null>(null)
  const [showsPeople, setShowsPeople] = useState(false)
  const selected = all.filter(({ channel_id }) => chosen.has(channel_id))
  const choosePeople = () => {
    const wish = table.channel.assign.input.shape.channel_id.safeParse(selected.map(({ channel_id }) => channel_id))
    setFault(wish.error?.issues[0]?.message ?? null)
    setShowsPeople(wish.success)
  }
  const endAssigning = () => {
    setIsAssigning(false)
    setChosen(new Set())
    setFault(null)
  }
  const columns = useMemo((): Column<Channel>[] => {
    const number = (id: string, header: string, read: (one: ChannelStats) => number | null): Column<Channel> => ({
      id,
      header,
      align: 'right',
      cell: ({ channel_id }) => {
        const one = stats.get(channel_id)
        return <span className="num">{figure(one && read(one))}</span>
      },
    })
    return [
      {
        id: 'name',
        header: t('common.name'),
        value: (row) => row.channel_name,
        cell: (row) => (
          <Go
            to="/channel/detail"
            search={{ did: row.device_id, cid: row.channel_id, uid: row.usecase_id }}
            className="strong"
          >
            {row.channel_name}
          </Go>
        ),
      },
      ...(device
        ? []
        : [
            {
              id: 'camera',
              header: t('channel.camera'),
              cell: (row: Channel) => <CameraName deviceId={row.device_id} />,
            },
          ]),
      {
        id: 'usecase',
        header: t('channel.add.usecase'),
        value: (row) => t(`usecase.name.${row.usecase_key}`),
        cell: (row) => <span className="t2">{t(`usecase.name.${row.usecase_key}`)}</span>,
      },
      {
        id: 'health',
        header: t('common.state'),
        value: (row) => row.channel_health,
        cell: (row) => <ChannelHealth channel={row} />,
      },
      number('total', t('usecase.metric.total'), (one) => one.channel_total_detection),
      number('violation', t('usecase.metric.violation'), (one) => one.channel_violation),
      number('non_violation', t('usecase.metric.non_violation'), (one) => one.channel_nonviolation),
    ]
  }, [t, stats, device])

  const add = device && (
    <Button
      component={Go}
      to="/channel/add"
      search={{ did: device.device_id }}
      leftSection={<IconPlus size={16} />}
      data-create
    >
      {t('channel.attach')}
    </Button>
  )
  return (
    <>
      <PageHeader
        title={device ? t('channel.listOf', { camera: device.device_name }) : t('channel.list')}
        meta={[query.data && t('channel.meta', { count: all.length }), several && t('channel.healthCheckHidden')]
          .filter(Boolean)
          .join(' · ')}
      >
        {mayEdit && all.length > 0 && !isAssigning && (
          <Button variant="default" leftSection={<IconUsers size={16} />} onClick={() => setIsAssigning(true)}>
            {t('channel.assign.open')}
          </Button>
        )}
        {mayEdit && all.length > 0 && add}
      </PageHeader>
      <Panel flush>
        {query.isError && !query.data ? (
          <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />
        ) : !query.data ? (
          <RowsSkeleton />
        ) : (
          <DataTable
            label={t('channel.list')}
            columns={columns}
            rows={rows}
            rowId={({ channel_id }) => channel_id}
            filterLabel={t('channel.filter')}
            // All are here already; their figures come with the piece.
            remote={{
              hasMore: rows.length < fitting.length,
              isFetching: false,
              more: () => setPieces((now) => now + 1),
            }}
            isFiltered={q !== ''}
            selection={
              isAssigning
                ? {
                    ids: chosen,
                    onChange: (ids) => {
                      setChosen(ids)
                      setFault(null)
                    },
                    labelOf: ({ channel_name }) => channel_name,
                  }
                : undefined
            }
            footer={
              <>
                {rows.length < fitting.length && (
                  <Group justify="space-between" px="md" py="xs">
                    <span className="t2 num">
                      {t('channel.shown', { shown: formatNumber(rows.length), total: formatNumber(fitting.length) })}
                    </span>
                    <Button size="compact-sm" variant="subtle" onClick={() => setPieces((now) => now + 1)}>
                      {t('channel.more')}
                    </Button>
                  </Group>
                )}
                {isAssigning && (
                  <section className={classes.choosing} aria-label={t('channel.assign.open')}>
                    <span className="num">{t('channel.assign.selected', { count: selected.length })}</span>
                    {fault && (
                      <span className={classes.fault} role="alert">
                        {fieldText(fault)}
                      </span>
                    )}
                    <Group gap="xs" ml="auto">
                      <Button size="xs" variant="default" onClick={endAssigning}>
                        {t('common.cancel')}
                      </Button>
                      <Button size="xs" onClick={choosePeople}>
                        {t('channel.assign.choose')}
                      </Button>
                    </Group>
                  </section>
                )}
              </>
            }
            onRowClick={(row) =>
              go('/channel/detail', { did: row.device_id, cid: row.channel_id, uid: row.usecase_id })
            }
            empty={
              device ? (
                <Empty title={t('channel.empty')} text={t('channel.emptyText')} action={add} forbidden={!mayEdit} />
              ) : (
                <Empty
                  title={t('dashboard.empty')}
                  text={t('channel.emptyText')}
                  action={
                    <Button component={Go} to="/site">
                      {t('site.title')}
                    </Button>
                  }
                />
              )
            }
          />
        )}
      </Panel>
      <AssignChannels channels={selected} opened={showsPeople} onClose={() => setShowsPeople(false)} />
    </>
  )
}

/** Asked for by the rows that are drawn alone. */
function CameraName({ deviceId }: { deviceId: string }) {
  const nameOf = useCameraNames([deviceId])
  return <span className="t2">{nameOf(deviceId) ?? '–'}</span>
}
