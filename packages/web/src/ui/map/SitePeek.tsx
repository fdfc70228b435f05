import { Button, CloseButton } from '@mantine/core'
import type { SitePlace } from '@sightline/contract'
import { cardsOf } from '@sightline/domain'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../app/client.ts'
import { formatNumber } from '../../i18n/format.ts'
import { cardText, metricValue } from '../../i18n/words.ts'
import { countryName } from '../CountrySelect.tsx'
import { ErrorPanel } from '../ErrorPanel.tsx'
import { Facts } from '../Facts.tsx'
import { Go } from '../Go.tsx'
import { HealthTag } from '../Health.tsx'
import { NeedsAttention } from '../NeedsAttention.tsx'
import { RowsSkeleton } from '../Skeletons.tsx'
import classes from './map.module.css'

/** A site in short: how it fares, what it has, its figures of 24 hours, and the way to its face. */
export function SitePeek({ site, onClose }: { site: SitePlace; onClose: () => void }) {
  const { t, i18n } = useTranslation()
  const { site_id } = site
  const view = useQuery(api.site.view.query({ site_id }))
  const whole = view.data?.site
  const place = whole ? [whole.site_address.site_city, countryName(whole.site_address.site_country, i18n.language)] : []
  return (
    <section className={classes.peek} aria-label={site.site_name}>
      <header>
        <div>
          <h3>{site.site_name}</h3>
          <p className="t3">{place.filter(Boolean).join(', ')}</p>
        </div>
        <CloseButton aria-label={t('common.close')} onClick={onClose} />
      </header>
      <HealthTag health={site.site_health} pending={site.site_total_devices === 0 && t('health.noCameras')} />
      {whole && <NeedsAttention count={whole.site_attention_channels} of={{ sid: site_id }} />}
      <Facts
        items={[
          [t('site.cameras'), formatNumber(site.site_total_devices)],
          [t('site.analytics'), whole ? formatNumber(whole.site_active_channels) : '–'],
        ]}
      />
      {view.isError && !view.data ? (
        <ErrorPanel error={view.error} onRetry={() => void view.refetch()} />
      ) : !view.data ? (
        <RowsSkeleton rows={2} />
      ) : view.data.usecases.length === 0 ? (
        <p className="t3">{t('site.view.noFigures')}</p>
      ) : (
        <ul className={classes.figures}>
          {view.data.usecases.map(({ usecase_key, metrics }) => (
            <li key={usecase_key}>
              <span className="t2">{t(`usecase.name.${usecase_key}`)}</span>
              <span className="num">
                {cardsOf(usecase_key)
                  .map(({ id, label }) => {
                    const value = metrics.find(({ metric }) => metric === id)?.value ?? null
                    return `${cardText(label)} ${value === null ? '–' : metricValue(id, value)}`
                  })
                  .join(' · ')}
              </span>
            </li>
          ))}
        </ul>
      )}
      <Button component={Go} to="/site/view" search={{ sid: site_id }} fullWidth>
        {t('map.open')}
      </Button>
    </section>
  )
}
