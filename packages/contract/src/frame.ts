/**
 * Binary frames of the link. Little endian, columnar; each frame stands alone, so it can be kept, repeated and
 * examined without the connection that carried it.
 *
 * Event frame: `u8 kind=1 · u8 version · u16 flags · u32 count · u64 first_seq`, then the body, compressed when flag 1 is
 * set: dictionaries (channels, origins, metrics, levels), then one column after another. Whole numbers are varints
 * (7 bits a byte, low bits first), signed ones zigzag.
 *
 * Media frame: `u8 kind=2 · u8 what · u16 0 · u32 stream · payload`.
 *
 * Decoding never trusts a length: every count is checked against the bytes that are left before anything is allocated.
 */
import { FrameError, Reader, utf8, Writer } from './bytes.ts'
import { type EventRecord, recordKinds } from './edge.ts'

export { FrameError }

export const frameKinds = { events: 1, media: 2 } as const
export const eventFrameVersion = 1
export const eventHeaderBytes = 16
export const maxFrameRecords = 4096
/** Of an uncompressed event frame. */
export const maxFrameBytes = 256 * 1024
/** Bodies from this size on are worth compressing. */
export const compressFromBytes = 16 * 1024

const flagCompressed = 1
const detectors = ['none', 'motion', 'hog', 'onnx'] as const
const detectorStates = ['ok', 'degraded'] as const

/** The low two bits of a row's shape are its kind; the others say which sparse columns have a value for it. */
const has = { occasion: 4, levels: 8, details: 16, snapshot: 32, clip: 64 } as const
/** How a metric column is written: the shortest of these that gives every value back exactly. */
const coding = { whole: 0, hundredths: 1, double: 2 } as const

/* ── events: writing ─────────────────────────────────────────────────────────────────── */

/**
 * The first records of the list, as many as fit into one frame.
 * @param firstSeq sequence number of the first record; the others follow without a gap
 * @throws FrameError when a record cannot be written: too large alone, or not made of numbers where it should be
 */
export function encodeEvents(
  records: readonly EventRecord[],
  firstSeq: number,
): { frame: Uint8Array<ArrayBuffer>; count: number } {
  const { rows, details } = rowsThatFit(records)
  const out = new Writer()
  out.byte(frameKinds.events)
  out.byte(eventFrameVersion)
  out.byte(0)
  out.byte(0)
  out.word(rows.length)
  out.long(firstSeq)

  const channels = dictionary(rows, (row) => row.channel_id)
  out.varint(channels.keys.length)
  for (const channel of channels.keys) out.uuid(channel)

  const origins = dictionary(rows, originOf)
  out.varint(origins.keys.length)
  for (const origin of origins.keys) out.text(origin)

  for (const row of rows) out.uuid(row.event_uuid)
  for (const row of rows) out.byte(shapeOf(row))
  for (const index of channels.indices) out.varint(index)
  for (const index of origins.indices) out.varint(index)
  let before = 0
  for (const row of rows) {
    out.signed(row.observed_at - before)
    before = row.observed_at
  }
  for (const row of rows) out.varint(row.observed_ms)
  for (const row of rows) out.signed(row.clock_offset_ms)
  for (const row of rows) if (row.occasion_id !== null) out.uuid(row.occasion_id)
  for (const row of rows) if (row.snapshot_id !== null) out.uuid(row.snapshot_id)
  for (const row of rows) if (row.clip_id !== null) out.uuid(row.clip_id)
  writeNumbers(
    out,
    rows.map((row) => row.metrics),
  )
  writeNumbers(
    out,
    rows.map((row) => row.levels).filter((levels) => levels !== null),
  )
  for (const text of details) out.bytes(text)
  const frame = out.finish()
  if (frame.length > maxFrameBytes) throw new FrameError('frame too large')
  return { frame, count: rows.length }
}

