import { pipelineUnits, usecaseKeys } from '@sightline/domain'
import * as z from 'zod'
import { id, stored, thing, version } from './field.ts'
import { op } from './op.ts'
import { elements, elementValue } from './reported.ts'

export const pipelineEntity = z
  .object({
    pipeline_id: z.uuid(),
    pipeline_name: z.string(),
    pipeline_elements: elements,
    nimble_id: z.uuid(),
    pipeline_reference_key: z.string(),
    pipeline_usecase: z.enum(usecaseKeys),
    ...stored,
  })
  .meta({ id: 'Pipeline' })
export type Pipeline = z.infer<typeof pipelineEntity>

/** A pipeline with the channels that run it, those within the caller's reach. */
export const pipelineUse = pipelineEntity
  .extend({
    channels: z.array(
      z.object({
        channel_id: z.uuid(),
        channel_name: z.string(),
        device_id: z.uuid(),
        site_id: z.uuid(),
        usecase_id: z.uuid(),
      }),
    ),
  })
  .meta({ id: 'PipelineUse' })
export type PipelineUse = z.infer<typeof pipelineUse>

/** The map itself, or the list of key and value that older clients send. */
const elementsIn = z.union([
  elements,
  z
    .array(z.strictObject({ key: z.string(), value: elementValue }))
    .transform((list) => Object.fromEntries(list.map((item) => [item.key, item.value]))),
])
const referenceKey = z.string().regex(/^[a-z0-9_-]{2,64}$/, 'name_characters')

export const catalogItem = z
  .object({
    key: z.string(),
    type: z.enum(['text', 'integer', 'number', 'boolean', 'enum']),
    default: elementValue.nullable(),
    min: z.number().nullable(),
    max: z.number().nullable(),
    unit: z.enum(pipelineUnits).nullable(),
    enum: z.array(z.string()).nullable(),
    required: z.boolean(),
    help_en: z.string(),
    help_fr: z.string(),
    /** Whether a change takes effect without restarting the channel. */
    hot_reload: z.boolean(),
  })
  .meta({ id: 'CatalogItem' })
export type CatalogItem = z.infer<typeof catalogItem>

export const pipeline = {
  list: op({
    method: 'GET',
    path: '/pipeline/list',
    summary: 'Pipelines with the channels that run them: of an edge server, or those that name a model',
    access: 'super_and_admin_access',
    input: z.strictObject({ nimble_id: id.optional(), model_id: id.optional() }),
    output: z.array(pipelineUse),
  }),
  create: op({
    method: 'POST',
    path: '/pipeline/create',
    summary: 'Create a pipeline',
    access: 'admin_and_above',
    input: z.strictObject({
      pipeline_name: thing,
      pipeline_elements: elementsIn.default({}),
      nimble_id: id,
      pipeline_reference_key: referenceKey.optional(),
      pipeline_usecase: z.enum(usecaseKeys),
    }),
    output: pipelineEntity,
    status: 201,
  }),
  update: op({
    method: 'PATCH',
    path: '/pipeline',
    summary: 'Change a pipeline',
    access: 'admin_and_above',
    input: z.strictObject({
      pipeline_id: id,
      pipeline_name: thing.optional(),
      pipeline_elements: elementsIn.optional(),
      version,
    }),
    output: pipelineEntity,
  }),
  delete: op({
    method: 'DELETE',
    path: '/pipeline',
    summary: 'Delete a pipeline that no channel uses',
    access: 'admin_and_above',
    input: z.strictObject({ pipeline_id: id }),
    output: z.object({ pipeline_id: z.uuid() }),
  }),
  defaults: op({
    method: 'GET',
    path: '/pipeline/defaults',
    summary: 'Default elements of a use case',
    access: 'viewer_and_above',
    input: z.strictObject({ usecase_key: z.enum(usecaseKeys) }),
    output: z.object({ usecase_key: z.enum(usecaseKeys), pipeline_elements: elements }),
  }),
  get: op({
    method: 'GET',
    path: '/pipeline',
    summary: 'One pipeline',
    access: 'viewer_and_above',
    input: z.strictObject({ pipeline_id: id }),
    output: pipelineEntity,
  }),
  catalog: op({
    method: 'GET',
    path: '/pipeline/catalog',
    summary: 'Every element a pipeline may set',
    access: 'viewer_and_above',
    input: z.strictObject({ nimble_id: id, key: z.string().max(100).optional() }),
    output: z.array(catalogItem),
  }),
  refresh: op({
    method: 'POST',
    path: '/pipeline/refresh',
    summary: 'Send the configuration of an edge server again',
    access: 'admin_and_above',
    input: z.strictObject({ nimble_id: id }),
    output: z.object({ nimble_id: z.uuid(), version: z.int() }),
  }),
}
