import { useTranslation } from 'react-i18next'
import { useUser } from '../session.ts'
import type { StepProps } from './Onboarding.tsx'
import { StepCard } from './StepCard.tsx'

export function AccountStep({ onNext }: StepProps) {
  const { t } = useTranslation()
  const { username } = useUser()
  return (
    <StepCard
      title={t('onboarding.account.title')}
      text={t('onboarding.account.text', { name: username })}
      onNext={onNext}
    />
  )
}
