import { Button, Menu, Select } from '@mantine/core'
import type { Device, Health, Site } from '@sightline/contract'
import { IconChevronDown, IconDeviceCctv } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { useEdges } from '../app/edge.ts'
import { formatNumber } from '../i18n/format.ts'
import { edgeName } from '../i18n/seeded.ts'
import { causeText } from '../i18n/words.ts'
import { useMay } from '../session.ts'
import { MoveCameras } from '../ui/cameras/MoveCameras.tsx'
import { type Column, countColumn, DataTable } from '../ui/DataTable.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { Go, useGo } from '../ui/Go.tsx'
import { HealthTag, Tag } from '../ui/Health.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { Panel } from '../ui/Panel.tsx'
import { usePages } from '../ui/pages.ts'
import { RowsSkeleton } from '../ui/Skeletons.tsx'
import { SelectionBar, useSelection } from '../ui/selection.tsx'
import classes from './device.module.css'
import { TagCameras } from './TagCameras.tsx'

const grades: readonly Health[] = ['healthy', 'needs attention', 'offline', 'unknown']

type Props = { site: Site; q: string | undefined; health: Health | undefined }

/** The cameras of a site. */
export function DeviceList({ site, q, health }: Props) {
  const { t } = useTranslation()
  const go = useGo()
  const navigate = useNavigate()
  const mayEdit = useMay('edit')
  const { site_id } = site
  const pages = usePages(api.device.list, { site_id, q, health: health && [health] })
  const { edges = [] } = useEdges()
  const [open, setOpen] = useState<'tags' | 'move' | null>(null)
  const nimbleName = useMemo(() => new Map(edges.map((one) => [one.nimble_id, edgeName(one)])), [edges])
  const setHealth = (next: string | null) =>
    void navigate({
      to: '.',
      search: ((now: object) => ({ ...now, health: next ?? undefined })) as never,
      replace: true,
    })
  const columns = useMemo(
    (): Column<Device>[] => [
      {
        id: 'name',
        header: t('device.name'),
        value: (row) => row.device_name,
        cell: (row) => (
          <span className={classes.named}>
            {/* The picture that is kept, from the browser's cache when it was shown before; none is taken for a list. */}
            <span className={classes.thumb}>
              {row.snapshot_url && <img src={row.snapshot_url} alt="" loading="lazy" decoding="async" />}
            </span>
            <Go to="/device/detail" search={{ sid: site_id, did: row.device_id }} className="strong">
              {row.device_name}
            </Go>
            {row.is_demo && <Tag tone="info">{t('device.demo')}</Tag>}
          </span>
        ),
      },
      {
        id: 'health',
        header: t('common.state'),
        value: (row) => t(`health.${row.device_health}`),
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
        id: 'nimble',
        header: t('device.nimble'),
        value: (row) => nimbleName.get(row.nimble_id) ?? '',
        cell: (row) => <span className="t2">{nimbleName.get(row.nimble_id) ?? '–'}</span>,
        hideOnPhone: true,
      },
      {
        id: 'resolution',
        header: t('device.resolution'),
        value: (row) => row.resolution,
        cell: (row) => (
          <span className="num">
            {[row.resolution ?? '–', row.fps !== null && t('device.fpsShort', { fps: formatNumber(row.fps) })]
              .filter(Boolean)
              .join(' · ')}
          </span>
        ),
        hideOnPhone: true,
      },
      countColumn('analytics', t('device.analytics'), (row) => row.source_channels.length),
    ],
    [t, site_id, nimbleName],
  )
  const rows = pages.rows
  const selection = useSelection(site_id, rows ?? [], ({ device_id }) => device_id)
  const selected = selection.rows
  const close = () => {
    setOpen(null)
    selection.clear()
  }
  return (
    <>
      <PageHeader
        title={t('device.title')}
        meta={[site.site_name, typeof pages.total === 'number' && t('device.meta', { count: pages.total })]
          .filter(Boolean)
          .join(' · ')}
      >
        {mayEdit && <AddCamera siteId={site_id} />}
      </PageHeader>
      <Panel flush>
        {pages.error && !rows ? (
          <ErrorPanel error={pages.error} onRetry={pages.retry} />
        ) : !rows ? (
          <RowsSkeleton />
        ) : (
          <DataTable
            label={t('device.title')}
            columns={columns}
            rows={rows}
            rowId={({ device_id }) => device_id}
            filterLabel={t('device.filter')}
            remote={pages.remote}
            filters={
              <Select
                w={180}
                aria-label={t('site.filterHealth')}
                placeholder={t('site.allHealth')}
                clearable
                value={health ?? null}
                onChange={setHealth}
                data={grades.map((grade) => ({ value: grade, label: t(`health.${grade}`) }))}
              />
            }
            isFiltered={health !== undefined || Boolean(q) || pages.remote.isStale}
            onClearFilters={() => setHealth(null)}
            selection={mayEdit ? { of: selection, labelOf: ({ device_name }) => device_name } : undefined}
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
            footer={
              <SelectionBar of={selection}>
                {edges.length > 1 && (
                  <Button size="xs" variant="default" onClick={() => setOpen('move')}>
                    {t('deployment.move')}
                  </Button>
                )}
                <Button size="xs" variant="default" onClick={() => setOpen('tags')}>
                  {t('device.tag.open')}
                </Button>
              </SelectionBar>
            }
          />
        )}
      </Panel>
      <TagCameras cameras={open === 'tags' ? selected : []} onClose={close} />
      <MoveCameras
        title={t('device.moveTitle', { count: selected.length })}
        cameras={open === 'move' ? selected : []}
        edges={edges}
        onClose={close}
      />
    </>
  )
}

/** The ways in: found by the edge server, by address, or many at once. */
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
          {t('device.many')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
