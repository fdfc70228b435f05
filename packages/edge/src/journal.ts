/**
 * Every record between its making and the portal's acknowledgement: a SQLite file (WAL, synchronous=FULL). What
 * `append` was given is on disk one group commit later, and leaves only when the portal has committed it. Rows hold
 * finished event frames, so a record is encoded once, however often it is sent.
 */
import { chmodSync, closeSync, openSync, renameSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { EventRecord } from '@sightline/contract/edge'
import { decodeEvents, encodeEvents, FrameError, maxFrameBytes, maxFrameRecords } from '@sightline/contract/frame'
import type { Log } from './log.ts'

export type JournalFrame = { firstSeq: number; lastSeq: number; frame: Uint8Array }

export type JournalOptions = {
  /** Frames kept at most; beyond them the oldest go, counted. 72 hours at 5 records a second take about 0.3 GB. */
  maxBytes?: number
  /** Records of this long share one commit. */
  groupMs?: number
  /** Records held in memory while the disk refuses them; beyond them the oldest go, counted. */
  maxPending?: number
  /** Gives up something that is worth less than records, where the disk is full. False when there is nothing. */
  makeRoom?(): Promise<boolean>
  log: Log
}

type Row = { first_seq: number; last_seq: number; frame: Uint8Array }

const gigabyte = 1024 ** 3
const retryMs = 1000
/** An acknowledgement alone is in no hurry: it goes with the next records, or after this long. */
const deleteMs = 1000
const quarantineRows = 256

export class Journal {
  /** Called after records became durable. */
  onAppended: () => void = () => undefined

  readonly #db: DatabaseSync
  readonly #sql: ReturnType<typeof prepare>
  readonly #log: Log
  readonly #maxBytes: number
  readonly #groupMs: number
  readonly #maxPending: number
  readonly #makeRoom: JournalOptions['makeRoom']
  #room: Promise<void> | undefined

  #pending: EventRecord[] = []
  #timer: NodeJS.Timeout | null = null
  #dueAt = Number.POSITIVE_INFINITY
  #isFailing = false
  /** Sequence numbers of the last record journalled, acknowledged, and handed out by `next`. */
  #last: number
  #acked: number
  #sent: number
  /** Of the rows in the file. */
  #bytes: number
  #records: number
  #lost: number

  /** @throws when the file cannot be opened or another process holds it */
  constructor(path: string, options: JournalOptions) {
    this.#log = options.log
    this.#maxBytes = options.maxBytes ?? gigabyte
    this.#groupMs = options.groupMs ?? 100
    this.#maxPending = options.maxPending ?? 20_000
    this.#makeRoom = options.makeRoom
    this.#db = openFile(path, options.log)
    this.#sql = prepare(this.#db)
    const state = this.#sql.state.get() as { last_seq: number; lost: number }
    const kept = this.#sql.kept.get() as { bytes: number; records: number; first_seq: number | null }
    this.#last = state.last_seq
    this.#lost = state.lost
    this.#bytes = kept.bytes
    this.#records = kept.records
    this.#acked = kept.first_seq === null ? state.last_seq : kept.first_seq - 1
    this.#sent = this.#acked
  }

  /** Records that wait for the portal. */
  get waiting(): number {
    return this.#records + this.#pending.length
  }

  /** Records dropped for want of room, or that could not be written or read. Never goes back. */
  get lost(): number {
    return this.#lost
  }

  /** True while the disk refuses what is pending: it waits in memory. */
  get isFailing(): boolean {
    return this.#isFailing
  }

  append(records: readonly EventRecord[]) {
    for (const record of records) this.#pending.push(record)
    if (this.#isFailing) {
      const excess = this.#pending.length - this.#maxPending
      if (excess > 0) {
        this.#pending.splice(0, excess)
        this.#lost += excess
      }
    } else if (this.#pending.length >= maxFrameRecords) this.flush()
    else if (this.#pending.length > 0) this.#flushIn(this.#groupMs)
  }

  /** Makes what is pending durable now. If the disk refuses, it stays in memory and is tried again. */
  flush() {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.#dueAt = Number.POSITIVE_INFINITY
    const rows = this.#encodePending()
    const last = rows.at(-1)?.last_seq ?? this.#last
    let change: { bytes: number; records: number; dropped: number }
    try {
      change = this.#transaction(() => {
        const removed = sizes(this.#sql.deleteUpTo.all(this.#acked))
        let bytes = -removed.bytes
        let records = -removed.records
        for (const row of rows) {
          this.#sql.insert.run(row.first_seq, row.last_seq, row.frame)
          bytes += row.frame.length
          records += row.last_seq - row.first_seq + 1
        }
        let dropped = 0
        while (this.#bytes + bytes > this.#maxBytes) {
          // What is on its way to the portal stays: it would be counted as lost and arrive all the same.
          const oldest = sizes(this.#sql.dropOldest.all(this.#sent))
          if (oldest.records === 0) break
          bytes -= oldest.bytes
          records -= oldest.records
          dropped += oldest.records
        }
        this.#sql.setState.run(last, this.#lost + dropped)
        return { bytes, records, dropped }
      })
    } catch (error) {
      if (!this.#isFailing) this.#log.error('The journal cannot be written; records wait in memory', error)
      this.#isFailing = true
      this.#flushIn(retryMs)
      if (isFull(error)) this.#flushWithRoom()
      return
    }
    if (this.#isFailing) this.#log.warn('The journal can be written again')
    if (change.dropped > 0) this.#log.warn(`The journal is full: dropped the ${change.dropped} oldest records`)
    this.#isFailing = false
    this.#pending = []
    this.#last = last
    this.#bytes += change.bytes
    this.#records += change.records
    this.#lost += change.dropped
    if (rows.length > 0) this.onAppended()
  }

  /**
   * The next records in the order of their making, as one frame; rows that waited together travel together. Null when
   * all were handed out.
   */
  next(): JournalFrame | null {
    const rows: Row[] = []
    let bytes = 0
    for (const found of this.#sql.after.iterate(this.#sent)) {
      const row = found as Row
      const before = rows.at(-1)
      const records = row.last_seq - (rows[0]?.first_seq ?? row.first_seq) + 1
      bytes += row.frame.length
      if (before && (row.first_seq !== before.last_seq + 1 || records > maxFrameRecords || bytes > maxFrameBytes)) break
      rows.push(row)
    }
    const first = rows[0]
    if (!first) return null
    const joined = (rows.length > 1 || first.first_seq <= this.#sent) && this.#join(rows)
    const frame = joined || { firstSeq: first.first_seq, lastSeq: first.last_seq, frame: first.frame }
    this.#sent = frame.lastSeq
    return frame
  }

  /** Null when a row cannot be read: then it goes alone, as it is, and the portal says so. */
  #join(rows: readonly Row[]): JournalFrame | null {
    try {
      const records = rows.flatMap((row) => {
        const read = decodeEvents(row.frame, refuseCompression).records
        return read.slice(Math.max(0, this.#sent + 1 - row.first_seq))
      })
      const firstSeq = Math.max((rows[0] as Row).first_seq, this.#sent + 1)
      const { frame, count } = encodeEvents(records, firstSeq)
      return { firstSeq, lastSeq: firstSeq + count - 1, frame }
    } catch (error) {
      if (error instanceof FrameError) return null
      throw error
    }
  }

  /** The connection is gone: what was not acknowledged is handed out again. */
  rewind() {
    this.#sent = this.#acked
  }

  /** The portal has committed every record up to `seq`. */
  ack(seq: number) {
    if (seq <= this.#acked || seq > this.#sent) return
    this.#acked = seq
    this.#flushIn(deleteMs)
  }

  /** The portal cannot read this frame: kept aside for examination, counted as lost, and the next may go. */
  quarantine({ firstSeq, lastSeq, frame }: JournalFrame, reason: string) {
    this.#lost += lastSeq - firstSeq + 1
    this.#acked = Math.max(this.#acked, lastSeq)
    this.#log.error(`The portal cannot read records ${firstSeq} to ${lastSeq}; they are kept aside`, reason)
    try {
      this.#sql.quarantine.run(firstSeq, reason, Date.now(), frame)
      this.#sql.trimQuarantine.run(quarantineRows)
    } catch (error) {
      this.#log.error('They could not be kept aside', error)
    }
    this.#flushIn(0)
  }

  /** Frames kept aside, newest last. */
  quarantined(): { firstSeq: number; reason: string; frame: Uint8Array }[] {
    return this.#sql.quarantined.all().map((row) => ({
      firstSeq: row.first_seq as number,
      reason: row.reason as string,
      frame: row.frame as Uint8Array,
    }))
  }

  close() {
    this.flush()
    if (this.#timer) clearTimeout(this.#timer)
    this.#db.close()
  }

  /** One at a time: each tells the stores to give up a part of what they have by then. */
  #flushWithRoom() {
    this.#room ??= this.#makeRoom?.().then(
      (isMade) => {
        this.#room = undefined
        if (isMade && this.#db.isOpen) this.flush()
      },
      (error: unknown) => {
        this.#room = undefined
        this.#log.error('No room could be made for the journal', error)
      },
    )
  }

  #flushIn(ms: number) {
    const dueAt = performance.now() + ms
    if (dueAt >= this.#dueAt) return
    if (this.#timer) clearTimeout(this.#timer)
    this.#dueAt = dueAt
    this.#timer = setTimeout(() => this.flush(), ms)
  }

  #encodePending(): Row[] {
    const encodeAll = () => {
      const rows: Row[] = []
      let rest = this.#pending
      for (let seq = this.#last + 1; rest.length > 0; ) {
        const { frame, count } = encodeEvents(rest, seq)
        rows.push({ first_seq: seq, last_seq: seq + count - 1, frame })
        seq += count
        rest = rest.slice(count)
      }
      return rows
    }
    try {
      return encodeAll()
    } catch {
      // One record that cannot be written must not hold up the others: it is found and left out, counted.
      this.#pending = this.#pending.filter((record) => this.#isWritable(record))
      return encodeAll()
    }
  }

  #isWritable(record: EventRecord): boolean {
    try {
      return encodeEvents([record], 1).count === 1
    } catch (error) {
      this.#lost++
      this.#log.error(`A record of channel ${record.channel_id} cannot be written`, error)
      return false
    }
  }

  #transaction<T>(work: () => T): T {
    this.#db.exec('begin immediate')
    try {
      const result = work()
      this.#db.exec('commit')
      return result
    } catch (error) {
      // SQLite has already rolled back by itself after some errors, a full disk among them.
      if (this.#db.isTransaction) this.#db.exec('rollback')
      throw error
    }
  }
}

const refuseCompression = () => {
  throw new FrameError('compressed in the journal')
}

const sizes = (rows: readonly Record<string, unknown>[]) => ({
  bytes: rows.reduce((sum, row) => sum + (row.bytes as number), 0),
  records: rows.reduce((sum, row) => sum + (row.records as number), 0),
})

function openFile(path: string, log: Log): DatabaseSync {
  const open = () => {
    // Events are for the owner's eyes; SQLite gives its other files the mode of this one.
    closeSync(openSync(path, 'a', 0o600))
    chmodSync(path, 0o600)
    const db = new DatabaseSync(path)
    try {
      db.exec(`
        pragma locking_mode = exclusive;
        pragma journal_mode = wal;
        pragma synchronous = full;
        create table if not exists frame (last_seq integer primary key, first_seq integer not null, frame blob not null);
        create table if not exists quarantine (first_seq integer not null, reason text not null, at integer not null, frame blob not null);
        create table if not exists state (id integer primary key check (id = 1), last_seq integer not null, lost integer not null);
        insert or ignore into state values (1, 0, 0);`)
      return db
    } catch (error) {
      db.close()
      throw error
    }
  }
  try {
    return open()
  } catch (error) {
    if (!isCorrupt(error)) throw error
    const aside = `${path}.unreadable-${Date.now()}`
    renameSync(path, aside)
    log.error(`The journal is damaged; it is kept as ${aside} and a new one begins`, error)
    return open()
  }
}

const failedWith = (error: unknown, ...codes: number[]): boolean =>
  error instanceof Error && 'errcode' in error && codes.includes(Number(error.errcode) & 0xff)
/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const isCorrupt = (error: unknown) => failedWith(error, 11, 26)
/** SQLITE_FULL. */
const isFull = (error: unknown) => failedWith(error, 13)

const size = 'length(frame) as bytes, last_seq - first_seq + 1 as records'

const prepare = (db: DatabaseSync) => ({
  state: db.prepare('select last_seq, lost from state'),
  setState: db.prepare('update state set last_seq = ?, lost = ?'),
  kept: db.prepare(
    `select count(*) as n, coalesce(sum(length(frame)), 0) as bytes, min(first_seq) as first_seq,
            coalesce(sum(last_seq - first_seq + 1), 0) as records from frame`,
  ),
  insert: db.prepare('insert into frame (first_seq, last_seq, frame) values (?, ?, ?)'),
  after: db.prepare('select first_seq, last_seq, frame from frame where last_seq > ? order by last_seq'),
  deleteUpTo: db.prepare(`delete from frame where last_seq <= ? returning ${size}`),
  dropOldest: db.prepare(
    `delete from frame where last_seq = (select last_seq from frame where first_seq > ? order by last_seq limit 1)
     returning ${size}`,
  ),
  quarantine: db.prepare('insert into quarantine (first_seq, reason, at, frame) values (?, ?, ?, ?)'),
  trimQuarantine: db.prepare('delete from quarantine where rowid <= (select max(rowid) from quarantine) - ?'),
  quarantined: db.prepare('select first_seq, reason, frame from quarantine order by rowid'),
})
