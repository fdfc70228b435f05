import { Button } from '@mantine/core'
import type { Device } from '@sightline/contract'
import { useTranslation } from 'react-i18next'
import { useMay } from '../session.ts'
import { EventItems } from '../ui/analytics/EventItems.tsx'
import { useLatest } from '../ui/analytics/latest.ts'
import { Empty } from '../ui/Empty.tsx'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { Go } from '../ui/Go.tsx'
import { Panel } from '../ui/Panel.tsx'
import { RowsSkeleton } from '../ui/Skeletons.tsx'

/** The latest events of a camera's analytics, new ones as they come. */
export function LatestEvents({ device: { device_id, site_id, source_channels } }: { device: Device }) {
  const { t } = useTranslation()
  const mayEdit = useMay('edit')
  return (
    <Panel flush title={t('device.events')}>
      {source_channels.length === 0 ? (
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
      ) : (
        <Events channels={source_channels} />
      )}
    </Panel>
  )
}

function Events({ channels }: { channels: Device['source_channels'] }) {
  const { t } = useTranslation()
  const { query, events } = useLatest(
    channels.map(({ channel_id }) => channel_id),
    20,
  )
  if (query.isError && !events) return <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />
  if (!events) return <RowsSkeleton />
  if (events.length === 0) return <Empty title={t('event.none')} />
  const nameOf = (id: string) => channels.find(({ channel_id }) => channel_id === id)?.channel_name ?? '–'
  return <EventItems events={events} nameOf={({ channel_id }) => nameOf(channel_id)} />
}
