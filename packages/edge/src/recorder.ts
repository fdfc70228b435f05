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
  /** Records that wait for their picture. */
  waiting(): number
  /** Resolves when everything taken is with the journal. */
  settled(): Promise<void>
}

/** An event is worth more than its picture: it does not wait longer for it. */
const stillMs = 1500
/** Occasions of one moment share a picture. */
const sharedMs = 500

/** From the analysis into the journal. Records that open an occasion get a picture first, and other evidence. */
export function createRecorder({ journal, stamp, still, keep, evidence, log }: RecorderParts): Recorder {
  const recent = new Map<string, { at: number; mediaId: Promise<string | null> }>()
  const waiting = new Set<Promise<void>>()

  async function takeStill(sourceId: string): Promise<string | null> {
    const jpeg = await still(sourceId)
    const mediaId = uuidv7(Date.now(), randomBytes(10))
    return (await keep(mediaId, jpeg)) ? mediaId : null
  }
  function sharedStill(sourceId: string): Promise<string | null> {
    const now = performance.now()
    const last = recent.get(sourceId)
    if (last && now - last.at < sharedMs) return last.mediaId
    const mediaId = takeStill(sourceId).catch((error: unknown) => {
      // A camera without a picture says so by its own state.
      if (!(error instanceof Failed)) log.warn('A picture of an event could not be kept', error)
      return null
    })
    recent.set(sourceId, { at: now, mediaId })
    return mediaId
  }
  async function withStill(record: EventRecord, sourceId: string): Promise<void> {
    const late = new Promise<null>((resolve) => {
      setTimeout(() => resolve(null), stillMs).unref()
    })
    const snapshot_id = await Promise.race([sharedStill(sourceId), late])
    journal.append([{ ...record, snapshot_id }])
  }

  /** An event is worth more than what goes with it. */
  function withEvidence(record: EventRecord, sourceId: string): EventRecord {
    try {
      return { ...record, ...evidence(record, sourceId) }
    } catch (error) {
      log.error('Evidence of an event could not be kept', error)
      return record
    }
  }

  return {
    take(records, sourceId) {
      const wantsStill = (record: EventRecord) => record.kind === 'open' && sourceId !== null
      // Before the times are corrected: the camera's are not.
      const stamped = records.map((record) =>
        stamp(wantsStill(record) ? withEvidence(record, sourceId as string) : record),
      )
      journal.append(stamped.filter((record) => !wantsStill(record)))
      for (const record of stamped.filter(wantsStill)) {
        const done = withStill(record, sourceId as string).finally(() => waiting.delete(done))
        waiting.add(done)
      }
    },
    waiting: () => waiting.size,
    async settled() {
      await Promise.all(waiting)
    },
  }
}
