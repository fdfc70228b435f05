import { detectionLabels, modelHeads, mostClasses, usecaseKeys, valueRanges } from '@sightline/domain'
import * as z from 'zod'
import { id, requiredLine, stored, thing } from './field.ts'
import { op } from './op.ts'

/** An input or output as the file declares it; a size that is open has a name, or nothing, instead of a number. */
export const tensorShape = z.object({
  name: z.string(),
  type: z.string(),
  dims: z.array(z.union([z.int(), z.string()])),
})
export type TensorShape = z.infer<typeof tensorShape>

/** Class of the model, by number → our label. Classes that are not in it are left out. */
const labelMap = z.record(
  z.string().regex(/^(0|[1-9]\d{0,2})$/, 'label_class'),
  z.enum(detectionLabels, { error: 'one_of' }),
)

export const modelEntity = z
  .object({
    model_id: z.uuid(),
    model_name: z.string(),
    /** Where it was uploaded to. */
    path: z.string(),
    sha256: z.string(),
    size: z.int(),
    opset: z.int(),
    inputs: z.array(tensorShape),
    outputs: z.array(tensorShape),
    /** Of the picture that it looks at. */
    input_width: z.int(),
    input_height: z.int(),
    head: z.enum(modelHeads),
    /** Class names of the file, by number. */
    names: z.record(z.string(), z.string()),
    labels: z.record(z.string(), z.enum(detectionLabels)),
    /** The numbers that it wants colours in; detection models 0…1. */
    value_range: z.enum(valueRanges),
    /** How many numbers an embedding model answers; null of others. */
    vector_length: z.int().nullable(),
    /** What its labels may suffice for. */
    usecase_keys: z.array(z.enum(usecaseKeys)),
    /** Only what could be run becomes a model; `refused`: its file is gone since. */
    state: z.enum(['ready', 'refused']),
    state_cause: z.string().nullable(),
    /** Pipelines that name it. */
    pipelines: z.int(),
    ...stored,
  })
  .meta({ id: 'Model' })
export type Model = z.infer<typeof modelEntity>

/** What a dry run of an uploaded file showed. */
export const modelCheck = z
  .object({
    path: z.string(),
    size: z.int(),
    sha256: z.string(),
    opset: z.int(),
    inputs: z.array(tensorShape),
    outputs: z.array(tensorShape),
    input_width: z.int(),
    input_height: z.int(),
    /** Those whose shapes fit, and the one that was used: the wanted one, or the likeliest. */
    heads: z.array(z.enum(modelHeads)),
    head: z.enum(modelHeads),
    /** How many classes it tells apart; null where its outputs do not say. */
    classes: z.int().nullable(),
    /** How many numbers it answers, with the head `embedding`; else null. */
    vector_length: z.int().nullable(),
    names: z.record(z.string(), z.string()),
    /** Suggested from the names, to be confirmed. */
    labels: z.record(z.string(), z.enum(detectionLabels)),
    /** The runtime's own time for one picture on the portal's computer. */
    run_ms: z.number(),
    /** What it found in an even grey picture; anything but 0 is suspicious. */
    blank_boxes: z.int(),
    /** The picture that it was tried on, JPEG in base64, and what it found there; boxes [x, y, w, h] in 0…1. */
    picture: z.string(),
    boxes: z.array(
      z.object({
        box: z.tuple([z.number(), z.number(), z.number(), z.number()]),
        score: z.number(),
        class_index: z.int(),
      }),
    ),
  })
  .meta({ id: 'ModelCheck' })
export type ModelCheck = z.infer<typeof modelCheck>

const path = requiredLine(1)
const head = z.enum(modelHeads, { error: 'one_of' })

export const model = {
  list: op({
    method: 'GET',
    path: '/model/list',
    summary: 'Models of the organization',
    access: 'viewer_and_above',
    input: z.strictObject({}),
    output: z.array(modelEntity),
  }),
  check: op({
    method: 'POST',
    path: '/model/check',
    summary: 'Read an uploaded .onnx file and run it once on a picture, to be confirmed with PUT /model',
    access: 'admin_and_above',
    reads: true,
    input: z.strictObject({
      path,
      head: head.optional(),
      /** Path of a picture in reach: an uploaded one or a still of a camera; else one that the portal brings along. */
      picture: path.optional(),
    }),
    output: modelCheck,
  }),
  create: op({
    method: 'PUT',
    path: '/model',
    summary: 'Add an uploaded model, with its head and labels confirmed; it is run once more',
    access: 'admin_and_above',
    input: z
      .strictObject({
        model_name: thing,
        path,
        head,
        labels: labelMap.refine((map) => Object.keys(map).length <= mostClasses, 'too_many').default({}),
        value_range: z.enum(valueRanges, { error: 'one_of' }).default('unit'),
      })
      // An embedding model tells nothing apart by itself.
      .refine(({ head, labels }) => head === 'embedding' || Object.keys(labels).length > 0, {
        path: ['labels'],
        error: 'label_required',
      }),
    output: modelEntity,
    status: 201,
  }),
  delete: op({
    method: 'DELETE',
    path: '/model',
    summary: 'Delete a model that no pipeline uses, with its file',
    access: 'admin_and_above',
    input: z.strictObject({ model_id: id }),
    output: z.object({ model_id: z.uuid() }),
  }),
}
