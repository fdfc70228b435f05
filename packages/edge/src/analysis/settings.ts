import type { LinkChannel } from '@sightline/contract/edge'
import {
  calibrationOf,
  type DetectionLabel,
  detectionLabels,
  dwellItem,
  type Enrolled,
  type Homography,
  heads,
  intruderLabels,
  missingNeed,
  type PipelineElements,
  parseWords,
  pipelineDefaults,
} from '@sightline/domain'
import type { ChannelWork, ReadyModel } from '../model/attached.ts'
import type { ModelSettings } from '../model/detector.ts'
import type { EmbedderSettings } from '../model/embedder.ts'
import type { HogSettings } from './detect.ts'
import type { MotionSettings } from './motion.ts'
import type { TrackerSettings } from './track.ts'
import type { ZoneSettings } from './zones.ts'

/** How pictures are looked at. Channels of one camera that agree in this share the work. */
export type PerceptionSettings = {
  fps: number
  motionWidth: number
  motion: MotionSettings
  /** `onnx`: the user's model. */
  detector: 'hog' | 'motion' | 'onnx'
  /** Null without one, or while it is not here. */
  model: ModelSettings | null
  /** Makes vectors of faces; null where none are compared. */
  embedder: EmbedderSettings | null
  hog: HogSettings
  tracker: TrackerSettings
  recheckMs: number
  /** Look for flames by colour and flicker. */
  flames: boolean
}

/** What a channel makes of what was seen. */
export type AnalyticSettings = {
  zones: ZoneSettings
  windowMs: number
  cooldownMs: number
  /** Smaller people are left out: share of the picture's height. */
  minHeight: number
  averageMs: number
  base: number
  /** HH:mm, or empty. */
  resetAt: string
  timezone: string
  holdMs: number
  /** What may not enter. */
  labels: readonly DetectionLabel[]
  /** How long somebody may stay in a zone that has no dwell of its own. */
  dwellMs: number
  distanceM: number
  requiredItems: string
  /** How many of these are enough; 0 is all. */
  requiredCount: number
  minVotes: number
  minFacePx: number
  /** Least likeness to a face of the gallery, and how much more than to the next person's. */
  threshold: number
  margin: number
  gallery: readonly Enrolled[]
  ttcS: number
  gapM: number
  radiusM: Readonly<Record<'person' | 'vehicle' | 'forklift', number>>
  /** Shares of the picture from which smoke is low, intermediate, high. */
  smokeShares: readonly [number, number, number]
  /** What the attached model tells apart; empty without one. */
  modelLabels: readonly DetectionLabel[]
  floor: Floor | null
}

/** How a place on the floor is found: by four measured points, or from how tall people look. */
export type Floor = { kind: 'points'; matrix: Homography } | { kind: 'height'; metres: number }

