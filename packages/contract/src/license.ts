import { bundleKeys } from '@sightline/domain'
import * as z from 'zod'
import { id, requiredLine, stored, thing, version, whole } from './field.ts'
import { op } from './op.ts'

export const licenseEntity = z
  .object({
    license_id: z.uuid(),
    license_name: z.string(),
    license_key: z.string(),
    /** The last four characters of the key, by which people know it; null of the built-in one. */
    key_tail: z.string().nullable(),
    /** For whom it was made; told, not enforced. */
    customer: z.string(),
    /** Bundles that it covers; null covers all. */
    bundles: z.array(z.enum(bundleKeys)).nullable(),
    channel_limit: z.int(),
    channels_used: z.int(),
    valid_from: z.string().nullable(),
    expires_at: z.string().nullable(),
    /** Whole days left, 0 on the last one and afterwards; null: no end. Screens tell of 30, 7 and 1. */
    expires_in_days: z.int().nullable(),
    is_builtin: z.boolean(),
    state: z.enum(['valid', 'foreign', 'upcoming', 'expiring', 'expired', 'exceeded']),
    nimble_ids: z.array(z.uuid()),
    ...stored,
  })
  .meta({ id: 'License' })
export type License = z.infer<typeof licenseEntity>

const moment = z.iso.datetime({ offset: true, error: 'moment_invalid' })
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
  issue: op({
    method: 'POST',
    path: '/license/issue',
    summary: 'Make a licence key for a customer of this instance, signed with its own key; shown this once',
    access: 'super_admin_only',
    input: z.strictObject({
      customer: requiredLine(1),
      channels: whole.pipe(z.number().min(1, 'greater_than:0').max(1_000_000, 'at_most:1000000')),
      bundles: z.array(z.enum(bundleKeys)).min(1, 'required').nullable().default(null),
      from: moment.nullable().default(null),
      until: moment.nullable().default(null),
    }),
    output: z.object({
      license_key: z.string(),
      customer: z.string(),
      channels: z.int(),
      bundles: z.array(z.enum(bundleKeys)).nullable(),
      from: z.string().nullable(),
      until: z.string().nullable(),
    }),
  }),
  update: op({
    method: 'PATCH',
    path: '/license',
    summary: 'Rename a licence or replace its key; with `dry_run` only what it would be',
    access: 'super_admin_only',
    input: z.strictObject({
      license_id: id,
      license_name: thing.optional(),
      license_key: z.literal('****').or(key).optional(),
      dry_run: z.boolean().default(false),
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
