import { Alert, Button, Menu, Tabs } from '@mantine/core'
import type { Device, Reply, Site, api as table } from '@sightline/contract'
import { localNimbleId } from '@sightline/domain'
import { IconChevronDown, IconPlus } from '@tabler/icons-react'
import { type UseQueryResult, useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { CallFailed } from '../api.ts'
import { api } from '../app/client.ts'
import { useEdges } from '../app/edge.ts'
import { codecName, formatNumber, formatSiteTime } from '../i18n/format.ts'
import { edgeName } from '../i18n/seeded.ts'
import { causeText, usecaseBeside } from '../i18n/words.ts'
import { useMay } from '../session.ts'
import { ChannelHealth } from '../ui/ChannelHealth.tsx'
import { Confirm } from '../ui/Confirm.tsx'
import { MoveCameras } from '../ui/cameras/MoveCameras.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { Facts } from '../ui/Facts.tsx'
import { Go, useGo } from '../ui/Go.tsx'
import { HealthTag, Tag } from '../ui/Health.tsx'
import { LivePicture } from '../ui/live/LivePicture.tsx'
import { shapesOf } from '../ui/live/ShapesOver.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { Panel } from '../ui/Panel.tsx'
import { RowsSkeleton } from '../ui/Skeletons.tsx'
import { MaskList } from '../ui/zones/MaskList.tsx'
import { useMasks } from '../ui/zones/useMasks.ts'
import { CopySettings } from './CopySettings.tsx'
import classes from './device.module.css'
import { HealthDay } from './HealthDay.tsx'
import { LatestEvents } from './LatestEvents.tsx'
import { MoveToSite } from './MoveToSite.tsx'
import { Streams } from './Streams.tsx'
import { SwapCamera } from './SwapCamera.tsx'
import { type DeviceTab, deviceTabs } from './tabs.ts'

type View = Reply<(typeof table)['device']['view']>

const nameOf = ({ nimble_id, name }: View['nimble']) => edgeName({ name, is_local: nimble_id === localNimbleId })

type Props = { device: Device; site: Site; tab: DeviceTab; onTab: (tab: DeviceTab) => void }

/** One camera: its picture, what it sends, and the analytics attached to it. */
export function DevicePage({ device, site, tab, onTab }: Props) {
  const { t } = useTranslation()
  const mayEdit = useMay('edit')
  const { device_id } = device
  const view = useQuery(api.device.view.query({ device_id }))
  const search = { sid: site.site_id, did: device_id }
  const zone = site.site_address.site_timezone
  const { masks, ...ofMasks } = useMasks(device)
  return (
    <>
      <PageHeader
        title={device.device_name}
        meta={
          <>
            <HealthTag
              health={device.device_health}
              cause={device.health_cause && causeText(device.health_cause)}
              pending={!device.health_cause && !device.last_frame_at && t('health.starting')}
            />{' '}
            {device.is_demo && <Tag tone="info">{t('device.demo')}</Tag>}
          </>
        }
      >
        <Button component={Go} to="/device/view" search={search} variant="default">
          {t('device.view')}
        </Button>
        {mayEdit && <Manage device={device} site={site} still={view.data?.snapshot_url ?? null} />}
        {mayEdit && (
          <Button component={Go} to="/channel/add" search={search} leftSection={<IconPlus size={16} />} data-create>
            {t('channel.attach')}
          </Button>
        )}
      </PageHeader>
      <div className={classes.columns}>
        <div className={classes.main}>
          <LivePicture
            deviceId={device_id}
            siteId={site.site_id}
            label={device.device_name}
            still={view.data?.snapshot_url}
            shapes={shapesOf(masks.filter(({ is_active }) => is_active))}
          />
          <Tabs value={tab} onChange={(next) => onTab((next ?? 'analytics') as DeviceTab)} keepMounted={false}>
            <Tabs.List mb="md">
              {deviceTabs.map((one) => (
                <Tabs.Tab key={one} value={one}>
                  {t(`device.tab.${one}`)}
                </Tabs.Tab>
              ))}
            </Tabs.List>
            <Tabs.Panel value="analytics">
              <Analytics device={device} view={view} />
            </Tabs.Panel>
            <Tabs.Panel value="stream">
              <Streams device={device} />
            </Tabs.Panel>
            <Tabs.Panel value="activity">
              <LatestEvents device={device} />
            </Tabs.Panel>
          </Tabs>
        </div>
        <div className={classes.main}>
          <Panel title={t('device.about')}>
            <Facts
              items={[
                [t('device.address'), device.stream_address],
                [t('device.codec'), device.codec && codecName(device.codec)],
                [t('device.resolution'), device.resolution],
                [t('device.fps'), device.fps === null ? null : formatNumber(device.fps)],
                [t('device.lastFrame'), device.last_frame_at && formatSiteTime(device.last_frame_at, zone)],
                [t('device.nimble'), view.data ? nameOf(view.data.nimble) : null],
                [t('device.site'), site.site_name],
                [t('device.tags'), device.tag_name],
              ]}
            />
          </Panel>
          {(masks.length > 0 || ofMasks.error) && (
            <Panel title={t('device.masks')} hint={t('device.masksHint')}>
              {ofMasks.error && <ErrorPanel error={ofMasks.error} onRetry={ofMasks.retry} />}
              <MaskList masks={masks} camera={device} />
            </Panel>
          )}
          {view.data && <HealthDay stretches={view.data.health} device={device} zone={zone} />}
        </div>
      </div>
    </>
  )
}

/** What it is looked at for, each with how it fares. */
function Analytics({ device, view }: { device: Device; view: UseQueryResult<View, CallFailed> }) {
  const { t } = useTranslation()
  const mayEdit = useMay('edit')
  const search = { sid: device.site_id, did: device.device_id }
  return (
    <Panel flush title={t('channel.list')}>
      {view.isError && !view.data ? (
        <ErrorPanel error={view.error} onRetry={() => void view.refetch()} />
      ) : !view.data ? (
        <RowsSkeleton rows={2} />
      ) : view.data.channels.length === 0 ? (
        <Empty
          title={t('channel.empty')}
          text={t('channel.emptyText')}
          forbidden={!mayEdit}
          action={
            <Button component={Go} to="/channel/add" search={search}>
              {t('channel.attach')}
            </Button>
          }
        />
      ) : (
        <ul className={classes.channels}>
          {view.data.channels.map((channel) => (
            <li key={channel.channel_id}>
              <Go
                to="/channel/detail"
                search={{ did: device.device_id, cid: channel.channel_id, uid: channel.usecase_id }}
                className={classes.channel}
              >
                <span>
                  <b>{channel.channel_name}</b>
                  <span className="t3"> {usecaseBeside(channel.channel_name, channel.usecase_key)}</span>
                </span>
                <ChannelHealth channel={channel} />
              </Go>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}

/** Editing, and deleting, which active analytics block. */
function Manage({ device, site, still }: { device: Device; site: Site; still: string | null }) {
  const { t } = useTranslation()
  const go = useGo()
  const [asks, setAsks] = useState(false)
  const [open, setOpen] = useState<'swap' | 'move' | 'site' | 'copy' | null>(null)
  const { edges = [] } = useEdges()
  const remove = useMutation(api.device.delete.mutation({ inline: true }))
  const search = { sid: device.site_id, did: device.device_id }
  const isBlocked = remove.error?.code === 406 || device.source_channels.length > 0
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" rightSection={<IconChevronDown size={15} />}>
            {t('common.actions')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => go('/device/edit', search)}>{t('device.edit')}</Menu.Item>
          <Menu.Item onClick={() => setOpen('swap')}>{t('swap.open')}</Menu.Item>
          {edges.length > 1 && <Menu.Item onClick={() => setOpen('move')}>{t('device.move')}</Menu.Item>}
          <Menu.Item onClick={() => setOpen('site')}>{t('resite.open')}</Menu.Item>
          <Menu.Item onClick={() => setOpen('copy')}>{t('copy.open')}</Menu.Item>
          <Menu.Item color="red" onClick={() => setAsks(true)}>
            {t('device.delete')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <SwapCamera device={device} still={still} opened={open === 'swap'} onClose={() => setOpen(null)} />
      <MoveToSite device={device} site={site} opened={open === 'site'} onClose={() => setOpen(null)} />
      <CopySettings device={device} opened={open === 'copy'} onClose={() => setOpen(null)} />
      <MoveCameras
        title={t('deployment.moveTitle', { name: device.device_name })}
        cameras={open === 'move' ? [device] : []}
        edges={edges}
        onClose={() => setOpen(null)}
      />
      <Confirm
        opened={asks}
        onClose={() => setAsks(false)}
        title={t('device.delete')}
        confirmLabel={isBlocked ? t('common.close') : t('device.delete')}
        danger={!isBlocked}
        pending={remove.isPending || remove.isSuccess}
        onConfirm={() => {
          if (isBlocked) setAsks(false)
          else
            remove.mutate(
              { device_id: device.device_id },
              { onSuccess: () => go('/device', { sid: device.site_id }, { replace: true }) },
            )
        }}
      >
        {isBlocked ? (
          <Alert color="orange" title={t('device.hasChannels')}>
            {t('device.hasChannelsText')}
            <ul>
              {device.source_channels.map((channel) => (
                <li key={channel.channel_id}>
                  <Go
                    to="/channel/detail"
                    search={{ did: device.device_id, cid: channel.channel_id, uid: channel.usecase_id }}
                  >
                    {channel.channel_name}
                  </Go>
                </li>
              ))}
            </ul>
          </Alert>
        ) : (
          <>
            {t('common.pair', { name: device.device_name, text: t('device.deleteText') })}
            {remove.isError && <Alert color="red">{remove.error.message}</Alert>}
          </>
        )}
      </Confirm>
    </>
  )
}
