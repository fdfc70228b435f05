import { type MetricId, metricIds } from '@sightline/domain'

/**
 * Numbers for metrics in stored events and roll-ups. A series is a metric seen as level or as flow; 0 is the observed
 * time. Numbers follow from the place in `metricIds`, to which members are only ever added at the end; the table
 * `series` says the same and is compared at every start.
 */
export type SeriesFace = 'level' | 'flow'

export const observedSeries = 0
export const seriesOf = (metric: MetricId, face: SeriesFace): number =>
  2 * metricIds.indexOf(metric) + (face === 'level' ? 1 : 2)

/** Rows of the dictionary. */
export const seriesRows: { id: number; metric: string; face: SeriesFace }[] = [
  { id: observedSeries, metric: 'observed', face: 'level' },
  ...metricIds.flatMap((metric) =>
    (['level', 'flow'] as const).map((face) => ({ id: seriesOf(metric, face), metric, face })),
  ),
]

/** What a number of a record is to its series: the value itself, or the least or greatest inside the window. */
export const roles = ['value', 'min', 'max'] as const
const suffix = { value: '', min: '_min', max: '_max' } as const

/** A key of a record's metrics is stored as its code: series × 4 + role. */
export const seriesOfCode = (code: number): number => code >> 2
export const roleOfCode = (code: number): number => code & 3

const codes = { level: new Map<string, number>(), flow: new Map<string, number>() }
const keys = new Map<number, string>()
for (const metric of metricIds)
  for (const face of ['level', 'flow'] as const)
    for (const [role, name] of roles.entries()) {
      const code = seriesOf(metric, face) * 4 + role
      const key = metric + suffix[name]
      codes[face].set(key, code)
      keys.set(code, key)
    }

/** The code of a key of `metrics`; undefined for a metric that this version does not know. */
export const codeOf = (key: string, face: SeriesFace): number | undefined => codes[face].get(key)
/** The key of `metrics` that a code stands for. */
export const keyOf = (code: number): string => keys.get(code) ?? `series_${code}`
