import { Button } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { saveConfig } from '../app/customer.ts'
import { useModules } from '../app/modules.ts'
import { rootTarget } from '../app/verdict.ts'
import { useUser } from '../session.ts'
import { Go, useGo } from '../ui/Go.tsx'
import type { StepProps } from './Onboarding.tsx'
import { StepCard } from './StepCard.tsx'

export function FinishStep({ run }: StepProps) {
  const { t } = useTranslation()
  const go = useGo()
  const target = rootTarget(useUser(), useModules())
  const finish = async () => {
    // Only what works is put away: an unfinished list stays in reach.
    if (run.hasEvent) await saveConfig({ checklist_done: true })
    go(target)
  }
  return (
    <StepCard
      title={run.hasEvent ? t('onboarding.finish.title') : t('onboarding.finish.notYet')}
      text={
        <>
          {run.hasEvent && (
            <IconCircleCheck size={18} color="var(--ok-dot)" aria-hidden="true" style={{ verticalAlign: '-4px' }} />
          )}{' '}
          {run.hasEvent ? t('onboarding.finish.text') : t('onboarding.finish.notYetText')}
        </>
      }
      onNext={() => void finish()}
      nextLabel={t('onboarding.finish.dashboard')}
      aside={
        run.sites[0] && (
          <Button component={Go} to="/device/discover" search={{ sid: run.sites[0].site_id }} variant="default">
            {t('onboarding.finish.more')}
          </Button>
        )
      }
    >
      <p className="muted" style={{ margin: 0, fontSize: 13 }}>
        {t('onboarding.finish.alerts')}
      </p>
    </StepCard>
  )
}
