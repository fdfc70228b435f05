import { Button } from '@mantine/core'
import type { Device, Site } from '@sightline/contract'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { useTopic } from '../live.ts'
import { EventItems } from '../ui/analytics/EventItems.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { Go } from '../ui/Go.tsx'
import { LivePicture } from '../ui/live/LivePicture.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { Panel } from '../ui/Panel.tsx'
import { RowsSkeleton } from '../ui/Skeletons.tsx'
import classes from './device.module.css'

/** The live picture large, with the zones of every analytic and the latest events beside it. */
export function CameraView({ device, site }: { device: Device; site: Site }) {
  const { t } = useTranslation()
  const { device_id, source_channels } = device
  const ids = source_channels.map(({ channel_id }) => channel_id)
  const view = useQuery(api.device.view.query({ device_id }))
  const events = useQuery({
    ...api.event.range.query({ channel_id: ids, event_limit: 20, type: 1 }),
    enabled: ids.length > 0,
  })
  useTopic('event', ({ channel_id, opened }) => {
    if (opened > 0 && ids.includes(channel_id)) void events.refetch()
  })
  const list = Array.isArray(events.data) ? events.data : null
  const search = { sid: site.site_id, did: device_id }
  return (
    <>
      <PageHeader title={device.device_name} meta={site.site_name}>
        <Button component={Go} to="/device/detail" search={search} variant="default">
          {t('device.about')}
        </Button>
      </PageHeader>
      <div className={classes.columns}>
        <div className={classes.main}>
          <LivePicture
            deviceId={device_id}
            label={device.device_name}
            still={view.data?.snapshot_url}
            shapes={source_channels.flatMap(({ zones }) =>
              zones.map((zone) => ({ ...zone, id: zone.static_id, name: zone.label ?? zone.name })),
            )}
          />
          <nav className={classes.strip} aria-label={t('channel.list')}>
            {source_channels.map((channel) => (
              <Button
                key={channel.channel_id}
                component={Go}
                to="/channel/detail"
                search={{ did: device_id, cid: channel.channel_id, uid: channel.usecase_id }}
                variant="default"
              >
                {channel.channel_name}
              </Button>
            ))}
          </nav>
        </div>
        <Panel flush title={t('device.events')}>
          {ids.length === 0 ? (
            <Empty title={t('channel.empty')} />
          ) : events.isError && !list ? (
            <ErrorPanel error={events.error} onRetry={() => void events.refetch()} />
          ) : !list ? (
            <RowsSkeleton />
          ) : list.length === 0 ? (
            <Empty title={t('event.none')} />
          ) : (
            <EventItems
              events={list}
              nameOf={(event) =>
                source_channels.find(({ channel_id }) => channel_id === event.channel_id)?.channel_name ?? '–'
              }
            />
          )}
        </Panel>
      </div>
    </>
  )
}
