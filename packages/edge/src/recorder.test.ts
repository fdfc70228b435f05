import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EventRecord } from '@sightline/contract/edge'
import { decodeEvents } from '@sightline/contract/frame'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Failed } from './engine.ts'
import { Journal } from './journal.ts'
import { createRecorder, type RecorderParts } from './recorder.ts'
import { keepingLog, testRecord } from './testing/records.ts'

const source = '01890000-0000-7000-8000-0000000000e1'
let folder: string
let journal: Journal
let kept: string[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'recorder-'))
  journal = new Journal(join(folder, 'journal.db'), { log: keepingLog() })
  kept = []
})
afterEach(() => {
  journal.close()
  rmSync(folder, { recursive: true })
})

const recorder = (change: Partial<RecorderParts> = {}) =>
  createRecorder({
    journal,
    stamp: (record) => record,
    still: async () => Buffer.from('jpeg'),
    keep: async (id) => kept.push(id) > 0,
    evidence: ({ clip_id, details }) => ({ clip_id, details }),
    log: keepingLog(),
    ...change,
  })
function journalled(): EventRecord[] {
  journal.flush()
  const all: EventRecord[] = []
  for (let next = journal.next(); next; next = journal.next())
    all.push(...decodeEvents(next.frame, () => new Uint8Array()).records)
  return all
}
const open = () => testRecord({ kind: 'open' })

test('what opens an occasion gets a picture; windows do not wait for one', async () => {
  const { take, settled, waiting } = recorder()
  take([testRecord(), open()], source)
  expect(waiting()).toBe(1)
  await settled()
  const records = journalled()
  expect(records.map((record) => [record.kind, record.snapshot_id])).toEqual([
    ['window', null],
    ['open', kept[0]],
  ])
})

test('occasions of one moment share their picture', async () => {
  const { take, settled } = recorder()
  take([open(), open()], source)
  take([open()], source)
  await settled()
  expect(kept).toHaveLength(1)
  expect(new Set(journalled().map((record) => record.snapshot_id))).toEqual(new Set(kept))
})

test.each([
  ['the camera gives none', { still: () => Promise.reject(new Failed('timeout')) }],
  ['there is no room for it', { keep: async () => false }],
  ['it takes too long', { still: () => new Promise<never>(() => undefined) }],
])('the event is kept without a picture when %s', async (_, change) => {
  const { take, settled } = recorder(change)
  take([open()], source)
  await settled()
  expect(journalled().map((record) => record.snapshot_id)).toEqual([null])
})

test('what begins carries its clip and zones; what only goes on, and what evidence failed for, is kept as it is', async () => {
  const clip_id = kept[0] ?? '01890000-0000-7000-8000-0000000000f1'
  const { take, settled } = recorder({ evidence: () => ({ clip_id, details: { zones: [] } }) })
  take([open(), testRecord({ kind: 'update' })], source)
  await settled()
  const failing = recorder({
    evidence: () => {
      throw new Error('disk')
    },
  })
  failing.take([open()], source)
  await failing.settled()
  const records = journalled().map((record) => [record.kind, record.clip_id, record.details])
  expect(records.toSorted()).toEqual(
    [
      ['open', clip_id, { zones: [] }],
      ['open', null, null],
      ['update', null, null],
    ].toSorted(),
  )
})

test('a record of no camera is kept at once', () => {
  const { take, waiting } = recorder()
  take([open()], null)
  expect(waiting()).toBe(0)
  expect(journalled()).toHaveLength(1)
})
