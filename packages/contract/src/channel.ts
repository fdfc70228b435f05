import { checkLevels, diagnosisSteps, dwellFault, missingShape, usecaseKeys, views } from '@sightline/domain'
import * as z from 'zod'
import { assigned, unassigned } from './assign.ts'
import {
  countOrDisabled,
  id,
  line,
  optionalPaging,
  queryFlag,
  queryList,
  search,
  stored,
  thing,
  upTo10000,
  version,
} from './field.ts'
import { health } from './health.ts'
import { op } from './op.ts'
import { elements } from './reported.ts'
import { zone, zoneDraft } from './static.ts'

/** What one channel can give to others. `tuning`: all elements of its pipeline but those of its camera's place. */
export const channelSettings = ['zones', 'tuning', 'channel_threshold', 'auto_recovery'] as const
/** So many channels are given settings in one call. */
export const changedChannels = 100

export const channelStates = ['saved', 'sent', 'applied', 'running', 'stopped', 'refused'] as const
export const detectorStates = ['ok', 'needs_model', 'needs_calibration', 'degraded'] as const

export const channelEntity = z
  .object({
    channel_id: z.uuid(),
    channel_name: z.string(),
    /** With its prefix `channel/`; forms show it without. */
    channel_sid: z.string(),
    device_id: z.uuid(),
    source_id: z.uuid(),
    site_id: z.uuid(),
    nimble_id: z.uuid(),
    usecase_key: z.enum(usecaseKeys),
    usecase_name: z.string(),
    usecase_id: z.uuid(),
    pipeline_id: z.uuid(),
    zones: z.array(zone),
    /** −1 = disabled; from this headline count on the channel counts as in violation on screens. */
    channel_threshold: z.int(),
    auto_recovery: z.boolean(),
    is_active: z.boolean(),
    channel_state: z.enum(channelStates),
    detector_state: z.enum(detectorStates),
    state_cause: z.string().nullable(),
    channel_health: health,
    metric_keys: z.array(z.string()),
    notify_count: z.int(),
    ...stored,
  })
  .meta({ id: 'Channel' })
export type Channel = z.infer<typeof channelEntity>

/** Figures of the last 24 hours; null where the use case has no such metric or nothing was watched. */
export const channelStats = z
  .object({
    channel_id: z.uuid(),
    channel_threshold: z.int(),
    channel_total_detection: z.number().nullable(),
    channel_violation: z.number().nullable(),
    channel_nonviolation: z.number().nullable(),
    channel_total_alerts: z.int(),
    observed_ms: z.number(),
    coverage_ratio: z.number(),
  })
  .meta({ id: 'ChannelStats' })
export type ChannelStats = z.infer<typeof channelStats>

/** One step on the way from camera to message; `text_id` is a message id, in both languages. */
export const channelCheck = z
  .object({
    step: z.enum(diagnosisSteps),
    level: z.enum(checkLevels),
    text_id: z.string(),
    args: z.record(z.string(), z.union([z.string(), z.number()])),
  })
  .meta({ id: 'ChannelCheck' })
export type ChannelCheck = z.infer<typeof channelCheck>

/** What `GET /channel/troubleshoot` finds: the checks of the status, after the camera was asked for a picture. */
export const troubleshooting = z
  .object({ checks: z.array(channelCheck), snapshot_url: z.string().nullable(), view: z.enum(views).nullable() })
  .meta({ id: 'Troubleshooting' })
export type Troubleshooting = z.infer<typeof troubleshooting>

export const channelStatus = z
  .object({
    channel_id: z.uuid(),
    is_active: z.boolean(),
    channel_state: z.enum(channelStates),
    channel_health: health,
    detector_state: z.enum(detectorStates),
    state_cause: z.string().nullable(),
    desired_version: z.int(),
    applied_version: z.int().nullable(),
    fps: z.number().nullable(),
    expected_fps: z.number().nullable(),
    last_frame_at: z.string().nullable(),
    last_record_at: z.string().nullable(),
    clock_offset_ms: z.number().nullable(),
    /** Null while the edge server has not said them. */
    reconnects: z.int().nullable(),
    drops: z.int().nullable(),
    /** Of all analytics of the edge server, a picture. */
    inference_ms: z.number().nullable(),
    /** Records that wait at the edge server. */
    journal_events: z.int().nullable(),
    checks: z.array(channelCheck),
  })
  .meta({ id: 'ChannelStatus' })
export type ChannelStatus = z.infer<typeof channelStatus>

const sid = line(80).pipe(z.string().regex(/^(channel\/)?[a-z0-9][a-z0-9_-]*$/, 'name_characters'))

