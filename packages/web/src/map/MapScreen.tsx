import { Button, Select } from '@mantine/core'
import type { Customer, Health, SitePlace } from '@sightline/contract'
import { mostPlaces, type UsecaseKey } from '@sightline/domain'
import { IconMapPin } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { formatNumber } from '../i18n/format.ts'
import { useTopic } from '../live.ts'
import { useMay } from '../session.ts'
import { refreshMs } from '../ui/cameras/customer-cameras.ts'
import { Empty } from '../ui/Empty.tsx'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { Go } from '../ui/Go.tsx'
import { SitePeek } from '../ui/map/SitePeek.tsx'
import { SitesMap } from '../ui/map/SitesMap.tsx'
import { readView, writeView } from '../ui/map/view.ts'
import { NoCustomer } from '../ui/NoCustomer.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { Panel } from '../ui/Panel.tsx'
import { SiteFacts, SiteHealth } from '../ui/SiteHealth.tsx'
import { BlockSkeleton } from '../ui/Skeletons.tsx'
import { useSoon } from '../ui/soon.ts'
import classes from './map.module.css'

const grades: readonly Health[] = ['healthy', 'needs attention', 'offline', 'unknown']
/** So many stand in a list at once: of more one looks closer on the map. */
const mostListed = 100

export type MapFilter = { health?: Health | undefined; uc?: UsecaseKey | undefined; at?: string | undefined }
type Props = MapFilter & { customer: Customer | null; onShow: (change: MapFilter) => void }

/** The sites of a customer on a large map; the list beside it has those in sight. */
export function MapScreen({ customer, ...rest }: Props) {
  const { t } = useTranslation()
  return customer ? (
    <OfCustomer key={customer.customer_id} customer={customer} {...rest} />
  ) : (
    <NoCustomer title={t('screen./map')} />
  )
}

const isPlaced = ({ lat, long }: SitePlace) => lat !== null && long !== null

