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
