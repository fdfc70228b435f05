import type { Reply, api as table } from '@sightline/contract'
import { IconVideo } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { type Column, DataTable } from '../ui/DataTable.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { Go } from '../ui/Go.tsx'
import { Tag } from '../ui/Health.tsx'
import { Panel } from '../ui/Panel.tsx'
import { RowsSkeleton } from '../ui/Skeletons.tsx'
import { Steps } from '../ui/Steps.tsx'

type Stream = Reply<(typeof table)['source']['mapping']>[number]

/** The streams that an edge server reads: of which camera each is, and which analytics look at it. */
export function StreamList({ nimbleId }: { nimbleId: string }) {
  const { t } = useTranslation()
  const mapping = useQuery(api.source.mapping.query({ nimble_id: nimbleId }))
  const sync = useQuery({ ...api.nimble.sync.query({ nimble_id: nimbleId }), refetchInterval: 10_000 })
  const failed = [mapping, sync].find(({ isError, data }) => isError && !data)
  if (failed) return <ErrorPanel error={failed.error} onRetry={() => void failed.refetch()} />
  if (!mapping.data || !sync.data) return <RowsSkeleton rows={4} height={54} />

  const pieces = new Map(sync.data.items.map((item) => [item.id, item]))
  const analytics = ({ channel_ids }: Stream) => channel_ids.map((id) => pieces.get(id)?.name ?? '–').join(', ')
  const columns: Column<Stream>[] = [
    {
      id: 'camera',
      header: t('pipeline.streams.camera'),
      value: ({ device_name }) => device_name,
      cell: ({ device_name, device_id, site_id }) => (
        <Go to="/device/detail" search={{ sid: site_id, did: device_id, tab: 'stream' }}>
          {device_name}
        </Go>
      ),
    },
    {
      id: 'stream',
      header: t('pipeline.streams.stream'),
      value: ({ source_name }) => source_name,
      cell: ({ source_name, is_default }) => (
        <span>
          {source_name} {is_default && <Tag>{t('pipeline.streams.default')}</Tag>}
        </span>
      ),
    },
    {
      id: 'analytics',
      header: t('pipeline.usedBy'),
      value: analytics,
      cell: (row) => analytics(row) || <span className="muted">{t('pipeline.unused')}</span>,
    },
    {
      id: 'state',
      header: t('pipeline.state'),
      cell: ({ source_id }) => {
        const item = pieces.get(source_id)
        return item ? <Steps item={item} /> : '–'
      },
    },
  ]
  return (
    <Panel flush title={t('pipeline.streams.title')} hint={t('pipeline.streams.about')}>
      <DataTable
        label={t('pipeline.streams.title')}
        columns={columns}
        rows={mapping.data}
        rowId={({ source_id }) => source_id}
        filterLabel={t('pipeline.streams.find')}
        empty={<Empty icon={<IconVideo stroke={1.5} />} title={t('sync.empty')} />}
      />
    </Panel>
  )
}
