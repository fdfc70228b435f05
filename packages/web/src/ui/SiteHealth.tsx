import type { SitePlace } from '@sightline/contract'
import { useTranslation } from 'react-i18next'
import { HealthTag } from './Health.tsx'

type Props = { site: Pick<SitePlace, 'site_health' | 'site_total_devices' | 'site_attention_channels'> }

/** Health of a site in a narrow list. */
export function SiteHealth({ site: { site_health, site_total_devices } }: Props) {
  const { t } = useTranslation()
  return <HealthTag health={site_health} pending={site_total_devices === 0 && t('health.noCameras')} />
}

/** What a site has, and how many of its analytics need attention; where there is room for a way to them, `NeedsAttention` says it. */
export function SiteFacts({ site: { site_total_devices, site_attention_channels: count } }: Props) {
  const { t } = useTranslation()
  return (
    <span className="t3 num">
      {[t('dashboard.cameras', { count: site_total_devices }), count > 0 && t('health.analytics', { count })]
        .filter(Boolean)
        .join(' · ')}
    </span>
  )
}
