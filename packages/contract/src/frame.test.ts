import { randomBytes } from 'node:crypto'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { EventRecord } from './edge.ts'
import {
  compressEvents,
  decodeEvents,
  decodeMedia,
  encodeEvents,
  encodeMedia,
  eventHeaderBytes,
  FrameError,
  maxFrameBytes,
  maxFrameRecords,
  mediaParts,
  readEventHeader,
} from './frame.ts'

const inflate = (body: Uint8Array, maxOutputLength: number) => zstdDecompressSync(body, { maxOutputLength })
const decode = (frame: Uint8Array) => decodeEvents(frame, inflate)

const uuid = fc.uuid()
const number = fc.oneof(
  fc.integer({ min: -1000, max: 1000 }),
  fc.integer({ min: -100_000, max: 100_000 }).map((hundredths) => hundredths / 100),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
)
// −0 and 0 are one number here, as in JSON.
const numbers = fc.dictionary(
  fc.stringMatching(/^[a-z][a-z0-9_]{0,20}$/),
  number.map((value) => value + 0),
  { maxKeys: 5 },
)
const record: fc.Arbitrary<EventRecord> = fc.record({
  event_uuid: uuid,
  occasion_id: fc.option(uuid),
  channel_id: fc.oneof(fc.constant('01890000-0000-7000-8000-000000000000'), uuid),
  kind: fc.constantFrom('window', 'open', 'update', 'close'),
  observed_at: fc.integer({ min: 0, max: 4e12 }),
  observed_ms: fc.nat(),
  clock_offset_ms: fc.integer({ min: -1e12, max: 1e12 }),
  detector: fc.constantFrom('hog', 'motion', 'onnx', 'none'),
  detector_state: fc.constantFrom('ok', 'degraded'),
  state_cause: fc.option(fc.string({ unit: 'grapheme', maxLength: 40 })),
  model_version: fc.option(fc.stringMatching(/^[0-9a-f]{0,64}$/)),
  metrics: numbers,
  levels: fc.option(numbers),
  details: fc.option(
    fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 }).map(
      // What JSON says is what arrives.
      (value) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>,
    ),
  ),
  snapshot_id: fc.option(uuid),
  clip_id: fc.option(uuid),
})
const records = fc.array(record, { minLength: 1, maxLength: 40 })

const windowRecord = (seq: number): EventRecord => ({
  event_uuid: `01890000-0000-7000-8000-${seq.toString(16).padStart(12, '0')}`,
  occasion_id: null,
  channel_id: '01890000-0000-7000-8000-00000000000a',
  kind: 'window',
  observed_at: 1_780_000_000_000 + seq * 5000,
  observed_ms: 5000,
  clock_offset_ms: 0,
  detector: 'hog',
  detector_state: 'ok',
  state_cause: null,
  model_version: null,
  metrics: { total: 1.37, total_max: 3, total_min: 0 },
  levels: null,
  details: null,
  snapshot_id: null,
  clip_id: null,
})
const many = (count: number) => Array.from({ length: count }, (_, seq) => windowRecord(seq))

