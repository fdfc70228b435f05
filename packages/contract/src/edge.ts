/**
 * The link between portal and nimble, protocol version 1: one WebSocket, JSON text frames as below,
 * binary frames for events and media (`frame.ts`). Both ends validate with these schemas.
 */
import {
  detectionLabels,
  heads,
  metricIds,
  modelMaxBytes,
  usecaseKeys,
  valueRanges,
  zoneKinds,
} from '@sightline/domain'
import * as z from 'zod'
import { elements, finding, overlayBox, type RecordKind, scanned } from './reported.ts'

export * from './reported.ts'

export const linkProtocol = 1
export const linkPath = '/link/v1'
/** Where a nimble that dials the portal exchanges keys with it once, by POST. */
export const enrolPath = '/link/v1/enrol'
export const linkSubprotocol = 'sightline.link.v1'
export const linkPingSeconds = 10
/** Two pings without an answer end the connection. */
export const linkPingsMissed = 2
/**
 * Event frames on the way without an acknowledgement. What waits during a commit is stored together in the next one: with 32
 * frames of 100 records a CPU second stores half as many again as with 8 (docs/decisions/0001).
 */
export const linkUnacknowledged = 32
/** Unsent bytes of a connection; beyond them live pictures are left out up to the next key frame. */
export const linkBacklogBytes = 2 * 1024 * 1024
/** Of a model's file, in one frame. */
export const linkModelPartBytes = 256 * 1024
/** Greatest message of either side. */
export const linkMessageBytes = 4 * 1024 * 1024
/** Close codes of our own; the close reason says more, as an id of `linkFaults`. */
export const linkClose = { identity: 4401, replaced: 4409, version: 4426 } as const

/** Why a link does not come about or ended, as ids that both languages translate. */
export const linkFaults = [
  /** Nothing listens at the address and port. */
  'nothing_listens',
  'no_answer',
  'host_unknown',
  /** Loopback, link-local, multicast and the like are not addresses of an edge server. */
  'address_refused',
  /** Something answers, but does not speak this protocol. */
  'not_a_nimble',
  /** Followed by the number that the other side speaks: `protocol_mismatch:2`. */
  'protocol_mismatch',
  /** It shows another key than the one that was trusted. */
  'key_changed',
  /** It could not prove that it holds the key it shows. */
  'key_unproven',
  /** It belongs to another portal. */
  'enrolled_elsewhere',
  /** The portal has no configuration for it (any more), or dials it itself. */
  'not_enrolled',
  /** A newer connection of the same identity took its place. */
  'replaced',
  /** It is another edge server than the one of this configuration. */
  'other_nimble',
  'connection_lost',
] as const
export type LinkFault = (typeof linkFaults)[number]

const uuid = z.uuid()
const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const base64 = z.string().regex(/^[A-Za-z0-9+/]{1,1024}={0,2}$/)
const text = z.string().max(2000)
const ms = z.number()

/* ── opening ─────────────────────────────────────────────────────────────────────────── */

/** One side of the opening: what `hello` said. */
export type LinkParty = { id: string | null; nonce: string; public_key: string }

/**
 * What both sides sign with their Ed25519 keys. Ids and public keys are part of it, so a signature serves for
 * this pair alone and a nimble cannot pass a portal's proof on to another. No field can hold a line feed.
 */
export const linkProof = (portal: LinkParty, nimble: LinkParty, signer: 'portal' | 'nimble'): string =>
  [linkSubprotocol, signer, ...[portal, nimble].flatMap((side) => [side.id ?? '', side.nonce, side.public_key])].join(
    '\n',
  )

