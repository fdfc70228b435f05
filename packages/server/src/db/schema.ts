import type { TensorShape } from '@sightline/contract'
import type { Elements } from '@sightline/contract/edge'
import type {
  HealthGrade,
  LabelMap,
  ModelHead,
  Privilege,
  Role,
  UsecaseKey,
  ValueRange,
  View,
  ZoneKind,
} from '@sightline/domain'
import type { ColumnType, Generated, GeneratedAlways } from 'kysely'
import type { EventTables } from '../event/tables.ts'

/** A jsonb column: read as the value, written as `JSON.stringify(value)` (a bare array would become a PostgreSQL array). */
export type Json<T> = ColumnType<T, string, string>
/** As `Json`, left to the column's default when absent. */
export type GeneratedJson<T> = ColumnType<T, string | undefined, string>

type Stored = { version: Generated<number>; created_at: Generated<Date>; updated_at: Generated<Date> }
/** Key and bookkeeping of everything that a person edits. A trigger raises `version` and `updated_at` on update. */
type Entity = Stored & { tenant_id: number; id: Generated<number>; uid: string }

export type OrganizationTable = Stored & {
  tenant_id: Generated<number>
  uid: string
  name: string
  description: Generated<string>
  is_default: Generated<boolean>
  raw_days: Generated<number>
  rollup_days: Generated<number>
}
export type InstanceTable = Stored & {
  id: Generated<number>
  uid: string
  name: string
  logo: string | null
  logo_dark: string | null
  default_language: Generated<'en' | 'fr'>
  default_dark: Generated<boolean>
  map_center: Json<{ lat: number; long: number; zoom: number }>
  support_contact: Generated<string>
  link_public_key: string | null
  /** Sealed. */
  link_private_key: string | null
  settings: GeneratedJson<Record<string, unknown>>
  onboarded_at: Date | null
}
export type LeaseTable = { name: string; owner: string; until: Date }

export type UserTable = Entity & {
  firstname: string
  lastname: string
  /** Unique on the instance by `folded(email)`, likewise the username. */
  email: string
  username: string
  password_hash: string | null
  role_key: Role
  phone: string | null
  status: Generated<'invited' | 'active' | 'disabled' | 'locked'>
  auth_methods: Generated<string[]>
  ui_config: GeneratedJson<Record<string, unknown>>
  sessions_valid_from: Generated<Date>
  last_login_at: Date | null
}
export type SessionTable = {
  tenant_id: number
  id: Generated<number>
  uid: string
  user_id: number
  token_hash: Buffer
  csrf: string
  auth_method: string
  auth_time: Date
  ip: string
  user_agent: string
  created_at: Generated<Date>
  last_seen_at: Generated<Date>
  expires_at: Date
  revoked_at: Date | null
  unblurred_until: Date | null
}
export type RolePrivilegeTable = { role_key: Role; privileges: Generated<Privilege[]>; version: Generated<number> }
export type LoginFailTable = { key: string; count: number; last_at: Generated<Date>; blocked_until: Date | null }
export type OneTimeTokenTable = {
  tenant_id: number
  id: Generated<number>
  purpose: string
  token_hash: Buffer
  created_at: Generated<Date>
  expires_at: Date
  used_at: Date | null
  /** Of purpose `enrol`. */
  nimble_id: number | null
}

export type CustomerTable = Entity & {
  name: string
  description: Generated<string>
  is_default: Generated<boolean>
  address: GeneratedJson<Record<string, string>>
}
export type SiteAddressColumn = Record<string, unknown> & {
  site_timezone: string
  lat?: number | null
  long?: number | null
}
export type SiteTable = Entity & {
  customer_id: number
  name: string
  address: Json<SiteAddressColumn>
  timezone: GeneratedAlways<string>
  image: string | null
  faces_allowed: Generated<boolean>
  faces_notice: Generated<string>
  faces_allowed_by: string | null
  faces_allowed_at: Date | null
  faces_days: number | null
}

export type LicenseTable = Entity & {
  name: string
  /** Sealed. */
  license_key: string | null
  /** Of the signed key: one key counts once. */
  serial: string | null
  channel_limit: number
  valid_from: Date | null
  expires_at: Date | null
  is_builtin: Generated<boolean>
  customer: Generated<string>
  /** Keys of those covered; null covers all. */
  bundles: string[] | null
  key_tail: string | null
  /** Signed by somebody whose keys do not count now. */
  is_foreign: Generated<boolean>
}
export type NimbleTable = Entity & {
  name: string
  /** Null for one that dials the portal. */
  address: string | null
  port: number | null
  license_id: number | null
  connection_timeout: Generated<number>
  wait_between_retry: Generated<number>
  retry_times: Generated<number>
  pipelines: GeneratedJson<Record<string, unknown>[]>
  sinks: GeneratedJson<Record<string, unknown>[]>
  sources: GeneratedJson<Record<string, unknown>[]>
  mode: Generated<'dial' | 'enrolled'>
  /** Raw Ed25519 key, base64. */
  public_key: string | null
  /** The key it showed last, when that is not the pinned one. */
  offered_key: string | null
  key_state: Generated<'new' | 'pinned' | 'changed'>
  is_local: Generated<boolean>
  desired_version: Generated<number>
}
export type PipelineTable = Entity & {
  nimble_id: number
  name: string
  elements: GeneratedJson<Elements>
  reference_key: string
  usecase_key: UsecaseKey
}