export const channelDraft = z
  .strictObject({
    channel_name: thing,
    channel_sid: sid.optional(),
    device_id: id,
    source_id: id.optional(),
    usecase_key: z.enum(usecaseKeys, { error: 'one_of' }),
    pipeline_id: id.optional(),
    pipeline: z.strictObject({ pipeline_name: thing.optional(), pipeline_elements: elements }).optional(),
    zones: z.array(zoneDraft).max(64, 'too_many'),
    channel_threshold: countOrDisabled.default(-1),
    /** Without: what the use case starts with. */
    auto_recovery: z.boolean().optional(),
  })
  .superRefine((value, issue) => {
    const missing = missingShape(value.usecase_key, value.zones)
    if (missing) issue.addIssue({ code: 'custom', path: ['zones'], message: missing })
    for (const [i, drawn] of value.zones.entries()) {
      const fault = dwellFault(value.usecase_key, drawn)
      if (fault) issue.addIssue({ code: 'custom', path: ['zones', i, 'dwell_s'], message: fault })
    }
  })

export const channelChange = z.strictObject({
  channel_id: id,
  channel_name: thing.optional(),
  channel_sid: sid.optional(),
  /** The whole set: what is not in it is removed. */
  zones: z.array(zoneDraft).max(64, 'too_many').optional(),
  pipeline: z.strictObject({ pipeline_elements: elements }).optional(),
  channel_threshold: countOrDisabled.optional(),
  auto_recovery: z.boolean().optional(),
  version,
})

const setting = z.union([z.string(), z.number(), z.boolean()]).nullable()
/** What became of one of the channels that were given settings, or with a dry run would. */
export const copiedChannel = z
  .object({
    channel_id: z.uuid(),
    outcome: z.enum(['copied', 'unchanged', 'failed']),
    /** Why it failed, as `error_code` of the same change alone. */
    error_code: z.string().nullable(),
    /** By setting, and by element of `tuning`. Of `zones` the names; they differ in more than that where both are one. */
    changes: z.array(z.object({ setting: z.string(), before: setting, after: setting })),
    /** The zones were drawn on a picture of another shape: somebody should look at them. */
    is_other_shape: z.boolean(),
  })
  .meta({ id: 'CopiedChannel' })
export type CopiedChannel = z.infer<typeof copiedChannel>

/** Starting anew and looking for faults are jobs. */
const started = z.object({ job_id: z.uuid() })
/** Channels go to a person; with a use case only channels of that one. */
const channelAssignment = z.strictObject({
  user_id: id,
  usecase_id: id.optional(),
  channel_id: z.array(id).min(1, 'channel_required').max(1000, 'too_many'),
})