/** Any version of the protocol begins so, whatever follows. */
export const anyHello = z.object({ type: z.literal('hello'), protocol: z.int(), id: z.unknown().optional() })
export const hello = z.object({
  type: z.literal('hello'),
  protocol: z.literal(linkProtocol),
  software: text,
  /** Of the speaker: the portal instance's, or the nimble's; null for a nimble that no portal has named yet. */
  id: uuid.nullable(),
  /** 32 random bytes. */
  nonce: base64,
  /** Raw Ed25519 public key. */
  public_key: base64,
})
export type Hello = z.infer<typeof hello>
export const prove = z.object({ type: z.literal('prove'), signature: base64 })
/**
 * The portal accepts the nimble and names it. It does not say which records it has: only acknowledgements on the
 * wire delete from the journal, and a repeat is harmless.
 */
export const welcome = z.object({ type: z.literal('welcome'), nimble_id: uuid, time: ms })

/* ── enrolment of a nimble that dials the portal ─────────────────────────────────────── */

export const enrolment = z.strictObject({ token: z.string().min(1).max(200), public_key: base64, software: text })
export type Enrolment = z.infer<typeof enrolment>
export const enrolled = z.object({
  nimble_id: uuid,
  instance_id: uuid,
  portal_key: base64,
  /** Of the configuration, for a person to see that it is the right one. */
  name: z.string().max(1000),
})
export type Enrolled = z.infer<typeof enrolled>
/** Why a nimble is not enrolled. A token that was used or voided is not told from one that never was. */
export const enrolFaults = ['token_unknown', 'token_used', 'token_expired'] as const
export type EnrolFault = (typeof enrolFaults)[number]
export const enrolRefused = z.object({ fault: z.enum(enrolFaults) })

/* ── configuration: the whole desired state ──────────────────────────────────────────── */

export const linkSource = z.object({
  source_id: uuid,
  device_id: uuid,
  version: z.int(),
  name: text,
  address: text,
  /** Apart from the address; composed only inside the camera child. */
  username: z.string().nullable(),
  password: z.string().nullable(),
  proxy: z.string().nullable(),
  /** No more pictures a second are analysed. */
  rate: z.number().positive(),
  role: z.enum(['analytics', 'live', 'both']),
  endpoint_uuid: z.string().nullable(),
  /** Why it must not be opened, as a cause; it is refused for that. */
  refusal: z.string().max(200).optional(),
  /** Outlines in 0…1 of what no picture of the camera may show, whichever of its streams and analytics they were drawn for. */
  masks: z.array(z.array(z.tuple([z.number(), z.number()]))).default([]),
})
export type LinkSource = z.infer<typeof linkSource>

export const linkZone = z.object({
  static_id: uuid,
  name: text,
  label: z.string().nullable(),
  kind: z.enum(zoneKinds),
  points: z.array(z.tuple([z.number(), z.number()])),
  direction: z.enum(['a_to_b', 'b_to_a', 'both']),
  side_a: text,
  side_b: text,
  /** Of the picture that it was drawn on, width / height; null when nobody knows. */
  aspect_ratio: z.number().positive().nullable().default(null),
  is_active: z.boolean(),
  /** How long somebody may stay, in seconds; null, or absent from an older portal, follows the pipeline. */
  dwell_s: z.number().nullable().default(null),
})
export type LinkZone = z.infer<typeof linkZone>

/** Vectors of people's faces in the file that `readGallery` reads; another one has another SHA-256. */
export const linkGallery = z.object({ sha256, size: z.int().positive() })

/** A pipeline in one of its versions. */
const linkPipeline = z.object({ pipeline_id: uuid, version: z.int32() })

export const linkChannel = z.object({
  channel_id: uuid,
  source_id: uuid,
  version: z.int(),
  name: text,
  usecase_key: z.enum(usecaseKeys),
  /** Flat map `element.param` → value, complete: defaults are already in it. */
  pipeline_elements: elements,
  /** Which pipeline its elements come from; absent from an older portal. */
  pipeline: linkPipeline.optional(),
  zones: z.array(linkZone),
  auto_recovery: z.boolean(),
  /** Why it must not run yet, as a cause: it is applied and waits, and says so. */
  refusal: z.string().max(200).optional(),
  /** Of face recognition: the faces it knows, asked for with `gallery.get`; absent while there are none. */
  gallery: linkGallery.optional(),
})
export type LinkChannel = z.infer<typeof linkChannel>

