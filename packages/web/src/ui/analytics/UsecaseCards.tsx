import type { MetricStat } from '@sightline/contract'
import { cardsOf, type MetricId, metricRule, type UsecaseKey } from '@sightline/domain'
import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import type { en } from '../../i18n/en/index.ts'
import { formatPercent } from '../../i18n/format.ts'
import { i18n } from '../../i18n/index.ts'
import { cardText, causeText, metricValue } from '../../i18n/words.ts'
import { type CardPeriod, MetricCard } from '../MetricCard.tsx'
import { usecaseIcons } from './usecase-icons.ts'

type Note = keyof (typeof en)['usecase']['note']
/** Metrics whose card says something else than their kind does. */
const special: Partial<Record<UsecaseKey, Partial<Record<MetricId, Note>>>> = {
  coldtec: { total: 'sum', total_collision: 'last', total_near_miss: 'last' },
  fcrecog: { total: 'known' },
  emptyframecheck: { total: 'share' },
  pplcntavg: { moving_average_count: 'meanPeak' },
}
const byMetric: Partial<Record<MetricId, Note>> = {
  non_violation: 'meanPeak',
  up: 'crossings',
  down: 'crossings',
  occupancy: 'inside',
  dwell_time: 'longest',
}

/** Which sentence stands beside the large number. */
export const noteOf = (key: UsecaseKey, metric: MetricId): Note =>
  special[key]?.[metric] ?? byMetric[metric] ?? (metricRule(key, metric).flow ? 'occasions' : 'peakMean')

/** Why a card has no figure; undefined where nobody knows. */
const reasonOf = (key: UsecaseKey, isPartly: boolean, cause: string | null): string | undefined =>
  isPartly ? (key === 'frdtec' ? i18n.t('usecase.smokeNeedsModel') : undefined) : cause ? causeText(cause) : undefined

type Props = {
  usecaseKey: UsecaseKey
  metrics: readonly MetricStat[]
  period?: CardPeriod
  /** Titles that other cards on the page have too. */
  shared?: ReadonlySet<string>
  /** What ails every analytic that would count here. */
  cause?: string | null
}

/** The specified cards of a use case, for as far as their figures are there. */
export const UsecaseCards = memo(({ usecaseKey, metrics, period = 'h24', shared, cause }: Props) => {
  const { t } = useTranslation()
  // Flames are looked for without a model too, smoke is not.
  const isPartly = metrics.some(({ value }) => value !== null)
  const Icon = usecaseIcons[usecaseKey]
  return cardsOf(usecaseKey).map(({ id, label, isViolation }) => {
    const stat = metrics.find(({ metric }) => metric === id)
    const note = noteOf(usecaseKey, id)
    const beside = stat?.beside ?? null
    const value = stat?.value ?? null
    return (
      <MetricCard
        key={`${usecaseKey}-${id}`}
        icon={<Icon size={16} stroke={1.8} aria-hidden="true" />}
        label={cardText(label)}
        of={shared?.has(label) ? t(`usecase.name.${usecaseKey}`) : undefined}
        period={period}
        // Of several cameras it is the greatest sum of their minutes' means: in a minute of 1.4 people two were there at once.
        value={value !== null && note === 'peakMean' ? Math.ceil(value) : value}
        write={(value) => metricValue(id, value)}
        isViolation={isViolation}
        reason={value === null ? reasonOf(usecaseKey, isPartly, cause ?? null) : undefined}
        note={
          beside === null
            ? undefined
            : t(`usecase.note.${note}`, {
                beside:
                  note === 'share'
                    ? formatPercent(beside)
                    : metricValue(id, beside < 100 ? beside : Math.round(beside)),
              })
        }
        delta={stat?.delta_ratio}
        previousCoverage={stat?.previous_coverage_ratio}
        spark={stat?.spark}
        coverage={stat?.coverage_ratio}
      />
    )
  })
})
