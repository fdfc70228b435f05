import { useTranslation } from 'react-i18next'
import { CameraSearch } from '../ui/cameras/CameraSearch.tsx'
import type { StepProps } from './Onboarding.tsx'
import { StepCard } from './StepCard.tsx'

export function CamerasStep({ run, onNext, onSkip }: StepProps) {
  const { t } = useTranslation()
  const { nimble, site, devices } = run
  const missing = !nimble ? t('onboarding.cameras.noEdge') : !site ? t('onboarding.cameras.noSite') : null
  if (!nimble || !site)
    return <StepCard key="missing" title={t('onboarding.cameras.title')} text={missing} onSkip={onSkip} />
  return (
    <StepCard
      key="ready"
      title={t('onboarding.cameras.title')}
      text={devices.length > 0 ? t('onboarding.cameras.have', { count: devices.length }) : t('onboarding.cameras.text')}
      onNext={devices.length > 0 ? onNext : undefined}
      onSkip={devices.length > 0 ? undefined : onSkip}
    >
      <CameraSearch nimble={nimble} site={site} devices={devices} onAdded={onNext} />
    </StepCard>
  )
}
