import * as z from 'zod'
import { description, greaterThan, id, stored, thing, version } from './field.ts'
import { op } from './op.ts'

export const organizationEntity = z
  .object({
    organization_name: z.string(),
    description: z.string(),
    is_default: z.boolean(),
    raw_days: z.int(),
    rollup_days: z.int(),
    ...stored,
  })
  .meta({ id: 'Organization' })
export type Organization = z.infer<typeof organizationEntity>

/** A century is for ever. */
const days = greaterThan(0).pipe(z.number().max(36_500))

export const organizationDraft = z.strictObject({
  organization_name: thing,
  description: description.default(''),
  raw_days: days.default(7),
  rollup_days: days.default(400),
})
export const organizationChange = z.strictObject({
  organization_id: id,
  organization_name: thing.optional(),
  description: description.optional(),
  raw_days: days.optional(),
  rollup_days: days.optional(),
  version,
})

export const organization = {
  create: op({
    method: 'PUT',
    path: '/organization/create',
    summary: 'Create an organization',
    access: 'super_admin_only',
    input: organizationDraft,
    output: organizationEntity,
    status: 201,
  }),
  list: op({
    method: 'GET',
    path: '/organization/list',
    summary: 'Organizations in reach',
    access: 'viewer_and_above',
    input: z.strictObject({}),
    output: z.array(organizationEntity),
  }),
  update: op({
    method: 'PATCH',
    path: '/organization',
    summary: 'Change an organization',
    access: 'super_admin_only',
    input: organizationChange,
    output: organizationEntity,
  }),
  delete: op({
    method: 'DELETE',
    path: '/organization',
    summary: 'Delete an empty organization',
    access: 'super_admin_only',
    input: z.strictObject({ organization_id: id }),
    output: z.object({ organization_id: z.uuid() }),
  }),
}
