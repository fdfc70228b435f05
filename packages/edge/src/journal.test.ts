import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EventRecord } from '@sightline/contract/edge'
import { decodeEvents } from '@sightline/contract/frame'
import { uuidv7 } from '@sightline/domain'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Journal, type JournalOptions } from './journal.ts'
import { openMediaStore, pictureFiles } from './live/media-store.ts'
import { keepingLog, testRecord, testRecords, until } from './testing/records.ts'

let folder: string
let journals: Journal[]
const log = keepingLog()

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'journal-'))
  journals = []
  log.lines.length = 0
})
afterEach(() => {
  for (const journal of journals) journal.close()
  rmSync(folder, { recursive: true })
})

const path = () => join(folder, 'journal.db')
function open(options: Partial<JournalOptions> = {}): Journal {
  const journal = new Journal(path(), { log, ...options })
  journals.push(journal)
  return journal
}
function close(journal: Journal) {
  journals = journals.filter((one) => one !== journal)
  journal.close()
}
const recordsOf = (frame: Uint8Array): EventRecord[] => decodeEvents(frame, () => new Uint8Array()).records
/** Everything that waits, as the portal would get it; acknowledged when asked for. */
function drain(journal: Journal, acknowledge = true): EventRecord[] {
  const all: EventRecord[] = []
  for (let frame = journal.next(); frame; frame = journal.next()) {
    const records = recordsOf(frame.frame)
    expect(records.length).toBe(frame.lastSeq - frame.firstSeq + 1)
    all.push(...records)
    if (acknowledge) journal.ack(frame.lastSeq)
  }
  return all
}

