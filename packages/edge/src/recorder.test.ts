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
    hasStill: () => true,
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

test('what opens an occasion is kept before its picture, in order, and whoever asks for the picture waits for it', async () => {
  const picture = Promise.withResolvers<Buffer>()
  const { take, taken, settled } = recorder({ still: () => picture.promise })
  take([testRecord(), open()], source)
  take([testRecord({ kind: 'close' })], source)
  const records = journalled()
  expect(records.map(({ kind }) => kind)).toEqual(['window', 'open', 'close'])
  const [, opened] = records
  expect([kept, records[0]?.snapshot_id, records[2]?.snapshot_id]).toEqual([[], null, null])
  const asked = taken(opened?.snapshot_id as string).then(() => [...kept])
  picture.resolve(Buffer.from('jpeg'))
  expect(await asked).toEqual([opened?.snapshot_id])
  await settled()
  await taken(opened?.snapshot_id as string)
})

test('occasions of one moment share their picture', async () => {
  const { take, settled } = recorder()
  take([open(), open()], source)
  take([open()], source)
  await settled()
  expect(kept).toHaveLength(1)
  expect(new Set(journalled().map((record) => record.snapshot_id))).toEqual(new Set(kept))
})

test('no picture is announced by an event of a camera that has none', async () => {
  const { take, settled } = recorder({ hasStill: () => false })
  take([open()], source)
  await settled()
  expect(kept).toEqual([])
  expect(journalled().map((record) => record.snapshot_id)).toEqual([null])
})

test('while there is no room no picture is announced, and again once there is', async () => {
  let room = false
  const other = '01890000-0000-7000-8000-0000000000e2'
  const { take, settled } = recorder({ keep: async (id) => room && kept.push(id) > 0 })
  // The first finds that there is none, the fourth that there is again.
  for (const [index, camera] of [source, source, other, other, source].entries()) {
    room = index > 2
    take([open()], camera)
    await settled()
  }
  const [first, ...others] = journalled().map((record) => record.snapshot_id)
  expect(first).toEqual(expect.any(String))
  expect(others).toEqual([null, null, null, kept[1]])
})

test('a picture that could not be taken is not shared, and holds up nobody', async () => {
  let isThere = false
  const still = async () => {
    if (!isThere) throw new Failed('timeout')
    return Buffer.from('jpeg')
  }
  const { take, settled, taken } = recorder({ still })
  take([open()], source)
  await settled()
  isThere = true
  take([open()], source)
  await settled()
  const [lost, had] = journalled().map((record) => record.snapshot_id as string)
  await taken(lost as string)
  expect(kept).toEqual([had])
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

test('a record of no camera has no picture', () => {
  const { take } = recorder()
  take([open()], null)
  expect(kept).toEqual([])
  expect(journalled()).toHaveLength(1)
})
