/**
 * The elements a pipeline may set, with their defaults: one table for the forms, the portal's checks and the edge server.
 * An element is written `element.param`; a channel's pipeline is a flat map of them. Sources, sinks and zones are entities
 * of their own and have no elements here.
 */
import { isZone } from './timezone.ts'
import type { UsecaseKey } from './usecase.ts'

export type PipelineValue = string | number | boolean
export type PipelineElements = Record<string, PipelineValue>

export type PipelineItem = {
  key: string
  type: 'text' | 'integer' | 'number' | 'boolean' | 'enum'
  default: PipelineValue | null
  min: number | null
  max: number | null
  unit: string | null
  enum: string[] | null
  required: boolean
  help_en: string
  help_fr: string
  /** Whether a change keeps the learned background and the tracks; else the channel starts anew and warms up. */
  hot_reload: boolean
}

type Range = { default: number; min: number; max: number; unit?: string }
type Help = { en: string; fr: string }

const item = (key: string, type: PipelineItem['type'], rest: Partial<PipelineItem>, help: Help): PipelineItem => ({
  key,
  type,
  default: null,
  min: null,
  max: null,
  unit: null,
  enum: null,
  required: false,
  ...rest,
  help_en: help.en,
  help_fr: help.fr,
  hot_reload: key.startsWith('zones.') || key.startsWith('analytic.'),
})
const integer = (key: string, range: Range, help: Help) => item(key, 'integer', range, help)
const number = (key: string, range: Range, help: Help) => item(key, 'number', range, help)
const flag = (key: string, value: boolean, help: Help) => item(key, 'boolean', { default: value }, help)
const text = (key: string, value: string, help: Help) => item(key, 'text', { default: value }, help)
const choice = (key: string, values: string[], help: Help) =>
  item(key, 'enum', { default: values[0] as string, enum: values }, help)