describe('journal', () => {
  test('hands out what was appended, in order, and forgets only what was acknowledged', () => {
    const journal = open()
    const records = testRecords(5000)
    for (let at = 0; at < records.length; at += 7) journal.append(records.slice(at, at + 7))
    journal.flush()
    expect(journal.waiting).toBe(5000)
    const first = journal.next()
    expect(recordsOf(first?.frame as Uint8Array)).toEqual(records.slice(0, first?.lastSeq))
    journal.ack(first?.lastSeq as number)
    expect(drain(journal, false)).toEqual(records.slice(first?.lastSeq))
    expect(journal.next()).toBeNull()
    journal.rewind()
    expect(drain(journal)).toEqual(records.slice(first?.lastSeq))
    journal.flush()
    expect(journal.waiting).toBe(0)
  })

  test.skipIf(process.platform === 'win32')('its files are for their owner alone, whatever they were before', () => {
    writeFileSync(path(), '', { mode: 0o644 })
    const journal = open()
    journal.append(testRecords(1))
    journal.flush()
    const modes = readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777)
    expect(modes.length).toBeGreaterThan(1)
    expect(new Set(modes)).toEqual(new Set([0o600]))
    close(journal)
  })

  test('says when records became durable, one group after they came', async () => {
    const journal = open({ groupMs: 20 })
    let told = 0
    journal.onAppended = () => told++
    journal.append(testRecords(1))
    journal.append(testRecords(1))
    expect(journal.next()).toBeNull()
    await until(() => told === 1, 'the group is written')
    expect(drain(journal)).toHaveLength(2)
  })

  test('small groups that waited together travel together', () => {
    const journal = open()
    for (let group = 0; group < 200; group++) {
      journal.append(testRecords(3))
      journal.flush()
    }
    const frame = journal.next()
    expect(frame).toMatchObject({ firstSeq: 1, lastSeq: 600 })
  })

  test('goes on where it was after a restart, and never uses a sequence number twice', () => {
    const records = testRecords(30)
    const before = open()
    before.append(records.slice(0, 10))
    before.flush()
    const frame = before.next()
    before.ack(frame?.lastSeq as number)
    before.append(records.slice(10))
    close(before)

    const after = open()
    expect(after.waiting).toBe(20)
    const more = testRecord()
    after.append([more])
    after.flush()
    expect(drain(after)).toEqual([...records.slice(10), more])
    close(after)

    const last = open()
    last.append(testRecords(1))
    last.flush()
    expect(last.next()).toMatchObject({ firstSeq: 32, lastSeq: 32 })
  })

  test('drops the oldest beyond its size, counts them exactly, and keeps what is on its way', () => {
    const journal = open({ maxBytes: 20_000 })
    const records = testRecords(2000)
    journal.append(records.slice(0, 100))
    journal.flush()
    const onItsWay = journal.next()
    for (let at = 100; at < 2000; at += 100) {
      journal.append(records.slice(at, at + 100))
      journal.flush()
    }
    journal.rewind()
    const kept = drain(journal)
    expect(kept.slice(0, 100)).toEqual(recordsOf(onItsWay?.frame as Uint8Array))
    expect(kept.slice(100)).toEqual(records.slice(2000 - (kept.length - 100)))
    expect(journal.lost).toBe(2000 - kept.length)
    expect(journal.lost).toBeGreaterThan(0)
    close(journal)
    expect(open().lost).toBe(2000 - kept.length)
  })

  test('a frame that the portal cannot read is kept aside, counted, and holds up nothing', () => {
    const journal = open()
    const records = testRecords(20)
    journal.append(records.slice(0, 10))
    journal.flush()
    const bad = journal.next()
    journal.append(records.slice(10))
    journal.flush()
    journal.quarantine(bad as NonNullable<typeof bad>, 'metric name')
    journal.rewind()
    expect(drain(journal)).toEqual(records.slice(10))
    expect(journal.lost).toBe(10)
    expect(journal.quarantined()).toEqual([{ firstSeq: 1, reason: 'metric name', frame: bad?.frame }])
  })

  test('a record that cannot be written is left out, counted; those beside it are kept', () => {
    const journal = open()
    const good = testRecords(3)
    journal.append([...good.slice(0, 2), testRecord({ metrics: { total: Number.NaN } }), ...good.slice(2)])
    journal.flush()
    expect(drain(journal)).toEqual(good)
    expect(journal.lost).toBe(1)
  })

  test('acknowledgements of what was never sent delete nothing', () => {
    const journal = open()
    journal.append(testRecords(3))
    journal.flush()
    journal.ack(3)
    journal.ack(1e15)
    journal.flush()
    expect(journal.waiting).toBe(3)
  })

  test('a second process on the same file is refused', () => {
    open()
    expect(() => new Journal(path(), { log })).toThrow(/locked/)
  })

  test('a damaged file is kept aside and a new one begins', () => {
    writeFileSync(path(), 'this is no database, and it is long enough to be looked at as one'.repeat(100))
    const journal = open()
    journal.append(testRecords(1))
    journal.flush()
    expect(drain(journal)).toHaveLength(1)
    expect(readdirSync(folder).some((name) => name.includes('unreadable'))).toBe(true)
    expect(log.lines.some((line) => line.text.includes('damaged'))).toBe(true)
  })

  test('survives kill -9 in mid-write: everything it said was durable is there, once and in order', async () => {
    const writer = join(import.meta.dirname, 'testing/writer.ts')
    for (let round = 0; round < 3; round++) {
      const child: ChildProcess = fork(writer, [path()], { stdio: 'inherit' })
      let durable = 0
      child.on('message', (count: number) => {
        durable = count
      })
      await until(() => durable > 2000, 'the writer has written')
      child.kill('SIGKILL')
      await until(() => child.signalCode === 'SIGKILL', 'the writer is gone')
      const journal = open()
      const records = drain(journal)
      expect(records.length).toBeGreaterThanOrEqual(durable)
      // The writer numbers its records in observed_ms.
      expect(records.map((record) => record.observed_ms)).toEqual(records.map((_, index) => index))
      close(journal)
    }
  })

  test('a disk that others filled costs the oldest pictures before any record', async (context) => {
    const disk = join(folder, 'disk')
    execFileSync('mkdir', [disk])
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', disk], { stdio: 'pipe' })
    } catch {
      context.skip('a full disk needs root to mount a small one')
    }
    try {
      const pictures = await openMediaStore(join(disk, 'media'), pictureFiles, 1e9, () => undefined)
      const ids = Array.from({ length: 20 }, () => uuidv7(Date.now(), randomBytes(10)))
      for (const id of ids) await pictures.save(id, Buffer.alloc(64 * 1024))
      const journal = new Journal(join(disk, 'journal.db'), { log, maxPending: 1000, makeRoom: pictures.giveUp })
      try {
        writeFileSync(join(disk, 'ballast'), Buffer.alloc(2 ** 21))
      } catch {
        // It takes what is left.
      }
      const records: EventRecord[] = []
      for (let group = 0; group < 20; group++) {
        const some = testRecords(500)
        records.push(...some)
        journal.append(some)
        journal.flush()
        await until(() => !journal.isFailing, 'there is room again')
      }
      expect(drain(journal)).toEqual(records)
      expect(journal.lost).toBe(0)
      expect(log.lines.some(({ text }) => text.includes('wait in memory'))).toBe(true)
      expect(await pictures.read(ids[0] as string)).toBe(null)
      expect(await pictures.read(ids.at(-1) as string)).not.toBe(null)
      journal.close()
    } finally {
      execFileSync('umount', [disk])
    }
  })

  test('a full disk loses nothing until memory is full too, and what goes then is counted exactly', async (context) => {
    const disk = join(folder, 'disk')
    execFileSync('mkdir', [disk])
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk], { stdio: 'pipe' })
    } catch {
      console.log('skipped: a full disk needs root to mount a small one')
      context.skip()
    }
    try {
      const journal = new Journal(join(disk, 'journal.db'), { log, maxPending: 1000, groupMs: 10 })
      writeFileSync(join(disk, 'ballast'), Buffer.alloc(300 * 1024))
      const records: EventRecord[] = []
      expect(journal.isFailing).toBe(false)
      while (!log.lines.some((line) => line.text.includes('wait in memory')) && records.length < 100_000) {
        const some = testRecords(200)
        records.push(...some)
        journal.append(some)
        journal.flush()
      }
      expect(journal.isFailing).toBe(true)
      const more = testRecords(3000)
      for (const record of more) journal.append([record])
      const lost = journal.lost
      expect(lost).toBeGreaterThan(1900)
      rmSync(join(disk, 'ballast'))
      await until(() => log.lines.some((line) => line.text.includes('written again')), 'the journal recovers')
      expect(journal.isFailing).toBe(false)
      const kept = drain(journal)
      expect(kept.length).toBe(records.length + more.length - lost)
      expect(kept.slice(-1000)).toEqual(more.slice(-1000))
      expect(journal.lost).toBe(lost)
      journal.close()
    } finally {
      execFileSync('umount', [disk])
    }
  })
})
