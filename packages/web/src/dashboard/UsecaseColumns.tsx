import type { EventStats } from '@sightline/contract'
import type { UsecaseKey } from '@sightline/domain'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { formatNumber } from '../i18n/format.ts'
import { usecaseIcons } from '../ui/analytics/usecase-icons.ts'
import { type Camera, camerasOf, figuresQuery } from '../ui/cameras/customer-cameras.ts'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { Go } from '../ui/Go.tsx'
import { Tag } from '../ui/Health.tsx'
import { MetricGrid } from '../ui/MetricCard.tsx'
import { RowsSkeleton } from '../ui/Skeletons.tsx'
import { WhenSeen } from '../ui/WhenSeen.tsx'
import { Course } from './Course.tsx'
import { CustomerCards } from './CustomerCards.tsx'
import classes from './dashboard.module.css'

type Props = {
  customerId: string
  /** Channels of each use case. */
  counts: ReadonlyMap<UsecaseKey, number>
  /** The use cases that are shown. */
  chosen: readonly UsecaseKey[]
  cameras: readonly Camera[]
  /** What ails every analytic of a use case. */
  causeOf: (key: UsecaseKey) => string | null
}

const chartHeight = 300

/** Use cases side by side: each with its figures of 24 hours, where most happened, and how the day went. */
export function UsecaseColumns({ customerId, counts, chosen, cameras, causeOf }: Props) {
  const { t } = useTranslation()
  return (
    <div className={classes.usecases}>
      {chosen.map((key) => {
        const Icon = usecaseIcons[key]
        return (
          <section key={key} className={classes.usecase} aria-labelledby={`usecase-${key}`}>
            <h2 id={`usecase-${key}`}>
              <Icon size={18} stroke={1.8} aria-hidden="true" />
              {t(`usecase.name.${key}`)}
              <span className="t3 num">{t('dashboard.channels', { count: counts.get(key) ?? 0 })}</span>
            </h2>
            <FiguresOf customerId={customerId} usecaseKey={key} cameras={cameras} cause={causeOf(key)} />
            <WhenSeen height={chartHeight}>
              <Course customerId={customerId} usecases={[key]} />
            </WhenSeen>
          </section>
        )
      })}
    </div>
  )
}

type FiguresProps = { customerId: string; usecaseKey: UsecaseKey; cameras: readonly Camera[]; cause: string | null }

function FiguresOf({ customerId, usecaseKey, cameras, cause }: FiguresProps) {
  const figures = useQuery(figuresQuery(customerId, usecaseKey))
  if (figures.isError && !figures.data)
    return <ErrorPanel error={figures.error} onRetry={() => void figures.refetch()} />
  return (
    <>
      <MetricGrid>
        <CustomerCards customerId={customerId} usecaseKey={usecaseKey} cause={cause} />
      </MetricGrid>
      {figures.data && <TopCameras customerId={customerId} channels={figures.data.channels} cameras={cameras} />}
    </>
  )
}

const most = 5

type TopProps = { customerId: string; channels: EventStats['channels']; cameras: readonly Camera[] }

/** The channels of a use case where most was seen in 24 hours; those in violation first. */
function TopCameras({ customerId, channels, cameras }: TopProps) {
  const { t } = useTranslation()
  const top = channels
    .toSorted((a, b) => Number(b.in_violation) - Number(a.in_violation) || (b.value ?? -1) - (a.value ?? -1))
    .slice(0, most)
  const ids = top.map(({ channel_id }) => channel_id)
  const has = (all: readonly Camera[], id: string) =>
    all.find((camera) => camera.channels.some(({ channel_id }) => channel_id === id))
  // Of very many cameras only some are on this page: the names of the others are asked for.
  const missing = ids.filter((id) => !has(cameras, id))
  const others = useQuery({
    ...api.customer.view.query({ customer_id: customerId, type: 1, channel_id: missing, limit: most }),
    enabled: missing.length > 0,
    placeholderData: keepPreviousData,
  })
  const known = missing.length > 0 && others.data ? [...cameras, ...camerasOf(others.data)] : cameras
  const greatest = Math.max(1, ...top.map(({ value }) => value ?? 0))
  if (missing.length > 0 && others.isPending) return <RowsSkeleton rows={top.length} />
  return (
    <div className={classes.top}>
      <h3>{t('dashboard.top')}</h3>
      <ol>
        {top.map(({ channel_id, value, in_violation }) => {
          const camera = has(known, channel_id)
          const channel = camera?.channels.find((one) => one.channel_id === channel_id)
          return (
            <li key={channel_id}>
              <span className={classes.topName}>
                {camera && channel ? (
                  <Go
                    to="/channel/detail"
                    search={{ did: camera.device_id, cid: channel_id, uid: channel.usecase_id }}
                    className="truncate"
                  >
                    {camera.device_name}
                  </Go>
                ) : (
                  '–'
                )}
                <span className="t3 truncate">{camera?.site_name}</span>
              </span>
              {in_violation && <Tag tone="bad">{t('wall.inViolation')}</Tag>}
              <span className="num">
                {value === null ? '–' : formatNumber(value)}
                {value === null && <span className="sr">{t('common.unknown')}</span>}
              </span>
              <i style={{ width: `${(100 * (value ?? 0)) / greatest}%` }} aria-hidden="true" />
            </li>
          )
        })}
      </ol>
    </div>
  )
}