/** A model that a pipeline names; its file is asked for with `model.get`. */
export const linkModel = z.object({
  model_id: uuid,
  sha256,
  size: z.int().positive().max(modelMaxBytes),
  head: z.enum(heads),
  /** Of the picture that it looks at; `is_open`: it takes others too. */
  input: z.object({ width: z.int().positive(), height: z.int().positive(), is_open: z.boolean() }),
  /** Class of the model, by number → label. */
  labels: z.record(z.string(), z.enum(detectionLabels)),
})
export type LinkModel = z.infer<typeof linkModel>

/** A model that a pipeline names to compare faces; its file is asked for like that of a detection model. */
export const linkEmbedder = z.object({
  model_id: uuid,
  sha256,
  size: z.int().positive().max(modelMaxBytes),
  /** Of the picture of a face that it looks at. */
  input: z.object({ width: z.int().positive(), height: z.int().positive() }),
  range: z.enum(valueRanges),
  vector_length: z.int().positive(),
})
export type LinkEmbedder = z.infer<typeof linkEmbedder>

/** A piece of the configuration that this version cannot read: a newer portal knows something that it does not. */
const unreadPiece = z.object({
  kind: z.enum(['sources', 'channels', 'models', 'embedders']),
  id: uuid,
  /** Null where that cannot be read either. */
  version: z.int32().nullable().catch(null),
})
export type UnreadPiece = z.infer<typeof unreadPiece>

const wholeConfig = z.object({
  version: z.int(),
  sources: z.array(linkSource),
  channels: z.array(linkChannel),
  models: z.array(linkModel).default([]),
  embedders: z.array(linkEmbedder).default([]),
  /** Pictures and clips of events go after so many days, and before where there is no room. */
  media_days: z.int().positive().default(7),
  /** Addresses that mean the portal's machine where this edge server is: whatever name leads there, it is no camera. */
  portal_ips: z.array(z.string().max(64)).default([]),
  /** Never sent, nor believed when it is: what was set aside as it came. */
  unread: z.array(unreadPiece).optional(),
})
const pieces = {
  sources: { piece: linkSource, id: 'source_id' },
  channels: { piece: linkChannel, id: 'channel_id' },
  models: { piece: linkModel, id: 'model_id' },
  embedders: { piece: linkEmbedder, id: 'model_id' },
} as const satisfies Record<UnreadPiece['kind'], { piece: z.ZodType; id: string }>

/**
 * A piece that cannot be read goes aside by its name, so that all others are applied. One without a name fails the whole.
 * @param before went aside when the configuration came
 */
function setUnreadAside(given: object, before: readonly unknown[]): unknown {
  const unread = [...before]
  const read: Record<string, unknown> = { ...given }
  for (const [kind, { piece, id }] of Object.entries(pieces)) {
    const list = read[kind]
    if (!Array.isArray(list)) continue
    read[kind] = list.filter((item) => {
      if (piece.safeParse(item).success) return true
      const named = unreadPiece.safeParse({ kind, id: item?.[id], version: item?.version })
      if (named.success) unread.push(named.data)
      return !named.success
    })
  }
  return { ...read, unread: unread.length > 0 ? unread : undefined }
}
const isObject = (given: unknown): given is object => typeof given === 'object' && given !== null
/** As it comes from the portal. */
export const linkConfig = z.preprocess((given) => (isObject(given) ? setUnreadAside(given, []) : given), wholeConfig)
/** As an edge server keeps it over a restart, with what went aside when it came. */
export const keptConfig = z.preprocess((given) => {
  const kept = z.looseObject({ unread: z.array(z.unknown()).default([]) }).safeParse(given)
  return kept.success ? setUnreadAside(kept.data, kept.data.unread) : given
}, wholeConfig)
export type LinkConfig = z.infer<typeof linkConfig>