export type DeviceTable = Entity & {
  site_id: number
  nimble_id: number
  name: string
  endpoint_uuid: string | null
  stream_address: string
  stream_type: Generated<'rtsp' | 'onvif'>
  username: string | null
  /** Sealed. */
  password: string | null
  onvif_port: number | null
  resolution: string | null
  codec: string | null
  fps: number | null
  tags: GeneratedJson<Record<string, string>>
  snapshot_uid: string | null
  is_demo: Generated<boolean>
}
export type SourceTable = Entity & {
  device_id: number
  nimble_id: number
  name: string
  stream_id: string
  address: string
  proxy: string | null
  rate: Generated<number>
  type: Generated<'rtsp' | 'file' | 'onvif'>
  role: Generated<'analytics' | 'live' | 'both'>
  is_default: Generated<boolean>
}

export type BundleTable = { id: number; uid: string; key: string; name: string }
export type UsecaseTable = { id: number; uid: string; key: UsecaseKey; name: string; bundle_id: number }
/** What a use case starts with in an organization. */
export type BundleDefaultTable = {
  tenant_id: number
  usecase_id: number
  elements: Json<Elements>
  auto_recovery: boolean
  created_at: Generated<Date>
  updated_at: Generated<Date>
}
export type ChannelTable = Entity & {
  site_id: number
  device_id: number
  source_id: number
  nimble_id: number
  pipeline_id: number
  usecase_id: number
  name: string
  sid: string
  threshold: Generated<number>
  auto_recovery: Generated<boolean>
  /** The still that its zones were drawn on. */
  reference_uid: string | null
}
export type ChannelFormerTable = { tenant_id: number; channel_id: number; nimble_id: number; until: Date }
export type StaticZoneTable = Entity & {
  source_id: number
  channel_id: number | null
  kind: Generated<ZoneKind>
  name: string
  label: string | null
  points: Json<[number, number][]>
  direction: Generated<'a_to_b' | 'b_to_a' | 'both'>
  side_a: Generated<string>
  side_b: Generated<string>
  aspect_ratio: number
  is_active: Generated<boolean>
  /** Null follows the pipeline. */
  dwell_s: number | null
}
/** The last number given to a zone, line or mask; `channel_id` 0: those of the source itself. */
export type StaticNumberTable = {
  tenant_id: number
  source_id: number
  channel_id: Generated<number>
  kind: ZoneKind
  last: number
}

type Assignment = { tenant_id: number; created_at: Generated<Date> }
export type UserCustomerTable = Assignment & { user_id: number; customer_id: number }
export type UserSiteTable = Assignment & { user_id: number; site_id: number }
export type UserChannelTable = Assignment & { user_id: number; channel_id: number }
export type UserUsecaseTable = Assignment & { user_id: number; usecase_id: number }
export type CustomerUsecaseTable = Assignment & { customer_id: number; usecase_id: number }

export type MediaTable = {
  tenant_id: number
  id: Generated<number>
  uid: string
  kind: 'image' | 'snapshot' | 'clip' | 'model' | 'face'
  content_type: string
  size: Generated<number>
  sha256: string | null
  /** Where the bytes are, relative to the data folder; null while they are only at the edge. */
  path: string | null
  site_id: number | null
  channel_id: number | null
  nimble_id: number | null
  created_by: number | null
  is_public: Generated<boolean>
  created_at: Generated<Date>
  /** Channels beside `channel_id` whose events show it. */
  shared_with: Generated<number[]>
}
/** A model; its file is the kept one of `media_id`. */
export type ModelTable = Entity & {
  name: string
  media_id: number
  opset: number
  inputs: Json<TensorShape[]>
  outputs: Json<TensorShape[]>
  input_width: number
  input_height: number
  head: ModelHead
  /** Class names of the file, by number. */
  names: Json<Record<string, string>>
  labels: Json<LabelMap>
  value_range: Generated<ValueRange>
  /** Of embedding models. */
  vector_length: number | null
}
/** Somebody whose face a site knows. */
export type FaceTable = Entity & { site_id: number; name: string; renewed_at: Date | null }
export type FacePictureTable = {
  tenant_id: number
  id: Generated<number>
  uid: string
  face_id: number
  media_id: number
  face_px: number
  created_at: Generated<Date>
}
export type FaceVectorTable = { tenant_id: number; picture_id: number; model_id: number; vector: Buffer }
export type JobTable = {
  tenant_id: number
  id: Generated<number>
  uid: string
  kind: string
  state: Generated<'queued' | 'pending' | 'running' | 'completed' | 'failed' | 'cancelled'>
  done: Generated<number>
  total: number | null
  input: GeneratedJson<Record<string, unknown>>
  result: Json<unknown> | null
  error: string | null
  /** When the portal that works on it last said so. */
  heartbeat_at: Generated<Date>
  created_by: number | null
  created_at: Generated<Date>
  updated_at: Generated<Date>
}
export type TraceTable = {
  tenant_id: number
  id: Generated<number>
  uid: string
  at: Generated<Date>
  code: string
  user_id: number | null
  session_uid: string | null
  request_id: string | null
  object_kind: string | null
  object_uid: string | null
  object_name: string | null
  result: 'ok' | 'refused' | 'failed'
  response_code: number
  ip: string | null
  before: Json<Record<string, unknown>> | null
  after: Json<Record<string, unknown>> | null
}

