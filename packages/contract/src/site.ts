import { usecaseKeys } from '@sightline/domain'
import * as z from 'zod'
import { assigned, assignedIds, unassigned } from './assign.ts'
import { device } from './device.ts'
import { metricStat } from './event.ts'
import {
  country,
  description,
  id,
  line,
  optionalLine,
  optionalPaging,
  queryList,
  search,
  stored,
  thing,
  timezone,
  uploaded,
  version,
  whole,
  zip,
} from './field.ts'
import { health, healthRule, siteHealth } from './health.ts'
import { op } from './op.ts'

export const siteAddress = z
  .strictObject({
    site_unit: line().default(''),
    site_street: line().default(''),
    site_area: line().default(''),
    site_city: optionalLine(2).default(''),
    site_state: optionalLine(2).default(''),
    site_country: country.default(''),
    site_zip: zip.default(''),
    site_timezone: timezone,
    lat: z.number().min(-90, 'lat_invalid').max(90, 'lat_invalid').nullable().default(null),
    long: z.number().min(-180, 'long_invalid').max(180, 'long_invalid').nullable().default(null),
  })
  .refine((a) => (a.lat === null) === (a.long === null), { path: ['long'], error: 'lat_long_both' })
  .meta({ id: 'SiteAddress' })

export const siteEntity = z
  .object({
    site_id: z.uuid(),
    site_name: z.string(),
    customer_id: z.uuid(),
    site_address: siteAddress,
    site_image: z.string().nullable(),
    /** Faces are compared here: by whom it was switched on and when, and what people are told about it. */
    faces_allowed: z.boolean(),
    faces_allowed_by: z.string().nullable(),
    faces_allowed_at: z.string().nullable(),
    faces_notice: z.string(),
    /** For how many days people are known from when they agreed; null: until somebody deletes them. */
    faces_days: z.int().nullable(),
    site_total_devices: z.int(),
    /** Of 24 hours; null: not known. */
    site_notifications: z.int().nullable(),
    site_active_channels: z.int(),
    /** Channels whose health is `needs attention` or `offline`: with one of them the site is not healthy. */
    site_attention_channels: z.int(),
    site_health: health,
    /** Tags of its cameras, as `tag_name` of each, sorted. */
    site_tags: z.array(z.string()),
    site_devices: z.array(device).optional(),
    ...stored,
  })
  .meta({ id: 'Site' })
export type Site = z.infer<typeof siteEntity>

/** What a map needs of a site. */
export const sitePlace = z
  .object({
    site_id: z.uuid(),
    site_name: z.string(),
    /** Both null: not placed. */
    lat: z.number().nullable(),
    long: z.number().nullable(),
    site_health: health,
    site_total_devices: z.int(),
    site_attention_channels: z.int(),
  })
  .meta({ id: 'SitePlace' })
export type SitePlace = z.infer<typeof sitePlace>

const days = whole.pipe(z.number().min(1, 'range:1:3650').max(3650, 'range:1:3650'))

export const siteDraft = z.strictObject({
  site_name: thing,
  customer_id: id,
  site_address: siteAddress,
  site_image: uploaded.nullable().default(null),
  faces_allowed: z.boolean().default(false),
  faces_notice: description.default(''),
  faces_days: days.nullable().default(null),
  organization_id: id.optional(),
})
/** Sites of one call; a longer table is sent in several. */
export const importedSites = 100
export const siteChange = z.strictObject({
  site_id: id,
  site_name: thing.optional(),
  site_address: siteAddress.optional(),
  site_image: uploaded.nullable().optional(),
  faces_allowed: z.boolean().optional(),
  /** What people are told; without one faces are not allowed. */
  faces_notice: description.optional(),
  /** Of people who agreed longer ago nothing is kept, within minutes. */
  faces_days: days.nullable().optional(),
  version,
})

