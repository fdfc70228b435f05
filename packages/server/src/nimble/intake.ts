/**
 * Event frames on their way into the database: in order, as many at once as came in during the last commit, each
 * acknowledged when its records are committed and not before.
 */
import { zstdDecompressSync } from 'node:zlib'
import { type EventRecord, linkUnacknowledged, type PortalMessage } from '@sightline/contract/edge'
import { decodeEvents, FrameError, maxFrameRecords, readEventHeader } from '@sightline/contract/frame'

export type IntakeOptions = {
  /** Resolves after the commit. What it throws is tried again: the nimble keeps the records as long. */
  store(records: EventRecord[], receivedAt: Date): Promise<void>
  answer(message: Extract<PortalMessage, { type: 'ack' | 'nack' }>): void
  /** Records could not be stored for now. */
  failed(error: unknown): void
  /** The nimble does what the protocol forbids; the reason. */
  violated(reason: string): void
}
export type Intake = { take(frame: Uint8Array): void; close(): void }

type Waiting = { seq: number; records: EventRecord[]; fault: string | null; receivedAt: Date }

/** Twice what a nimble of this release sends without an answer: a later one may send more. */
const mostWaiting = 2 * linkUnacknowledged
const retryMs = [500, 1000, 2000, 5000]

export function createIntake(options: IntakeOptions): Intake {
  let waiting: Waiting[] = []
  let isBusy = false
  const over = new AbortController()

  async function work(): Promise<void> {
    isBusy = true
    while (waiting.length > 0 && !over.signal.aborted) {
      const group = firstGroup(waiting)
      const [first] = group
      if (first?.fault) options.answer({ type: 'nack', seq: first.seq, reason: first.fault })
      else if (!(await storeUntilDone(group))) break
      waiting = waiting.slice(group.length)
    }
    isBusy = false
  }

  async function storeUntilDone(group: Waiting[]): Promise<boolean> {
    const records = group.flatMap((frame) => frame.records)
    const last = group.at(-1) as Waiting
    for (let failures = 0; !over.signal.aborted; failures++) {
      try {
        await options.store(records, (group[0] as Waiting).receivedAt)
        options.answer({ type: 'ack', seq: last.seq + last.records.length - 1 })
        return true
      } catch (error) {
        if (failures === 0) options.failed(error)
        await pause(retryMs[Math.min(failures, retryMs.length - 1)] as number, over.signal)
      }
    }
    return false
  }

  return {
    take(frame) {
      const receivedAt = new Date()
      let seq: number
      try {
        seq = readEventHeader(frame).firstSeq
      } catch (error) {
        // Without its number it cannot be refused, and the nimble would send it for ever.
        return options.violated(error instanceof FrameError ? error.message : String(error))
      }
      if (waiting.length >= mostWaiting) return options.violated('too many frames without an answer')
      waiting.push({ seq, receivedAt, ...read(frame) })
      if (!isBusy) void work()
    },
    close: () => over.abort(),
  }
}

function read(frame: Uint8Array): { records: EventRecord[]; fault: string | null } {
  try {
    const inflate = (body: Uint8Array, maxOutputLength: number) => zstdDecompressSync(body, { maxOutputLength })
    return { records: decodeEvents(frame, inflate).records, fault: null }
  } catch (error) {
    if (error instanceof FrameError) return { records: [], fault: error.message }
    throw error
  }
}

/** One that cannot be read, or as many readable ones as fit a commit. */
function firstGroup(frames: readonly Waiting[]): Waiting[] {
  const group: Waiting[] = []
  let records = 0
  for (const frame of frames) {
    if (group.length > 0 && (frame.fault !== null || records + frame.records.length > maxFrameRecords)) break
    group.push(frame)
    records += frame.records.length
    if (frame.fault !== null) break
  }
  return group
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms)
    function done() {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    signal.addEventListener('abort', done)
  })
}