export type NimbleStateTable = {
  tenant_id: number
  nimble_id: number
  state: Generated<'online' | 'connecting' | 'unreachable' | 'refused' | 'new'>
  since: Generated<Date>
  last_contact_at: Date | null
  cause: string | null
  clock_offset_ms: number | null
  engine_version: string | null
  protocol: number | null
  interfaces: GeneratedJson<{ name: string; address: string }[]>
  capacity: number | null
  journal_events: number | null
  /** Events that the edge dropped because its journal was full. */
  lost_events: Generated<number>
  /** Events that the portal refused, see `event_rejected`. */
  rejected_events: Generated<number>
  applied_version: number | null
  updated_at: Generated<Date>
}
export type SourceStateTable = {
  tenant_id: number
  source_id: number
  state: 'connecting' | 'streaming' | 'offline' | 'refused'
  cause: string | null
  codec: string | null
  width: number | null
  height: number | null
  fps: number | null
  last_frame_at: Date | null
  reconnects: Generated<number>
  drops: Generated<number>
  since: Generated<Date>
  updated_at: Generated<Date>
  /** When the last fresh connection ended without a picture; null while pictures come. */
  failed_at: Date | null
  /** Of the stream's settings that are applied; null: earlier edge servers do not say it. */
  version: number | null
}
export type ChannelStateTable = {
  tenant_id: number
  channel_id: number
  /** Of the channel's settings that run; null: not known, where they are refused unread. */
  version: number | null
  state: 'applied' | 'running' | 'stopped' | 'refused'
  detector_state: 'ok' | 'needs_model' | 'needs_calibration' | 'degraded'
  cause: string | null
  fps: number | null
  expected_fps: number | null
  drops: Generated<number>
  since: Generated<Date>
  updated_at: Generated<Date>
  /** How the camera's picture compared, when it was looked at last, with the one that the zones are drawn on; null: not known. */
  view: View | null
  viewed_at: Date | null
  /** Of the pipeline that runs; null: earlier edge servers do not say it. */
  pipeline_version: number | null
}
/** How a camera fared, stretch by stretch; `ended_at` null: now. */
export type DeviceHealthTable = {
  tenant_id: number
  id: Generated<number>
  device_id: number
  state: HealthGrade
  cause: string | null
  started_at: Generated<Date>
  ended_at: Date | null
  /** When people were told last of the outage that goes on, or ended with this; null when there is none to tell of. */
  told_at: Date | null
}
/** When people are told that a camera of a site fails. */
export type HealthRuleTable = Stored & {
  tenant_id: number
  site_id: number
  grace_minutes: Generated<number>
  is_active: Generated<boolean>
}
export type NimbleStatTable = {
  tenant_id: number
  nimble_id: number
  at: Date
  cpu: number | null
  memory_bytes: number | null
  disk_free_bytes: number | null
  queue: number | null
  inference_ms: number | null
  fps: number | null
  expected_fps: number | null
  drops: number | null
  reconnects: number | null
  clock_offset_ms: number | null
  journal_events: number | null
}

/** Every table, by hand; a test compares it with the migrated schema. */
export type Database = EventTables & {
  organization: OrganizationTable
  instance: InstanceTable
  lease: LeaseTable
  app_user: UserTable
  session: SessionTable
  login_fail: LoginFailTable
  role_privilege: RolePrivilegeTable
  one_time_token: OneTimeTokenTable
  customer: CustomerTable
  site: SiteTable
  health_rule: HealthRuleTable
  license: LicenseTable
  nimble: NimbleTable
  pipeline: PipelineTable
  device: DeviceTable
  source: SourceTable
  bundle: BundleTable
  usecase: UsecaseTable
  bundle_default: BundleDefaultTable
  channel: ChannelTable
  channel_former: ChannelFormerTable
  static_zone: StaticZoneTable
  static_number: StaticNumberTable
  user_customer: UserCustomerTable
  user_site: UserSiteTable
  user_channel: UserChannelTable
  user_usecase: UserUsecaseTable
  customer_usecase: CustomerUsecaseTable
  media: MediaTable
  model: ModelTable
  face: FaceTable
  face_picture: FacePictureTable
  face_vector: FaceVectorTable
  job: JobTable
  trace: TraceTable
  nimble_state: NimbleStateTable
  source_state: SourceStateTable
  channel_state: ChannelStateTable
  device_health: DeviceHealthTable
  nimble_stat: NimbleStatTable
}