/** Every element, in the order of the pipeline: decode < motion < detector < tracker < zones < analytic. */
export const pipelineCatalog: readonly PipelineItem[] = [
  number(
    'decode.fps',
    { default: 5, min: 0.5, max: 25, unit: 'fps' },
    {
      en: 'Pictures analysed per second.',
      fr: 'Images analysées par seconde.',
    },
  ),
  integer(
    'decode.width',
    { default: 640, min: 160, max: 1920, unit: 'px' },
    {
      en: 'Greatest width of the analysed picture; its shape is kept.',
      fr: 'Largeur maximale de l’image analysée ; ses proportions sont conservées.',
    },
  ),
  integer(
    'decode.height',
    { default: 480, min: 120, max: 1080, unit: 'px' },
    {
      en: 'Greatest height of the analysed picture; its shape is kept.',
      fr: 'Hauteur maximale de l’image analysée ; ses proportions sont conservées.',
    },
  ),
  flag('decode.on_demand', true, {
    en: 'While nothing moves, look at a picture now and then only; from the first movement on at all of them.',
    fr: 'Tant que rien ne bouge, ne regarder une image que de temps en temps ; dès le premier mouvement, toutes.',
  }),
  integer(
    'motion.width',
    { default: 320, min: 160, max: 640, unit: 'px' },
    {
      en: 'Width at which motion is looked for. 640 finds smaller people and costs four times as much.',
      fr: 'Largeur à laquelle le mouvement est recherché. 640 trouve des personnes plus petites et coûte quatre fois plus.',
    },
  ),
  integer(
    'motion.history',
    { default: 300, min: 50, max: 2000, unit: 'frames' },
    {
      en: 'Pictures the background remembers.',
      fr: 'Nombre d’images que l’arrière-plan garde en mémoire.',
    },
  ),
  number(
    'motion.var_threshold',
    { default: 25, min: 4, max: 100 },
    {
      en: 'How much a pixel must differ from the background to count as motion. Higher resists noise, lower finds low contrast.',
      fr: 'Écart au fond à partir duquel un pixel compte comme mouvement. Plus haut résiste au bruit, plus bas trouve les faibles contrastes.',
    },
  ),
  flag('motion.shadows', true, {
    en: 'Recognise shadows and leave them out.',
    fr: 'Reconnaître les ombres et les écarter.',
  }),
  number(
    'motion.min_area',
    { default: 0.0006, min: 0.0001, max: 0.2 },
    {
      en: 'Smallest moving area, as a share of the picture.',
      fr: 'Plus petite surface en mouvement, en part de l’image.',
    },
  ),
  integer(
    'motion.recheck_s',
    { default: 10, min: 1, max: 120, unit: 's' },
    {
      en: 'How often the detector looks again at somebody who stands still.',
      fr: 'Fréquence à laquelle le détecteur revérifie une personne immobile.',
    },
  ),
  choice('detector.kind', ['hog', 'onnx', 'motion'], {
    en: 'hog finds upright people of about 96 pixels and more, without a model. onnx runs your model. motion counts everything that moves, people or not.',
    fr: 'hog trouve les personnes debout d’environ 96 pixels et plus, sans modèle. onnx exécute votre modèle. motion compte tout ce qui bouge, personnes ou non.',
  }),
  text('detector.model', '', {
    en: 'The uploaded model, for onnx.',
    fr: 'Le modèle téléversé, pour onnx.',
  }),
  number(
    'detector.conf',
    { default: 0.56, min: 0.05, max: 0.99 },
    {
      en: 'Least score of a detection. For hog 0.5 plus 0.3 times the margin of the classifier.',
      fr: 'Score minimal d’une détection. Pour hog : 0,5 plus 0,3 fois la marge du classifieur.',
    },
  ),
  number(
    'detector.nms',
    { default: 0.4, min: 0.1, max: 0.9 },
    {
      en: 'Overlap from which two boxes are one object.',
      fr: 'Recouvrement à partir duquel deux cadres sont un seul objet.',
    },
  ),
  number(
    'detector.hog_scale',
    { default: 1.1, min: 1.03, max: 1.5 },
    {
      en: 'Step between the sizes searched. Smaller finds more and costs more.',
      fr: 'Pas entre les tailles recherchées. Plus petit trouve davantage et coûte davantage.',
    },
  ),
  integer(
    'detector.target_px',
    { default: 115, min: 96, max: 200, unit: 'px' },
    {
      en: 'Height to which a moving region is enlarged before the search.',
      fr: 'Hauteur à laquelle une zone en mouvement est agrandie avant la recherche.',
    },
  ),
  number(
    'tracker.iou',
    { default: 0.15, min: 0.05, max: 0.9 },
    {
      en: 'Least likeness of a detection and a track.',
      fr: 'Ressemblance minimale entre une détection et une piste.',
    },
  ),
  number(
    'tracker.dist_gate',
    { default: 0.9, min: 0, max: 3, unit: 'heights' },
    {
      en: 'How far somebody may move between two pictures, in body heights; 0 compares overlap only.',
      fr: 'Déplacement possible entre deux images, en hauteurs de corps ; 0 ne compare que le recouvrement.',
    },
  ),
  number(
    'tracker.max_lost_s',
    { default: 3, min: 0.2, max: 30, unit: 's' },
    {
      en: 'How long a person who is not seen is kept in mind.',
      fr: 'Durée pendant laquelle une personne qui n’est plus vue est gardée en mémoire.',
    },
  ),
  integer(
    'tracker.min_hits',
    { default: 2, min: 1, max: 20 },
    {
      en: 'Detections needed before somebody counts.',
      fr: 'Détections nécessaires avant qu’une personne compte.',
    },
  ),
  integer(
    'zones.enter_hits',
    { default: 3, min: 1, max: 50 },
    {
      en: 'Pictures somebody must be seen in a zone before being inside.',
      fr: 'Nombre d’images dans la zone avant que la personne soit considérée à l’intérieur.',
    },
  ),
  number(
    'zones.leave_s',
    { default: 1, min: 0, max: 30, unit: 's' },
    {
      en: 'Time outside a zone before somebody has left it.',
      fr: 'Temps hors de la zone avant que la personne en soit sortie.',
    },
  ),
  number(
    'zones.line_margin',
    { default: 0.03, min: 0, max: 0.5, unit: 'heights' },
    {
      en: 'How far past a line somebody must be, in body heights, before it counts as crossed.',
      fr: 'Distance au-delà d’une ligne, en hauteurs de corps, pour qu’elle compte comme franchie.',
    },
  ),
  number(
    'zones.min_dwell_s',
    { default: 1, min: 0, max: 600, unit: 's' },
    {
      en: 'Time inside a zone before it is an intrusion.',
      fr: 'Temps dans une zone avant qu’il s’agisse d’une intrusion.',
    },
  ),
  integer(
    'analytic.window_s',
    { default: 5, min: 1, max: 60, unit: 's' },
    {
      en: 'Length of the window that one record sums up.',
      fr: 'Durée de la fenêtre que résume un enregistrement.',
    },
  ),
  integer(
    'analytic.cooldown_s',
    { default: 30, min: 0, max: 3600, unit: 's' },
    {
      en: 'The same situation within this time goes on under its id instead of being a new event.',
      fr: 'Dans ce délai, la même situation se poursuit sous son identifiant au lieu d’être un nouvel événement.',
    },
  ),
  number(
    'analytic.min_height',
    { default: 0, min: 0, max: 1 },
    {
      en: 'Smaller people are left out; share of the picture’s height.',
      fr: 'Les personnes plus petites sont écartées ; part de la hauteur de l’image.',
    },
  ),
  integer(
    'analytic.average_s',
    { default: 60, min: 5, max: 3600, unit: 's' },
    {
      en: 'Length of the sliding average.',
      fr: 'Durée de la moyenne glissante.',
    },
  ),
  integer(
    'analytic.base',
    { default: 0, min: 0, max: 10000 },
    {
      en: 'People inside when counting starts, and after each reset.',
      fr: 'Personnes à l’intérieur au début du comptage et après chaque remise à zéro.',
    },
  ),
  text('analytic.reset_at', '', {
    en: 'Time of day at which occupancy goes back to its base, as HH:mm; empty never.',
    fr: 'Heure à laquelle l’occupation revient à sa base, au format HH:mm ; vide : jamais.',
  }),
  text('analytic.timezone', 'UTC', {
    en: 'Time zone of the reset, for example America/Montreal.',
    fr: 'Fuseau horaire de la remise à zéro, par exemple America/Montreal.',
  }),
  integer(
    'analytic.hold_s',
    { default: 10, min: 1, max: 3600, unit: 's' },
    {
      en: 'How long the view must be empty or blind before it is an event.',
      fr: 'Durée pendant laquelle la vue doit être vide ou aveugle avant d’être un événement.',
    },
  ),
]

