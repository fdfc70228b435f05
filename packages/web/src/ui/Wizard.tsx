import { IconCheck } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './Wizard.module.css'

export type WizardStep = { id: string; label: string; isDone: boolean; isOpen: boolean }

type Props = {
  title: string
  steps: readonly WizardStep[]
  current: string
  onStep: (id: string) => void
  /** Under the list of steps, e.g. the time it took so far. */
  aside?: ReactNode
  /** The current step needs the whole width: the steps stand above it. */
  isWide?: boolean
  children: ReactNode
}

/** The frame of a wizard: the steps at the left, the current one at the right; on a phone the steps become a bar. */
export function Wizard({ title, steps, current, onStep, aside, isWide, children }: Props) {
  const { t } = useTranslation()
  const index = steps.findIndex((step) => step.id === current)
  return (
    <div className={classes.root} data-wide={isWide || undefined}>
      <nav className={classes.steps} aria-label={title}>
        <h1 className={classes.title}>{title}</h1>
        <p className={classes.position}>{t('wizard.position', { step: index + 1, total: steps.length })}</p>
        <ol className={classes.list}>
          {steps.map((step, number) => (
            <li key={step.id}>
              <button
                type="button"
                className={classes.step}
                data-done={step.isDone || undefined}
                aria-current={step.id === current ? 'step' : undefined}
                disabled={!step.isOpen}
                onClick={() => onStep(step.id)}
              >
                <span className={classes.mark}>
                  {step.isDone ? <IconCheck size={14} stroke={2.5} aria-hidden="true" /> : number + 1}
                </span>
                {step.label}
                {step.isDone && <span className="sr">{t('wizard.done')}</span>}
              </button>
            </li>
          ))}
        </ol>
        {aside && <div className={classes.aside}>{aside}</div>}
      </nav>
      <div className={classes.content}>{children}</div>
    </div>
  )
}
