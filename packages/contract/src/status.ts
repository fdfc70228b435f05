import { diskLevels } from '@sightline/domain'
import * as z from 'zod'
import { queryFlag } from './field.ts'
import { op } from './op.ts'

export const applicationStatus = z
  .object({
    nimble_module: z.boolean(),
    websocket_module: z.boolean(),
    smtp_module: z.boolean(),
    sms_module: z.boolean(),
    is_onboarding: z.boolean(),
    version: z.string(),
    brand_name: z.string(),
    auth_providers: z.array(z.object({ kind: z.string(), name: z.string(), start_url: z.string() })),
    license_count: z.int(),
    /** Whether this instance makes licence keys; false where they come from a vendor. */
    issues_licenses: z.boolean(),
    /** Below: only with is_detail. */
    modules: z
      .array(
        z.object({
          name: z.string(),
          state: z.string(),
          since: z.string().nullable(),
          cause: z.string().nullable(),
          /** Of an edge server; null of what belongs to the portal. */
          nimble_id: z.uuid().nullable(),
          is_local: z.boolean(),
          /** Events that wait there for the portal; null while nobody can tell. */
          waiting_events: z.int().nullable(),
        }),
      )
      .optional(),
    database: z.object({ version: z.string(), size_bytes: z.number(), row_security: z.boolean() }).optional(),
    /** Long work of the organization: what runs and waits now, what failed in the last 24 hours; by kind where there is some. */
    jobs: z
      .object({
        running: z.int(),
        waiting: z.int(),
        failed: z.int(),
        kinds: z.array(z.object({ kind: z.string(), running: z.int(), waiting: z.int(), failed: z.int() })),
      })
      .optional(),
    disks: z
      .array(
        z.object({
          path: z.string(),
          free_bytes: z.number(),
          total_bytes: z.number(),
          /** Used share, 0…1. */
          use: z.number(),
          /** What its filling costs of events now; null where events are stored elsewhere. */
          level: z.enum(diskLevels).nullable(),
          /** What has to go until nothing is given up; 0 while all is well. */
          to_free_bytes: z.number(),
        }),
      )
      .optional(),
    tzdata: z.string().optional(),
    uptime_s: z.number().optional(),
  })
  .meta({ id: 'ApplicationStatus' })
export type ApplicationStatus = z.infer<typeof applicationStatus>

export const status = {
  get: op({
    method: 'GET',
    path: '/status',
    summary: 'What the portal is and which modules answer',
    access: 'public',
    input: z.strictObject({ is_detail: queryFlag().default(false) }),
    output: applicationStatus,
  }),
}
