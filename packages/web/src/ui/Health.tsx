import type { Health } from '@sightline/contract'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './Health.module.css'

export type Tone = 'ok' | 'warn' | 'bad' | 'info' | 'neutral'

/** Healthy is success, needs attention warning, offline error; what is not known is neutral, never red. */
export const toneOf: Record<Health, Tone> = {
  healthy: 'ok',
  'needs attention': 'warn',
  offline: 'bad',
  unknown: 'neutral',
}

/** A coloured dot; always beside a word, for colour alone says nothing to some. */
export function StatusDot({ tone, pulse }: { tone: Tone; pulse?: boolean }) {
  return <span className={classes.dot} data-tone={tone} data-pulse={pulse || undefined} aria-hidden="true" />
}

export function Tag({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span className={classes.tag} data-tone={tone}>
      {children}
    </span>
  )
}

/** Health as a word in its colour, with its cause beside it when there is one. */
export function HealthTag({ health, cause }: { health: Health; cause?: string | null }) {
  const { t } = useTranslation()
  return (
    <span className={classes.health} title={cause ?? undefined}>
      <Tag tone={toneOf[health]}>{t(`health.${health}`)}</Tag>
      {cause && <span className={classes.cause}>{cause}</span>}
    </span>
  )
}
