/** What the portal pushes to browsers. Both are WebSockets under the session cookie; reach is checked at opening, every 60 s, and of a live picture at once where its camera goes elsewhere. */
import { usecaseKeys } from '@sightline/domain'
import * as z from 'zod'
import { health } from './health.ts'
import { jobEntity } from './job.ts'
import { op } from './op.ts'
import { finding, overlayBox } from './reported.ts'

/** Ids and changed numbers only: the client reads what it shows again, so permission is checked again. */
export const streamMessage = z.discriminatedUnion('type', [
  /** The first message; `resumed`: the messages since the cursor follow, nothing was missed. */
  z.object({ type: z.literal('hello'), time: z.string(), version: z.string(), resumed: z.boolean() }),
  z.object({
    type: z.literal('event'),
    channel_id: z.uuid(),
    site_id: z.uuid(),
    usecase_key: z.enum(usecaseKeys),
    /** Records in this tick, of any kind, and of kind open. */
    records: z.int(),
    opened: z.int(),
    levels: z.record(z.string(), z.number()),
    /** Length of its windows: the next levels may take as long to come. */
    window_s: z.number(),
    event_uuid: z.uuid(),
    observed_at: z.string(),
  }),
  z.object({ type: z.literal('job'), ...jobEntity.shape }),
  /** A camera fares otherwise than before. */
  z.object({
    type: z.literal('health'),
    device_id: z.uuid(),
    site_id: z.uuid(),
    health,
    cause: z.string().nullable(),
    before: health.nullable(),
  }),
  /** What the health rule of a site tells people of a camera, and for how long it has been, or was, offline. */
  z.object({
    type: z.literal('outage'),
    step: z.enum(['offline', 'lasting', 'back']),
    device_id: z.uuid(),
    site_id: z.uuid(),
    cause: z.string().nullable(),
    seconds: z.int(),
  }),
  /** Of a camera that one is trying just now (`device.probe` with `probe_id`), as it is found. */
  z.object({ type: z.literal('probe'), probe_id: z.uuid(), finding }),
  /** Something of this feature changed: read it again. */
  z.object({ type: z.literal('changed'), feature: z.string(), id: z.uuid().nullable() }),
])
export type StreamMessage = z.infer<typeof streamMessage>

/** One text frame of `/stream`: what there is to tell at a time. Who comes back with the newest cursor misses nothing. */
export const streamFrame = z.object({ cursor: z.string(), messages: z.array(streamMessage) })
export type StreamFrame = z.infer<typeof streamFrame>

/**
 * Text frames of the live picture. Binary frames: one byte (1 init segment, 2 fragment, 3 JPEG), then the bytes.
 */
export const liveMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('started'),
    mode: z.enum(['fmp4', 'mjpeg']),
    /** For `MediaSource.addSourceBuffer`, e.g. `video/mp4; codecs="avc1.4d401f"`. */
    mime: z.string(),
    /** Of another stream of the camera than the one meant for looking at, while that one gives no picture. */
    is_fallback: z.boolean(),
  }),
  z.object({
    type: z.literal('overlay'),
    pts_ms: z.number(),
    at: z.number(),
    boxes: z.array(overlayBox),
    /** Why there are none, as an id: `other_shape`; absent where none are seen. */
    boxes_cause: z.string().optional(),
    levels: z.record(z.string(), z.record(z.string(), z.number())),
  }),
  /** No picture now, with the reason; the portal goes on trying. */
  z.object({ type: z.literal('waiting'), cause: z.string().nullable(), since: z.string().nullable() }),
  z.object({ type: z.literal('ended'), cause: z.string().nullable() }),
])
export type LiveMessage = z.infer<typeof liveMessage>

export const stream = {
  open: op({
    method: 'GET',
    path: '/stream',
    summary: 'WebSocket: events, states and job progress in reach',
    access: 'viewer_and_above',
    kind: 'socket',
    input: z.strictObject({ after: z.string().max(64).optional() }),
    output: streamFrame,
  }),
}

export const live = {
  open: op({
    method: 'GET',
    path: '/live',
    summary: 'WebSocket: the live picture of a channel or a device, with boxes',
    access: 'viewer_and_above',
    kind: 'socket',
    input: z.strictObject({
      channel_id: z.uuid().optional(),
      device_id: z.uuid().optional(),
      mode: z.enum(['fmp4', 'mjpeg']).default('fmp4'),
    }),
    output: liveMessage,
  }),
}
