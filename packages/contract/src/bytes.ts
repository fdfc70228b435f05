/** Reading and writing of the link's binary frames: little endian, whole numbers as varints. */
import { formatUuid } from '@sightline/domain'

/** Bytes that are no frame. The message is for logs; it never carries content. */
export class FrameError extends Error {}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true })
export const utf8 = (text: string): Uint8Array => encoder.encode(text)

/** Hex digit value by character code; 255 elsewhere. */
const digit = Uint8Array.from({ length: 128 }, (_, code) => {
  const value = Number.parseInt(String.fromCharCode(code), 16)
  return Number.isNaN(value) ? 255 : value
})

/** Grows as it is written to. */
export class Writer {
  #bytes = new Uint8Array(8192)
  #view = new DataView(this.#bytes.buffer)
  #at = 0

  #room(bytes: number) {
    if (this.#at + bytes <= this.#bytes.length) return
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#at + bytes))
    grown.set(this.#bytes)
    this.#bytes = grown
    this.#view = new DataView(grown.buffer)
  }

  byte(value: number) {
    this.#room(1)
    this.#bytes[this.#at++] = value
  }

  word(value: number) {
    this.#room(4)
    this.#view.setUint32(this.#at, value, true)
    this.#at += 4
  }

  long(value: number) {
    this.#room(8)
    this.#view.setBigUint64(this.#at, BigInt(value), true)
    this.#at += 8
  }

  double(value: number) {
    this.#room(8)
    this.#view.setFloat64(this.#at, value, true)
    this.#at += 8
  }

  varint(value: number) {
    if (!Number.isSafeInteger(value) || value < 0) throw new FrameError('not a whole number')
    this.#room(8)
    let rest = value
    while (rest > 0x7fffffff) {
      this.#bytes[this.#at++] = (rest % 128) | 128
      rest = Math.floor(rest / 128)
    }
    while (rest > 127) {
      this.#bytes[this.#at++] = (rest & 127) | 128
      rest >>>= 7
    }
    this.#bytes[this.#at++] = rest
  }

  signed(value: number) {
    this.varint(value < 0 ? -value * 2 - 1 : value * 2)
  }

  uuid(text: string) {
    this.#room(16)
    if (text.length !== 36) throw new FrameError('not a UUID')
    for (let at = 0; at < 36; at++) {
      if (at === 8 || at === 13 || at === 18 || at === 23) continue
      const high = digit[text.charCodeAt(at)]
      const low = digit[text.charCodeAt(++at)]
      if (high === undefined || low === undefined || high === 255 || low === 255) throw new FrameError('not a UUID')
      this.#bytes[this.#at++] = high * 16 + low
    }
  }

  bytes(value: Uint8Array) {
    this.varint(value.length)
    this.#room(value.length)
    this.#bytes.set(value, this.#at)
    this.#at += value.length
  }

  text(value: string) {
    this.bytes(utf8(value))
  }

  bitmap(present: readonly number[], length: number) {
    const size = (length + 7) >> 3
    this.#room(size)
    for (const index of present) {
      const at = this.#at + (index >> 3)
      this.#bytes[at] = (this.#bytes[at] as number) | (1 << (index & 7))
    }
    this.#at += size
  }

  finish(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#at)
  }
}

/** Every read is checked against the bytes that are left. */
export class Reader {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  }

  get left(): number {
    return this.#bytes.length - this.#at
  }

  #take(bytes: number): number {
    const from = this.#at
    if (bytes > this.#bytes.length - from) throw new FrameError('cut short')
    this.#at = from + bytes
    return from
  }

  byte(): number {
    return this.#bytes[this.#take(1)] as number
  }

  double(): number {
    const value = this.#view.getFloat64(this.#take(8), true)
    if (!Number.isFinite(value)) throw new FrameError('number')
    return value
  }

  varint(): number {
    let value = 0
    for (let scale = 1; scale <= 2 ** 49; scale *= 128) {
      const byte = this.byte()
      value += (byte & 127) * scale
      if (byte < 128 && value <= Number.MAX_SAFE_INTEGER) return value
    }
    throw new FrameError('number too large')
  }

  signed(): number {
    const value = this.varint()
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }

  uuid(): string {
    return formatUuid(this.#bytes, this.#take(16))
  }

  text(maxBytes: number): string {
    const length = this.varint()
    if (length > maxBytes) throw new FrameError('text too long')
    const from = this.#take(length)
    try {
      return decoder.decode(this.#bytes.subarray(from, from + length))
    } catch {
      throw new FrameError('not UTF-8')
    }
  }

  bitmap(length: number): Uint8Array {
    const size = (length + 7) >> 3
    const from = this.#take(size)
    return this.#bytes.subarray(from, from + size)
  }

  /** A list that begins with its length; an item takes at least `itemBytes`. */
  list<T>(itemBytes: number, read: () => T): T[] {
    const length = this.varint()
    if (length > this.left / itemBytes) throw new FrameError('length of list')
    return this.column(length, read)
  }

  column<T>(length: number, read: () => T): T[] {
    const values: T[] = []
    for (let row = 0; row < length; row++) values.push(read())
    return values
  }

  entry<T>(list: readonly T[]): T {
    const index = this.varint()
    const value = list[index]
    if (value === undefined) throw new FrameError('entry of dictionary')
    return value
  }
}
