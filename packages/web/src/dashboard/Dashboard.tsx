import { ActionIcon, Button, UnstyledButton } from '@mantine/core'
import type { Customer, CustomerView } from '@sightline/contract'
import { type UsecaseKey, usecaseKeys } from '@sightline/domain'
import { IconBuilding, IconDeviceCctv, IconRefresh } from '@tabler/icons-react'
import { useIsFetching, useQueries, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { api, queryClient } from '../app/client.ts'
import { useMay } from '../session.ts'
import { UsecaseCards } from '../ui/analytics/UsecaseCards.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { Go } from '../ui/Go.tsx'
import { MetricGrid } from '../ui/MetricCard.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { Panel } from '../ui/Panel.tsx'
import { BlockSkeleton, PageSkeleton } from '../ui/Skeletons.tsx'
import { Activity } from './Activity.tsx'
import { Attention } from './Attention.tsx'
import { CameraWall } from './CameraWall.tsx'
import classes from './dashboard.module.css'
import { useLevels } from './levels.ts'

/** The chart comes after the cards and pictures. */
const Course = lazy(() => import('./Course.tsx').then((module) => ({ default: module.Course })))
const chartHeight = 330

/** Numbers are read again this often while the page is in sight. */
export const refreshMs = 10_000

export type Camera = CustomerView['sites'][number]['devices'][number] & { site_id: string; site_name: string }

const camerasOf = (view: CustomerView): Camera[] =>
  view.sites.flatMap(({ site_id, site_name, devices }) => devices.map((device) => ({ ...device, site_id, site_name })))

/** What matters now at the cameras of a customer: figures by use case, the cameras, what happened, what needs a hand. */
export function Dashboard({ customer, uc }: { customer: Customer | null; uc: UsecaseKey | undefined }) {
  const { t } = useTranslation()
  const mayEdit = useMay('edit')
  if (customer) return <OfCustomer key={customer.customer_id} customer={customer} uc={uc} />
  return (
    <>
      <PageHeader title={t('dashboard.title')} />
      <Panel>
        <Empty
          icon={<IconBuilding stroke={1.5} />}
          title={t('dashboard.noCustomer')}
          text={t('dashboard.noCustomerText')}
          forbidden={!mayEdit}
          action={
            <Button component={Go} to="/customer/add">
              {t('site.addCustomer')}
            </Button>
          }
        />
      </Panel>
    </>
  )
}

function OfCustomer({ customer, uc }: { customer: Customer; uc: UsecaseKey | undefined }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const mayEdit = useMay('edit')
  const { customer_id } = customer
  const view = useQuery({ ...api.customer.view.query({ customer_id, type: 1 }), refetchInterval: refreshMs })
  const levels = useLevels()
  const isBusy = useIsFetching() > 0

  const cameras = view.data ? camerasOf(view.data) : []
  const channels = cameras.flatMap((camera) => camera.channels)
  const counts = new Map<UsecaseKey, number>()
  for (const { usecase_key } of channels) counts.set(usecase_key, (counts.get(usecase_key) ?? 0) + 1)
  const present = usecaseKeys.filter((key) => counts.has(key))
  const chosen = uc && counts.has(uc) ? [uc] : present
  const stats = useQueries({
    queries: chosen.map((usecase_key) => ({
      ...api.event.stats.query({ usecase_key, customer_id }),
      refetchInterval: refreshMs,
    })),
  })
  const show = (next: UsecaseKey | undefined) =>
    void navigate({ to: '.', search: (now: object) => ({ ...now, uc: next }), replace: true } as never)

  if (view.isError && !view.data) return <ErrorPanel error={view.error} onRetry={() => void view.refetch()} />
  if (!view.data) return <PageSkeleton />
  const { totals } = view.data
  const shown = uc ? cameras.filter((camera) => camera.channels.some(({ usecase_key }) => usecase_key === uc)) : cameras
  const [firstSite] = view.data.sites
  return (
    <>
      <PageHeader
        title={t('dashboard.title')}
        meta={t('dashboard.meta', {
          sites: t('dashboard.sites', { count: totals.sites }),
          cameras: t('dashboard.cameras', { count: totals.devices }),
          channels: t('dashboard.active', { count: totals.active_channels }),
        })}
      >
        <ActionIcon
          variant="default"
          size={36}
          aria-label={t('dashboard.refresh')}
          title={t('dashboard.refresh')}
          loading={isBusy && view.isRefetching}
          onClick={() => {
            queryClient.invalidateQueries({ queryKey: api.customer.view.key() })
            queryClient.invalidateQueries({ queryKey: ['event'] })
          }}
        >
          <IconRefresh size={18} />
        </ActionIcon>
      </PageHeader>
      {channels.length === 0 ? (
        <Panel>
          <Empty
            icon={<IconDeviceCctv stroke={1.5} />}
            title={t('dashboard.empty')}
            text={t('dashboard.emptyText')}
            forbidden={!mayEdit}
            action={
              firstSite ? (
                cameras[0] ? (
                  <Button component={Go} to="/channel/add" search={{ did: cameras[0].device_id }}>
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
          <fieldset className={classes.pills}>
            <legend className="sr">{t('dashboard.usecases')}</legend>
            <Pill label={t('dashboard.all')} count={channels.length} isOn={!uc} onClick={() => show(undefined)} />
            {present.map((key) => (
              <Pill
                key={key}
                label={t(`usecase.name.${key}`)}
                count={counts.get(key) ?? 0}
                isOn={uc === key}
                onClick={() => show(key)}
              />
            ))}
          </fieldset>
          <MetricGrid>
            {chosen.map((key, index) => {
              const data = stats[index]?.data
              return data ? <UsecaseCards key={key} usecaseKey={key} metrics={data.metrics} /> : null
            })}
          </MetricGrid>
        </>
      )}
      <div className={classes.columns}>
        <div className={classes.main}>
          <CameraWall cameras={shown} levels={levels} stats={stats.flatMap(({ data }) => data?.channels ?? [])} />
          {chosen[0] && (
            <Suspense fallback={<BlockSkeleton height={chartHeight} />}>
              <Course customerId={customer_id} usecases={chosen} />
            </Suspense>
          )}
        </div>
        <aside className={classes.side}>
          <Activity customerId={customer_id} uc={uc} cameras={cameras} />
          <Attention cameras={cameras} />
        </aside>
      </div>
    </>
  )
}

function Pill({ label, count, isOn, onClick }: { label: string; count: number; isOn: boolean; onClick: () => void }) {
  return (
    <UnstyledButton className={classes.pill} aria-pressed={isOn} onClick={onClick}>
      {label} <span className="num">{count}</span>
    </UnstyledButton>
  )
}
