/** Which elements a use case has, what they start from, and what may be stored in a pipeline. */
import { homographyOf, parsePoints } from './homography.ts'
import { detectionLabels, intruderLabels, parseWords, protections } from './label.ts'
import { pipelineCatalog } from './pipeline-catalog.ts'
import type { PipelineElements, PipelineItem, PipelineValue } from './pipeline-item.ts'
import { isZone } from './timezone.ts'
import type { UsecaseKey } from './usecase.ts'

const byKey = new Map(pipelineCatalog.map((entry) => [entry.key, entry]))

/** Elements that only some use cases have; all others are everybody's. */
const only: Record<string, readonly UsecaseKey[]> = {
  'zones.min_dwell_s': ['intrdtec'],
  'detector.embedding': ['fcrecog'],
  'detector.flames': ['frdtec'],
  'calibration.image_points': ['phydist', 'coldtec'],
  'calibration.world_points_m': ['phydist', 'coldtec'],
  'calibration.ref_height_m': ['phydist'],
  'analytic.min_height': ['pplcnt', 'pplcntavg', 'pplocc', 'ppltrk', 'intrdtec', 'loiterdtec', 'phydist'],
  'analytic.average_s': ['pplcntavg'],
  'analytic.base': ['pplocc'],
  'analytic.reset_at': ['pplocc'],
  'analytic.timezone': ['pplocc'],
  'analytic.hold_s': ['emptyframecheck', 'phydist', 'frdtec'],
  'analytic.labels': ['intrdtec'],
  'analytic.dwell_s': ['loiterdtec'],
  'analytic.distance_m': ['phydist'],
  'analytic.required_items': ['ppedtec'],
  'analytic.required_count': ['ppedtec'],
  'analytic.min_votes': ['ppedtec', 'fcmsk'],
  'analytic.min_face_px': ['fcmsk', 'fcrecog'],
  'analytic.threshold': ['fcrecog'],
  'analytic.margin': ['fcrecog'],
  'analytic.ttc_s': ['coldtec'],
  'analytic.gap_m': ['coldtec'],
  'analytic.radius_person_m': ['coldtec'],
  'analytic.radius_vehicle_m': ['coldtec'],
  'analytic.radius_forklift_m': ['coldtec'],
  'analytic.smoke_low': ['frdtec'],
  'analytic.smoke_intermediate': ['frdtec'],
  'analytic.smoke_high': ['frdtec'],
}

/** Which element says how long somebody may stay in a zone. A zone may have a dwell of its own instead. */
const dwellElements: Partial<Record<UsecaseKey, string>> = {
  intrdtec: 'zones.min_dwell_s',
  loiterdtec: 'analytic.dwell_s',
}

/** The element that zones without a dwell of their own follow; null where the use case has no dwell. */
export const dwellItem = (usecase: UsecaseKey): PipelineItem | null => byKey.get(dwellElements[usecase] ?? '') ?? null

/** `dwell_s`: a zone's own, in seconds; null follows the analytic's element. */
type Drawn = { kind: string; dwell_s?: number | null | undefined }

/** What is wrong with a zone's own dwell, as a message id. @param usecase null: of no analytic */
export function dwellFault(usecase: UsecaseKey | null, { kind, dwell_s }: Drawn): string | null {
  if (dwell_s === null || dwell_s === undefined) return null
  const item = kind === 'zone' && usecase ? dwellItem(usecase) : null
  return elementFault(item ?? undefined, dwell_s)
}

/** A model's scores are spread otherwise than those of the built-in detector. */
const withModel = { 'detector.kind': 'onnx', 'detector.conf': 0.35, 'detector.nms': 0.45 } as const

/** Where a use case starts from something other than the catalogue's default. */
const special: Partial<Record<UsecaseKey, PipelineElements>> = {
  phydist: { 'analytic.hold_s': 2 },
  ppedtec: withModel,
  fcmsk: withModel,
  // Faces come all day: their clips would push those of violations out of the room that an edge server has.
  fcrecog: { ...withModel, 'detector.every_n': 5, 'sink.clip': false },
  // Both read how things change from picture to picture.
  coldtec: { ...withModel, 'decode.fps': 10, 'decode.on_demand': false },
  frdtec: { ...withModel, 'decode.fps': 12, 'decode.on_demand': false, 'analytic.hold_s': 2 },
  emptyframecheck: { 'detector.kind': 'motion', 'decode.fps': 1 },
}

