/** What a detection model may tell apart, in our words, and what each use case must be told. */
import type { PipelineElements } from './pipeline-item.ts'
import type { UsecaseKey } from './usecase.ts'

/** A model's own labels are mapped to these when it is uploaded. */
export const detectionLabels = [
  'person',
  'face',
  'mask',
  'no_mask',
  'helmet',
  'no_helmet',
  'vest',
  'no_vest',
  'vehicle',
  'forklift',
  'fire',
  'smoke',
] as const
export type DetectionLabel = (typeof detectionLabels)[number]

/** What protects a person, as far as it can be asked for; each has its label for "not worn". */
export const protections = ['helmet', 'vest'] as const
export type Protection = (typeof protections)[number]

/** Of each group a model must know at least one label. */
export type LabelGroups = readonly (readonly DetectionLabel[])[]

const people: LabelGroups = [['person']]

/** What a model must know to serve a use case; a use case without groups looks for nothing that a model could find. */
export const requiredLabels: Readonly<Record<UsecaseKey, LabelGroups>> = {
  pplcnt: people,
  pplcntavg: people,
  pplocc: people,
  phydist: people,
  ppedtec: [['person'], ['helmet', 'no_helmet', 'vest', 'no_vest']],
  fcmsk: [['mask'], ['no_mask']],
  intrdtec: people,
  loiterdtec: people,
  frdtec: [['fire', 'smoke']],
  coldtec: [['person'], ['vehicle', 'forklift']],
  fcrecog: [['face']],
  ppltrk: people,
  emptyframecheck: [],
}

/** What may be kept out of a zone. */
export const intruderLabels = ['person', 'vehicle', 'forklift'] as const satisfies readonly DetectionLabel[]

/** Words by commas, each of them known and named once, in the order of `known`; null when the text is anything else. */
export function parseWords<T extends string>(text: string, known: readonly T[]): T[] | null {
  const named = text.split(',').map((word) => word.trim())
  const found = known.filter((word) => named.includes(word))
  return found.length > 0 && found.length === named.length ? found : null
}

/** The groups of which `labels` hold nothing; none when they are enough. */
export const unmetLabels = (groups: LabelGroups, labels: readonly DetectionLabel[]): LabelGroups =>
  groups.filter((group) => !group.some((label) => labels.includes(label)))

/**
 * What a use case must be told with this pipeline: where it asks for something in particular (items that must be worn,
 * what may not enter), each of that; else what its row of the table says.
 */
export function labelsFor(key: UsecaseKey, elements: PipelineElements): LabelGroups {
  const text = (element: string) => String(elements[element] ?? '')
  if (key === 'intrdtec')
    return parseWords(text('analytic.labels'), intruderLabels)?.map((label) => [label]) ?? requiredLabels[key]
  const items = key === 'ppedtec' && parseWords(text('analytic.required_items'), protections)
  return items ? [['person'], ...items.map((item) => [item, `no_${item}`] as const)] : requiredLabels[key]
}
