import type { Health } from '@sightline/contract'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './Health.module.css'
import { type Tone, toneOf } from './tone.ts'

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

type HealthProps = {
  health: Health
  cause?: string | null
  /** In place of an unknown health: why there cannot be one yet. */
  pending?: string | false
}

/** Health as a word in its colour, with its cause beside it when there is one. */
export function HealthTag({ health, cause, pending }: HealthProps) {
  const { t } = useTranslation()
  if (health === 'unknown' && pending) return <Tag>{pending}</Tag>
  return (
    <span className={classes.health} title={cause ?? undefined}>
      <Tag tone={toneOf[health]}>{t(`health.${health}`)}</Tag>
      {cause && <span className={classes.cause}>{cause}</span>}
    </span>
  )
}
