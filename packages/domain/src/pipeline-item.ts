/** What is told of one element of a pipeline, and how elements are written down. */

export type PipelineValue = string | number | boolean
export type PipelineElements = Record<string, PipelineValue>

export type PipelineItem = {
  key: string
  type: 'text' | 'integer' | 'number' | 'boolean' | 'enum'
  default: PipelineValue | null
  min: number | null
  max: number | null
  unit: PipelineUnit | null
  enum: string[] | null
  required: boolean
  help_en: string
  help_fr: string
  /** Whether a change keeps the learned background and the tracks; else the channel starts anew and warms up. */
  hot_reload: boolean
}

/** `heights`: of a body. */
export const pipelineUnits = ['fps', 'frames', 'heights', 'm', 'px', 's'] as const
export type PipelineUnit = (typeof pipelineUnits)[number]
type Range = { default: number; min: number; max: number; unit?: PipelineUnit }
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
  hot_reload: ['calibration', 'zones', 'analytic', 'sink'].includes(key.split('.')[0] as string),
})
export const integer = (key: string, range: Range, help: Help) => item(key, 'integer', range, help)
export const number = (key: string, range: Range, help: Help) => item(key, 'number', range, help)
export const flag = (key: string, value: boolean, help: Help) => item(key, 'boolean', { default: value }, help)
export const text = (key: string, value: string, help: Help) => item(key, 'text', { default: value }, help)
export const choice = (key: string, values: string[], help: Help) =>
  item(key, 'enum', { default: values[0] as string, enum: values }, help)
