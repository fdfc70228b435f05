/** The events of every store and peer: one generator, so that all of them get the same numbers. */
import type { EventRecord } from '@sightline/contract/edge'
import { uuidv7 } from '@sightline/domain'
import { ownCpuSeconds } from './measure.ts'

export const channelsOfEdge = 100

/** An integer hash (Wang), 32 bits: the same event has the same numbers in every run. */
export function hash(number: number): number {
  let h = (number ^ 61 ^ (number >>> 16)) >>> 0
  h = Math.imul(h, 9)
  h ^= h >>> 4
  h = Math.imul(h, 0x27d4eb2d)
  return (h ^ (h >>> 15)) >>> 0
}

export type Numbers = { total: number; violation: number; non_violation: number }
export const numbersOf = (event: number): Numbers => {
  const h = hash(event)
  return { total: h & 15, violation: (h >> 4) & 3, non_violation: (h >> 6) & 7 }
}

/** Ids say which event they are of, so that losses and doubles can be counted. */
export function eventId(event: number, at: number): string {
  const bytes = new Uint8Array(10)
  new DataView(bytes.buffer).setUint32(6, event)
  return uuidv7(at, bytes)
}

/**
 * Event number `event` of an edge server with 100 channels, one event a second and channel: the same for the same number.
 * @param from of event 0, ms since the epoch
 */
export function edgeEvent(channels: readonly string[], event: number, from: number): EventRecord {
  const at = from + Math.floor(event / channels.length) * 1000
  return {
    event_uuid: eventId(event, at),
    occasion_id: null,
    channel_id: channels[event % channels.length] as string,
    kind: 'window',
    observed_at: at,
    observed_ms: 1000,
    clock_offset_ms: 0,
    detector: 'onnx',
    detector_state: 'ok',
    state_cause: null,
    model_version: null,
    metrics: numbersOf(event),
    levels: null,
    details: null,
    snapshot_id: null,
    clip_id: null,
  }
}

/** The same as the JSON of a plain HTTP interface, about 170 bytes. */
export const plainEvent = (event: number, from: number) => ({
  channel_id: event % channelsOfEdge,
  usecase_key: 'ppedtec',
  ts: from + Math.floor(event / channelsOfEdge) * 1000,
  meta: numbersOf(event),
  uuid: eventId(event, from).replaceAll('-', ''),
  zone: `zone${event % 9}`,
})

export const parsing = 'JSON.parse alone'
const parsed = 200_000

/** How fast this machine is just now: events that `JSON.parse` reads in a second of CPU time, a hundred at once. */
export async function parseRate(): Promise<number> {
  const text = JSON.stringify(Array.from({ length: 100 }, (_, i) => plainEvent(i, 0)))
  const parse = (count: number) => {
    for (let done = 0; done < count; done += 100) JSON.parse(text)
  }
  parse(parsed / 10)
  return parsed / (await ownCpuSeconds(() => parse(parsed)))
}
