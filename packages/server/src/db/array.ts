/**
 * PostgreSQL arrays in the binary form of the protocol, for statements that take thousands of values at once: the
 * driver sends a Buffer as it is, which spares both sides the text. One dimension, no nulls unless said.
 * Layout: int32 dimensions, int32 has nulls, int32 element type, int32 length, int32 lower bound; per element int32
 * bytes (−1 null) and the value, big endian (PostgreSQL source, src/backend/utils/adt/arrayfuncs.c, array_recv).
 */
const headerBytes = 20

function start(type: number, length: number, bytes: number, hasNulls = false): Buffer {
  const out = Buffer.allocUnsafe(headerBytes + bytes)
  // An empty array has no dimension.
  out.writeInt32BE(length === 0 ? 0 : 1, 0)
  out.writeInt32BE(hasNulls ? 1 : 0, 4)
  out.writeInt32BE(type, 8)
  out.writeInt32BE(length, 12)
  out.writeInt32BE(1, 16)
  return length === 0 ? out.subarray(0, 12) : out
}

type Put = (out: Buffer, at: number, value: number) => void

const fixed = (type: number, size: number, put: Put) => (values: readonly number[]) => {
  const out = start(type, values.length, values.length * (4 + size))
  let at = headerBytes
  for (const value of values) {
    out.writeInt32BE(size, at)
    put(out, at + 4, value)
    at += 4 + size
  }
  return out
}

const nullable = (type: number, size: number, put: Put) => (values: readonly (number | null)[]) => {
  const nulls = values.reduce((count: number, value) => count + (value === null ? 1 : 0), 0)
  const out = start(type, values.length, values.length * (4 + size) - nulls * size, nulls > 0)
  let at = headerBytes
  for (const value of values) {
    out.writeInt32BE(value === null ? -1 : size, at)
    at += 4
    if (value === null) continue
    put(out, at, value)
    at += size
  }
  return out
}

/** Microseconds since 2000-01-01, from milliseconds since 1970. */
const epoch2000 = 946_684_800_000
const putInstant: Put = (out, at, ms) => putInt8(out, at, Math.round((ms - epoch2000) * 1000))
/** Whole numbers up to 2^53, without the cost of BigInt. */
const putInt8: Put = (out, at, value) => {
  const high = Math.floor(value / 0x1_0000_0000)
  out.writeInt32BE(high, at)
  out.writeUInt32BE(value - high * 0x1_0000_0000, at + 4)
}
const putInt4: Put = (out, at, value) => void out.writeInt32BE(value, at)
const putInt2: Put = (out, at, value) => void out.writeInt16BE(value, at)
const putFloat4: Put = (out, at, value) => void out.writeFloatBE(value, at)
const putBool: Put = (out, at, value) => void out.writeUInt8(value, at)

export const boolArray = fixed(16, 1, putBool)
export const int2Array = fixed(21, 2, putInt2)
export const int4Array = fixed(23, 4, putInt4)
export const int8Array = fixed(20, 8, putInt8)
export const float4Array = fixed(700, 4, putFloat4)
/** From milliseconds since the epoch. */
export const instantArray = fixed(1184, 8, putInstant)
export const float4OrNullArray = nullable(700, 4, putFloat4)
export const instantOrNullArray = nullable(1184, 8, putInstant)

export function uuidArray(values: readonly (string | null)[]): Buffer {
  const nulls = values.reduce((count: number, value) => count + (value === null ? 1 : 0), 0)
  const out = start(2950, values.length, values.length * 20 - nulls * 16, nulls > 0)
  let at = headerBytes
  for (const value of values) {
    out.writeInt32BE(value === null ? -1 : 16, at)
    at += 4
    if (value === null) continue
    if (out.write(value.replaceAll('-', ''), at, 16, 'hex') !== 16) throw new TypeError('not a UUID')
    at += 16
  }
  return out
}

/** From JSON texts. */
export function jsonbArray(values: readonly (string | null)[]): Buffer {
  const sizes = values.map((value) => (value === null ? -1 : Buffer.byteLength(value) + 1))
  const bytes = sizes.reduce((sum, size) => sum + 4 + Math.max(size, 0), 0)
  const out = start(3802, values.length, bytes, sizes.includes(-1))
  let at = headerBytes
  for (const [i, value] of values.entries()) {
    out.writeInt32BE(sizes[i] as number, at)
    at += 4
    if (value === null) continue
    // Version of the binary form of jsonb.
    out[at] = 1
    at += 1 + out.write(value, at + 1)
  }
  return out
}