function OfCustomer({ customer: { customer_id }, health, uc, at, onShow }: Props & { customer: Customer }) {
  const { t } = useTranslation()
  const mayEdit = useMay('edit')
  const [chosen, setChosen] = useState<string>()
  const [inSight, setInSight] = useState<ReadonlySet<string> | null>(null)
  const query = useQuery({
    ...api.site.map.query({ customer_id, usecase_key: uc }),
    refetchInterval: refreshMs,
    placeholderData: keepPreviousData,
  })
  const { data: totals } = useQuery({
    ...api.customer.view.query({ customer_id, type: 1, limit: 1 }),
    select: ({ totals }) => totals,
  })
  const soon = useSoon()
  // An edge server that goes away tells of each of its cameras.
  useTopic('health', ({ site_id }) => {
    if (query.data?.some((site) => site.site_id === site_id)) soon(query.refetch)
  })
  const all = query.data
  // The same list while nothing changed: the map draws anew what it is given.
  const sites = useMemo(() => all?.filter((site) => !health || site.site_health === health), [all, health])
  const placed = useMemo(() => sites?.filter(isPlaced) ?? [], [sites])
  const unplaced = sites?.filter((site) => !isPlaced(site)) ?? []
  const listed = placed.filter(({ site_id }) => inSight === null || inSight.has(site_id))
  const site = sites?.find(({ site_id }) => site_id === chosen)
  const isFiltered = health !== undefined || uc !== undefined
  return (
    <>
      <PageHeader title={t('screen./map')} meta={totals && t('dashboard.sites', { count: totals.sites })}>
        <Select
          aria-label={t('site.health')}
          placeholder={t('map.anyHealth')}
          clearable
          value={health ?? null}
          onChange={(next) => onShow({ health: (next as Health | null) ?? undefined })}
          data={grades.map((value) => ({ value, label: t(`health.${value}`) }))}
        />
        <Select
          aria-label={t('event.filter.usecase')}
          placeholder={t('dashboard.all')}
          clearable
          value={uc ?? null}
          onChange={(next) => onShow({ uc: (next as UsecaseKey | null) ?? undefined })}
          data={(totals?.usecases ?? []).map(({ usecase_key }) => ({
            value: usecase_key,
            label: t(`usecase.name.${usecase_key}`),
          }))}
        />
      </PageHeader>
      {query.isError && !all ? (
        <Panel>
          <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />
        </Panel>
      ) : !all || !sites ? (
        <BlockSkeleton height={480} />
      ) : sites.length === 0 ? (
        <Panel>
          {isFiltered ? (
            <Empty
              icon={<IconMapPin stroke={1.5} />}
              title={t('common.nothingMatches')}
              action={
                <Button variant="default" onClick={() => onShow({ health: undefined, uc: undefined })}>
                  {t('common.clearFilters')}
                </Button>
              }
            />
          ) : (
            <Empty
              icon={<IconMapPin stroke={1.5} />}
              title={t('map.noSites')}
              forbidden={!mayEdit}
              action={
                <Button component={Go} to="/site/add" search={{ cuid: customer_id }}>
                  {t('site.add')}
                </Button>
              }
            />
          )}
        </Panel>
      ) : (
        <div className={classes.columns}>
          <div className={classes.side}>
            {site && <SitePeek key={site.site_id} site={site} onClose={() => setChosen(undefined)} />}
            <Panel
              flush
              title={t('map.inSight')}
              hint={
                <span role="status" className="num">
                  {t('map.shown', { shown: formatNumber(listed.length), count: placed.length })}
                </span>
              }
            >
              {listed.length > 0 ? (
                <ul className={classes.sites}>
                  {listed.slice(0, mostListed).map((one) => (
                    <li key={one.site_id}>
                      <button
                        type="button"
                        aria-pressed={one.site_id === chosen}
                        onClick={() => setChosen(one.site_id)}
                      >
                        <Words site={one} />
                      </button>
                    </li>
                  ))}
                  {listed.length > mostListed && (
                    <li className="t3">{t('map.closer', { count: listed.length - mostListed })}</li>
                  )}
                </ul>
              ) : (
                <p className={`${classes.note} t3`}>{t(placed.length > 0 ? 'map.noneInSight' : 'map.nonePlaced')}</p>
              )}
            </Panel>
            {all.length === mostPlaces && <p className="t3">{t('map.cut', { most: formatNumber(mostPlaces) })}</p>}
            {unplaced.length > 0 && (
              <Panel flush title={t('map.unplaced')} hint={t(mayEdit ? 'map.unplacedText' : 'empty.askAdmin')}>
                <ul className={classes.sites}>
                  {unplaced.slice(0, mostListed).map((one) => (
                    <li key={one.site_id}>
                      <Words site={one} />
                      {mayEdit && (
                        <Button
                          component={Go}
                          to="/site/edit"
                          search={{ sid: one.site_id }}
                          size="compact-sm"
                          variant="default"
                        >
                          {t('map.place')}
                        </Button>
                      )}
                    </li>
                  ))}
                  {unplaced.length > mostListed && (
                    <li className="t3">{t('map.further', { count: unplaced.length - mostListed })}</li>
                  )}
                </ul>
              </Panel>
            )}
          </div>
          <SitesMap
            label={t('site.map')}
            height="max(420px, calc(100dvh - 210px))"
            sites={placed}
            chosen={chosen}
            from={readView(at)}
            isPage
            onOpen={setChosen}
            onView={(seen, view) => {
              setInSight(seen)
              onShow({ at: writeView(view) })
            }}
          />
        </div>
      )}
    </>
  )
}

function Words({ site }: { site: SitePlace }) {
  return (
    <>
      <span className={classes.words}>
        <span className="truncate">{site.site_name}</span>
        <SiteFacts site={site} />
      </span>
      <SiteHealth site={site} />
    </>
  )
}
