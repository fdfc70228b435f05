import * as z from 'zod'
import { id, requiredLine, stored, thing, version } from './field.ts'
import { op } from './op.ts'

export const licenseEntity = z
  .object({
    license_id: z.uuid(),
    license_name: z.string(),
    license_key: z.string(),
    channel_limit: z.int(),
    channels_used: z.int(),
    valid_from: z.string().nullable(),
    expires_at: z.string().nullable(),
    is_builtin: z.boolean(),
    state: z.enum(['valid', 'expiring', 'expired', 'exceeded']),
    nimble_ids: z.array(z.uuid()),
    ...stored,
  })
  .meta({ id: 'License' })
export type License = z.infer<typeof licenseEntity>

const key = requiredLine(6, 4000)

export const license = {
  list: op({
    method: 'GET',
    path: '/license/list',
    summary: 'Licences and how much of each is used',
    access: 'viewer_and_above',
    input: z.strictObject({}),
    output: z.array(licenseEntity),
  }),
  create: op({
    method: 'PUT',
    path: '/license/create',
    summary: 'Add a licence from its signed key',
    access: 'super_admin_only',
    input: z.strictObject({ license_name: thing, license_key: key, organization_id: id.optional() }),
    output: licenseEntity,
    status: 201,
  }),
  update: op({
    method: 'PATCH',
    path: '/license',
    summary: 'Rename a licence or replace its key',
    access: 'super_admin_only',
    input: z.strictObject({
      license_id: id,
      license_name: thing.optional(),
      license_key: z.literal('****').or(key).optional(),
      version,
    }),
    output: licenseEntity,
  }),
  delete: op({
    method: 'DELETE',
    path: '/license',
    summary: 'Remove a licence that no edge server uses',
    access: 'super_admin_only',
    input: z.strictObject({ license_id: id }),
    output: z.object({ license_id: z.uuid() }),
  }),
}
