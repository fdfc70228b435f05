import { Button } from '@mantine/core'
import type { Reply, Site, api as table } from '@sightline/contract'
import { IconChartBar, IconPrinter } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { portalNow } from '../app/clock.ts'
import { formatNumber, formatTime } from '../i18n/format.ts'
import { UsecaseCards } from '../ui/analytics/UsecaseCards.tsx'
import { countryName } from '../ui/CountrySelect.tsx'
import { Empty } from '../ui/Empty.tsx'
import { Facts } from '../ui/Facts.tsx'
import { HealthTag } from '../ui/Health.tsx'
import { MetricGrid } from '../ui/MetricCard.tsx'
import { PinMap } from '../ui/map/PinMap.tsx'
import { NeedsAttention } from '../ui/NeedsAttention.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { Panel } from '../ui/Panel.tsx'
import { SiteTiles } from './SiteTiles.tsx'
import classes from './site.module.css'

type View = Reply<(typeof table)['site']['view']>

/** The face of a site, and where the links of reports lead: figures of 24 hours, fit for paper. */
export function SiteView({ view: { site, usecases } }: { view: View }) {
  const { t } = useTranslation()
  const { site_timezone: zone, lat, long } = site.site_address
  return (
    <>
      <PageHeader
        title={site.site_name}
        meta={
          <span className={classes.meta}>
            <HealthTag health={site.site_health} pending={site.site_total_devices === 0 && t('health.noCameras')} />{' '}
            <NeedsAttention count={site.site_attention_channels} of={{ sid: site.site_id }} />
            {formatTime(portalNow(), zone)} ({zone})
          </span>
        }
      >
        <Button
          variant="default"
          className="no-print"
          leftSection={<IconPrinter size={16} />}
          onClick={() => window.print()}
        >
          {t('site.view.print')}
        </Button>
      </PageHeader>
      <div className={classes.sections}>
        <Panel>
          <div className={classes.face}>
            <Overview site={site} />
            {site.site_image && <img className={classes.image} src={site.site_image} alt="" />}
          </div>
          {lat !== null && long !== null && (
            <div className={`${classes.small} no-print`}>
              <PinMap label={t('site.form.position')} height={180} pin={{ lat, long }} />
            </div>
          )}
        </Panel>
        <section className="no-print">
          <h2 className={classes.section}>{t('site.camerasTab')}</h2>
          <SiteTiles site={site} empty={<p className="muted">{t('site.noCameras')}</p>} />
        </section>
        {usecases.length === 0 ? (
          <Panel>
            <Empty
              icon={<IconChartBar stroke={1.5} />}
              title={t('site.view.noFigures')}
              text={t('site.view.noFiguresText')}
            />
          </Panel>
        ) : (
          usecases.map(({ usecase_key, metrics }) => (
            <section key={usecase_key}>
              <h2 className={classes.section}>
                {t(`usecase.name.${usecase_key}`)} · <span className="muted">{t('site.view.day')}</span>
              </h2>
              <MetricGrid>
                <UsecaseCards usecaseKey={usecase_key} metrics={metrics} />
              </MetricGrid>
            </section>
          ))
        )}
      </div>
    </>
  )
}

function Overview({ site }: { site: Site }) {
  const { t, i18n } = useTranslation()
  const { site_address: address } = site
  const place = [address.site_street, address.site_city, countryName(address.site_country, i18n.language)]
  return (
    <Facts
      items={[
        [t('site.place'), place.filter(Boolean).join(', ')],
        [t('site.cameras'), formatNumber(site.site_total_devices)],
        [t('site.analytics'), formatNumber(site.site_active_channels)],
      ]}
    />
  )
}
