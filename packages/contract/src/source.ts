import { defaultRate } from '@sightline/domain'
import * as z from 'zod'
import { cameraPassword, sourceRoles, streamAddress } from './device.ts'
import { id, queryFlag, stored, thing, version, whole } from './field.ts'
import { op } from './op.ts'

const streamId = z
  .string()
  .min(2, 'min_length_2')
  .max(64, 'too_long')
  .regex(/^[A-Za-z0-9_/-]+$/, 'name_characters')
const rate = whole.pipe(z.number().min(1, 'greater_than:0').max(60)).meta({
  description: 'No more pictures a second of this stream are analysed, whatever the pipelines of its analytics want',
})
const proxy = z.string().max(255).nullable().meta({
  description: 'Kept and answered, without effect: edge servers read cameras directly',
})

export const sourceEntity = z
  .object({
    source_id: z.uuid(),
    source_name: z.string(),
    stream_id: z.string(),
    nimble_id: z.uuid(),
    device_id: z.uuid(),
    source_address: z.string(),
    proxy: z.string().nullable(),
    rate: z.int(),
    type: z.enum(['rtsp', 'file', 'onvif']),
    role: z.enum(sourceRoles),
    is_default: z.boolean(),
    ...stored,
  })
  .meta({ id: 'Source' })
export type Source = z.infer<typeof sourceEntity>

export const source = {
  create: op({
    method: 'POST',
    path: '/source/create',
    summary: 'Add a stream to a device',
    access: 'admin_and_above',
    input: z.strictObject({
      source_name: thing,
      device_id: id,
      nimble_id: id.optional(),
      source_address: streamAddress,
      stream_id: streamId.optional(),
      proxy: proxy.default(null),
      rate: rate.default(defaultRate),
      role: z.enum(sourceRoles).default('both'),
      is_default: z.boolean().default(false),
      /** The camera's, typed again where none of its streams is at this host. */
      password: cameraPassword.optional(),
    }),
    output: sourceEntity,
    status: 201,
  }),
  update: op({
    method: 'PATCH',
    path: '/source',
    summary: 'Change a stream',
    access: 'admin_and_above',
    input: z.strictObject({
      source_id: id,
      source_name: thing.optional(),
      source_address: streamAddress.optional(),
      stream_id: streamId.optional(),
      proxy: proxy.optional(),
      rate: rate.optional(),
      role: z.enum(sourceRoles).optional(),
      is_default: z.boolean().optional(),
      /** The camera's, typed again where none of its streams is at this host. */
      password: cameraPassword.optional(),
      version,
    }),
    output: sourceEntity,
  }),
  delete: op({
    method: 'DELETE',
    path: '/source',
    summary: 'Remove a stream that no channel uses',
    access: 'admin_and_above',
    input: z.strictObject({ source_id: id }),
    output: z.object({ source_id: z.uuid() }),
  }),
  mapping: op({
    method: 'GET',
    path: '/source/mapping',
    summary: 'Which device and channels each stream serves',
    access: 'viewer_and_above',
    input: z.strictObject({ site_id: id.optional(), nimble_id: id.optional(), is_default: queryFlag().optional() }),
    output: z.array(
      z.object({
        site_id: z.uuid(),
        device_id: z.uuid(),
        device_name: z.string(),
        source_id: z.uuid(),
        source_name: z.string(),
        stream_id: z.string(),
        nimble_id: z.uuid(),
        is_default: z.boolean(),
        channel_ids: z.array(z.uuid()),
      }),
    ),
  }),
}