describe('event frames', () => {
  test('give back exactly the records that went in', () => {
    fc.assert(
      fc.property(records, fc.integer({ min: 1, max: 2 ** 52 }), (list, firstSeq) => {
        const { frame, count } = encodeEvents(list, firstSeq)
        expect(decode(frame)).toEqual({ firstSeq, records: list.slice(0, count) })
        expect(decode(compressEvents(frame, zstdCompressSync))).toEqual({ firstSeq, records: list.slice(0, count) })
        expect(readEventHeader(frame)).toEqual({ firstSeq, count, isCompressed: false })
      }),
      { numRuns: 200 },
    )
  })

  test('never hold more than their limits, and the rest goes in the next', () => {
    fc.assert(
      fc.property(fc.array(record, { minLength: 400, maxLength: 600 }), fc.nat(3000), (list, padding) => {
        const heavy = list.map((one) => ({ ...one, details: { padding: 'é'.repeat(padding) } }))
        let sent = 0
        while (sent < heavy.length) {
          const { frame, count } = encodeEvents(heavy.slice(sent), sent + 1)
          expect(frame.length).toBeLessThanOrEqual(maxFrameBytes)
          expect(count).toBeGreaterThan(0)
          sent += count
        }
      }),
      { numRuns: 5 },
    )
    expect(encodeEvents(many(maxFrameRecords + 1), 1).count).toBeLessThanOrEqual(maxFrameRecords)
  })

  test('a window record takes about 30 bytes', () => {
    const { frame, count } = encodeEvents(many(100), 1)
    expect(frame.length / count).toBeLessThan(32)
  })

  test('a record that is too large or not made of numbers is refused before anything is sent', () => {
    expect(() => encodeEvents([{ ...windowRecord(1), details: { text: 'x'.repeat(maxFrameBytes) } }], 1)).toThrow(
      FrameError,
    )
    expect(() => encodeEvents([{ ...windowRecord(1), metrics: { total: Number.NaN } }], 1)).toThrow(FrameError)
    expect(() => encodeEvents([{ ...windowRecord(1), metrics: { __proto__x: 1 } }], 1)).toThrow(FrameError)
    expect(() => encodeEvents([{ ...windowRecord(1), event_uuid: 'not-a-uuid' }], 1)).toThrow(FrameError)
    expect(() => encodeEvents([{ ...windowRecord(1), observed_ms: 0.5 }], 1)).toThrow(FrameError)
    expect(() => encodeEvents([], 1)).toThrow(FrameError)
  })

  const onlyFrameErrors = (bytes: Uint8Array) => {
    try {
      decode(bytes)
    } catch (error) {
      if (!(error instanceof FrameError)) throw error
    }
  }

  test('any bytes at all are refused in words, never with another error', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), onlyFrameErrors), { numRuns: 500 })
    // Past the header, so that the columns are reached.
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.nat(12), (body, count) => {
        const { frame } = encodeEvents([windowRecord(1)], 1)
        const bytes = new Uint8Array(eventHeaderBytes + body.length)
        bytes.set(frame.subarray(0, eventHeaderBytes))
        bytes[4] = count
        bytes.set(body, eventHeaderBytes)
        onlyFrameErrors(bytes)
      }),
      { numRuns: 1000 },
    )
  })

  test('a good frame with changed, missing or added bytes is refused in words or read as records', () => {
    fc.assert(
      fc.property(
        records,
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 6 }),
        (list, changes) => {
          const { frame } = encodeEvents(list, 1)
          for (const [at, byte] of changes) frame[at % frame.length] = byte
          onlyFrameErrors(frame)
          onlyFrameErrors(frame.subarray(0, (changes[0] as [number, number])[0] % frame.length))
          onlyFrameErrors(new Uint8Array([...frame, 0]))
        },
      ),
      { numRuns: 500 },
    )
  })

  test('claimed lengths allocate nothing', () => {
    const { frame } = encodeEvents(many(2), 1)
    const before = process.memoryUsage().arrayBuffers
    for (const count of [3, 4096, 4097, 0xffffffff]) {
      const bytes = frame.slice()
      new DataView(bytes.buffer).setUint32(4, count, true)
      expect(() => decode(bytes)).toThrow(FrameError)
    }
    // Dictionary of 2^31 channels.
    const dictionary = new Uint8Array([
      ...frame.subarray(0, eventHeaderBytes),
      255,
      255,
      255,
      255,
      7,
      ...new Array(200).fill(0),
    ])
    expect(() => decode(dictionary)).toThrow(FrameError)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1024 * 1024)
  })

  test('a compressed body that unfolds beyond the limit is refused', () => {
    const bomb = zstdCompressSync(Buffer.alloc(64 * 1024 * 1024))
    const frame = new Uint8Array([...encodeEvents([windowRecord(1)], 1).frame.subarray(0, eventHeaderBytes), ...bomb])
    frame[2] = 1
    const before = process.memoryUsage().arrayBuffers
    expect(() => decode(frame)).toThrow(FrameError)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * 1024 * 1024)
  })

  test('another version is refused by name', () => {
    const { frame } = encodeEvents([windowRecord(1)], 1)
    frame[1] = 2
    expect(() => decode(frame)).toThrow('unknown version')
  })
})

describe('media frames', () => {
  test('give back stream, part and payload', () => {
    for (const part of Object.keys(mediaParts) as (keyof typeof mediaParts)[]) {
      const payload = new Uint8Array(randomBytes(1000))
      expect(decodeMedia(encodeMedia(0xfffffffe, part, payload))).toEqual({ stream: 0xfffffffe, part, payload })
    }
  })

  test('any other bytes are refused in words', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        try {
          decodeMedia(bytes)
        } catch (error) {
          expect(error).toBeInstanceOf(FrameError)
        }
      }),
    )
  })
})
