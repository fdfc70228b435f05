import { bulkDevices, endpointUuid, listenSeconds, mostStreams } from '@sightline/domain'
import * as z from 'zod'
import { channelEntity, channelStats, channelStatus } from './channel.ts'
import {
  id,
  optionalPaging,
  port,
  queryList,
  requiredLine,
  search,
  stored,
  tagPart,
  tags,
  thing,
  version,
} from './field.ts'
import { health, healthStretch } from './health.ts'
import { deviceImport, imported } from './import.ts'
import { op } from './op.ts'
import { finding, scanned } from './reported.ts'

/** What one camera can give to others. */
export const deviceSettings = ['credentials', 'tags', 'onvif_port', 'stream_roles', 'nimble'] as const
/** So many cameras are given settings, or a tag, in one call. */
export const changedDevices = 500
/** So many cameras move in one call. */
export const movedDevices = 10_000
export const sourceRoles = ['analytics', 'live', 'both'] as const

/** `rtsp://host[:port]/path` without credentials: they have fields of their own. */
export const streamAddress = requiredLine(1, 1000).pipe(
  z.string().superRefine((value, issue) => {
    const url = URL.parse(value)
    if (url?.protocol !== 'rtsp:' || url.hostname === '') issue.addIssue({ code: 'custom', message: 'stream_address' })
    else if (url.username !== '' || url.password !== '')
      issue.addIssue({ code: 'custom', message: 'credentials_apart' })
  }),
)

export const deviceSource = z.object({
  source_id: z.uuid(),
  source_name: z.string(),
  source_address: z.string(),
  role: z.enum(sourceRoles),
  rate: z.int(),
})

export const device = z
  .object({
    device_id: z.uuid(),
    device_name: z.string(),
    site_id: z.uuid(),
    nimble_id: z.uuid(),
    UUID: z.string().nullable(),
    stream_address: z.string(),
    stream_type: z.enum(['rtsp', 'onvif']),
    username: z.string().nullable(),
    password: z.string(),
    onvif_port: z.int().nullable(),
    resolution: z.string().nullable(),
    codec: z.string().nullable(),
    fps: z.number().nullable(),
    device_tags: z.record(z.string(), z.string()),
    tag_name: z.string(),
    device_source: z.array(deviceSource),
    source_channels: z.array(channelEntity),
    device_health: health,
    health_cause: z.string().nullable(),
    last_frame_at: z.string().nullable(),
    /** The newest picture that is kept; none is taken for it. */
    snapshot_url: z.string().nullable(),
    is_demo: z.boolean(),
    ...stored,
  })
  .meta({ id: 'Device' })
export type Device = z.infer<typeof device>

/** Stands in a line of a header on its way to the camera, so it must not end that line. */
const cameraUser = z
  .string()
  .max(128, 'too_long')
  .regex(/^\P{Cc}*$/u, 'invalid')
  .nullable()
export const cameraPassword = z.string().max(256, 'too_long').nullable()

const streamDraft = z.strictObject({
  source_name: thing,
  source_address: streamAddress,
  role: z.enum(sourceRoles).default('both'),
})
const streamList = <T extends typeof streamDraft>(stream: T) =>
  z
    .array(stream)
    .min(1)
    .max(mostStreams, `at_most:${mostStreams}`)
    .superRefine((streams, issue) => {
      for (const [i, { role }] of streams.entries())
        if (role !== 'both' && streams.findIndex((one) => one.role === role) < i)
          issue.addIssue({ code: 'custom', path: [i, 'role'], message: 'role_taken' })
    })

/** The UUID of a camera's ONVIF endpoint, also as `urn:uuid:…`; kept in one form, so that one camera has one. */
const endpoint = z
  .string()
  .max(200, 'too_long')
  .refine((text) => text.trim() === '' || endpointUuid(text) !== null, 'endpoint_invalid')
  .transform(endpointUuid)
  .nullable()

const draftShape = {
  device_name: thing,
  site_id: id,
  nimble_id: id,
  UUID: endpoint.default(null),
  stream_address: streamAddress,
  stream_type: z.enum(['rtsp', 'onvif']).default('rtsp'),
  username: cameraUser.default(null),
  password: cameraPassword.default(null),
  onvif_port: port.nullable().default(null),
  device_tags: tags.default({}),
  device_source: streamList(streamDraft).optional(),
}
export const deviceDraft = z.strictObject(draftShape)
export const deviceChange = z.strictObject({
  device_id: id,
  device_name: thing.optional(),
  /** Another one of the organization: analytics and history go along. */
  site_id: id.optional(),
  nimble_id: id.optional(),
  UUID: endpoint.optional(),
  /** Of the default stream; what else was read from the same place is read from the new one. Not beside `device_source`. */
  stream_address: streamAddress.optional(),
  /** All streams from now on, when another camera takes the place: those without an id are new, those left out go. */
  device_source: streamList(streamDraft.extend({ source_id: id.optional() })).optional(),
  stream_type: z.enum(['rtsp', 'onvif']).optional(),
  username: cameraUser.optional(),
  /** Absent or `****` keeps the stored one, which goes to no other host than the camera's own. */
  password: cameraPassword.optional(),
  onvif_port: port.nullable().optional(),
  device_tags: tags.optional(),
  version,
})

