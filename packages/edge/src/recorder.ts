import { randomBytes } from 'node:crypto'
import type { EventRecord } from '@sightline/contract/edge'
import { uuidv7 } from '@sightline/domain'
import { Failed } from './engine.ts'
import type { Journal } from './journal.ts'
import type { Log } from './log.ts'

export type RecorderParts = {
  journal: Journal
  /** Onto the portal's clock. */
  stamp(record: EventRecord): EventRecord
  /** Whether the camera gives pictures now: none is announced that is not to be had. */
  hasStill(sourceId: string): boolean
  /** A picture of the camera now. Rejects with `Failed` when there is none. */
  still(sourceId: string): Promise<Uint8Array>
  /** False when there is no room. */
  keep(mediaId: string, jpeg: Uint8Array): Promise<boolean>
  /** What else is kept of what begins now: the zones as they are, and a clip where one is wanted. */
  evidence(record: EventRecord, sourceId: string): Pick<EventRecord, 'clip_id' | 'details'>
  log: Log
}
export type Recorder = {
  /** @param sourceId of the camera; null when there is none to take a picture of */
  take(records: readonly EventRecord[], sourceId: string | null): void
  /** Resolves when the picture of this id is kept, or is not to be had after all; at once when none is being taken. */
  taken(mediaId: string): Promise<void>
  /** Resolves when no picture is being taken any more. */
  settled(): Promise<void>
}

/** Occasions of one moment share a picture. */
const sharedMs = 500

/**
 * From the analysis into the journal. Records that open an occasion get a picture, and other evidence. They wait for
 * neither: a power cut would cost the event itself, and what it opened would be closed before.
 */
export function createRecorder(parts: RecorderParts): Recorder {
  const { journal, stamp, hasStill, still, keep, evidence, log } = parts
  const recent = new Map<string, { at: number; mediaId: string }>()
  const coming = new Map<string, Promise<void>>()
  /** While there is none, no picture is announced; each is taken all the same, and the first that is kept says that there is again. */
  let hasRoom = true

  async function takeStill(sourceId: string, mediaId: string): Promise<void> {
    let isKept = false
    try {
      const jpeg = await still(sourceId)
      isKept = await keep(mediaId, jpeg)
      hasRoom = isKept
    } catch (error) {
      // A camera without a picture says so by its own state.
      if (!(error instanceof Failed)) log.warn('A picture of an event could not be kept', error)
    }
    if (!isKept && recent.get(sourceId)?.mediaId === mediaId) recent.delete(sourceId)
  }
  /** The id of a picture that is being taken; null where none is to be had. */
  function announceStill(sourceId: string): string | null {
    if (!hasStill(sourceId)) return null
    const now = performance.now()
    const last = recent.get(sourceId)
    const mediaId = last && now - last.at < sharedMs ? last.mediaId : uuidv7(Date.now(), randomBytes(10))
    if (mediaId !== last?.mediaId) {
      recent.set(sourceId, { at: now, mediaId })
      const done = takeStill(sourceId, mediaId).finally(() => coming.delete(mediaId))
      coming.set(mediaId, done)
    }
    return hasRoom ? mediaId : null
  }

  /** An event is worth more than what goes with it. */
  function withEvidence(record: EventRecord, sourceId: string): EventRecord {
    const pictured = { ...record, snapshot_id: announceStill(sourceId) }
    try {
      return { ...pictured, ...evidence(record, sourceId) }
    } catch (error) {
      log.error('Evidence of an event could not be kept', error)
      return pictured
    }
  }

  return {
    take(records, sourceId) {
      // Before the times are corrected: the camera's are not.
      const evident = records.map((record) =>
        record.kind === 'open' && sourceId !== null ? withEvidence(record, sourceId) : record,
      )
      journal.append(evident.map(stamp))
    },
    taken: async (mediaId) => coming.get(mediaId),
    async settled() {
      await Promise.all(coming.values())
    },
  }
}