/** Everything a row may need in the fixed columns, dictionaries included, without numbers, origin and details. */
const rowBytes = 16 * 5 + 40
const numberBytes = 10

function rowsThatFit(records: readonly EventRecord[]) {
  const rows: EventRecord[] = []
  const details: Uint8Array[] = []
  // A metric seen for the first time brings its name, its coding and a presence bit for every row.
  const names = new Set<string>()
  let room = maxFrameBytes - eventHeaderBytes - 64
  for (const row of records) {
    if (rows.length === maxFrameRecords) break
    const detail = row.details === null ? null : utf8(JSON.stringify(row.details))
    let size = rowBytes + 3 * (row.state_cause?.length ?? 0) + 3 * (row.model_version?.length ?? 0)
    size += detail ? detail.length + 5 : 0
    for (const numbers of [row.metrics, row.levels])
      for (const name in numbers) {
        size += numberBytes
        if (!names.has(name)) size += 2 * (name.length + 5 + maxFrameRecords / 8)
        names.add(name)
      }
    if (size > room) break
    room -= size
    rows.push(row)
    if (detail) details.push(detail)
  }
  if (rows.length === 0) throw new FrameError(records.length === 0 ? 'no records' : 'record too large')
  return { rows, details }
}

const shapeOf = (row: EventRecord): number =>
  recordKinds.indexOf(row.kind) |
  (row.occasion_id === null ? 0 : has.occasion) |
  (row.levels === null ? 0 : has.levels) |
  (row.details === null ? 0 : has.details) |
  (row.snapshot_id === null ? 0 : has.snapshot) |
  (row.clip_id === null ? 0 : has.clip)

/** Few combinations occur, so they are written once: detector, its state, cause, model. Absent and empty differ by the mark. */
const originOf = (row: EventRecord): string =>
  `${detectors.indexOf(row.detector)}${detectorStates.indexOf(row.detector_state)}${mark(row.model_version)}\n${mark(row.state_cause)}`
const mark = (text: string | null): string => (text === null ? '-' : `+${text}`)

function dictionary(rows: readonly EventRecord[], keyOf: (row: EventRecord) => string) {
  const known = new Map<string, number>()
  const indices = rows.map((row) => {
    const key = keyOf(row)
    let index = known.get(key)
    if (index === undefined) {
      index = known.size
      known.set(key, index)
    }
    return index
  })
  return { keys: [...known.keys()], indices }
}

/** A column per name: coding, presence bitmap, values of the rows that have one. */
function writeNumbers(out: Writer, rows: readonly Record<string, number>[]) {
  const columns = new Map<string, { present: number[]; values: number[] }>()
  rows.forEach((row, index) => {
    for (const name in row) {
      let column = columns.get(name)
      if (!column) {
        column = { present: [], values: [] }
        columns.set(name, column)
      }
      column.present.push(index)
      column.values.push(row[name] as number)
    }
  })
  out.varint(columns.size)
  for (const [name, { present, values }] of columns) {
    if (!metricName.test(name)) throw new FrameError('metric name')
    out.text(name)
    const code = codingOf(values)
    out.byte(code)
    out.bitmap(present, rows.length)
    if (code === coding.whole) for (const value of values) out.signed(value)
    else if (code === coding.hundredths) for (const value of values) out.signed(Math.round(value * 100))
    else for (const value of values) out.double(value)
  }
}

const metricName = /^[a-z][a-z0-9_]{0,63}$/

function codingOf(values: readonly number[]): number {
  let code: number = coding.whole
  for (const value of values) {
    if (!Number.isFinite(value)) throw new FrameError('metric not a number')
    if (Math.abs(value) > greatestVarint || Math.round(value * 100) / 100 !== value) code = coding.double
    else if (code === coding.whole && !Number.isInteger(value)) code = coding.hundredths
  }
  return code
}
/** Times a hundred and zigzag it is still exact. */
const greatestVarint = 1e12

