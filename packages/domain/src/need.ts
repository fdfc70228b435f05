import { homographyOf, parsePoints } from './homography.ts'
import { type DetectionLabel, labelsFor, unmetLabels } from './label.ts'
import { pipelineDefaults } from './pipeline.ts'
import type { PipelineElements } from './pipeline-item.ts'
import { type UsecaseKey, usecases } from './usecase.ts'

export type Need = 'needs_model' | 'needs_calibration'

/** What the detectors that need no model tell apart; motion may be anything that moves, so what rests on it is degraded. */
const builtInLabels: Readonly<Record<string, readonly DetectionLabel[]>> = {
  hog: ['person'],
  motion: ['person', 'vehicle'],
}

/**
 * What only the user can add before a channel can run; null when nothing lacks. Portal and edge server ask the same.
 * @param elements the complete map
 * @param modelLabels what the attached model tells apart; null without a model
 */
export function missingNeed(
  key: UsecaseKey,
  elements: PipelineElements,
  modelLabels: readonly DetectionLabel[] | null,
): Need | null {
  const kind = String(elements['detector.kind'])
  if (lacksEmbedding(key, elements)) return 'needs_model'
  const seesFlames = elements['detector.flames'] === true
  if (kind === 'onnx' && !modelLabels && !seesFlames) return 'needs_model'
  const labels = [...(builtInLabels[kind] ?? modelLabels ?? []), ...(seesFlames ? (['fire'] as const) : [])]
  if (unmetLabels(labelsFor(key, elements), labels).length > 0) return 'needs_model'
  return usecases[key].needsCalibration && !isCalibrated(key, elements) ? 'needs_calibration' : null
}

/** Faces are found by one model and compared by another. */
export const lacksEmbedding = (key: UsecaseKey, elements: PipelineElements): boolean =>
  key === 'fcrecog' && !elements['detector.embedding']

/** Four points, or for people a reference height. */
function isCalibrated(key: UsecaseKey, elements: PipelineElements): boolean {
  return calibrationOf(elements) !== null || (key === 'phydist' && Number(elements['calibration.ref_height_m']) > 0)
}

/** The mapping to the floor that a pipeline's calibration gives; null without a complete one. */
export function calibrationOf(elements: PipelineElements) {
  const image = parsePoints(String(elements['calibration.image_points'] ?? ''))
  const world = parsePoints(String(elements['calibration.world_points_m'] ?? ''))
  return image && world && homographyOf({ image, world })
}

/** Whether a use case runs as it comes, with nothing from the user but shapes. */
export const isBuiltIn = (key: UsecaseKey): boolean => missingNeed(key, pipelineDefaults(key), null) === null
