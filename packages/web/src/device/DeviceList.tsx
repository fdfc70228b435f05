import { Button, Menu } from '@mantine/core'
import type { Device, Site } from '@sightline/contract'
import { IconChevronDown, IconDeviceCctv } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { formatNumber } from '../i18n/format.ts'
import { causeText } from '../i18n/words.ts'
import { useMay } from '../session.ts'
import { type Column, DataTable } from '../ui/DataTable.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { Go, useGo } from '../ui/Go.tsx'
import { HealthTag, Tag } from '../ui/Health.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { Panel } from '../ui/Panel.tsx'
import { RowsSkeleton } from '../ui/Skeletons.tsx'

/** The cameras of a site. */
export function DeviceList({ site }: { site: Site }) {
  const { t } = useTranslation()
  const go = useGo()
  const mayEdit = useMay('edit')
  const { site_id } = site
  const query = useQuery(api.device.list.query({ site_id }))
  const columns = useMemo(
    (): Column<Device>[] => [
      {
        id: 'name',
        header: t('device.name'),
        value: (row) => row.device_name,
        cell: (row) => (
          <>
            <Go to="/device/detail" search={{ sid: site_id, did: row.device_id }} className="strong">
              {row.device_name}
            </Go>{' '}
            {row.is_demo && <Tag tone="info">{t('device.demo')}</Tag>}
          </>
        ),
      },
      {
        id: 'health',
        header: t('common.state'),
        value: (row) => row.device_health,
        cell: (row) => (
          <HealthTag
            health={row.device_health}
            cause={row.health_cause && causeText(row.health_cause)}
            pending={!row.health_cause && !row.last_frame_at && t('health.starting')}
          />
        ),
      },
      { id: 'tags', header: t('device.tags'), value: (row) => row.tag_name, cell: (row) => row.tag_name || '–' },
      {
        id: 'resolution',
        header: t('device.resolution'),
        value: (row) => row.resolution,
        cell: (row) => <span className="num">{row.resolution ?? '–'}</span>,
        hideOnPhone: true,
      },
      {
        id: 'fps',
        header: t('device.fps'),
        value: (row) => row.fps,
        align: 'right',
        cell: (row) => <span className="num">{row.fps === null ? '–' : formatNumber(row.fps)}</span>,
        hideOnPhone: true,
      },
      {
        id: 'analytics',
        header: t('device.analytics'),
        value: (row) => row.source_channels.length,
        align: 'right',
        cell: (row) => <span className="num">{row.source_channels.length}</span>,
      },
    ],
    [t, site_id],
  )
  return (
    <>
      <PageHeader
        title={t('device.title')}
        meta={[site.site_name, query.data && t('device.meta', { count: query.data.length })]
          .filter(Boolean)
          .join(' · ')}
      >
        {mayEdit && <AddCamera siteId={site_id} />}
      </PageHeader>
      <Panel flush>
        {query.isError && !query.data ? (
          <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />
        ) : !query.data ? (
          <RowsSkeleton />
        ) : (
          <DataTable
            label={t('device.title')}
            columns={columns}
            rows={query.data}
            rowId={(row) => row.device_id}
            filterLabel={t('device.filter')}
            onRowClick={(row) => go('/device/detail', { sid: site_id, did: row.device_id })}
            empty={
              <Empty
                icon={<IconDeviceCctv stroke={1.5} />}
                title={t('device.empty')}
                text={t('device.emptyText')}
                action={<AddCamera siteId={site_id} />}
                forbidden={!mayEdit}
              />
            }
          />
        )}
      </Panel>
    </>
  )
}

/** Two ways in: found by the edge server, or by address. */
function AddCamera({ siteId }: { siteId: string }) {
  const { t } = useTranslation()
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button rightSection={<IconChevronDown size={15} />} data-create>
          {t('device.add')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component={Go} to="/device/discover" search={{ sid: siteId }}>
          {t('device.discover')}
        </Menu.Item>
        <Menu.Item component={Go} to="/device/add" search={{ sid: siteId }}>
          {t('device.byAddress')}
        </Menu.Item>
        <Menu.Item component={Go} to="/device/bulk" search={{ sid: siteId }}>
          {t('bulk.title')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
