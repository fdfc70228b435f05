import { mostPlaces, type UsecaseKey } from '@sightline/domain'
import { IconMapPin } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { formatNumber } from '../i18n/format.ts'
import { refreshMs } from '../ui/cameras/customer-cameras.ts'
import { Empty } from '../ui/Empty.tsx'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { Go } from '../ui/Go.tsx'
import { SitePeek } from '../ui/map/SitePeek.tsx'
import { SitesMap } from '../ui/map/SitesMap.tsx'
import { Panel } from '../ui/Panel.tsx'
import { SiteFacts, SiteHealth } from '../ui/SiteHealth.tsx'
import { BlockSkeleton } from '../ui/Skeletons.tsx'
import classes from './dashboard.module.css'

const mapHeight = 460
/** The others are found on the large map. */
const mostListed = 100

/** The sites of a customer on the map; one that is chosen is told in short below it. All of them by name for the keyboard. */
export function SitesView({ customerId, uc }: { customerId: string; uc: UsecaseKey | undefined }) {
  const { t } = useTranslation()
  const [chosen, setChosen] = useState<string>()
  const query = useQuery({
    ...api.site.map.query({ customer_id: customerId, usecase_key: uc }),
    refetchInterval: refreshMs,
  })
  const sites = query.data
  if (query.isError && !sites) return <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />
  if (!sites) return <BlockSkeleton height={mapHeight} />
  const site = sites.find(({ site_id }) => site_id === chosen)
  const isPlaced = sites.some(({ lat }) => lat !== null)
  return (
    <>
      {isPlaced ? (
        <SitesMap label={t('site.map')} height={mapHeight} sites={sites} chosen={chosen} onOpen={setChosen} />
      ) : (
        <Panel>
          <Empty icon={<IconMapPin stroke={1.5} />} title={t('map.nonePlaced')} text={t('map.nonePlacedText')} />
        </Panel>
      )}
      {site && <SitePeek key={site.site_id} site={site} onClose={() => setChosen(undefined)} />}
      <Panel
        title={t('site.title')}
        aside={
          <Go to="/map" search={{ uc }}>
            {t('dashboard.largeMap')}
          </Go>
        }
      >
        <ul className={classes.sites}>
          {sites.slice(0, mostListed).map((site) => (
            <li key={site.site_id}>
              <button type="button" aria-pressed={site.site_id === chosen} onClick={() => setChosen(site.site_id)}>
                <span className="truncate">{site.site_name}</span>
                <SiteFacts site={site} />
                <SiteHealth site={site} />
              </button>
            </li>
          ))}
          {sites.length === mostPlaces ? (
            <li className="t3">{t('map.cut', { most: formatNumber(mostPlaces) })}</li>
          ) : (
            sites.length > mostListed && (
              <li className="t3">{t('map.further', { count: sites.length - mostListed })}</li>
            )
          )}
        </ul>
      </Panel>
    </>
  )
}
