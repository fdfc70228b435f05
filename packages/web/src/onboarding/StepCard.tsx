import { Button, Group } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './onboarding.module.css'

type Props = {
  title: string
  text?: ReactNode
  children?: ReactNode
  /** The way on; without it the step has its own button. */
  onNext?: () => void
  nextLabel?: string
  onSkip?: () => void
  /** Beside the buttons. */
  aside?: ReactNode
}

/** One step: what it is for, what to do, and the way on. The keyboard begins at the first field, or at the way on. */
export function StepCard({ title, text, children, onNext, nextLabel, onSkip, aside }: Props) {
  const { t } = useTranslation()
  const card = useRef<HTMLElement>(null)
  const isReady = Boolean(onNext)
  useEffect(() => {
    // The way on has opened: whoever waited for it gets it, whoever does something else is left alone.
    const { activeElement } = document
    const isIdle = activeElement === document.body || activeElement?.tagName === 'H2'
    if (isReady && isIdle) card.current?.querySelector<HTMLElement>('[data-next]')?.focus()
  }, [isReady])
  useEffect(() => {
    const first =
      card.current?.querySelector<HTMLElement>('[data-first]') ??
      card.current?.querySelector<HTMLElement>('[data-next]') ??
      card.current?.querySelector<HTMLElement>('h2')
    first?.focus()
  }, [])
  return (
    <section ref={card} className={classes.card}>
      <h2 className={classes.title} tabIndex={-1}>
        {title}
      </h2>
      {text && <p className={classes.text}>{text}</p>}
      {children}
      {(onNext || onSkip || aside) && (
        <Group justify="flex-end" gap="xs" mt="lg">
          {aside}
          {onSkip && (
            <Button variant="subtle" color="gray" onClick={onSkip}>
              {t('onboarding.later')}
            </Button>
          )}
          {onNext && (
            <Button onClick={onNext} data-next>
              {nextLabel ?? t('common.continue')}
            </Button>
          )}
        </Group>
      )}
    </section>
  )
}
