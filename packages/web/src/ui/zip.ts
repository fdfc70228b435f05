/** Archives of files that are compressed already: stored as they are (PKWARE APPNOTE 6.3, sections 4.3.7, 4.3.12 and 4.3.16). */

export type Entry = { name: string; bytes: Uint8Array<ArrayBuffer> }

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})
function crc32(bytes: Uint8Array): number {
  let value = 0xffffffff
  for (const byte of bytes) value = (table[(value ^ byte) & 255] as number) ^ (value >>> 8)
  return ~value >>> 0
}

const record = (bytes: number, write: (view: DataView) => void): Uint8Array<ArrayBuffer> => {
  const made = new Uint8Array(bytes)
  write(new DataView(made.buffer))
  return made
}
/** Version needed, and names in UTF-8. */
const version = 20
const utf8 = 1 << 11

/** The time as archives know it: local, in steps of two seconds. */
const dosTime = (at: Date): number =>
  (((at.getFullYear() - 1980) << 25) |
    ((at.getMonth() + 1) << 21) |
    (at.getDate() << 16) |
    (at.getHours() << 11) |
    (at.getMinutes() << 5) |
    (at.getSeconds() >> 1)) >>>
  0

/** @param entries fewer than 65,536, under 4 GB together, each name once, with `/` between folders */
export function zip(entries: readonly Entry[], at = new Date()): Blob {
  const parts: Uint8Array<ArrayBuffer>[] = []
  const directory: Uint8Array<ArrayBuffer>[] = []
  const sum = (of: readonly Uint8Array[]) => of.reduce((bytes, part) => bytes + part.length, 0)
  for (const { name, bytes } of entries) {
    const title = new TextEncoder().encode(name)
    const offset = sum(parts)
    const crc = crc32(bytes)
    /** What both records of a file say, from its version on. */
    const common = (view: DataView, from: number) => {
      view.setUint16(from, version, true)
      view.setUint16(from + 2, utf8, true)
      view.setUint32(from + 6, dosTime(at), true)
      view.setUint32(from + 10, crc, true)
      view.setUint32(from + 14, bytes.length, true)
      view.setUint32(from + 18, bytes.length, true)
      view.setUint16(from + 22, title.length, true)
    }
    const local = record(30, (view) => {
      view.setUint32(0, 0x04034b50, true)
      common(view, 4)
    })
    const central = record(46, (view) => {
      view.setUint32(0, 0x02014b50, true)
      view.setUint16(4, version, true)
      common(view, 6)
      view.setUint32(42, offset, true)
    })
    parts.push(local, title, bytes)
    directory.push(central, title)
  }
  const end = record(22, (view) => {
    view.setUint32(0, 0x06054b50, true)
    view.setUint16(8, entries.length, true)
    view.setUint16(10, entries.length, true)
    view.setUint32(12, sum(directory), true)
    view.setUint32(16, sum(parts), true)
  })
  return new Blob([...parts, ...directory, end], { type: 'application/zip' })
}
