import { shapeFault, zoneKinds } from '@sightline/domain'
import * as z from 'zod'
import { id, stored, thing, version } from './field.ts'
import { op } from './op.ts'

export const directions = ['a_to_b', 'b_to_a', 'both'] as const
const coordinate = z
  .number()
  .min(0, 'outside_picture')
  .max(1, 'outside_picture')
  .transform((value) => Math.round(value * 1e5) / 1e5)
export const points = z
  .array(z.tuple([coordinate, coordinate]))
  .min(1, 'zone_incomplete')
  .max(64, 'too_many')
const aspectRatio = z.number().gt(0.1).lt(10)

/**
 * A zone, line or mask drawn on a picture. A line has two sides: side b is to the right when walking from its first
 * point to its last. Crossing from side a to side b counts `up`, from b to a `down`.
 */
export const zone = z
  .object({
    static_id: z.uuid(),
    source_id: z.uuid(),
    channel_id: z.uuid().nullable(),
    /** zone1, line1, mask1 … in order; numbers are not used again. */
    name: z.string(),
    label: z.string().nullable(),
    kind: z.enum(zoneKinds),
    points: z.array(z.tuple([z.number(), z.number()])),
    direction: z.enum(directions),
    side_a: z.string(),
    side_b: z.string(),
    aspect_ratio: z.number(),
    is_active: z.boolean(),
    /** How long somebody may stay, in seconds, in the range of the use case's own setting; null follows that. */
    dwell_s: z.number().nullable(),
    ...stored,
  })
  .meta({ id: 'Zone' })
export type Zone = z.infer<typeof zone>

const shape = {
  label: thing.nullable().default(null),
  kind: z.enum(zoneKinds).default('zone'),
  points,
  direction: z.enum(directions).default('both'),
  side_a: thing.or(z.literal('a')).default('a'),
  side_b: thing.or(z.literal('b')).default('b'),
  aspect_ratio: aspectRatio,
  is_active: z.boolean().default(true),
  /** Left out of a zone that exists, what it has stays. */
  dwell_s: z.number().nullable().optional(),
}
const complete = (
  value: { kind: (typeof zoneKinds)[number]; points: [number, number][] },
  issue: z.core.$RefinementCtx,
) => {
  const fault = shapeFault(value.kind, value.points)
  if (fault) issue.addIssue({ code: 'custom', path: ['points'], message: fault })
}
/** A zone as a channel form sends it; `static_id` keeps the identity of one that exists. */
export const zoneDraft = z.strictObject({ static_id: id.optional(), ...shape }).superRefine(complete)
export type ZoneDraft = z.input<typeof zoneDraft>

export const zones = {
  create: op({
    method: 'PUT',
    path: '/static',
    summary: 'Add a zone, line or mask to a stream',
    access: 'admin_and_above',
    input: z.strictObject({ source_id: id, channel_id: id.nullable().default(null), ...shape }).superRefine(complete),
    output: zone,
    status: 201,
  }),
  list: op({
    method: 'GET',
    path: '/static/list',
    summary: 'Zones of a stream, or of all streams of a camera',
    access: 'viewer_and_above',
    input: z
      .strictObject({ source_id: id.optional(), device_id: id.optional(), channel_id: id.optional() })
      .refine((of) => (of.source_id === undefined) !== (of.device_id === undefined), {
        message: 'required',
        path: ['source_id'],
      }),
    output: z.array(zone),
  }),
  update: op({
    method: 'PATCH',
    path: '/static',
    summary: 'Change a zone',
    access: 'admin_and_above',
    input: z.strictObject({
      static_id: id,
      label: thing.nullable().optional(),
      points: points.optional(),
      direction: z.enum(directions).optional(),
      side_a: thing.optional(),
      side_b: thing.optional(),
      aspect_ratio: aspectRatio.optional(),
      is_active: z.boolean().optional(),
      dwell_s: z.number().nullable().optional(),
      version,
    }),
    output: zone,
  }),
  delete: op({
    method: 'DELETE',
    path: '/static',
    summary: 'Delete a zone; the last zone of a channel stays',
    access: 'admin_and_above',
    input: z.strictObject({ static_id: id }),
    output: z.object({ static_id: z.uuid() }),
  }),
}
