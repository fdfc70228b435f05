import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { zip } from './zip.ts'

/** Reads an archive from its end, as unpackers do. */
async function unpack(blob: Blob): Promise<Record<string, { bytes: Uint8Array; crc: number }>> {
  const bytes = new Uint8Array(await blob.arrayBuffer())
  const view = new DataView(bytes.buffer)
  const end = bytes.length - 22
  expect(view.getUint32(end, true)).toBe(0x06054b50)
  const files: Record<string, { bytes: Uint8Array; crc: number }> = {}
  let at = view.getUint32(end + 16, true)
  expect(at + view.getUint32(end + 12, true)).toBe(end)
  for (let file = 0; file < view.getUint16(end + 10, true); file++) {
    expect(view.getUint32(at, true)).toBe(0x02014b50)
    const [crc, size, title] = [
      view.getUint32(at + 16, true),
      view.getUint32(at + 24, true),
      view.getUint16(at + 28, true),
    ]
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + title))
    const local = view.getUint32(at + 42, true)
    expect(view.getUint32(local, true)).toBe(0x04034b50)
    expect(view.getUint32(local + 14, true)).toBe(crc)
    const from = local + 30 + view.getUint16(local + 26, true)
    files[name] = { bytes: bytes.subarray(from, from + size), crc }
    at += 46 + title
  }
  return files
}

test('an archive holds every file under its name as it was, with its checksum', async () => {
  const made = { 'a/picture.jpg': Uint8Array.from({ length: 70_000 }, (_, i) => i % 251), 'é.json': new Uint8Array() }
  const files = await unpack(zip(Object.entries(made).map(([name, bytes]) => ({ name, bytes }))))
  expect(Object.keys(files)).toEqual(Object.keys(made))
  for (const [name, bytes] of Object.entries(made)) {
    expect(Buffer.compare(Buffer.from(files[name]?.bytes ?? []), Buffer.from(bytes))).toBe(0)
    expect(files[name]?.crc).toBe(crc32(bytes))
  }
})