/* ── states ──────────────────────────────────────────────────────────────────────────── */

/**
 * Reasons of a state or a refusal, as ids that both languages translate.
 * Camera: host_unknown, unreachable, timeout, not_rtsp, bad_credentials, credentials_too_long, credentials_unreadable, no_stream, not_h264:<codec>, stalled, cut, bad_stream, decoder_crashed,
 * redirected, address_refused, frozen, blind, not_understood.
 * Channel: needs_model, model_loading:<percent>, model_missing, model_corrupt, model_runtime_missing, model_unrunnable:<why>, model_starting, model_crashed:<signal or exit code>, model_quarantined:<signal or exit code>, gallery_loading, faces_off, needs_calibration, degraded:<why>, analysis_behind:<pictures left out a minute>, analysis_failed, stalled, source_missing, no_zone, line_required, not_understood.
 */
const cause = z.string().max(200).nullable()

export const sourceState = z.object({
  source_id: uuid,
  /** Of the stream's settings that are applied; earlier edge servers do not say it. */
  version: z.int32().optional(),
  state: z.enum(['connecting', 'streaming', 'offline', 'refused']),
  cause,
  codec: z.string().nullable(),
  width: z.int32().nullable(),
  height: z.int32().nullable(),
  fps: z.number().nullable(),
  last_frame_at: ms.nullable(),
  /** When the last fresh connection ended without a picture; null while pictures come. */
  failed_at: ms.nullable().default(null),
  reconnects: z.int32(),
  drops: z.int32(),
})
export type SourceState = z.infer<typeof sourceState>

export const channelState = z.object({
  channel_id: uuid,
  /** Of its settings that are applied; null where what came does not say it. */
  version: z.int32().nullable(),
  /** That it runs; earlier edge servers do not say it. */
  pipeline: linkPipeline.optional(),
  state: z.enum(['applied', 'running', 'stopped', 'refused']),
  detector_state: z.enum(['ok', 'needs_model', 'needs_calibration', 'degraded']),
  cause,
  /** Analysed frames per second, measured and wanted. */
  fps: z.number().nullable(),
  expected_fps: z.number().nullable(),
  drops: z.int32(),
})
export type ChannelState = z.infer<typeof channelState>

export const nimbleStats = z.object({
  at: ms,
  /** Share of the machine, 0…1. */
  cpu: z.number(),
  /** In use on the machine. */
  memory_bytes: z.int(),
  disk_free_bytes: z.int(),
  /** Records on their way to the portal: waiting for their picture, or in the journal. */
  queue: z.int32(),
  inference_ms: z.number().nullable(),
  fps: z.number(),
  expected_fps: z.number(),
  drops: z.int32(),
  reconnects: z.int32(),
  clock_offset_ms: z.number(),
  journal_events: z.int32(),
  /** Events dropped because the journal reached its size, or frames the portal could not read. */
  lost_events: z.int(),
  /** What is wrong with the edge server itself, as a cause: edge_disk_full, edge_pictures_full. */
  trouble: z.string().max(200).nullable().optional(),
})
export type NimbleStats = z.infer<typeof nimbleStats>

/* ── discovery and probe ─────────────────────────────────────────────────────────────── */

export const linkDiscovered = z.object({
  endpoint_uuid: text.nullable(),
  xaddr: text,
  host: text,
  port: z.int(),
  name: text.nullable(),
  maker: text.nullable(),
  model: text.nullable(),
  interface: text.nullable(),
  is_demo: z.boolean(),
})
export type LinkDiscovered = z.infer<typeof linkDiscovered>

export const probed = z.object({
  profiles: z.array(
    z.object({
      name: text,
      codec: z.string().nullable(),
      resolution: z.string().nullable(),
      fps: z.number().nullable(),
      bitrate: z.number().nullable().default(null),
      stream_address: text,
    }),
  ),
  maker: z.string().nullable(),
  model: z.string().nullable(),
  firmware: z.string().nullable(),
  endpoint_uuid: z.string().nullable(),
  /** A still of the stream as base64 JPEG, when one could be decoded. */
  snapshot: z.string().max(700_000).nullable(),
  findings: z.array(finding),
})
export type Probed = z.infer<typeof probed>