export const channel = {
  create: op({
    method: 'PUT',
    path: '/channel/create',
    summary: 'Attach a use case to a camera, with zones and pipeline',
    access: 'admin_and_above',
    input: channelDraft,
    output: channelEntity,
    status: 201,
  }),
  list: op({
    method: 'POST',
    path: '/channel/list',
    summary: 'Channels of a device, a site or a use case by name; at most 500 without a limit',
    access: 'viewer_and_above',
    reads: true,
    compressed: true,
    input: z
      .strictObject({ device_id: id.optional(), site_id: id.optional(), usecase_id: id.optional(), ...optionalPaging })
      .refine((of) => of.device_id ?? of.site_id ?? of.usecase_id, { path: ['device_id'], error: 'required' }),
    output: z.array(channelEntity),
  }),
  mine: op({
    method: 'GET',
    path: '/channel/list',
    summary: 'Channels in reach by name; at most 500 without a limit',
    access: 'viewer_and_above',
    compressed: true,
    input: z.strictObject({
      /** Part of the channel's or the camera's name. */
      q: search,
      usecase_key: queryList(z.enum(usecaseKeys)).optional(),
      customer_id: id.optional(),
      site_id: id.optional(),
      /** Those alone whose health is `needs attention` or `offline`. */
      needs_attention: queryFlag().optional(),
      ...optionalPaging,
    }),
    output: z.array(channelEntity),
  }),
  byNimble: op({
    method: 'POST',
    path: '/channel/list/nimble',
    summary: 'Channels of an edge server',
    access: 'admin_and_above',
    reads: true,
    input: z.strictObject({ nimble_id: id }),
    output: z.array(channelEntity),
  }),
  bySite: op({
    method: 'GET',
    path: '/channel/list/site',
    summary: 'Channels of a site',
    access: 'viewer_and_above',
    input: z.strictObject({ site_id: id }),
    output: z.array(channelEntity),
  }),
  stats: op({
    method: 'POST',
    path: '/channel/stats',
    summary: 'Figures of channels over 24 hours',
    access: 'viewer_and_above',
    reads: true,
    input: z.strictObject({ channel_id: z.array(id).min(1, 'channel_required').max(500, 'too_many') }),
    output: z.array(channelStats),
  }),
  id: op({
    method: 'GET',
    path: '/channel/id',
    summary: 'One channel',
    access: 'viewer_and_above',
    input: z.strictObject({ channel_id: id }),
    output: channelEntity,
  }),
  status: op({
    method: 'GET',
    path: '/channel/status',
    summary: 'What should run and what runs',
    access: 'viewer_and_above',
    input: z.strictObject({ channel_id: id }),
    output: channelStatus,
  }),
  usecase: op({
    method: 'GET',
    path: '/channel/usecase',
    summary: 'A channel by its use case',
    access: 'viewer_and_above',
    input: z.strictObject({ usecase_id: id, channel_id: id }),
    output: channelEntity,
  }),
  update: op({
    method: 'PATCH',
    path: '/channel/update',
    summary: 'Change a channel, its zones or its settings',
    access: 'admin_and_above',
    input: channelChange,
    output: channelEntity,
  }),
  refactor: op({
    method: 'PATCH',
    path: '/channel/refactor',
    summary: 'Give a channel another stream, pipeline or edge server; its zones and history stay',
    access: 'admin_and_above',
    input: z
      .strictObject({
        channel_id: id,
        source_id: id.optional(),
        pipeline_id: id.optional(),
        /** A camera is read by one edge server: all its channels go along. */
        nimble_id: id.optional(),
        /** Only says what would start anew. */
        dry_run: z.boolean().default(false),
      })
      .refine((wish) => wish.source_id ?? wish.pipeline_id ?? wish.nimble_id, {
        path: ['source_id'],
        error: 'required',
      }),
    output: z.object({
      channel: channelEntity,
      restarts: z.array(z.object({ channel_id: z.uuid(), channel_name: z.string(), device_id: z.uuid() })),
    }),
    status: 201,
  }),
  copy: op({
    method: 'POST',
    path: '/channel/copy',
    summary: 'Give settings of one channel to others of its use case, each by itself; a dry run says what would change',
    access: 'admin_and_above',
    input: z.strictObject({
      channel_id: id,
      to: z.array(id).min(1, 'channel_required').max(changedChannels, `at_most_items:${changedChannels}`),
      /** Masks are the camera's, and stay. */
      settings: z.array(z.enum(channelSettings)).min(1, 'required'),
      dry_run: z.boolean().default(false),
    }),
    output: z.object({ channels: z.array(copiedChannel) }),
  }),
  revive: op({
    method: 'POST',
    path: '/channel/revive',
    summary: 'Start a channel anew at its edge server; with force the connection to its camera too',
    access: 'user_and_above',
    input: z.strictObject({ channel_id: id, force: z.boolean().default(false) }),
    output: started,
  }),
  setOccupancy: op({
    method: 'POST',
    path: '/channel/occupancy',
    summary: 'Say how many people are inside: a channel that counts occupancy goes on from there',
    access: 'user_and_above',
    // Each is an event with a picture.
    perMinute: 10,
    input: z.strictObject({ channel_id: id, occupancy: upTo10000 }),
    output: z.object({
      channel_id: z.uuid(),
      occupancy: z.int(),
      /** What was counted until then; null while it was not known. */
      before: z.int().nullable(),
    }),
  }),
  troubleshoot: op({
    method: 'GET',
    path: '/channel/troubleshoot',
    summary:
      'Look for the fault on the way from camera to message; with force on a new picture, however new the last one is',
    access: 'user_and_above',
    input: z.strictObject({ channel_id: id, force: queryFlag().default(false) }),
    output: started,
  }),
  assign: op({
    method: 'POST',
    path: '/channel/assign',
    summary: 'Narrow what a person sees to channels; without any, all are',
    access: 'admin_and_above',
    input: channelAssignment,
    output: assigned,
  }),
  unassign: op({
    method: 'POST',
    path: '/channel/unassign',
    summary: 'Take channels from a person',
    access: 'admin_and_above',
    input: channelAssignment,
    output: unassigned,
  }),
  delete: op({
    method: 'DELETE',
    path: '/channel/delete',
    summary: 'Delete a channel; refused while auto recovery is on',
    access: 'admin_and_above',
    input: z.strictObject({ channel_id: id, force: z.boolean().default(false) }),
    output: z.object({ channel_id: z.uuid() }),
  }),
  ondemand: op({
    method: 'POST',
    path: '/channel/ondemand',
    summary: 'A still now, or the address of the live picture',
    access: 'viewer_and_above',
    reads: true,
    input: z.strictObject({ channel_id: id, kind: z.enum(['snapshot', 'live']).default('snapshot') }),
    output: z.discriminatedUnion('kind', [
      z.object({
        kind: z.literal('snapshot'),
        channel_id: z.uuid(),
        snapshot_url: z.string(),
        taken_at: z.string(),
        /** The picture that the zones were drawn on; null when there was none. */
        reference_url: z.string().nullable(),
        /** How the two compare; null when that cannot be said. */
        view: z.enum(views).nullable(),
      }),
      z.object({
        kind: z.literal('live'),
        channel_id: z.uuid(),
        live_url: z.string(),
        modes: z.array(z.enum(['mse', 'mjpeg'])),
        expires_at: z.string(),
      }),
    ]),
  }),
}
