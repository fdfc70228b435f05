/**
 * PostgreSQL arrays in the binary form of the protocol, for statements that take thousands of values at once: the
 * driver sends a Buffer as it is, which spares both sides the text. One dimension, no nulls unless said.
 * Layout: int32 dimensions, int32 has nulls, int32 element type, int32 length, int32 lower bound; per element int32
 * bytes (−1 null) and the value, big endian (PostgreSQL source, src/backend/utils/adt/arrayfuncs.c, array_recv).
 * A column is read off a list of items by a function.
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
type Column<V> = <T>(items: readonly T[], value: (item: T) => V) => Buffer

/** A column of fixed length: one value of each item. Values are read one by one, so that no list of them is made. */
const fixed =
  (type: number, size: number, put: Put): Column<number> =>
  (items, value) => {
    const out = start(type, items.length, items.length * (4 + size))
    let at = headerBytes
    for (const item of items) {
      out.writeInt32BE(size, at)
      put(out, at + 4, value(item))
      at += 4 + size
    }
    return out
  }

const countNulls = <T>(items: readonly T[], value: (item: T) => unknown): number => {
  let nulls = 0
  for (const item of items) if (value(item) === null) nulls += 1
  return nulls
}

const nullable =
  (type: number, size: number, put: Put): Column<number | null> =>
  (items, value) => {
    const nulls = countNulls(items, value)
    const out = start(type, items.length, items.length * (4 + size) - nulls * size, nulls > 0)
    let at = headerBytes
    for (const item of items) {
      const own = value(item)
      out.writeInt32BE(own === null ? -1 : size, at)
      at += 4
      if (own === null) continue
      put(out, at, own)
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
/** From milliseconds since the epoch. */
export const instantArray = fixed(1184, 8, putInstant)
export const float4OrNullArray = nullable(700, 4, putFloat4)
export const instantOrNullArray = nullable(1184, 8, putInstant)

export const uuidArray: Column<string | null> = (items, value) => {
  const nulls = countNulls(items, value)
  const out = start(2950, items.length, items.length * 20 - nulls * 16, nulls > 0)
  let at = headerBytes
  for (const item of items) {
    const own = value(item)
    out.writeInt32BE(own === null ? -1 : 16, at)
    at += 4
    if (own === null) continue
    if (out.write(own.replaceAll('-', ''), at, 16, 'hex') !== 16) throw new TypeError('not a UUID')
    at += 16
  }
  return out
}

/** From JSON texts. */
export const jsonbArray: Column<string | null> = (items, value) => {
  let bytes = 0
  let hasNulls = false
  for (const item of items) {
    const own = value(item)
    if (own === null) hasNulls = true
    bytes += own === null ? 4 : 5 + Buffer.byteLength(own)
  }
  const out = start(3802, items.length, bytes, hasNulls)
  let at = headerBytes
  for (const item of items) {
    const own = value(item)
    if (own === null) {
      at = out.writeInt32BE(-1, at)
      continue
    }
    // Version of the binary form of jsonb.
    out[at + 4] = 1
    const size = 1 + out.write(own, at + 5)
    out.writeInt32BE(size, at)
    at += 4 + size
  }
  return out
}

/** One array of the lists of all items, one after the other. */
export function float4Lists<T>(items: readonly T[], list: (item: T) => readonly number[]): Buffer {
  let count = 0
  for (const item of items) count += list(item).length
  const out = start(700, count, count * 8)
  let at = headerBytes
  for (const item of items)
    for (const value of list(item)) {
      out.writeInt32BE(4, at)
      out.writeFloatBE(value, at + 4)
      at += 8
    }
  return out
}