export const discovered = z
  .object({
    UUID: z.string().nullable(),
    xaddr: z.string(),
    host: z.string(),
    port: z.int(),
    name: z.string().nullable(),
    maker: z.string().nullable(),
    model: z.string().nullable(),
    interface: z.string().nullable(),
    is_demo: z.boolean(),
    /** The device of this organization that already has this camera. */
    device_id: z.uuid().nullable(),
  })
  .meta({ id: 'Discovered' })
export type Discovered = z.infer<typeof discovered>

/** `result` of a discovery job. */
export const discovery = z.object({
  found: z.array(discovered),
  scanned: scanned.nullable(),
})
export type Discovery = z.infer<typeof discovery>

export const probe = z
  .object({
    profiles: z.array(
      z.object({
        name: z.string(),
        codec: z.string().nullable(),
        resolution: z.string().nullable(),
        fps: z.number().nullable(),
        bitrate: z.number().nullable(),
        stream_address: z.string(),
      }),
    ),
    maker: z.string().nullable(),
    model: z.string().nullable(),
    firmware: z.string().nullable(),
    UUID: z.string().nullable(),
    snapshot_url: z.string().nullable(),
    findings: z.array(finding),
  })
  .meta({ id: 'Probe' })
export type Probe = z.infer<typeof probe>

const copiedValue = z.union([z.string(), z.number()]).nullable()
/** What became of one of the cameras that were given settings, or with a dry run would. */
export const copiedDevice = z
  .object({
    device_id: z.uuid(),
    outcome: z.enum(['copied', 'unchanged', 'failed']),
    /** Why it failed, as `error_code` of the same change alone. */
    error_code: z.string().nullable(),
    /**
     * By field: `username`, `password` (never told: `****`, or null without one), `device_tags` as `floor=ground; zone=A`,
     * `onvif_port`, `stream_role` with the name of the stream, `nimble` by its name.
     */
    changes: z.array(
      z.object({ field: z.string(), stream: z.string().nullable(), before: copiedValue, after: copiedValue }),
    ),
    /** What starts anew at another edge server. */
    restarts: z.array(z.object({ channel_id: z.uuid(), channel_name: z.string() })),
  })
  .meta({ id: 'CopiedDevice' })
export type CopiedDevice = z.infer<typeof copiedDevice>

