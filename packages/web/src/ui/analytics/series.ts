/** What of a chart's series is drawn and listed, as pure rules. */
import type { EventSeries } from '@sightline/contract'
import { cardsOf, type MetricId, type UsecaseKey } from '@sightline/domain'
import type { ChartColors } from '../EChartCanvas.tsx'

type Point = EventSeries['series'][number]['points'][number]
type Bucket = Pick<Point, 'start' | 'value' | 'coverage_ratio'>

const watchedWell = 0.9
/** Whether so much of a bucket was not watched that its figure says little; one that nobody watched has no figure. */
export const isThin = ({ coverage_ratio }: Pick<Point, 'coverage_ratio'>): boolean => coverage_ratio < watchedWell

/** Rows of the table, newest first, from the first bucket in which anybody watched on. */
export function tableRows(series: readonly { points: readonly Bucket[] }[]) {
  const buckets = series[0]?.points ?? []
  const first = buckets.findIndex((_, row) => series.some(({ points }) => (points[row]?.coverage_ratio ?? 0) > 0))
  if (first < 0) return []
  return buckets
    .map(({ start, coverage_ratio }, row) => ({
      start,
      coverage_ratio,
      values: series.map(({ points }) => points[row]?.value ?? null),
    }))
    .slice(first)
    .toReversed()
}

export type Tint = Extract<keyof ChartColors, 'brand' | 'bad' | 'warn' | 'ok' | 'compare'>
const meant: Partial<Record<MetricId, Tint>> = { violation: 'bad', fire: 'bad', down: 'warn' }
const others: readonly Tint[] = ['brand', 'ok', 'warn', 'compare', 'bad']

/** A colour of its own for each metric of a chart: the one it stands for, else the next that is free. */
export function tints(metrics: readonly MetricId[]): Tint[] {
  const given = metrics.map((metric, index) => {
    const own = meant[metric]
    return own && metrics.findIndex((other) => meant[other] === own) === index ? own : null
  })
  const free = others.filter((tint) => !given.includes(tint))
  let next = 0
  return given.map((own) => own ?? free[next++ % free.length] ?? 'brand')
}

/** Titles that cards of several of these use cases have: there the use case must be named too. */
export function sharedLabels(keys: readonly UsecaseKey[]): ReadonlySet<string> {
  const labels = keys.flatMap((key) => [...new Set(cardsOf(key).map(({ label }) => label))])
  return new Set(labels.filter((label, index) => labels.indexOf(label) !== index))
}
