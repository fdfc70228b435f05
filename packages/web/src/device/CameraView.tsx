import { Button } from '@mantine/core'
import type { Device, Site } from '@sightline/contract'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { Go } from '../ui/Go.tsx'
import { LivePicture } from '../ui/live/LivePicture.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import classes from './device.module.css'
import { LatestEvents } from './LatestEvents.tsx'

/** The live picture large, with the zones of every analytic and the latest events beside it. */
export function CameraView({ device, site }: { device: Device; site: Site }) {
  const { t } = useTranslation()
  const { device_id, source_channels } = device
  const view = useQuery(api.device.view.query({ device_id }))
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
        <LatestEvents device={device} />
      </div>
    </>
  )
}
