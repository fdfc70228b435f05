import { ActionIcon, Button } from '@mantine/core'
import type { Customer } from '@sightline/contract'
import type { UsecaseKey } from '@sightline/domain'
import { IconDeviceCctv, IconRefresh } from '@tabler/icons-react'
import { useIsFetching } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { api, queryClient } from '../app/client.ts'
import { useMay } from '../session.ts'
import { sharedLabels } from '../ui/analytics/series.ts'
import { CameraWall } from '../ui/cameras/CameraWall.tsx'
import { useCustomerCameras } from '../ui/cameras/customer-cameras.ts'
import { useLevels } from '../ui/cameras/levels.ts'
import { commonCause } from '../ui/cameras/shared-cause.ts'
import { UsecasePills } from '../ui/cameras/UsecasePills.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { Go } from '../ui/Go.tsx'
import { NeedsAttention } from '../ui/NeedsAttention.tsx'
import { NoCustomer } from '../ui/NoCustomer.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { Panel } from '../ui/Panel.tsx'
import { BlockSkeleton, PageSkeleton } from '../ui/Skeletons.tsx'
import { WhenSeen } from '../ui/WhenSeen.tsx'
import { FoldedCards } from './CustomerCards.tsx'
import classes from './dashboard.module.css'
import { ViewSwitch } from './ViewSwitch.tsx'
import type { View } from './views.ts'

/** What stands beside the cameras, and the chart, come after the cards and pictures. */
const Activity = lazy(() => import('./Activity.tsx').then((module) => ({ default: module.Activity })))
const Attention = lazy(() => import('./Attention.tsx').then((module) => ({ default: module.Attention })))
const Course = lazy(() => import('./Course.tsx').then((module) => ({ default: module.Course })))
const UsecaseColumns = lazy(() => import('./UsecaseColumns.tsx').then((module) => ({ default: module.UsecaseColumns })))
const SitesView = lazy(() => import('./SitesView.tsx').then((module) => ({ default: module.SitesView })))
const chartHeight = 330
const sideHeight = 520
const viewHeight = 480

type Shown = { uc: UsecaseKey | undefined; view: View }

/**
 * What matters now at a customer: figures, what happened, what needs a hand. By camera with their pictures, by use case
 * beside each other, or on the map.
 */
export function Dashboard({ customer, ...shown }: Shown & { customer: Customer | null }) {
  const { t } = useTranslation()
  return customer ? (
    <OfCustomer key={customer.customer_id} customer={customer} {...shown} />
  ) : (
    <NoCustomer title={t('dashboard.title')} />
  )
}

function OfCustomer({ customer, uc, view: face }: Shown & { customer: Customer }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const mayEdit = useMay('edit')
  const { customer_id } = customer
  const { query, view, all, cameras, total, remote, counts, chosen, alarming } = useCustomerCameras(customer_id, uc)
  const levels = useLevels()
  const key = chosen.join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the use cases by their names, so that cards stay as they are
  const shared = useMemo(() => sharedLabels(chosen), [key])

  /** Of very many cameras only some are on this page: then nobody knows what ails all. */
  const causeOf = (key: UsecaseKey) => {
    const channels = all.flatMap((camera) => camera.channels.filter(({ usecase_key }) => usecase_key === key))
    return channels.length === counts.get(key) ? commonCause(channels) : null
  }

  const show = (next: UsecaseKey | undefined) =>
    void navigate({ to: '.', search: (now: object) => ({ ...now, uc: next }), replace: true } as never)

  if (query.isError && !view) return <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />
  if (!view) return <PageSkeleton />
  const { totals } = view
  const [firstSite] = view.sites
  return (
    <>
      <PageHeader
        title={t('dashboard.title')}
        meta={
          <span className={classes.meta}>
            <span>
              {t('dashboard.sites', { count: totals.sites })} · {t('dashboard.cameras', { count: totals.devices })} ·{' '}
              <Go to="/channel" search={{ cuid: customer_id }}>
                {t('dashboard.active', { count: totals.active_channels })}
              </Go>
            </span>
            <NeedsAttention count={totals.attention_channels} of={{ cuid: customer_id }} />
          </span>
        }
      >
        <ViewSwitch view={face} uc={uc} />
        <Refresh />
      </PageHeader>
      {counts.size === 0 ? (
        <Panel>
          <Empty
            icon={<IconDeviceCctv stroke={1.5} />}
            title={t('dashboard.empty')}
            text={t('dashboard.emptyText')}
            forbidden={!mayEdit}
            action={
              firstSite ? (
                all[0] ? (
                  <Button component={Go} to="/channel/add" search={{ did: all[0].device_id }}>
                    {t('channel.attach')}
                  </Button>
                ) : (
                  <Button component={Go} to="/device/discover" search={{ sid: firstSite.site_id }}>
                    {t('dashboard.addCamera')}
                  </Button>
                )
              ) : (
                <Button component={Go} to="/site/add">
                  {t('site.add')}
                </Button>
              )
            }
          />
        </Panel>
      ) : (
        <>
          <UsecasePills counts={counts} value={uc} onChange={show} />
          {face === 'usecase' ? (
            <Suspense fallback={<BlockSkeleton height={viewHeight} />}>
              <UsecaseColumns
                customerId={customer_id}
                counts={counts}
                chosen={chosen}
                cameras={all}
                causeOf={causeOf}
              />
            </Suspense>
          ) : (
            <FoldedCards customerId={customer_id} usecases={chosen} shared={shared} causeOf={causeOf} />
          )}
        </>
      )}
      <div className={classes.columns} data-below={face === 'usecase' || undefined}>
        {face !== 'usecase' && (
          <div className={classes.main}>
            {face === 'map' ? (
              <Suspense fallback={<BlockSkeleton height={viewHeight} />}>
                <SitesView customerId={customer_id} uc={uc} />
              </Suspense>
            ) : (
              <CameraWall
                key={uc}
                cameras={cameras}
                levels={levels}
                alarming={alarming}
                total={total}
                remote={remote}
              />
            )}
            {chosen[0] && (
              <WhenSeen height={chartHeight}>
                <Suspense fallback={<BlockSkeleton height={chartHeight} />}>
                  <Course customerId={customer_id} usecases={chosen} />
                </Suspense>
              </WhenSeen>
            )}
          </div>
        )}
        <aside className={classes.side}>
          <Suspense fallback={<BlockSkeleton height={sideHeight} />}>
            <Activity customerId={customer_id} uc={uc} cameras={all} sites={view.sites} />
            <Attention customerId={customer_id} cameras={all} />
          </Suspense>
        </aside>
      </div>
    </>
  )
}

/** Reads all figures again; apart from the page, which would be drawn anew whenever any call begins or ends. */
function Refresh() {
  const { t } = useTranslation()
  const isReading = useIsFetching({ queryKey: api.customer.view.key() }) > 0
  return (
    <ActionIcon
      variant="default"
      size={36}
      aria-label={t('dashboard.refresh')}
      title={t('dashboard.refresh')}
      loading={isReading}
      onClick={() => {
        queryClient.invalidateQueries({ queryKey: api.customer.view.key() })
        queryClient.invalidateQueries({ queryKey: ['event'] })
      }}
    >
      <IconRefresh size={18} />
    </ActionIcon>
  )
}
