/** Records and a quiet log for tests. */
import { randomBytes } from 'node:crypto'
import type { EventRecord } from '@sightline/contract/edge'
import { uuidv7 } from '@sightline/domain'
import type { Log, LogLine } from '../log.ts'

export const testChannelId = '01890000-0000-7000-8000-0000000000c1'

export function testRecord(change: Partial<EventRecord> = {}): EventRecord {
  const observedAt = change.observed_at ?? Date.now()
  return {
    event_uuid: uuidv7(observedAt, randomBytes(10)),
    occasion_id: null,
    channel_id: testChannelId,
    kind: 'window',
    observed_at: observedAt,
    observed_ms: 5000,
    clock_offset_ms: 0,
    detector: 'hog',
    detector_state: 'ok',
    state_cause: null,
    model_version: null,
    metrics: { total: 1.25, total_max: 2, total_min: 0 },
    levels: null,
    details: null,
    snapshot_id: null,
    clip_id: null,
    ...change,
  }
}
export const testRecords = (count: number): EventRecord[] => Array.from({ length: count }, () => testRecord())

/** Keeps its lines instead of printing them. */
export function keepingLog(): Log & { lines: LogLine[] } {
  const lines: LogLine[] = []
  const keep = (level: LogLine['level']) => (text: string, detail?: unknown) =>
    void lines.push({ level, text: detail === undefined ? text : `${text}: ${String(detail)}`, at: Date.now() })
  return { lines, info: keep('info'), warn: keep('warn'), error: keep('error') }
}

/** Waits until `condition` holds; fails after `ms` with its text. */
export async function until(condition: () => unknown, what: string, ms = 60_000): Promise<void> {
  const end = performance.now() + ms
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`Waited ${ms} ms in vain: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
