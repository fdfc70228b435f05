import type { SitePlace } from '@sightline/contract'
import { useTranslation } from 'react-i18next'
import { HealthTag } from './Health.tsx'

type Props = { site: Pick<SitePlace, 'site_health' | 'site_total_devices' | 'site_attention_channels'> }

/** Health of a site in one line, with how many of its analytics need attention; where there is room for a way to them, `NeedsAttention` says it. */
export function SiteHealth({ site: { site_health, site_total_devices, site_attention_channels: count } }: Props) {
  const { t } = useTranslation()
  const pending = site_total_devices === 0 && t('health.noCameras')
  return (
    <HealthTag health={site_health} cause={count > 0 ? t('health.analytics', { count }) : null} pending={pending} />
  )
}
