import { bundles, metricIds, usecaseKeys } from '@sightline/domain'
import * as z from 'zod'
import { assigned, assignedIds, unassigned } from './assign.ts'
import { frequencies, siteReport, timePoint } from './event.ts'
import { id } from './field.ts'
import { op } from './op.ts'
import { elements, elementValue } from './reported.ts'

export const usecaseEntity = z
  .object({
    usecase_id: z.uuid(),
    usecase_key: z.enum(usecaseKeys),
    usecase_name: z.string(),
    usecase_meta_key: z.array(z.enum(metricIds)),
    bundle_id: z.uuid(),
    needs_model: z.boolean(),
    needs_calibration: z.boolean(),
    needs_line: z.boolean(),
    experimental: z.boolean(),
    /** Whether the edge servers of this version can run it without a model or calibration of the user's. */
    built_in: z.boolean(),
  })
  .meta({ id: 'Usecase' })
export type UsecaseEntity = z.infer<typeof usecaseEntity>

/** Use cases go to a person or to a customer. */
const usecaseAssignment = z.strictObject({
  user_id: id.optional(),
  customer_id: id.optional(),
  usecase_id: assignedIds,
})
const isOne = (input: { user_id?: string | undefined; customer_id?: string | undefined }) =>
  (input.user_id === undefined) !== (input.customer_id === undefined)
const oneOfBoth = { path: ['user_id'], error: 'person_or_customer' }

export const usecase = {
  list: op({
    method: 'POST',
    path: '/usecase/list',
    summary: 'Use cases',
    access: 'viewer_and_above',
    reads: true,
    input: z.strictObject({
      customer_id: id.optional(),
      site_id: id.optional(),
      channel_id: id.optional(),
      bundle_id: id.optional(),
    }),
    output: z.array(usecaseEntity),
  }),
  get: op({
    method: 'GET',
    path: '/usecase',
    summary: 'One use case',
    access: 'viewer_and_above',
    input: z.strictObject({ usecase_id: id }),
    output: usecaseEntity,
  }),
  report: op({
    method: 'POST',
    path: '/usecase/report',
    summary:
      'What the use cases of sites say of a period; beyond 20 sites or 31 days a job, whose result is the same report',
    access: 'viewer_and_above',
    compressed: true,
    reads: true,
    input: z.strictObject({
      site_id: z.array(id).min(1, 'required').max(200, 'at_most_items:200'),
      /** None: all. */
      usecase_id: z.array(id).max(usecaseKeys.length, 'too_many').default([]),
      start: timePoint.default('-24h'),
      end: timePoint.default('0ms'),
      agg_frequency: z.enum(frequencies, { error: 'one_of' }).optional(),
      timezone: z.string().max(64).optional(),
    }),
    output: z.union([siteReport, z.object({ job_id: z.uuid() })]),
  }),
  assign: op({
    method: 'POST',
    path: '/usecase/assign',
    summary: 'Narrow what a person sees, or a customer is offered, to use cases; without any, all are',
    access: 'admin_and_above',
    input: usecaseAssignment.refine(isOne, oneOfBoth),
    output: assigned,
  }),
  unassign: op({
    method: 'POST',
    path: '/usecase/unassign',
    summary: 'Take use cases from a person or a customer',
    access: 'admin_and_above',
    input: usecaseAssignment
      .extend({
        /** That a customer may be left with none, which allows all; 409 otherwise. */
        all: z.boolean().default(false),
      })
      .refine(isOne, oneOfBoth),
    output: unassigned,
  }),
}

export const bundleEntity = z
  .object({
    bundle_id: z.uuid(),
    bundle_name: z.string(),
    type: z.enum(Object.keys(bundles) as [keyof typeof bundles]),
    /** By usecase_name, case-insensitive. */
    bundle_usecases: z.array(usecaseEntity),
  })
  .meta({ id: 'Bundle' })
export type Bundle = z.infer<typeof bundleEntity>

/** What a use case starts with on a new channel, and its alerts with: the factory's, until an organization sets its own. */
export const bundleDefaults = z
  .object({
    bundle_usecase: z.enum(usecaseKeys),
    /** Whether the organization has set its own. */
    is_own: z.boolean(),
    factory: z.object({ pipeline_elements: elements, auto_recovery: z.boolean() }),
    defaults: z.object({
      pipeline_elements: elements,
      thresholds: z.array(z.json()),
      window_s: z.int(),
      cooldown_s: z.int(),
      auto_recovery: z.boolean(),
    }),
  })
  .meta({ id: 'BundleDefaults' })

export const bundle = {
  defaultsGet: op({
    method: 'GET',
    path: '/bundle/config/defaults/get',
    summary: 'What a use case starts with',
    access: 'admin_and_above',
    input: z.strictObject({
      bundle_usecase: z.enum(usecaseKeys, { error: 'one_of' }),
      organization_id: id.optional(),
    }),
    output: bundleDefaults,
  }),
  defaultsSet: op({
    method: 'PATCH',
    path: '/bundle/config/defaults/set',
    summary: 'Set what a use case starts with in an organization; null brings the factory’s back',
    access: 'super_admin_only',
    input: z.strictObject({
      bundle_usecase: z.enum(usecaseKeys, { error: 'one_of' }),
      organization_id: id.optional(),
      /** Elements that are left out are the factory’s. */
      defaults: z
        .strictObject({
          pipeline_elements: z.record(z.string(), elementValue).default({}),
          window_s: z.int().optional(),
          auto_recovery: z.boolean().default(true),
        })
        .nullable(),
    }),
    output: bundleDefaults,
  }),
  list: op({
    method: 'GET',
    path: '/bundle/list',
    summary: 'Bundles with their use cases',
    access: 'viewer_and_above',
    input: z.strictObject({ type: z.enum(Object.keys(bundles) as [keyof typeof bundles]).optional() }),
    output: z.array(bundleEntity),
  }),
}