/* ── messages ────────────────────────────────────────────────────────────────────────── */

/** Questions that protocol 1 did not have from its beginning: an edge server says in its `state` which of them it answers. */
export const laterQuestions = ['occupancy.set'] as const

const request = { id: z.int() }
/** Streams or channels of one nimble. */
const mostThings = 1000

/**
 * From the portal. A request carries `id`; its answers repeat it, and so do the media frames of a request that
 * moves pictures (`stream` of `frame.ts`).
 */
export const portalMessage = z.discriminatedUnion('type', [
  hello,
  prove,
  welcome,
  z.object({ type: z.literal('config.put'), config: linkConfig }),
  z.object({ type: z.literal('ack'), seq: z.number() }),
  z.object({ type: z.literal('nack'), seq: z.number(), reason: text }),
  z.object({ type: z.literal('ping'), at: ms }),
  /** Portal clock minus edge clock, from the ping just answered; half the round trip is the greatest error. */
  z.object({ type: z.literal('clock'), offset_ms: ms, round_trip_ms: ms }),
  z.object({
    type: z.literal('discover.start'),
    ...request,
    interfaces: z.array(z.string()).optional(),
    range: z.string().optional(),
    seconds: z.number(),
  }),
  z.object({ type: z.literal('discover.stop'), ...request }),
  z.object({
    type: z.literal('probe'),
    ...request,
    /** rtsp:// address, or an ONVIF service address (http). */
    address: text,
    username: z.string().nullable(),
    password: z.string().nullable(),
  }),
  z.object({
    type: z.literal('channel.do'),
    ...request,
    channel_id: uuid,
    action: z.enum(['revive', 'troubleshoot', 'restart', 'delete']),
    force: z.boolean(),
  }),
  /** So many are inside: the channel counts on from there. */
  z.object({ type: z.literal('occupancy.set'), ...request, channel_id: uuid, occupancy: z.int().min(0) }),
  z.object({ type: z.literal('snapshot'), ...request, source_id: uuid }),
  z.object({ type: z.literal('media.get'), ...request, media_id: uuid }),
  z.object({ type: z.literal('live.start'), ...request, source_id: uuid, mode: z.enum(['fmp4', 'mjpeg']) }),
  z.object({ type: z.literal('live.stop'), ...request }),
  /** Answers `model.get` and `gallery.get` when there is nothing to send. */
  z.object({ type: z.literal('model.none'), stream: z.int(), cause: z.string().max(200) }),
])
export type PortalMessage = z.infer<typeof portalMessage>

/** What the analysis saw in one frame; drawn over the live picture. `pts_ms` is on the time line of the fMP4 fragments. */
export const overlay = z.object({
  source_id: uuid,
  pts_ms: ms,
  at: ms,
  boxes: z.array(overlayBox),
  /** Why there are none: `other_shape` where the stream on screen is not the analysed one, and boxes would lie elsewhere in it. */
  boxes_cause: z.string().max(200).optional(),
  /** Channel id → its live numbers. */
  levels: z.record(z.string(), z.record(z.string(), z.number())),
})
export type Overlay = z.infer<typeof overlay>

