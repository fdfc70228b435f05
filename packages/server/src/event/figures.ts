import { type LevelKind, type MetricId, metricRule, type UsecaseKey } from '@sightline/domain'
import { hourMs } from './rollup.ts'
import { observedSeries, seriesOf } from './series.ts'

/** Roll-up of one series of one channel over some time; `sum` in thousandths. */
export type Amount = {
  n: number
  sum: number
  min: number | null
  max: number | null
  last: number | null
  /** ms since the epoch. */
  lastAt: number | null
  observedMs: number
  /** Of several channels together: the sum of their means, in thousandths. */
  means?: number | null
}

/** What a period or a bucket says of a metric, for one channel or several together. Null: not known. */
export type Figures = {
  level: { n: number; mean: number | null; min: number | null; max: number | null; last: number | null }
  flow: { n: number; sum: number | null }
  observedMs: number
  coverage: number
}

/** One channel's amounts by series. */
export type Amounts = ReadonlyMap<number, Amount>

/** A channel that has been silent for longer says nothing about how many are inside now. */
const silentMs = 10 * 60_000

/**
 * To thousandths. Sums of fractions differ far behind the point with the order in which they are added up; so that none of
 * them falls on the other side of a half, what lies that near below it counts as a half.
 */
export const round = (value: number): number => Math.round(value * 1000 + 1e-6) / 1000
const meanOf = (amount: Amount) => (amount.means ?? amount.sum / amount.observedMs) / 1000

const noLevel = { n: 0, mean: null, min: null, max: null, last: null }

/**
 * Reads a metric out of amounts. Gauges are never added over time, means never averaged without their weights, and
 * nothing is shown where nothing was watched.
 * @param channels one entry a channel, empty for one that sent nothing; or one entry of all of them together
 * @param count how many channels these are
 * @param minutePeak of several channels: the greatest sum of means in one minute, null where that is not known
 */
export function figuresOf(
  usecase: UsecaseKey,
  metric: MetricId,
  channels: readonly Amounts[],
  period: { start: number; end: number },
  minutePeak: number | null,
  count = channels.length,
): Figures {
  const observedMs = channels.reduce((sum, amounts) => sum + (amounts.get(observedSeries)?.observedMs ?? 0), 0)
  const length = (period.end - period.start) * count
  const coverage = length > 0 ? Math.min(1, observedMs / length) : 0
  if (observedMs === 0) return { level: noLevel, flow: { n: 0, sum: null }, observedMs, coverage }
  const { level: kind, flow: hasFlow } = metricRule(usecase, metric)
  const flows = channels.flatMap((amounts) => amounts.get(seriesOf(metric, 'flow')) ?? [])
  return {
    level: kind ? levelOf(kind, amountsOf(metric, channels), count === 1, period.end, minutePeak) : noLevel,
    flow: hasFlow
      ? { n: sumOf(flows, (flow) => flow.n), sum: round(sumOf(flows, (flow) => flow.sum) / 1000) }
      : { n: 0, sum: null },
    observedMs,
    coverage: round(coverage),
  }
}

const sumOf = <T>(list: readonly T[], value: (item: T) => number) => list.reduce((sum, item) => sum + value(item), 0)
const amountsOf = (metric: MetricId, channels: readonly Amounts[]) =>
  channels.flatMap((amounts) => amounts.get(seriesOf(metric, 'level')) ?? [])

function levelOf(
  kind: LevelKind,
  levels: readonly Amount[],
  isOne: boolean,
  end: number,
  minutePeak: number | null,
): Figures['level'] {
  const watched = levels.filter((level) => level.observedMs > 0)
  const n = sumOf(levels, (level) => level.n)
  const mean = watched.length > 0 ? round(sumOf(watched, meanOf)) : null
  const greatest = levels.reduce<number | null>(
    (max, { max: own }) => (own === null ? max : Math.max(max ?? own, own)),
    null,
  )
  if (isOne) return { n, mean, min: levels[0]?.min ?? null, max: greatest, last: levels[0]?.last ?? null }
  if (kind === 'peak') return { ...noLevel, n, mean, max: greatest }
  const max = minutePeak === null ? null : round(minutePeak)
  const heard = levels.filter(({ last, lastAt }) => last !== null && lastAt !== null && end - lastAt <= silentMs)
  const last = heard.length > 0 ? sumOf(heard, (level) => level.last as number) : null
  return { ...noLevel, n, mean, max, last }
}

