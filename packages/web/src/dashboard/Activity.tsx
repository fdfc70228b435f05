import type { CustomerView } from '@sightline/contract'
import type { UsecaseKey } from '@sightline/domain'
import { useTranslation } from 'react-i18next'
import { useIsServerAway } from '../app/ServerWatch.tsx'
import { EventItems } from '../ui/analytics/EventItems.tsx'
import { useHappened } from '../ui/analytics/latest.ts'
import { useCameraNames } from '../ui/cameras/camera-names.ts'
import type { Camera } from '../ui/cameras/customer-cameras.ts'
import { Empty } from '../ui/Empty.tsx'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { Go } from '../ui/Go.tsx'
import { StatusDot } from '../ui/Health.tsx'
import { Panel } from '../ui/Panel.tsx'
import { RowsSkeleton } from '../ui/Skeletons.tsx'
import classes from './dashboard.module.css'

type Props = {
  customerId: string
  uc: UsecaseKey | undefined
  cameras: readonly Camera[]
  sites: CustomerView['sites']
}

/** What happened last in 24 hours and what became of it, new ones as they come. */
export function Activity({ customerId, uc, cameras, sites }: Props) {
  const { t } = useTranslation()
  const isAway = useIsServerAway()
  const { query, events } = useHappened(
    { customer_id: customerId, usecase_key: uc, event_limit: 8 },
    ({ usecase_key }) => !uc || usecase_key === uc,
  )
  const known = new Map(cameras.map(({ device_id, device_name }) => [device_id, device_name]))
  const zones = new Map(sites.map(({ site_id, site_address }) => [site_id, site_address.site_timezone]))
  const found = useCameraNames(events?.flatMap(({ device_id }) => (known.has(device_id) ? [] : [device_id])) ?? [])
  return (
    <Panel
      flush
      title={
        <span className={classes.title}>
          <StatusDot tone={isAway ? 'neutral' : 'ok'} pulse={!isAway} /> {t('dashboard.activity')}
        </span>
      }
      aside={
        <Go to="/event" search={{ uc }}>
          {t('dashboard.viewAll')}
        </Go>
      }
    >
      {query.isError && !events ? (
        <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />
      ) : !events ? (
        <RowsSkeleton rows={5} />
      ) : events.length === 0 ? (
        <Empty title={t('dashboard.quiet')} />
      ) : (
        <EventItems
          events={events}
          zones={zones}
          nameOf={({ device_id }) => known.get(device_id) ?? found(device_id) ?? '–'}
        />
      )}
    </Panel>
  )
}
