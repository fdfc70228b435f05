import { useEffect, useLayoutEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { hushEmptyLists } from '../app/client.ts'
import { formatDuration } from '../i18n/format.ts'
import { PageSkeleton } from '../ui/Skeletons.tsx'
import { Wizard } from '../ui/Wizard.tsx'
import { AccountStep } from './AccountStep.tsx'
import { AnalyticStep } from './AnalyticStep.tsx'
import { CamerasStep } from './CamerasStep.tsx'
import { CustomerStep } from './CustomerStep.tsx'
import { EdgeStep } from './EdgeStep.tsx'
import { EventStep } from './EventStep.tsx'
import { FinishStep } from './FinishStep.tsx'
import { LicenseStep } from './LicenseStep.tsx'
import { LookStep } from './LookStep.tsx'
import { SiteStep } from './SiteStep.tsx'
import { type FirstRun, pass, spend, spentSeconds, useFirstRun, useSteps } from './state.ts'
import { type StepId, stepIds } from './steps.ts'

export type StepProps = {
  run: FirstRun
  /** Goes on, the step being done. */
  onNext: () => void
  /** Goes on without it. */
  onSkip: () => void
}

const screens: Record<StepId, (props: StepProps) => React.ReactNode> = {
  account: AccountStep,
  look: LookStep,
  license: LicenseStep,
  edge: EdgeStep,
  customer: CustomerStep,
  site: SiteStep,
  cameras: CamerasStep,
  analytic: AnalyticStep,
  event: EventStep,
  finish: FinishStep,
}

/** The first run. What is done is read from the portal, so it can be left at any step and taken up later. */
export function Onboarding({ step, onStep }: { step: StepId | undefined; onStep: (step: StepId) => void }) {
  const { t } = useTranslation()
  useLayoutEffect(() => {
    hushEmptyLists(true)
    return () => hushEmptyLists(false)
  }, [])
  const run = useFirstRun()
  const { done, next } = useSteps(run)
  // Without a step in the address: the first one that is not done, found once the portal has answered.
  const [entered, setEntered] = useState<StepId | null>(null)
  useEffect(() => {
    if (!run.isLoading) setEntered((now) => now ?? next)
  }, [run.isLoading, next])
  const current = step ?? entered
  if (!current) return <PageSkeleton />

  const after = stepIds[stepIds.indexOf(current) + 1] ?? 'finish'
  const Step = screens[current]
  return (
    <Wizard
      title={t('onboarding.title')}
      current={current}
      onStep={(id) => onStep(id as StepId)}
      steps={stepIds.map((id) => ({
        id,
        label: t(`onboarding.steps.${id}`),
        isDone: done.has(id),
        isOpen: true,
      }))}
      aside={!run.hasEvent && <Elapsed />}
    >
      <Step
        key={current}
        run={run}
        onNext={() => {
          pass(current)
          onStep(after)
        }}
        onSkip={() => onStep(after)}
      />
    </Wizard>
  )
}

/** A longer pause between two ticks was no time at this page: the machine slept. */
const longestTickSeconds = 5

/** Time that the first run took so far: while its page was in sight. */
function Elapsed() {
  const { t } = useTranslation()
  const [seconds, setSeconds] = useState(spentSeconds)
  useEffect(() => {
    let last = performance.now()
    const timer = setInterval(() => {
      const passed = (performance.now() - last) / 1000
      last = performance.now()
      if (document.visibilityState === 'visible' && passed < longestTickSeconds) spend(passed)
      setSeconds(spentSeconds())
    }, 1000)
    return () => clearInterval(timer)
  }, [])
  return (
    <span className="num" role="timer" aria-live="off">
      {t('onboarding.elapsed', { time: formatDuration(Math.floor(seconds)) })}
    </span>
  )
}
