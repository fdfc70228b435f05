import { usecaseKeys } from '@sightline/domain'
import * as z from 'zod'
import { assigned, assignedIds, unassigned } from './assign.ts'
import {
  country,
  description,
  id,
  line,
  optionalLine,
  optionalPaging,
  queryFlag,
  queryList,
  queryNumber,
  search,
  stored,
  thing,
  version,
  zip,
} from './field.ts'
import { health } from './health.ts'
import { op } from './op.ts'
import { siteAddress } from './site.ts'
import { bundleEntity } from './usecase.ts'

export const customerAddress = z
  .strictObject({
    customer_unit: line().default(''),
    customer_street: line().default(''),
    customer_area: line().default(''),
    customer_city: optionalLine(2).default(''),
    customer_state: optionalLine(2).default(''),
    customer_country: country.default(''),
    customer_zip: zip.default(''),
  })
  .meta({ id: 'CustomerAddress' })

export const customerEntity = z
  .object({
    customer_id: z.uuid(),
    customer_name: z.string(),
    name: z.string(),
    description: z.string(),
    is_default: z.boolean(),
    customer_address: customerAddress,
    customer_total_sites: z.int(),
    customer_total_devices: z.int(),
    customer_total_channels: z.int(),
    /** People to whom it is assigned. */
    customer_total_users: z.int(),
    ...stored,
  })
  .meta({ id: 'Customer' })
export type Customer = z.infer<typeof customerEntity>

export const customerDraft = z.strictObject({
  customer_name: thing,
  description: description.default(''),
  is_default: z.boolean().default(false),
  customer_address: customerAddress.prefault({}),
  organization_id: id.optional(),
})
export const customerChange = z.strictObject({
  customer_id: id,
  customer_name: thing.optional(),
  description: description.optional(),
  is_default: z.boolean().optional(),
  customer_address: customerAddress.optional(),
  version,
})

export const customerView = z
  .object({
    customer: customerEntity,
    sites: z.array(
      z.object({
        site_id: z.uuid(),
        site_name: z.string(),
        site_address: siteAddress,
        site_image: z.string().nullable(),
        site_health: health,
        site_total_devices: z.int(),
        site_active_channels: z.int(),
        site_attention_channels: z.int(),
        site_notifications: z.int().nullable(),
        devices: z.array(
          z.object({
            device_id: z.uuid(),
            device_name: z.string(),
            /** Key and value of the device tags, joined by a space. */
            tag_name: z.string(),
            device_tags: z.record(z.string(), z.string()),
            device_health: health,
            health_cause: z.string().nullable(),
            snapshot_url: z.string().nullable(),
            channels: z.array(
              z.object({
                channel_id: z.uuid(),
                channel_name: z.string(),
                usecase_key: z.enum(usecaseKeys),
                usecase_id: z.uuid(),
                is_active: z.boolean(),
                channel_health: health,
                state_cause: z.string().nullable(),
              }),
            ),
          }),
        ),
      }),
    ),
    totals: z.object({
      sites: z.int(),
      devices: z.int(),
      channels: z.int(),
      active_channels: z.int(),
      /** Whose health is `needs attention` or `offline`. */
      attention_channels: z.int(),
      /** Null: not known. */
      notifications: z.int().nullable(),
      /** Channels of each use case that there is. */
      usecases: z.array(z.object({ usecase_key: z.enum(usecaseKeys), channels: z.int() })),
    }),
  })
  .meta({ id: 'CustomerView' })
export type CustomerView = z.infer<typeof customerView>

export const customer = {
  create: op({
    method: 'PUT',
    path: '/customer/create',
    summary: 'Create a customer',
    access: 'admin_and_above',
    input: customerDraft,
    output: customerEntity,
    status: 201,
  }),
  list: op({
    method: 'GET',
    path: '/customer/list',
    summary: 'Customers in reach by name; at most 500 without a limit',
    access: 'viewer_and_above',
    input: z.strictObject({
      organization_id: id.optional(),
      is_default: queryFlag().optional(),
      q: search,
      ...optionalPaging,
    }),
    output: z.array(customerEntity),
  }),
  get: op({
    method: 'GET',
    path: '/customer',
    summary: 'One customer',
    access: 'viewer_and_above',
    input: z.strictObject({ customer_id: id }),
    output: customerEntity,
  }),
  update: op({
    method: 'PATCH',
    path: '/customer/update',
    summary: 'Change a customer',
    access: 'admin_and_above',
    input: customerChange,
    output: customerEntity,
  }),
  destroy: op({
    method: 'DELETE',
    path: '/customer/destroy',
    summary: 'Delete a customer that has no sites',
    access: 'admin_and_above',
    input: z.strictObject({ customer_id: id }),
    output: z.object({ customer_id: z.uuid() }),
  }),
  view: op({
    method: 'GET',
    path: '/customer/view',
    summary: 'A customer with its sites, and its devices with their channels: at most 500 without a limit',
    access: 'viewer_and_above',
    input: z.strictObject({
      customer_id: id,
      type: queryNumber().pipe(z.literal(1, { error: 'one_of' })),
      /** This site alone. */
      site_id: id.optional(),
      /** These devices alone; totals stay whole. The page counts devices, and beyond the first has only their sites. */
      q: search,
      health: queryList(health).optional(),
      usecase_key: z.enum(usecaseKeys, { error: 'one_of' }).optional(),
      channel_id: queryList(z.uuid(), 500).optional(),
      ...optionalPaging,
    }),
    output: customerView,
  }),
  bundle: op({
    method: 'GET',
    path: '/customer/bundle',
    summary: 'Bundles with the use cases assigned to a customer; all of them where none is',
    access: 'viewer_and_above',
    input: z.strictObject({ customer_id: id }),
    output: z.array(bundleEntity),
  }),
  assign: op({
    method: 'POST',
    path: '/customer/assign',
    summary: 'Let a person reach customers, with all their sites',
    access: 'admin_and_above',
    input: z.strictObject({ user_id: id, customer_id: assignedIds }),
    output: assigned,
  }),
  unassign: op({
    method: 'POST',
    path: '/customer/unassign',
    summary: 'Take customers from a person',
    access: 'admin_and_above',
    input: z.strictObject({ user_id: id, customer_id: assignedIds }),
    output: unassigned,
  }),
  siteAssign: op({
    method: 'POST',
    path: '/customer/site/assign',
    summary: 'Move sites to a customer of the same organization',
    access: 'admin_and_above',
    input: z.strictObject({ customer_id: id, site_id: assignedIds }),
    output: assigned,
  }),
  siteUnassign: op({
    method: 'POST',
    path: '/customer/site/unassign',
    summary: "Take sites from a customer: they go to the organization's default customer",
    access: 'admin_and_above',
    input: z.strictObject({ customer_id: id, site_id: assignedIds }),
    output: unassigned,
  }),
}
