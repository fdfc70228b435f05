import { defaultRate } from '@sightline/domain'
import * as z from 'zod'
import {
  greaterThan,
  host,
  id,
  port,
  queryFlag,
  stored,
  thing,
  timeoutSeconds,
  upTo10000,
  version,
  whole,
} from './field.ts'
import { health } from './health.ts'
import { op } from './op.ts'

const keptOnly = (instead: string) => ({
  description: `Kept, shown and answered for tools that read it; the edge server does not act on it. ${instead}`,
})
const sinks = z
  .array(
    z.strictObject({
      address: z.string().max(1000),
      filter: z.string().max(255),
      type: z.enum(['portal', 'file', 'webhook']),
    }),
  )
  .meta(keptOnly('Events go to this portal.'))
const sources = z
  .array(
    z.strictObject({
      address: z.string().max(1000),
      proxy: z.string().max(255).nullable().default(null),
      rate: z.int().min(1).max(60).default(defaultRate),
      type: z.enum(['rtsp', 'file', 'onvif']).default('rtsp'),
    }),
  )
  .meta(keptOnly('Streams are made with their cameras: PUT /device/create, POST /source/create.'))
const pipelines = z
  .array(z.record(z.string(), z.json()))
  .meta(keptOnly('Pipelines are made by POST /pipeline/create, or with their channels.'))

/** The default example of the specification. */
export const nimbleExample = {
  pipelines: [{ name: 'people counting', usecase_key: 'pplcnt' }],
  sinks: [{ address: 'portal', filter: '*', type: 'portal' as const }],
  sources: [{ address: 'rtsp://192.0.2.10:554/stream1', proxy: null, rate: defaultRate, type: 'rtsp' as const }],
}

export const nimbleStatus = z
  .object({
    nimble_id: z.uuid(),
    state: z.enum(['online', 'connecting', 'unreachable', 'refused', 'new']),
    since: z.string().nullable(),
    last_contact_at: z.string().nullable(),
    health,
    /** Message id; `gave_up:` before it when its tries are used up and nothing is tried until somebody asks or changes it. */
    cause: z.string().nullable(),
    clock_offset_ms: z.number().nullable(),
    engine_version: z.string().nullable(),
    protocol: z.int().nullable(),
    interfaces: z.array(z.object({ name: z.string(), address: z.string() })),
    channels: z.int(),
    /** Null while nobody can tell. */
    channels_running: z.int().nullable(),
    capacity: z.int().nullable(),
    journal_events: z.int().nullable(),
    /** Dropped at the edge server because its journal was full, or set aside because this portal could not read them. */
    lost_events: z.int().nullable(),
    /** Refused by this portal: of channels that are not the edge server's, or of times that are not kept. */
    rejected_events: z.int().nullable(),
    desired_version: z.int(),
    applied_version: z.int().nullable(),
    sync: z.enum(['in_sync', 'pending', 'drifted', 'refused', 'unreachable']),
  })
  .meta({ id: 'NimbleStatus' })
export type NimbleStatus = z.infer<typeof nimbleStatus>

const mode = z.enum(['dial', 'enrolled'])

export const nimbleEntity = z
  .object({
    nimble_id: z.uuid(),
    name: z.string(),
    /** Where it is dialled; null for one that dials this portal. */
    address: z.string().nullable(),
    port: z.int().nullable(),
    license_id: z.uuid().nullable(),
    connection_timeout: z.int(),
    wait_between_retry: z.int(),
    retry_times: z.int(),
    pipelines,
    sinks,
    sources,
    /** `dial`: at address and port. `enrolled`: it dials this portal, see `POST /nimble/enrol`. */
    mode,
    key_fingerprint: z.string().nullable(),
    key_state: z.enum(['new', 'pinned', 'changed']),
    /** The one that the start command runs beside the portal; only it may take demo cameras. */
    is_local: z.boolean(),
    status: nimbleStatus.optional(),
    ...stored,
  })
  .meta({ id: 'Nimble' })
export type Nimble = z.infer<typeof nimbleEntity>

const retryTimes = whole.refine((value) => value === -1 || (value >= 1 && value <= 10000), 'count_or_disabled')
const waitBetweenRetry = greaterThan(0).pipe(upTo10000)

/** All that is configured of an edge server; what is left out is as in the example. */
const configuration = {
  name: thing,
  mode: mode.default('dial'),
  /** Both are required of one that is dialled. */
  address: host.optional(),
  port: port.optional(),
  connection_timeout: timeoutSeconds.default(60),
  wait_between_retry: waitBetweenRetry.default(10),
  retry_times: retryTimes.default(-1),
  pipelines: pipelines.default(nimbleExample.pipelines),
  sinks: sinks.default(nimbleExample.sinks),
  sources: sources.default(nimbleExample.sources),
}
export const nimbleConfiguration = z.strictObject(configuration)
export type NimbleConfiguration = z.output<typeof nimbleConfiguration>
export const nimbleDraft = z.strictObject({ ...configuration, license_id: id, organization_id: id.optional() })
export const nimbleChange = z.strictObject({
  nimble_id: id,
  name: thing.optional(),
  mode: mode.optional(),
  address: host.optional(),
  port: port.optional(),
  connection_timeout: timeoutSeconds.optional(),
  wait_between_retry: waitBetweenRetry.optional(),
  retry_times: retryTimes.optional(),
  pipelines: pipelines.optional(),
  sinks: sinks.optional(),
  sources: sources.optional(),
  /** Another licence, bound together with the rest or not at all; only a super admin names one. */
  license_id: id.optional(),
  /** Accept the key that the edge server showed instead of the trusted one: its `key_fingerprint`, as it was compared. */
  trust_key: z.string().max(100).optional(),
  version,
})

