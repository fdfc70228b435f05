import type { LinkChannel } from '@sightline/contract/edge'
import { type PipelineValue, pipelineDefaults } from '@sightline/domain'
import type { HogSettings } from './detect.ts'
import type { MotionSettings } from './motion.ts'
import type { TrackerSettings } from './track.ts'
import type { ZoneSettings } from './zones.ts'

/** How pictures are looked at. Channels of one camera that agree in this share the work. */
export type PerceptionSettings = {
  fps: number
  motionWidth: number
  motion: MotionSettings
  detector: 'hog' | 'motion'
  hog: HogSettings
  tracker: TrackerSettings
  recheckMs: number
}

/** What a channel makes of what was seen. */
export type AnalyticSettings = {
  zones: ZoneSettings
  windowMs: number
  cooldownMs: number
  /** Smaller people are left out: share of the picture's height. */
  minHeight: number
  minDwellMs: number
  averageMs: number
  base: number
  /** HH:mm, or empty. */
  resetAt: string
  timezone: string
  holdMs: number
}

/** A channel's map of elements as typed settings; what it lacks is the catalogue's default. */
export function settingsOf({ usecase_key, pipeline_elements }: Pick<LinkChannel, 'usecase_key' | 'pipeline_elements'>) {
  const map: Record<string, PipelineValue | undefined> = { ...pipelineDefaults(usecase_key), ...pipeline_elements }
  const number = (key: string, otherwise = 0) => (typeof map[key] === 'number' ? map[key] : otherwise)
  const text = (key: string) => (typeof map[key] === 'string' ? map[key] : '')

  const perception: PerceptionSettings = {
    fps: number('decode.fps'),
    motionWidth: number('motion.width'),
    motion: {
      history: number('motion.history'),
      varThreshold: number('motion.var_threshold'),
      shadows: map['motion.shadows'] === true,
      minArea: number('motion.min_area'),
    },
    detector: text('detector.kind') === 'motion' ? 'motion' : 'hog',
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
    minDwellMs: number('zones.min_dwell_s') * 1000,
    averageMs: number('analytic.average_s') * 1000,
    base: number('analytic.base'),
    resetAt: text('analytic.reset_at'),
    timezone: text('analytic.timezone') || 'UTC',
    holdMs: number('analytic.hold_s') * 1000,
  }
  return {
    perception,
    analytic,
    /** `onnx` in the pipeline: a model of the user's must do the work. */
    wantsModel: text('detector.kind') === 'onnx',
    picture: {
      fps: number('decode.fps'),
      width: number('decode.width'),
      height: number('decode.height'),
      on_demand: map['decode.on_demand'] !== false,
    },
  }
}
