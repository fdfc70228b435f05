/** The thirteen use cases, their metrics, and how each metric is read. Sources: specification section 2, design of events and numbers. */

import type { ZoneKind } from './geometry.ts'

export const usecaseKeys = [
  'pplcnt',
  'pplcntavg',
  'pplocc',
  'phydist',
  'ppedtec',
  'fcmsk',
  'intrdtec',
  'loiterdtec',
  'frdtec',
  'coldtec',
  'fcrecog',
  'ppltrk',
  'emptyframecheck',
] as const
export type UsecaseKey = (typeof usecaseKeys)[number]

export const metricIds = [
  'total',
  'moving_average_count',
  'violation',
  'non_violation',
  'up',
  'down',
  'occupancy',
  'dwell_time',
  'fire',
  'high_smoke',
  'intermediate_smoke',
  'low_smoke',
  'total_collision',
  'total_near_miss',
] as const
export type MetricId = (typeof metricIds)[number]

/** How a level reads inside a window: `gauge` time-weighted mean, `peak` greatest, `last` newest. */
export type LevelKind = 'gauge' | 'peak' | 'last'
/** What card and chart show first. */
export type Face = 'level' | 'flow' | 'peak' | 'last'

export type MetricRule = { level: LevelKind | null; flow: boolean; face: Face }

const gauge = { level: 'gauge', flow: false, face: 'level' } as const
const violation = { level: 'gauge', flow: true, face: 'flow' } as const
const flow = { level: null, flow: true, face: 'flow' } as const

export type Usecase = {
  name: string
  bundle: BundleKey
  /** The metrics the use case exposes, in the order of its cards. */
  metrics: Partial<Record<MetricId, MetricRule>>
  /** Metrics that lines add. */
  lineMetrics: readonly MetricId[]
  needsModel: boolean
  needsCalibration: boolean
  needsLine: boolean
  experimental: boolean
}

export const bundles = {
  people: 'People',
  safety: 'Safety',
  vehicle: 'Vehicles',
  face: 'Faces',
  health: 'Camera health',
} as const
export type BundleKey = keyof typeof bundles
export const bundleKeys = Object.keys(bundles) as [BundleKey, ...BundleKey[]]

const none = {
  lineMetrics: [],
  needsModel: false,
  needsCalibration: false,
  needsLine: false,
  experimental: false,
} as const

export const usecases: Record<UsecaseKey, Usecase> = {
  pplcnt: {
    ...none,
    name: 'People counting',
    bundle: 'people',
    metrics: { total: gauge },
    lineMetrics: ['up', 'down'],
  },
  pplcntavg: {
    ...none,
    name: 'Average people counting',
    bundle: 'people',
    metrics: { total: gauge, moving_average_count: gauge },
  },
  pplocc: {
    ...none,
    name: 'Occupancy',
    bundle: 'people',
    metrics: { up: flow, occupancy: { level: 'last', flow: false, face: 'last' }, down: flow },
    needsLine: true,
  },
  phydist: {
    ...none,
    name: 'Physical distancing',
    bundle: 'people',
    metrics: { total: gauge, violation, non_violation: gauge },
    needsCalibration: true,
  },
  ppedtec: {
    ...none,
    name: 'PPE detection',
    bundle: 'safety',
    metrics: { total: gauge, violation, non_violation: gauge },
    needsModel: true,
  },
  fcmsk: {
    ...none,
    name: 'Face mask detection',
    bundle: 'safety',
    metrics: { total: gauge, violation, non_violation: gauge },
    needsModel: true,
  },
  intrdtec: {
    ...none,
    name: 'Intrusion',
    bundle: 'safety',
    metrics: { total: gauge, violation, non_violation: gauge },
    lineMetrics: ['up', 'down'],
  },
  loiterdtec: {
    ...none,
    name: 'Loitering',
    bundle: 'people',
    metrics: { dwell_time: { level: 'peak', flow: false, face: 'peak' }, violation },
  },
  frdtec: {
    ...none,
    name: 'Fire and smoke',
    bundle: 'safety',
    metrics: { fire: violation, high_smoke: violation, intermediate_smoke: violation, low_smoke: violation },
    experimental: true,
  },
  coldtec: {
    ...none,
    name: 'Collision and near miss',
    bundle: 'vehicle',
    metrics: { total: flow, total_collision: flow, total_near_miss: flow },
    needsModel: true,
    needsCalibration: true,
  },
  fcrecog: {
    ...none,
    name: 'Face recognition',
    bundle: 'face',
    metrics: { total: { level: 'gauge', flow: true, face: 'flow' } },
    needsModel: true,
  },
  ppltrk: { ...none, name: 'Tracking', bundle: 'people', metrics: { total: gauge } },
  emptyframecheck: {
    ...none,
    name: 'Empty frame check',
    bundle: 'health',
    metrics: { total: { level: 'last', flow: true, face: 'flow' } },
  },
}

