import { IconArrowDownRight, IconArrowUpRight } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDuration, formatNumber, formatPercent } from '../i18n/format.ts'
import classes from './MetricCard.module.css'
import { Spark } from './Spark.tsx'

type Props = {
  label: string
  /** null = nothing was watched: shown as a dash and without the colour of a figure, never as 0. */
  value: number | null
  /** Its figure with its unit, where it is no count. */
  write?: (value: number) => string
  /** Why there is no figure, where that is known. */
  reason?: string
  /** What the number is, and the number beside it: "peak at once · mean 2.1". */
  note?: ReactNode
  /** Red for what must not happen, orange for what is only counted; pale while it is none. */
  isViolation: boolean
  /** Change against the time before as a ratio; null when it cannot be told. */
  delta?: number | null
  /** How much of the time before was watched, 0…1; said when under 90 %. */
  previousCoverage?: number | undefined
  spark?: readonly (number | null)[]
  /** Share of the time that was really watched, 0…1; said when under 90 %. */
  coverage?: number
  /** Whose figures they are, where the label leaves that open. */
  of?: string
  /** The time they are of. */
  period?: CardPeriod
  icon?: ReactNode
}

/** The last hour or the last 24 hours. */
export type CardPeriod = 'h1' | 'h24'
const seconds: Record<CardPeriod, number> = { h1: 3600, h24: 86_400 }
/** From this share of the time on that was watched, nothing is said of it. */
const watchedWell = 0.9
/** Below it the portal compares with nothing. */
const leastCompared = 0.5
/** In whole minutes, from an hour on in whole hours: a card has no room for more. */
const watchedSeconds = (coverage: number, period: CardPeriod): number => {
  const watched = coverage * seconds[period]
  const step = watched < 3600 ? 60 : 3600
  return Math.max(60, Math.floor(watched / step) * step)
}

export function MetricCard(props: Props) {
  const { label, value, reason, note, isViolation, delta, previousCoverage = 1, spark, coverage, of, ...rest } = props
  const { period = 'h24', icon, write = formatNumber } = rest
  const isUnknown = value === null
  const { t } = useTranslation()
  const watched = (of: number) => formatDuration(watchedSeconds(of, period))
  const before =
    previousCoverage >= watchedWell
      ? null
      : previousCoverage > 0
        ? t('usecase.watchedFor', { time: watched(previousCoverage) })
        : t('usecase.notWatched')
  // Of a day that was hardly watched itself that is said, and enough.
  const isWhole = coverage === undefined || coverage >= leastCompared
  const alone = delta === null && isWhole && previousCoverage < leastCompared ? before : null
  const Arrow = (delta ?? 0) >= 0 ? IconArrowUpRight : IconArrowDownRight
  return (
    // No landmark of its own: several use cases have a total.
    <article
      className={classes.root}
      data-violation={isViolation || undefined}
      data-unknown={isUnknown || undefined}
      data-none={value === 0 || undefined}
      aria-label={label}
    >
      <div className={classes.label}>
        {icon}
        <span>{label}</span>
        <span className={classes.period} title={t(`chart.${period}`)}>
          {t(`chart.short.${period}`)}
        </span>
      </div>
      {of && <div className={`${classes.of} truncate`}>{of}</div>}
      <div className={`${classes.value} num`}>
        {isUnknown ? '–' : write(value)}
        {isUnknown && <span className="sr">{t('common.unknown')}</span>}
      </div>
      {isUnknown && (
        <p className={classes.reason} title={reason}>
          {reason ?? t(`usecase.unwatched.${period}`)}
        </p>
      )}
      <div className={`${classes.note} num`}>
        {delta !== null && delta !== undefined && (
          <span className={classes.delta}>
            <Arrow size={14} aria-hidden="true" />
            <span>
              {formatPercent(Math.abs(delta))} {t(`usecase.previous.${period}`)}
              {before && ` (${before})`}
            </span>
          </span>
        )}
        {note && <span>{note}</span>}
        {!isUnknown && alone && <span>{t(`usecase.notCompared.${period}`, { watched: alone })}</span>}
        {coverage !== undefined && coverage < watchedWell && !isUnknown && (
          <span>{t(`common.watched.${period}`, { time: watched(coverage) })}</span>
        )}
      </div>
      {spark && !isUnknown && <Spark values={spark} className={classes.spark} />}
    </article>
  )
}

/** Cards side by side, at most six in a row, two on a phone. */
export function MetricGrid({ children }: { children: ReactNode }) {
  return <div className={classes.grid}>{children}</div>
}
