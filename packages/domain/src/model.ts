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
 * `{0: 'person', 1: "driver's cab"}`, `{"0": "person"}`, `['person', 'car']`, and without quotes as YAML may have them.
 * It is read up to where it ends or cannot be read; what cannot be read at all gives no names.
 */
export function classNames(text: string): Map<number, string> {
  const names = new Map<number, string>()
  const body = text.trim()
  const end = ({ '[': '\\]', '(': '\\)', '{': '\\}' } as Record<string, string>)[body.charAt(0)]
  if (!end) return names
  const index = body.startsWith('{') ? String.raw`(["']?)(?<index>\d+)\1\s*:\s*` : ''
  // A quoted text with escapes of its own quote, or what stands there up to the next; then there is a next, or the end.
  const quoted = String.raw`(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.|'')*')(?=\s*(?:,|${end}))`
  const bare = String.raw`[^\s,[({${end}][^,${end}]*(?=,|${end})`
  const entry = new RegExp(String.raw`\s*${index}(?<name>${quoted}|${bare})\s*,?`, 'gy')
  let next = 0
  for (const { groups } of body.slice(1).matchAll(entry)) {
    const at = Number(groups?.index ?? next++)
    const read = unquoted(groups?.name ?? '')
    if (at < mostClasses && read) names.set(at, read)
  }
  return names
}

/** A name as a form shows it. */
function unquoted(text: string): string {
  const inner = /^(["'])(.*)\1$/s.exec(text.trim())?.[2]
  const name = inner === undefined ? text : inner.replace(/\\(.)|'(')/g, '$1$2')
  return name.replace(/\s+/g, ' ').trim().slice(0, 60).trim()
}

/**
 * Class names out of what somebody pastes: what `classNames` reads, or one a line as in `classes.txt`, in order or with
 * their numbers as in `data.yaml` (`0: person`, `- person`, `0,person`; `0 person` where every line has one). Of a whole
 * `data.yaml` only what stands under `names`.
 */
export function pastedNames(text: string): Map<number, string> {
  const key = /^([ \t]*)(["']?)names\2[ \t]*[:=]/im.exec(text)
  const body = key ? text.slice(key.index + key[0].length) : text
  // A list of lines may begin with a bracket too: it does not end with one.
  if (/^\s*[[({]/.test(body) && (key || /[\])}]\s*$/.test(body))) return classNames(body)
  const lines = (key ? underKey(body, key[1] ?? '') : body)
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const numbered = lines.every((line) => /^\d{1,4}\s+\S/.test(line))
    ? /^(\d{1,4})\s+(.*)$/
    : /^(\d{1,4})\s*[:=,;\t]\s*(.*)$/
  const names = new Map<number, string>()
  for (const [i, line] of lines.entries()) {
    const [, index = i, rest = line.replace(/^-\s+/, '')] = numbered.exec(line) ?? []
    const name = unquoted(rest.replace(/(["']),$/, '$1'))
    if (Number(index) < mostClasses && name) names.set(Number(index), name)
  }
  return names
}

/** What stands under a key of YAML: up to the next key that is indented no more than it, without comments. */
function underKey(body: string, indent: string): string {
  const next = new RegExp(String.raw`^[ \t]{0,${indent.length}}[a-z_][\w-]*[ \t]*:`, 'im').exec(body)
  return body.slice(0, next?.index).replace(/(^|[ \t])#[^"'\n]*$/gm, '')
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