export const site = {
  create: op({
    method: 'PUT',
    path: '/site/create',
    summary: 'Create a site',
    access: 'admin_and_above',
    input: siteDraft,
    output: siteEntity,
    status: 201,
  }),
  import: op({
    method: 'POST',
    path: '/site/import',
    summary:
      'Create sites, each by itself: what is refused to one is done for the rest; what has an address and no position is looked up',
    access: 'admin_and_above',
    // Each may ask the geocoder for all of its sites.
    perMinute: 30,
    input: z.strictObject({
      sites: z.array(siteDraft).min(1, 'required').max(importedSites, `at_most_items:${importedSites}`),
    }),
    output: z.object({
      rows: z.array(
        z.object({
          /** Position in `sites`, from 0. */
          row: z.int(),
          outcome: z.enum(['created', 'failed']),
          site_id: z.uuid().nullable(),
          /** Whether it has a position: its own, or that of its address. */
          is_placed: z.boolean(),
          /** What is wrong at fields of the row, as of the same site alone. */
          errors: z.record(z.string(), z.array(z.string())),
          /** Why it failed, where no field says it. */
          error_code: z.string().nullable(),
        }),
      ),
    }),
  }),
  list: op({
    method: 'GET',
    path: '/site/list',
    summary: 'Sites by name, of a customer or all in reach; at most 500 without a limit',
    access: 'viewer_and_above',
    input: z.strictObject({
      customer_id: id.optional(),
      organization_id: id.optional(),
      /** In the name of the site or of its customer. */
      q: search,
      /** Sites where it runs on a camera. */
      usecase_key: z.enum(usecaseKeys, { error: 'one_of' }).optional(),
      ...optionalPaging,
    }),
    output: z.array(siteEntity),
  }),
  map: op({
    method: 'GET',
    path: '/site/map',
    summary: 'What a map needs of the sites of a customer or of all in reach, by name; at most 20,000',
    access: 'viewer_and_above',
    compressed: true,
    input: z.strictObject({
      customer_id: id.optional(),
      /** Sites where it runs on a camera. */
      usecase_key: z.enum(usecaseKeys, { error: 'one_of' }).optional(),
    }),
    output: z.array(sitePlace),
  }),
  get: op({
    method: 'GET',
    path: '/site',
    summary: 'One site with its devices',
    access: 'viewer_and_above',
    input: z.strictObject({ site_id: id }),
    output: siteEntity,
  }),
  update: op({
    method: 'PATCH',
    path: '/site',
    summary: 'Change a site',
    access: 'admin_and_above',
    input: siteChange,
    output: siteEntity,
  }),
  delete: op({
    method: 'DELETE',
    path: '/site',
    summary: 'Delete a site that has no devices',
    access: 'admin_and_above',
    input: z.strictObject({ site_id: id }),
    output: z.object({ site_id: z.uuid() }),
  }),
  view: op({
    method: 'GET',
    path: '/site/view',
    summary: 'The face of a site: its numbers of 24 hours, by use case',
    access: 'viewer_and_above',
    input: z.strictObject({ site_id: id }),
    output: z.object({
      site: siteEntity,
      usecases: z.array(z.object({ usecase_key: z.enum(usecaseKeys), metrics: z.array(metricStat) })),
    }),
  }),
  health: op({
    method: 'GET',
    path: '/site/health',
    summary: 'How the cameras of a site fare, since when and by what signs; with the health rule of the site',
    access: 'viewer_and_above',
    input: z.strictObject({ site_id: id, health: queryList(health).optional(), ...optionalPaging }),
    output: siteHealth,
  }),
  healthRule: op({
    method: 'PATCH',
    path: '/site/health/rule',
    summary: 'Change when people are told that a camera of a site fails',
    access: 'admin_and_above',
    input: z.strictObject({
      site_id: id,
      grace_minutes: whole.pipe(z.number().min(1, 'range_1_60').max(60, 'range_1_60')).optional(),
      is_active: z.boolean().optional(),
      version,
    }),
    output: healthRule,
  }),
  assign: op({
    method: 'POST',
    path: '/site/assign',
    summary: 'Let a person reach sites',
    access: 'admin_and_above',
    input: z.strictObject({ user_id: id, site_id: assignedIds }),
    output: assigned,
  }),
  unassign: op({
    method: 'POST',
    path: '/site/unassign',
    summary: 'Take sites from a person',
    access: 'admin_and_above',
    input: z.strictObject({ user_id: id, site_id: assignedIds }),
    output: unassigned,
  }),
}
