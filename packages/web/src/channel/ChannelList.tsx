import { Button } from '@mantine/core'
import type { Channel, ChannelStats, Device } from '@sightline/contract'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { formatNumber } from '../i18n/format.ts'
import { useMay } from '../session.ts'
import { ChannelHealth } from '../ui/ChannelHealth.tsx'
import { type Column, DataTable } from '../ui/DataTable.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { Go, useGo } from '../ui/Go.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { Panel } from '../ui/Panel.tsx'
import { RowsSkeleton } from '../ui/Skeletons.tsx'

const figure = (value: number | null | undefined) => (value === null || value === undefined ? '–' : formatNumber(value))

/** The analytics of a camera with their figures of 24 hours; without a camera those of all in reach. */
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
  const rows = useMemo(
    () => query.data?.filter(({ usecase_key }) => !several || usecase_key !== 'emptyframecheck') ?? [],
    [query.data, several],
  )
  const ids = rows.map(({ channel_id }) => channel_id)
  const stats = useQuery({ ...api.channel.stats.query({ channel_id: ids }), enabled: ids.length > 0 })
  const columns = useMemo((): Column<Channel>[] => {
    const of = ({ channel_id }: Channel): ChannelStats | undefined =>
      stats.data?.find((one) => one.channel_id === channel_id)
    const number = (id: string, header: string, read: (one: ChannelStats) => number | null): Column<Channel> => ({
      id,
      header,
      align: 'right',
      cell: (row) => {
        const one = of(row)
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
  }, [t, stats.data])

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
        meta={[query.data && t('channel.meta', { count: rows.length }), several && t('channel.healthCheckHidden')]
          .filter(Boolean)
          .join(' · ')}
      >
        {mayEdit && rows.length > 0 && add}
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
    </>
  )
}
