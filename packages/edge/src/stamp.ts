import type { EventRecord } from '@sightline/contract/edge'

/** A UUIDv7 with another time; its random part stays, so it is as unique as before. */
export function retime(uuid: string, ms: number): string {
  const time = ms.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}${uuid.slice(13)}`
}

const mostOpen = 10_000

/**
 * Puts records on the portal's clock before they are journalled, so that a repeat keeps its key: corrected time, the
 * correction beside it, and ids whose millisecond is that time. Occasions keep the id of their opening record.
 */
export function createStamper(offsetMs: () => number): (record: EventRecord) => EventRecord {
  /** Opening id as the analysis knows it → as it was journalled. */
  const occasions = new Map<string, string>()

  return (record) => {
    const offset = offsetMs()
    const rawAt = Math.round(record.observed_at)
    const observedAt = rawAt + offset
    const eventUuid = retime(record.event_uuid, observedAt)
    const { occasion_id: raw } = record
    let occasion = raw
    if (raw !== null && raw === record.event_uuid) {
      occasion = eventUuid
      occasions.set(raw, eventUuid)
      if (occasions.size > mostOpen) for (const oldest of occasions.keys()) if (occasions.delete(oldest)) break
    } else if (raw !== null) {
      occasion = occasions.get(raw) ?? raw
      if (record.kind === 'close') occasions.delete(raw)
    }
    return {
      ...record,
      event_uuid: eventUuid,
      occasion_id: occasion,
      observed_at: observedAt,
      observed_ms: Math.round(record.observed_ms),
      clock_offset_ms: offset,
      details: record.details && offset !== 0 ? { ...record.details, raw_observed_at: rawAt } : record.details,
    }
  }
}