const byKey = new Map(pipelineCatalog.map((entry) => [entry.key, entry]))

/** Elements that only some use cases have; all others are everybody's. */
const only: Record<string, readonly UsecaseKey[]> = {
  'zones.min_dwell_s': ['intrdtec'],
  'analytic.min_height': ['pplcnt', 'pplcntavg', 'pplocc', 'ppltrk', 'intrdtec', 'loiterdtec', 'phydist'],
  'analytic.average_s': ['pplcntavg'],
  'analytic.base': ['pplocc'],
  'analytic.reset_at': ['pplocc'],
  'analytic.timezone': ['pplocc'],
  'analytic.hold_s': ['emptyframecheck'],
}

/** Where a use case starts from something other than the catalogue's default. */
const special: Partial<Record<UsecaseKey, PipelineElements>> = {
  ppedtec: { 'detector.kind': 'onnx' },
  fcmsk: { 'detector.kind': 'onnx' },
  fcrecog: { 'detector.kind': 'onnx' },
  // Both read how things change from picture to picture.
  coldtec: { 'detector.kind': 'onnx', 'decode.fps': 10, 'decode.on_demand': false },
  frdtec: { 'detector.kind': 'onnx', 'decode.fps': 12, 'decode.on_demand': false },
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
  return faults
}

const textRules: Record<string, (value: string) => string | null> = {
  'analytic.reset_at': (value) => (value === '' || /^([01]\d|2[0-3]):[0-5]\d$/.test(value) ? null : 'time_of_day'),
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

/**
 * Whether an edge server of this version runs a use case with nothing from the user but zones:
 * `null` when it does, else the cause it answers instead.
 */
export const usecaseGap: Record<UsecaseKey, 'needs_model' | 'needs_calibration' | 'usecase_later' | null> = {
  pplcnt: null,
  pplcntavg: null,
  pplocc: null,
  intrdtec: null,
  ppltrk: null,
  emptyframecheck: null,
  loiterdtec: 'usecase_later',
  phydist: 'needs_calibration',
  ppedtec: 'needs_model',
  fcmsk: 'needs_model',
  frdtec: 'needs_model',
  coldtec: 'needs_model',
  fcrecog: 'needs_model',
}