/** From the nimble. */
export const nimbleMessage = z.discriminatedUnion('type', [
  hello,
  prove,
  z.object({
    type: z.literal('state'),
    applied_version: z.int32().nullable(),
    sources: z.array(sourceState).max(mostThings),
    channels: z.array(channelState).max(mostThings),
    /** Interfaces that discovery may scan: name and IPv4 address with prefix length. */
    interfaces: z.array(z.object({ name: z.string().max(100), address: z.string().max(100) })).max(100),
    engine_version: text,
    demo: z.boolean(),
    capacity: z.int32(),
    /** Of `laterQuestions`, or later ones still. */
    answers: z.array(z.string().max(40)).max(100).default([]),
  }),
  z.object({ type: z.literal('pong'), at: ms, received: ms, sent: ms }),
  /** This state is in place; how each stream and channel fares follows as their own states. */
  z.object({ type: z.literal('config.applied'), version: z.int32() }),
  z.object({ type: z.literal('source.state'), ...sourceState.shape }),
  z.object({ type: z.literal('channel.state'), ...channelState.shape }),
  z.object({ type: z.literal('stats'), ...nimbleStats.shape }),
  z.object({ type: z.literal('log'), level: z.enum(['warn', 'error']), text, at: ms }),
  z.object({ type: z.literal('discover.found'), ...request, found: linkDiscovered }),
  z.object({
    type: z.literal('discover.done'),
    ...request,
    scanned,
    error: cause,
  }),
  /** As it is found; `probe.done` holds all of them again, in order. */
  z.object({ type: z.literal('probe.finding'), ...request, finding }),
  /** What is wrong with the camera is a finding; a cause says why it could not even be tried. */
  z.object({ type: z.literal('probe.done'), ...request, probed: probed.nullable(), cause }),
  z.object({ type: z.literal('channel.done'), ...request, ok: z.boolean(), cause }),
  /** `before`: how many it counted until then; null while it could not count. */
  z.object({ type: z.literal('occupancy.done'), ...request, before: z.int32().min(0).nullable(), cause }),
  /** Answers `snapshot` and `media.get`; `size` bytes follow as media frames unless there is a cause. */
  z.object({
    type: z.literal('media'),
    ...request,
    content_type: z.string().max(100),
    size: z.int().min(0),
    at: ms,
    cause,
  }),
  z.object({ type: z.literal('live.started'), ...request, mime: z.string().max(200) }),
  /** No picture, or none any more. */
  z.object({ type: z.literal('live.ended'), ...request, cause }),
  z.object({ type: z.literal('overlay'), ...overlay.shape }),
  /**
   * Asks for a part of a model's file, from this byte on. The portal answers with one media frame of this stream, of at
   * most `linkModelPartBytes`, or with `model.none`. One at a time: so pings and commands find their way between them.
   */
  z.object({
    type: z.literal('model.get'),
    stream: z.int().min(0).max(0xffff_ffff),
    model_id: uuid,
    from: z.int().min(0),
  }),
  /** Likewise, for a part of the gallery that a channel compares faces with. */
  z.object({
    type: z.literal('gallery.get'),
    stream: z.int().min(0).max(0xffff_ffff),
    channel_id: uuid,
    from: z.int().min(0),
  }),
])
export type NimbleMessage = z.infer<typeof nimbleMessage>

/* ── records ─────────────────────────────────────────────────────────────────────────── */

export const metrics = z.partialRecord(z.enum(metricIds), z.number())

/** One analytic record as the edge makes and journals it; never changed afterwards. */
export type EventRecord = {
  /** UUIDv7 whose millisecond is `observed_at`: the portal finds a record by it without an index. */
  event_uuid: string
  /** UUID of the opening record of the situation; null on window records. */
  occasion_id: string | null
  channel_id: string
  kind: RecordKind
  /** Corrected edge clock, ms since the epoch: end of the window, or the moment of the change. */
  observed_at: number
  /** Really watched time of a window record; 0 in other kinds. */
  observed_ms: number
  clock_offset_ms: number
  detector: 'hog' | 'motion' | 'onnx' | 'none'
  detector_state: 'ok' | 'degraded'
  state_cause: string | null
  model_version: string | null
  /** Window: levels, with `<id>_min` and `<id>_max` beside gauges. Open: flows; none when somebody set the levels. Update and close: the occasion's own values. */
  metrics: Record<string, number>
  /** Levels at the moment of an open, update or close; they feed no series. */
  levels: Record<string, number> | null
  details: Record<string, unknown> | null
  snapshot_id: string | null
  clip_id: string | null
}
