import { Select } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CameraSearch } from '../ui/cameras/CameraSearch.tsx'
import { ByAddress } from './ByAddress.tsx'
import type { StepProps } from './Onboarding.tsx'
import { StepCard } from './StepCard.tsx'

export function CamerasStep({ run, onNext, onSkip }: StepProps) {
  const { t } = useTranslation()
  const { nimble, sites } = run
  const [siteId, setSiteId] = useState<string | null>(null)
  const site = sites.find(({ site_id }) => site_id === siteId) ?? sites[0]
  const missing = !nimble ? t('onboarding.cameras.noEdge') : !site ? t('onboarding.cameras.noSite') : null
  if (!nimble || !site)
    return <StepCard key="missing" title={t('onboarding.cameras.title')} text={missing} onSkip={onSkip} />
  const here = run.devices.filter(({ site_id }) => site_id === site.site_id)
  const isDone = run.devices.length > 0
  return (
    <StepCard
      key="ready"
      title={t('onboarding.cameras.title')}
      text={here.length > 0 ? t('onboarding.cameras.have', { count: here.length }) : t('onboarding.cameras.text')}
      onNext={isDone ? onNext : undefined}
      onSkip={isDone ? undefined : onSkip}
    >
      {sites.length > 1 && (
        <Select
          mb="md"
          maw={420}
          label={t('onboarding.steps.site')}
          allowDeselect={false}
          value={site.site_id}
          onChange={setSiteId}
          data={sites.map(({ site_id, site_name }) => ({ value: site_id, label: site_name }))}
        />
      )}
      <CameraSearch key={site.site_id} nimble={nimble} site={site} devices={here} onAdded={onNext} foldsPlaces />
      <ByAddress key={`at-${site.site_id}`} nimble={nimble} site={site} devices={here} onAdded={onNext} />
    </StepCard>
  )
}