/* ── events: reading ─────────────────────────────────────────────────────────────────── */

export type EventHeader = { firstSeq: number; count: number; isCompressed: boolean }

/** @throws FrameError when these are not the first bytes of an event frame of this version */
export function readEventHeader(bytes: Uint8Array): EventHeader {
  if (bytes.length < eventHeaderBytes || bytes[0] !== frameKinds.events) throw new FrameError('not an event frame')
  if (bytes[1] !== eventFrameVersion) throw new FrameError('unknown version of event frame')
  const view = new DataView(bytes.buffer, bytes.byteOffset, eventHeaderBytes)
  const flags = view.getUint16(2, true)
  const firstSeq = Number(view.getBigUint64(8, true))
  if (flags > flagCompressed) throw new FrameError('unknown flags')
  if (!Number.isSafeInteger(firstSeq)) throw new FrameError('sequence number')
  return { count: view.getUint32(4, true), firstSeq, isCompressed: flags === flagCompressed }
}

/** The same frame with its body passed through `compress`, if it is worth it. */
export function compressEvents(frame: Uint8Array, compress: (body: Uint8Array) => Uint8Array): Uint8Array {
  if (frame.length < eventHeaderBytes + compressFromBytes) return frame
  const body = compress(frame.subarray(eventHeaderBytes))
  const out = new Uint8Array(eventHeaderBytes + body.length)
  out.set(frame.subarray(0, eventHeaderBytes))
  out[2] = flagCompressed
  out.set(body, eventHeaderBytes)
  return out
}

/**
 * The records of an event frame, in the order of their sequence numbers.
 * @param decompress must throw rather than make more than `maxBytes`
 * @throws FrameError when the bytes are no such frame
 */
export function decodeEvents(
  frame: Uint8Array,
  decompress: (body: Uint8Array, maxBytes: number) => Uint8Array,
): { firstSeq: number; records: EventRecord[] } {
  const { firstSeq, count, isCompressed } = readEventHeader(frame)
  if (frame.length > maxFrameBytes) throw new FrameError('frame too large')
  const body = frame.subarray(eventHeaderBytes)
  const input = new Reader(isCompressed ? unfold(body, decompress) : body)
  // The smallest row is 22 bytes: nothing is allocated for rows that cannot be there.
  if (count === 0 || count > maxFrameRecords || count > input.left / 22) throw new FrameError('count of records')

  const channels = input.list(16, () => input.uuid())
  const origins = input.list(3, () => parseOrigin(input.text(2048)))

  const ids = input.column(count, () => input.uuid())
  const shapes = input.column(count, () => input.byte())
  const channelOf = input.column(count, () => input.entry(channels))
  const origin = input.column(count, () => input.entry(origins))
  let time = 0
  const observedAt = input.column(count, () => {
    time += input.signed()
    return time
  })
  const observedMs = input.column(count, () => input.varint())
  const clockOffsetMs = input.column(count, () => input.signed())
  const sparse = (flag: number) => shapes.map((shape) => (shape & flag ? input.uuid() : null))
  const occasions = sparse(has.occasion)
  const snapshots = sparse(has.snapshot)
  const clips = sparse(has.clip)
  const metrics = readNumbers(input, count)
  const withLevels = shapes.filter((shape) => shape & has.levels).length
  const levels = readNumbers(input, withLevels)
  let level = 0

  const records = shapes.map((shape, row): EventRecord => {
    if (shape > 127 || !Number.isSafeInteger(observedAt[row])) throw new FrameError('row')
    return {
      event_uuid: ids[row] as string,
      occasion_id: occasions[row] as string | null,
      channel_id: channelOf[row] as string,
      kind: recordKinds[shape & 3] as EventRecord['kind'],
      observed_at: observedAt[row] as number,
      observed_ms: observedMs[row] as number,
      clock_offset_ms: clockOffsetMs[row] as number,
      ...(origin[row] as Origin),
      metrics: metrics[row] as Record<string, number>,
      levels: shape & has.levels ? (levels[level++] as Record<string, number>) : null,
      details: shape & has.details ? parseDetails(input.text(maxFrameBytes)) : null,
      snapshot_id: snapshots[row] as string | null,
      clip_id: clips[row] as string | null,
    }
  })
  if (input.left > 0) throw new FrameError('bytes after the last column')
  return { firstSeq, records }
}