/** `usecase_meta_key`: the metric ids of a use case. */
export const metricsOf = (key: UsecaseKey): MetricId[] => Object.keys(usecases[key].metrics) as MetricId[]

/** Whether it says how many are inside, which a person may put right. */
export const countsOccupancy = (key: UsecaseKey): boolean => 'occupancy' in usecases[key].metrics

/** How a metric reads for a use case; metrics that lines add are flows. */
export const metricRule = (key: UsecaseKey, metric: MetricId): MetricRule => usecases[key].metrics[metric] ?? flow

export type Card = { id: MetricId; label: string; isViolation: boolean; usecases: readonly UsecaseKey[] }

/** The metric cards of the dashboard, by the specification's table: violation types are red, the others orange. */
export const cards: readonly Card[] = [
  {
    id: 'total',
    label: 'Total',
    isViolation: false,
    usecases: [
      'coldtec',
      'fcmsk',
      'fcrecog',
      'intrdtec',
      'phydist',
      'ppedtec',
      'pplcnt',
      'pplcntavg',
      'ppltrk',
      'emptyframecheck',
    ],
  },
  { id: 'moving_average_count', label: 'Average Detections', isViolation: false, usecases: ['pplcntavg'] },
  { id: 'violation', label: 'Violations', isViolation: true, usecases: ['phydist', 'ppedtec', 'fcmsk'] },
  { id: 'non_violation', label: 'Non-Violations', isViolation: false, usecases: ['phydist', 'ppedtec', 'fcmsk'] },
  { id: 'up', label: 'Up Count', isViolation: false, usecases: ['pplocc'] },
  { id: 'occupancy', label: 'Occupancy', isViolation: false, usecases: ['pplocc'] },
  { id: 'down', label: 'Down Count', isViolation: false, usecases: ['pplocc'] },
  { id: 'dwell_time', label: 'Dwell-time violation + tracking', isViolation: false, usecases: ['loiterdtec'] },
  { id: 'violation', label: 'Dwell-time violations', isViolation: true, usecases: ['loiterdtec'] },
  { id: 'violation', label: 'Intrusions', isViolation: true, usecases: ['intrdtec'] },
  { id: 'non_violation', label: 'Non-Intrusions', isViolation: false, usecases: ['intrdtec'] },
  { id: 'fire', label: 'Fire', isViolation: true, usecases: ['frdtec'] },
  { id: 'high_smoke', label: 'High smoke', isViolation: true, usecases: ['frdtec'] },
  { id: 'intermediate_smoke', label: 'Intermediate smoke', isViolation: true, usecases: ['frdtec'] },
  { id: 'low_smoke', label: 'Low smoke', isViolation: true, usecases: ['frdtec'] },
  { id: 'total_collision', label: 'Total Collisions', isViolation: true, usecases: ['coldtec'] },
  { id: 'total_near_miss', label: 'Total Near Miss', isViolation: true, usecases: ['coldtec'] },
]

/** Metrics of what must not happen, whatever the use case: those of the red cards. */
export const violationMetrics: ReadonlySet<string> = new Set(
  cards.filter(({ isViolation }) => isViolation).map(({ id }) => id),
)

/** Whether numbers, of now or of what began, tell of something that must not happen. */
export const isViolation = (numbers: Readonly<Record<string, number>>): boolean =>
  Object.entries(numbers).some(([id, value]) => value > 0 && violationMetrics.has(id))

/** Of these metrics those by which openings are counted, each once: what collides or nearly so opens with `total` too. */
export const openedBy = (metrics: readonly MetricId[]): readonly MetricId[] =>
  metrics.includes('total')
    ? metrics.filter((metric) => metric !== 'total_collision' && metric !== 'total_near_miss')
    : metrics

/** Cards of a use case: only ids among its metrics, and only those the table applies to it. */
export const cardsOf = (key: UsecaseKey): Card[] =>
  cards.filter((card) => card.usecases.includes(key) && card.id in usecases[key].metrics)

/** What the shapes drawn for a channel lack, as a message id; masks do not count. */
export function missingShape(
  key: UsecaseKey,
  shapes: readonly { kind: ZoneKind }[],
): 'zone_required' | 'line_required' | null {
  if (shapes.every((shape) => shape.kind === 'mask')) return 'zone_required'
  return usecases[key].needsLine && !shapes.some((shape) => shape.kind === 'line') ? 'line_required' : null
}