/** What should run at an edge server and how far each piece is. */
export const nimbleSync = z
  .object({
    nimble_id: z.uuid(),
    state: nimbleStatus.shape.state,
    sync: nimbleStatus.shape.sync,
    desired_version: z.int(),
    applied_version: z.int().nullable(),
    items: z.array(
      z.object({
        /** A pipeline goes to the edge server with the channels that run it, and is as far as the furthest of them. */
        kind: z.enum(['source', 'pipeline', 'channel']),
        id: z.uuid(),
        name: z.string(),
        /** Null for a pipeline, which belongs to no camera. */
        device_id: z.uuid().nullable(),
        site_id: z.uuid().nullable(),
        desired_version: z.int(),
        /** Null where the edge server has not said it. */
        applied_version: z.int().nullable(),
        step: z.enum(['saved', 'sent', 'applied', 'running', 'stopped', 'refused']),
        /** Why it is not running as it is wanted, as a message id. */
        cause: z.string().nullable(),
        since: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'NimbleSync' })
export type NimbleSync = z.infer<typeof nimbleSync>

export const statPoint = z.object({
  at: z.string(),
  cpu: z.number().nullable(),
  memory_bytes: z.number().nullable(),
  disk_free_bytes: z.number().nullable(),
  queue: z.number().nullable(),
  inference_ms: z.number().nullable(),
  fps: z.number().nullable(),
  expected_fps: z.number().nullable(),
  drops: z.number().nullable(),
  reconnects: z.number().nullable(),
  clock_offset_ms: z.number().nullable(),
})

export const nimble = {
  create: op({
    method: 'PUT',
    path: '/nimble/config',
    summary: 'Add an edge server',
    access: 'admin_and_above',
    input: nimbleDraft,
    output: nimbleEntity,
    status: 201,
  }),
  list: op({
    method: 'GET',
    path: '/nimble/list',
    summary: 'Edge servers; 404 when the organization has none',
    access: 'viewer_and_above',
    input: z.strictObject({ is_status: queryFlag().default(false) }),
    output: z.array(nimbleEntity),
  }),
  update: op({
    method: 'PATCH',
    path: '/nimble/config',
    summary: 'Change an edge server',
    access: 'admin_and_above',
    input: nimbleChange,
    output: nimbleEntity,
  }),
  override: op({
    method: 'POST',
    path: '/nimble/config/override',
    summary: 'Replace the whole configuration of an edge server',
    access: 'admin_and_above',
    input: z.strictObject({ nimble_id: id, configuration: nimbleConfiguration, version }),
    output: nimbleEntity,
  }),
  sync: op({
    method: 'GET',
    path: '/nimble/sync',
    summary: 'What should run at an edge server and how far each piece is',
    access: 'viewer_and_above',
    input: z.strictObject({ nimble_id: id }),
    output: nimbleSync,
  }),
  resend: op({
    method: 'POST',
    path: '/nimble/sync',
    summary: 'Send an edge server again what it should run; it drops everything else',
    access: 'admin_and_above',
    input: z.strictObject({ nimble_id: id }),
    output: nimbleSync,
  }),
  retry: op({
    method: 'POST',
    path: '/nimble/retry',
    summary: 'Try the link to an edge server at once and begin its tries anew, also when they are used up',
    access: 'admin_and_above',
    input: z.strictObject({ nimble_id: id }),
    output: nimbleStatus,
  }),
  get: op({
    method: 'GET',
    path: '/nimble',
    summary: 'One edge server',
    access: 'viewer_and_above',
    input: z.strictObject({ nimble_id: id }),
    output: nimbleEntity,
  }),
  status: op({
    method: 'GET',
    path: '/nimble/status',
    summary: 'State of the link, of the clock and of the configuration',
    access: 'viewer_and_above',
    input: z.strictObject({ nimble_id: id }),
    output: nimbleStatus,
  }),
  delete: op({
    method: 'DELETE',
    path: '/nimble/config',
    summary: 'Remove an edge server without channels',
    access: 'admin_and_above',
    input: z.strictObject({ nimble_id: id }),
    output: z.object({ nimble_id: z.uuid() }),
  }),
  stats: op({
    method: 'GET',
    path: '/nimble/stats',
    summary: 'Load and health over time, at most 300 points',
    access: 'viewer_and_above',
    input: z.strictObject({ nimble_id: id, start: z.string().default('-24h'), end: z.string().default('0ms') }),
    output: z.object({
      nimble_id: z.uuid(),
      start: z.string(),
      end: z.string(),
      step_s: z.number(),
      points: z.array(statPoint),
    }),
  }),
  license: op({
    method: 'PATCH',
    path: '/nimble/license',
    summary: 'Bind an edge server to a licence',
    access: 'super_admin_only',
    input: z.strictObject({ nimble_id: id, license_id: id }),
    output: nimbleEntity,
  }),
  enrol: op({
    method: 'POST',
    path: '/nimble/enrol',
    summary: 'A one-time token for an edge server that dials this portal; a newer one voids it',
    access: 'admin_and_above',
    input: z.strictObject({ nimble_id: id }),
    output: z.object({
      nimble_id: z.uuid(),
      token: z.string(),
      /** To be run on the edge server, in the folder of the software. */
      command: z.string(),
      expires_at: z.string(),
    }),
  }),
  test: op({
    method: 'POST',
    path: '/nimble/test',
    summary: 'Try an address before saving it',
    access: 'admin_and_above',
    reads: true,
    input: z.strictObject({ address: host, port }),
    output: z.object({
      ok: z.boolean(),
      /** Message id of what is wrong, null when it answers as an edge server should. */
      cause: z.string().nullable(),
      engine_version: z.string().nullable(),
      key_fingerprint: z.string().nullable(),
      ms: z.number(),
    }),
  }),
}