export const deviceOps = {
  create: op({
    method: 'PUT',
    path: '/device/create',
    summary: 'Create one device, or at most 12 at once: all or none',
    access: 'admin_and_above',
    input: z.union([deviceDraft, z.array(deviceDraft).min(1, 'required').max(bulkDevices, `at_most_${bulkDevices}`)]),
    output: z.union([device, z.array(device)]),
    status: 201,
  }),
  import: op({
    method: 'POST',
    path: '/device/import',
    summary: 'Add cameras from a table, each row by itself; with `dry_run` only what would become of each row',
    access: 'admin_and_above',
    input: deviceImport,
    output: imported.extend({ job_id: z.uuid().nullable() }),
  }),
  copy: op({
    method: 'POST',
    path: '/device/copy',
    summary:
      'Give the settings of one camera to others, each by itself; a dry run says what would change. Passwords never leave the server',
    access: 'admin_and_above',
    input: z.strictObject({
      device_id: id,
      to: z.array(id).min(1, 'required').max(changedDevices, `at_most_items:${changedDevices}`),
      /** `stream_roles`: what each stream is used for; `nimble`: the edge server that reads the camera. */
      settings: z.array(z.enum(deviceSettings)).min(1, 'required'),
      /** Typed again with `credentials`: cameras at other hosts are not given the stored one. */
      password: cameraPassword.optional(),
      dry_run: z.boolean().default(false),
    }),
    output: z.object({ devices: z.array(copiedDevice) }),
  }),
  tag: op({
    method: 'POST',
    path: '/device/tag',
    summary: 'Set one tag on cameras, or take it from them, each by itself; their other tags stay',
    access: 'admin_and_above',
    input: z.strictObject({
      device_id: z.array(id).min(1, 'required').max(changedDevices, `at_most_items:${changedDevices}`),
      key: tagPart,
      /** Null takes it away. */
      value: tagPart.nullable(),
    }),
    output: z.object({
      devices: z.array(
        z.object({
          device_id: z.uuid(),
          outcome: z.enum(['tagged', 'failed']),
          /** Why it failed, as `error_code` of the same change alone. */
          error_code: z.string().nullable(),
        }),
      ),
    }),
  }),
  move: op({
    method: 'POST',
    path: '/device/move',
    summary:
      'Give cameras with their analytics another edge server, each by itself; with `dry_run` only what would start anew, and what does not fit when all go',
    access: 'admin_and_above',
    input: z.strictObject({
      device_id: z.array(id).min(1, 'required').max(movedDevices, `at_most_items:${movedDevices}`),
      nimble_id: id,
      dry_run: z.boolean().default(false),
    }),
    output: z.object({
      devices: z.array(
        z.object({
          device_id: z.uuid(),
          outcome: z.enum(['ready', 'moved', 'failed']),
          error_code: z.string().nullable(),
          /** What starts anew. */
          restarts: z.array(z.object({ channel_id: z.uuid(), channel_name: z.string() })),
        }),
      ),
    }),
  }),
  discover: op({
    method: 'POST',
    path: '/device/discover',
    summary: 'Look for ONVIF cameras from an edge server; found ones arrive on the live channel',
    access: 'admin_and_above',
    reads: true,
    input: z.strictObject({
      nimble_id: id,
      timeout: z.number().min(0.3).max(30).default(listenSeconds.first),
      /** IPv4 range in CIDR form, private networks only, at most /22. */
      range: z.string().max(40).optional(),
      interfaces: z.array(z.string().max(64)).max(32).optional(),
    }),
    output: z.object({ job_id: z.uuid() }),
  }),
  probe: op({
    method: 'POST',
    path: '/device/probe',
    summary: 'Try a camera before saving it: profiles, codec, resolution, a still, and what to change',
    access: 'admin_and_above',
    reads: true,
    input: z.strictObject({
      nimble_id: id,
      /** rtsp:// address of a stream, or http:// address of the ONVIF service. */
      address: requiredLine(1, 1000),
      username: cameraUser.default(null),
      password: cameraPassword.default(null),
      /** Use the stored password of this device when `password` is `****`. */
      device_id: id.optional(),
      /** The camera is to take the place of the device: what is seen is not yet the device's picture. */
      is_swap: z.boolean().default(false),
      /** Any id of the caller's own: findings then also come one by one on the live channel, under this id. */
      probe_id: z.uuid().optional(),
    }),
    output: probe,
  }),
  list: op({
    method: 'GET',
    path: '/device/list',
    summary:
      'Devices by name: of a site, of an edge server, of some health, or all in reach; at most 500 without a limit',
    access: 'viewer_and_above',
    compressed: true,
    input: z.strictObject({
      customer_id: id.optional(),
      site_id: id.optional(),
      nimble_id: id.optional(),
      /** Part of the name, of a tag, or of the host of the address. */
      q: search,
      health: queryList(health).optional(),
      ...optionalPaging,
    }),
    output: z.array(device),
  }),
  get: op({
    method: 'GET',
    path: '/device',
    summary: 'One device',
    access: 'viewer_and_above',
    input: z.strictObject({ device_id: id }),
    output: device,
  }),
  update: op({
    method: 'PATCH',
    path: '/device',
    summary: 'Change a device',
    access: 'admin_and_above',
    input: deviceChange,
    output: device,
  }),
  delete: op({
    method: 'DELETE',
    path: '/device',
    summary: 'Delete a device without active analytics (406 otherwise)',
    access: 'admin_and_above',
    input: z.strictObject({ device_id: id }),
    output: z.object({ device_id: z.uuid() }),
  }),
  view: op({
    method: 'GET',
    path: '/device/view',
    summary: 'A device with its sources, channels, edge server and a still',
    access: 'viewer_and_above',
    input: z.strictObject({ device_id: id }),
    output: z.object({
      device,
      /** Each with the size of its pictures, `1920x1080`, as its edge server last said. */
      sources: z.array(deviceSource.extend({ resolution: z.string().nullable() })),
      channels: z.array(channelEntity.extend({ stats: channelStats, status: channelStatus })),
      nimble: z.object({ nimble_id: z.uuid(), name: z.string(), state: z.string() }),
      /** Of the last 24 hours, oldest first. */
      health: z.array(healthStretch),
      snapshot_url: z.string().nullable(),
    }),
  }),
}