/** A channel's map of elements as typed settings; what it lacks is the catalogue's default. */
export function settingsOf({
  usecase_key,
  pipeline_elements,
  model: attached,
  faces,
}: Pick<ChannelWork, 'usecase_key' | 'pipeline_elements' | 'model' | 'faces'>) {
  const map: PipelineElements = { ...pipelineDefaults(usecase_key), ...pipeline_elements }
  const number = (key: string, otherwise = 0) => (typeof map[key] === 'number' ? map[key] : otherwise)
  const text = (key: string) => (typeof map[key] === 'string' ? map[key] : '')

  const model = attached && 'file' in attached ? modelSettings(usecase_key, map, attached) : null
  const embedder = faces && 'embedder' in faces ? faces.embedder : null
  // Motion, tracks and windows go by the pictures that are looked at.
  const fps = number('decode.fps') / (model ? number('detector.every_n', 1) : 1)
  const modelLabels = model && [...new Set(Object.values(model.labels))]
  const perception: PerceptionSettings = {
    fps,
    motionWidth: number('motion.width'),
    motion: {
      history: number('motion.history'),
      varThreshold: number('motion.var_threshold'),
      shadows: map['motion.shadows'] === true,
      minArea: number('motion.min_area'),
    },
    detector: model ? 'onnx' : text('detector.kind') === 'hog' ? 'hog' : 'motion',
    model,
    embedder: embedder && { file: embedder.file, size: embedder.input, range: embedder.range },
    hog: {
      minScore: number('detector.conf'),
      nms: number('detector.nms'),
      scale: number('detector.hog_scale'),
      targetPx: number('detector.target_px'),
    },
    tracker: {
      minSimilarity: number('tracker.iou'),
      distanceGate: number('tracker.dist_gate'),
      maxLostMs: number('tracker.max_lost_s') * 1000,
      minHits: number('tracker.min_hits'),
    },
    recheckMs: number('motion.recheck_s') * 1000,
    flames: map['detector.flames'] === true,
  }
  const analytic: AnalyticSettings = {
    zones: {
      enterHits: number('zones.enter_hits'),
      leaveMs: number('zones.leave_s') * 1000,
      lineMargin: number('zones.line_margin'),
    },
    windowMs: number('analytic.window_s') * 1000,
    cooldownMs: number('analytic.cooldown_s') * 1000,
    minHeight: number('analytic.min_height'),
    averageMs: number('analytic.average_s') * 1000,
    base: number('analytic.base'),
    resetAt: text('analytic.reset_at'),
    timezone: text('analytic.timezone') || 'UTC',
    holdMs: number('analytic.hold_s') * 1000,
    labels: parseWords(text('analytic.labels'), intruderLabels) ?? ['person'],
    dwellMs: number(dwellItem(usecase_key)?.key ?? '') * 1000,
    distanceM: number('analytic.distance_m'),
    requiredItems: text('analytic.required_items'),
    requiredCount: number('analytic.required_count'),
    minVotes: number('analytic.min_votes'),
    minFacePx: number('analytic.min_face_px'),
    threshold: number('analytic.threshold'),
    margin: number('analytic.margin'),
    gallery: [],
    ttcS: number('analytic.ttc_s'),
    gapM: number('analytic.gap_m'),
    radiusM: {
      person: number('analytic.radius_person_m'),
      vehicle: number('analytic.radius_vehicle_m'),
      forklift: number('analytic.radius_forklift_m'),
    },
    smokeShares: [number('analytic.smoke_low'), number('analytic.smoke_intermediate'), number('analytic.smoke_high')],
    modelLabels: modelLabels ?? [],
    floor: floorOf(map),
  }
  return {
    perception,
    analytic,
    /** What only the user can add before the channel can run; null when nothing lacks. */
    need: missingNeed(usecase_key, map, modelLabels),
    /** Why a model that the pipeline names, or the gallery, is not here; null when all are, or none is named. */
    modelCause: causeOf(attached) ?? causeOf(faces),
    picture: {
      fps,
      width: number('decode.width'),
      height: number('decode.height'),
      on_demand: map['decode.on_demand'] !== false,
    },
  }
}

const causeOf = (attached: ChannelWork['model'] | ChannelWork['faces']): string | null =>
  attached && 'cause' in attached ? attached.cause : null

function modelSettings(
  usecase: LinkChannel['usecase_key'],
  map: PipelineElements,
  { sha256, file, head, input, labels }: ReadyModel,
): ModelSettings {
  const chosen = parseWords(String(map['detector.labels'] ?? ''), detectionLabels)
  const wantedHead = heads.find((one) => one === map['detector.head'])
  const side = input.is_open ? Math.round(Number(map['detector.input_size'] ?? 0) / 32) * 32 : 0
  return {
    sha256,
    file,
    head: wantedHead ?? head,
    size: side > 0 ? { width: side, height: side } : { width: input.width, height: input.height },
    labels: Object.fromEntries(Object.entries(labels).filter(([, label]) => chosen?.includes(label) ?? true)),
    minScore: Number(map['detector.conf']),
    nms: Number(map['detector.nms']),
    // Fire and smoke stand where they are.
    isGated: usecase !== 'frdtec',
  }
}

function floorOf(map: PipelineElements): Floor | null {
  const matrix = calibrationOf(map)
  if (matrix) return { kind: 'points', matrix }
  const metres = Number(map['calibration.ref_height_m'])
  return metres > 0 ? { kind: 'height', metres } : null
}