/** The complete map of a use case's defaults. */
export function pipelineDefaults(usecase: UsecaseKey): PipelineElements {
  const map: PipelineElements = {}
  for (const entry of pipelineCatalog)
    if (entry.default !== null && (only[entry.key]?.includes(usecase) ?? true)) map[entry.key] = entry.default
  return { ...map, ...special[usecase] }
}

/** Message ids of what is wrong with a map, by key; empty when it may be stored. */
export function elementFaults(map: PipelineElements): Record<string, string> {
  const faults: Record<string, string> = {}
  for (const [key, value] of Object.entries(map)) {
    const fault = elementFault(byKey.get(key), value)
    if (fault) faults[key] = fault
  }
  return { ...relationFaults(map), ...faults }
}

/** What is wrong between elements that are each right by themselves. */
function relationFaults(map: PipelineElements): Record<string, string> {
  const faults: Record<string, string> = {}
  const [image, world] = calibrationKeys.map((key) => parsePoints(String(map[key] ?? '')))
  if (image && !world) faults['calibration.world_points_m'] = 'required'
  if (world && !image) faults['calibration.image_points'] = 'required'
  if (image && world && !homographyOf({ image, world })) faults['calibration.image_points'] = 'calibration_degenerate'
  for (const [lower, upper] of smokeKeys) {
    const [low, high] = [map[lower], map[upper]]
    if (typeof low === 'number' && typeof high === 'number' && high <= low) faults[upper] = `greater_than:${low}`
  }
  return faults
}

export const calibrationKeys = ['calibration.image_points', 'calibration.world_points_m'] as const
/** Whether an element is true of one camera and its place alone: no other analytic is given it. */
export const isOfPlace = (key: string): boolean => key.startsWith('calibration.') || key === 'analytic.timezone'
const smokeKeys = [
  ['analytic.smoke_low', 'analytic.smoke_intermediate'],
  ['analytic.smoke_intermediate', 'analytic.smoke_high'],
] as const

function pointsFault(value: string): string | null {
  return value === '' || parsePoints(value)?.length === 4 ? null : 'calibration_points'
}

const textRules: Record<string, (value: string) => string | null> = {
  'analytic.reset_at': (value) => (value === '' || /^([01]\d|2[0-3]):[0-5]\d$/.test(value) ? null : 'time_of_day'),
  'detector.labels': (value) => (value === '' || parseWords(value, detectionLabels) ? null : 'one_of'),
  'calibration.image_points': (value) =>
    pointsFault(value) ??
    (parsePoints(value)?.some((point) => point.some((part) => part < 0 || part > 1)) ? 'outside_picture' : null),
  'calibration.world_points_m': pointsFault,
  'analytic.labels': (value) => (parseWords(value, intruderLabels) ? null : 'one_of'),
  'analytic.required_items': (value) => (parseWords(value, protections) ? null : 'one_of'),
  'analytic.timezone': (value) => (isZone(value) ? null : 'timezone_invalid'),
}

function elementFault(entry: PipelineItem | undefined, value: PipelineValue): string | null {
  if (!entry) return 'unknown_property'
  switch (entry.type) {
    case 'boolean':
      return typeof value === 'boolean' ? null : 'boolean'
    case 'text':
      if (typeof value !== 'string') return 'text'
      return textRules[entry.key]?.(value) ?? null
    case 'enum':
      return typeof value === 'string' && entry.enum?.includes(value) ? null : 'one_of'
    case 'integer':
    case 'number': {
      if (typeof value !== 'number' || !Number.isFinite(value)) return 'number'
      if (entry.type === 'integer' && !Number.isInteger(value)) return 'integer'
      const { min, max } = entry
      return (min !== null && value < min) || (max !== null && value > max) ? `range:${min}:${max}` : null
    }
  }
}
