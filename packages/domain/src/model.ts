/**
 * What a user's ONNX model finds: the labels of the product that its classes are mapped to, and the names that a file
 * brings along.
 */
import { heads } from './detection.ts'
import { type DetectionLabel, detectionLabels } from './label.ts'

/** Class of the model, counted from 0 and written as text → label. */
export type LabelMap = Record<string, DetectionLabel>

/** What a model answers: boxes, by one of the heads of detectors, or the vector of a face. */
export const modelHeads = [...heads, 'embedding'] as const
export type ModelHead = (typeof modelHeads)[number]

export const modelMaxBytes = 200 * 1024 * 1024
/** Classes beyond this many are not offered for mapping. */
export const mostClasses = 1000

/**
 * Class names out of a model's metadata. Ultralytics writes a Python dict, others JSON or a list:
 * `{0: 'person', 1: "driver's cab"}`, `{"0": "person"}`, `['person', 'car']`. What cannot be read gives no names.
 */
export function classNames(text: string): Map<number, string> {
  const names = new Map<number, string>()
  const body = text.trim()
  const isList = body.startsWith('[') || body.startsWith('(')
  // Index (of a dict only), then a quoted text with escapes of its own quote.
  const entry = /(?:(["']?)(\d{1,4})\1\s*:\s*)?("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')/g
  for (const [, , index, quoted = ''] of body.matchAll(entry)) {
    if (index === undefined && !isList) continue
    const at = index === undefined ? names.size : Number(index)
    const name = quoted.slice(1, -1).replace(/\\(.)/g, '$1').slice(0, 60).trim()
    if (at < mostClasses && name) names.set(at, name)
  }
  return names
}

/**
 * Class names out of what somebody pastes: what `classNames` reads, or one a line as in `classes.txt`, in order or with
 * their numbers as in `data.yaml` (`0: person`, `- person`, `0,person`; `0 person` where every line has one).
 */
export function pastedNames(text: string): Map<number, string> {
  const quoted = classNames(text.trim().replace(/^names\s*[:=]\s*/i, ''))
  if (/^\s*(names\s*[:=]\s*)?[[({]/i.test(text) && quoted.size > 0) return quoted
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^names\s*:$/i.test(line))
  const numbered = lines.every((line) => /^\d{1,4}\s+\S/.test(line))
    ? /^(\d{1,4})\s+(.*)$/
    : /^(\d{1,4})\s*[:=,;\t]\s*(.*)$/
  const names = new Map<number, string>()
  for (const [i, line] of lines.entries()) {
    const [, index = i, rest = line.replace(/^-\s+/, '')] = numbered.exec(line) ?? []
    const name = rest
      .replace(/^(["'])(.*)\1,?$/, '$2')
      .slice(0, 60)
      .trim()
    if (Number(index) < mostClasses && name) names.set(Number(index), name)
  }
  return names
}

const words: Record<DetectionLabel, readonly string[]> = {
  person: ['person', 'people', 'pedestrian', 'human', 'worker', 'man', 'woman', 'personne'],
  face: ['face', 'visage'],
  mask: ['mask', 'face_mask', 'with_mask', 'masked', 'mask_on'],
  no_mask: ['no_mask', 'no_face_mask', 'without_mask', 'nomask', 'unmasked', 'mask_off'],
  helmet: ['helmet', 'hardhat', 'hard_hat', 'safety_helmet', 'with_helmet', 'casque'],
  no_helmet: ['no_helmet', 'no_hardhat', 'no_hard_hat', 'without_helmet', 'nohelmet', 'head'],
  vest: ['vest', 'safety_vest', 'hi_vis', 'reflective_vest', 'with_vest', 'gilet'],
  no_vest: ['no_vest', 'no_safety_vest', 'without_vest', 'novest'],
  vehicle: ['vehicle', 'car', 'truck', 'bus', 'van', 'lorry', 'motorcycle', 'motorbike', 'tractor', 'machinery'],
  forklift: ['forklift', 'fork_lift', 'forklift_truck', 'chariot'],
  fire: ['fire', 'flame', 'flames', 'feu'],
  smoke: ['smoke', 'fumee'],
}
const labelByWord = new Map(detectionLabels.flatMap((label) => words[label].map((word) => [word, label] as const)))

/** A first map to confirm: the classes whose names are known words. */
export function suggestLabels(names: ReadonlyMap<number, string>): LabelMap {
  const map: LabelMap = {}
  for (const [index, name] of names) {
    const word = name
      .normalize('NFD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .replace(/[^a-z]+/g, '_')
      .replace(/^_|_$/g, '')
    const label = labelByWord.get(word)
    if (label) map[index] = label
  }
  return map
}

/**
 * The map when other names are known: what was suggested by the former ones follows the new ones, what somebody chose or
 * took away stays.
 */
export function relabelled(labels: LabelMap, before: LabelMap, after: LabelMap): LabelMap {
  const map: LabelMap = { ...labels }
  for (const index of Object.keys({ ...before, ...after })) {
    if (labels[index] !== before[index]) continue
    const label = after[index]
    if (label) map[index] = label
    else delete map[index]
  }
  return map
}
