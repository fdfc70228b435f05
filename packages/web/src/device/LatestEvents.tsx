import { Button } from '@mantine/core'
import type { Device } from '@sightline/contract'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { useTopic } from '../live.ts'
import { useMay } from '../session.ts'
import { EventItems } from '../ui/analytics/EventItems.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { Go } from '../ui/Go.tsx'
import { Panel } from '../ui/Panel.tsx'
import { RowsSkeleton } from '../ui/Skeletons.tsx'

/** The latest events of a camera's analytics, new ones as they come. */
export function LatestEvents({ device: { device_id, site_id, source_channels } }: { device: Device }) {
  const { t } = useTranslation()
  const mayEdit = useMay('edit')
  const ids = source_channels.map(({ channel_id }) => channel_id)
  const events = useQuery({
    ...api.event.range.query({ channel_id: ids, event_limit: 20, type: 1 }),
    enabled: ids.length > 0,
  })
  useTopic('event', ({ channel_id, opened }) => {
    if (opened > 0 && ids.includes(channel_id)) void events.refetch()
  })
  const list = Array.isArray(events.data) ? events.data : null
  return (
    <Panel flush title={t('device.events')}>
      {ids.length === 0 ? (
        <Empty
          title={t('channel.empty')}
          text={t('channel.emptyText')}
          forbidden={!mayEdit}
          action={
            <Button component={Go} to="/channel/add" search={{ sid: site_id, did: device_id }} variant="default">
              {t('channel.attach')}
            </Button>
          }
        />
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
  )
}