function unfold(body: Uint8Array, decompress: (body: Uint8Array, maxBytes: number) => Uint8Array): Uint8Array {
  try {
    return decompress(body, maxFrameBytes)
  } catch (cause) {
    throw new FrameError('compression', { cause })
  }
}

type Origin = Pick<EventRecord, 'detector' | 'detector_state' | 'state_cause' | 'model_version'>

function parseOrigin(text: string): Origin {
  const cut = text.indexOf('\n')
  const detector = detectors[Number(text[0])]
  const state = detectorStates[Number(text[1])]
  if (cut < 3 || !detector || !state) throw new FrameError('origin')
  return {
    detector,
    detector_state: state,
    model_version: unmark(text.slice(2, cut)),
    state_cause: unmark(text.slice(cut + 1)),
  }
}

function unmark(text: string): string | null {
  if (text === '-') return null
  if (text[0] !== '+') throw new FrameError('origin')
  return text.slice(1)
}

function parseDetails(text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new FrameError('details')
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw new FrameError('details')
  return value as Record<string, unknown>
}

function readNumbers(input: Reader, count: number): Record<string, number>[] {
  const rows = Array.from({ length: count }, (): Record<string, number> => ({}))
  const columns = input.varint()
  for (let column = 0; column < columns; column++) {
    const name = input.text(64)
    if (!metricName.test(name)) throw new FrameError('metric name')
    const code = input.byte()
    const present = input.bitmap(count)
    for (let row = 0; row < count; row++) {
      if (!((present[row >> 3] as number) & (1 << (row & 7)))) continue
      const numbers = rows[row] as Record<string, number>
      if (code === coding.whole) numbers[name] = input.signed()
      else if (code === coding.hundredths) numbers[name] = input.signed() / 100
      else if (code === coding.double) numbers[name] = input.double()
      else throw new FrameError('coding')
    }
  }
  return rows
}

/* ── media ───────────────────────────────────────────────────────────────────────────── */

/** `key`: a fragment at which decoding may start. `bytes`: part of a stored picture or clip. `end`: the last of a transfer. */
export const mediaParts = { init: 1, key: 2, fragment: 3, jpeg: 4, bytes: 5, end: 6 } as const
export type MediaPart = keyof typeof mediaParts
export const mediaHeaderBytes = 8

/** @param stream id of the request that the bytes answer */
export function encodeMedia(stream: number, part: MediaPart, payload: Uint8Array): Uint8Array<ArrayBuffer> {
  const frame = new Uint8Array(mediaHeaderBytes + payload.length)
  frame[0] = frameKinds.media
  frame[1] = mediaParts[part]
  new DataView(frame.buffer).setUint32(4, stream, true)
  frame.set(payload, mediaHeaderBytes)
  return frame
}

const partOf = new Map(Object.entries(mediaParts).map(([name, code]) => [code as number, name as MediaPart]))

/** The payload is a view into `frame`. @throws FrameError */
export function decodeMedia<B extends Uint8Array>(frame: B): { stream: number; part: MediaPart; payload: Uint8Array } {
  const part = partOf.get(frame[1] as number)
  if (frame.length < mediaHeaderBytes || frame[0] !== frameKinds.media || !part)
    throw new FrameError('not a media frame')
  const stream = new DataView(frame.buffer, frame.byteOffset, mediaHeaderBytes).getUint32(4, true)
  return { stream, part, payload: frame.subarray(mediaHeaderBytes) }
}
