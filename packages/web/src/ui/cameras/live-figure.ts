import type { MetricId, UsecaseKey } from '@sightline/domain'
import { formatMean } from '../../i18n/format.ts'
import { metricText, metricValue } from '../../i18n/words.ts'

/**
 * A live number with its name, as a person reads it. Out of a picture it is a count; out of the stream it is the mean of a
 * window of five seconds, which stands for a count too: nobody sees 0.03 of a person. Only what is a mean by its nature,
 * the sliding average, is written and named as one; how long somebody has stayed is a time.
 */
export function liveFigure(usecase: UsecaseKey, metric: MetricId, value: number): string {
  return `${metricText(metric, usecase)} ${liveValue(metric, value)}`
}

export function liveValue(metric: MetricId, value: number): string {
  if (metric === 'moving_average_count') return formatMean(value)
  return metricValue(metric, Math.round(value))
}
