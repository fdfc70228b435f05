/** As much of JPEG (ITU-T T.81) as serving a stream of pictures needs. */

const marker = { start: 0xd8, end: 0xd9, quantization: 0xdb, baselineFrame: 0xc0, scan: 0xda, restart: 0xdd } as const

/** Splits JPEG pictures that stand one after the other, as `ffmpeg -f mjpeg` writes them. */
export function splitJpegs(stream: Uint8Array): Uint8Array[] {
  const bytes = Buffer.from(stream.buffer, stream.byteOffset, stream.byteLength)
  const startOfImage = Buffer.from([0xff, marker.start, 0xff])
  const pictures: Uint8Array[] = []
  // Entropy-coded data stuffs a zero after each 0xff, so a start marker can only be one.
  let start = bytes.indexOf(startOfImage)
  while (start >= 0) {
    const next = bytes.indexOf(startOfImage, start + 3)
    pictures.push(bytes.subarray(start, next < 0 ? bytes.length : next))
    start = next
  }
  return pictures
}

export type ParsedJpeg = {
  width: number
  height: number
  /** RFC 2435 type: 0 = 4:2:2, 1 = 4:2:0. */
  subsampling: 0 | 1
  /** 64 bytes each, in zigzag order, for luminance and chrominance. */
  tables: [Uint8Array, Uint8Array]
  /** The entropy-coded data. */
  scan: Uint8Array
}

/**
 * Takes a baseline JPEG apart for RFC 2435, which sends the scan and the quantization tables alone and takes the
 * standard Huffman tables for granted.
 * @throws Error for what that format cannot carry
 */
export function parseJpeg(bytes: Uint8Array): ParsedJpeg {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const tables: Uint8Array[] = []
  let frame: { width: number; height: number; subsampling: 0 | 1; tableOf: [number, number] } | null = null
  let at = 2
  while (at + 4 <= bytes.length) {
    if (bytes[at] !== 0xff) throw new Error('not a JPEG: a marker is missing')
    const type = bytes[at + 1] as number
    const size = view.getUint16(at + 2)
    const body = bytes.subarray(at + 4, at + 2 + size)
    at += 2 + size
    if (type === marker.restart) throw new Error('JPEG with restart intervals')
    if (type === marker.quantization)
      for (let i = 0; i + 65 <= body.length; i += 65) {
        const id = body[i] as number
        if (id > 3) throw new Error('JPEG with 16-bit quantization tables')
        tables[id] = body.subarray(i + 1, i + 65)
      }
    if (type === marker.baselineFrame) frame = frameHeader(body)
    if (type === marker.scan) {
      const [luminance, chrominance] = frame ? frame.tableOf.map((id) => tables[id]) : []
      if (!frame || !luminance || !chrominance) throw new Error('JPEG whose scan comes before its headers')
      const { width, height, subsampling } = frame
      return {
        width,
        height,
        subsampling,
        tables: [luminance, chrominance],
        scan: bytes.subarray(at, bytes.length - 2),
      }
    }
  }
  throw new Error('JPEG without a scan')
}

function frameHeader(body: Uint8Array) {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength)
  const sampling = body[7]
  if (body[5] !== 3 || (sampling !== 0x21 && sampling !== 0x22)) throw new Error('JPEG that is neither 4:2:2 nor 4:2:0')
  return {
    height: view.getUint16(1),
    width: view.getUint16(3),
    subsampling: sampling === 0x22 ? (1 as const) : (0 as const),
    tableOf: [body[8] as number, body[11] as number] as [number, number],
  }
}
