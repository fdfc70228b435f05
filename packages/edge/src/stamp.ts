import type { EventRecord } from '@sightline/contract/edge'
import * as z from 'zod'
import type { KeptFile } from './kept-file.ts'

/** A UUIDv7 with another time; its random part stays, so it is as unique as before. */
function retime(uuid: string, ms: number): string {
  const time = ms.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}${uuid.slice(13)}`
}

const mostOpen = 1000

/** Occasions whose id was corrected: as the analysis knows it → as it was journalled. */
export const occasions = z.array(z.tuple([z.string(), z.string()]))
export type Occasions = KeptFile<z.infer<typeof occasions>>

/**
 * Puts records on the portal's clock before they are journalled, so that a repeat keeps its key: corrected time, the
 * correction beside it, and ids whose millisecond is that time. Occasions keep the id of their opening record, also over
 * a restart.
 */
export function createStamper(offsetAt: (at: number) => number, kept: Occasions): (record: EventRecord) => EventRecord {
  const open = new Map(kept.load() ?? [])

  return (record) => {
    const rawAt = Math.round(record.observed_at)
    const offset = offsetAt(rawAt)
    const observedAt = rawAt + offset
    const eventUuid = retime(record.event_uuid, observedAt)
    const { occasion_id: raw } = record
    let occasion = raw
    if (raw !== null && raw === record.event_uuid) {
      occasion = eventUuid
      // What has no length is never spoken of again.
      if (raw !== eventUuid && !record.details?.instant) {
        open.set(raw, eventUuid)
        for (const oldest of open.keys()) if (open.size > mostOpen) open.delete(oldest)
        kept.save([...open])
      }
    } else if (raw !== null) {
      // Kept after the close too: within the cooldown the occasion may go on under its id.
      occasion = open.get(raw) ?? raw
    }
    return {
      ...record,
      event_uuid: eventUuid,
      occasion_id: occasion,
      observed_at: observedAt,
      observed_ms: Math.round(record.observed_ms),
      clock_offset_ms: offset,
      details: record.details && {
        ...shifted(record.details, offsetAt),
        ...(offset !== 0 && { raw_observed_at: rawAt }),
      },
    }
  }
}

/** Times inside the details, as RFC 3339: what began before the clock was set ends after it. */
function shifted(details: Record<string, unknown>, offsetAt: (at: number) => number): Record<string, unknown> {
  const times = ['started_at', 'ended_at'].flatMap((key) => {
    const time = details[key]
    if (typeof time !== 'string') return []
    const at = Date.parse(time)
    const offset = offsetAt(at)
    return offset === 0 ? [] : [[key, new Date(at + offset).toISOString()]]
  })
  return { ...details, ...Object.fromEntries(times) }
}