/** The number that chart and list show for a metric. */
export function faceValue(usecase: UsecaseKey, metric: MetricId, { level, flow }: Figures): number | null {
  const { face } = metricRule(usecase, metric)
  return { level: level.mean, flow: flow.sum, peak: level.max, last: level.last }[face]
}

type Part = 'mean' | 'max' | 'last' | 'sum' | 'perHour' | 'none'
/** The large number of a card and the one beside it, where they differ from the rule of the metric's face. */
const cardParts: Partial<Record<MetricId, { large: Part; beside: Part }>> = {
  moving_average_count: { large: 'mean', beside: 'max' },
  non_violation: { large: 'mean', beside: 'max' },
  fire: { large: 'sum', beside: 'last' },
  high_smoke: { large: 'sum', beside: 'last' },
  intermediate_smoke: { large: 'sum', beside: 'last' },
  low_smoke: { large: 'sum', beside: 'last' },
  total_collision: { large: 'sum', beside: 'none' },
  total_near_miss: { large: 'sum', beside: 'none' },
}

function cardRule(usecase: UsecaseKey, metric: MetricId): { large: Part; beside: Part } {
  const own = cardParts[metric]
  if (own) return own
  const { face, level } = metricRule(usecase, metric)
  if (face === 'level') return { large: 'max', beside: 'mean' }
  if (face === 'peak') return { large: 'max', beside: 'mean' }
  if (face === 'last') return { large: 'last', beside: 'max' }
  // The number of those who were recognised is in no roll-up.
  if (usecase === 'fcrecog') return { large: 'sum', beside: 'none' }
  // Of a level that is 1 or 0 the mean is the share of time at 1.
  if (level === 'last') return { large: 'sum', beside: 'mean' }
  return { large: 'sum', beside: level === 'gauge' ? 'max' : 'perHour' }
}

/** A rate per hour from less than this says more about chance than about the place. */
const fewestMsForRate = 10 * 60_000

/** Large number and the one beside it on the card of a metric. */
export function cardFigures(
  usecase: UsecaseKey,
  metric: MetricId,
  { level, flow, observedMs }: Figures,
): { value: number | null; beside: number | null } {
  const part = (name: Part): number | null => {
    if (name === 'sum') return flow.sum
    if (name === 'perHour')
      return flow.sum === null || observedMs < fewestMsForRate ? null : round(flow.sum / (observedMs / hourMs))
    return name === 'none' ? null : level[name]
  }
  const { large, beside } = cardRule(usecase, metric)
  return { value: part(large), beside: part(beside) }
}

/** Whether `last` of a metric is ever shown; it is read only then. */
export const showsLast = (usecase: UsecaseKey, metric: MetricId): boolean => {
  const { level } = metricRule(usecase, metric)
  const { large, beside } = cardRule(usecase, metric)
  return level === 'last' || large === 'last' || beside === 'last'
}

/** Amounts of buckets that follow each other as those of one bucket. */
export function amountsTogether(slots: readonly Amounts[]): Amounts {
  const all = new Map<number, Amount>()
  for (const slot of slots)
    for (const [series, own] of slot) {
      const known = all.get(series)
      all.set(series, known ? added(known, own) : own)
    }
  return all
}

const extreme = (of: (...values: number[]) => number, a: number | null, b: number | null) =>
  a === null ? b : b === null ? a : of(a, b)

function added(a: Amount, b: Amount): Amount {
  // Of two at the same moment the greater counts.
  const isNewer = (b.lastAt ?? 0) - (a.lastAt ?? 0) || (b.last ?? 0) - (a.last ?? 0)
  const { last, lastAt } = isNewer > 0 ? b : a
  return {
    n: a.n + b.n,
    sum: a.sum + b.sum,
    min: extreme(Math.min, a.min, b.min),
    max: extreme(Math.max, a.max, b.max),
    last,
    lastAt,
    observedMs: a.observedMs + b.observedMs,
  }
}
