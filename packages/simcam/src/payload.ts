/** Pictures cut into the payloads of RTP packets; the last payload of a picture takes the marker bit. */
import type { VideoCodec } from './annexb.ts'
import { parseJpeg } from './jpeg.ts'

export type Codec = VideoCodec | 'MJPEG'

/** Fits an Ethernet frame with IP, UDP and RTP headers, and most tunnels. */
export const maxPayloadBytes = 1400

/** @param units the picture's NAL units, or its one JPEG */
export function payloadsOf(codec: Codec, units: readonly Uint8Array[]): Uint8Array[] {
  switch (codec) {
    case 'H264':
      return units.flatMap(h264Payloads)
    case 'H265':
      return units.flatMap(h265Payloads)
    case 'MJPEG':
      return units.flatMap(jpegPayloads)
  }
}

/** RFC 6184 packetization-mode 1: a NAL unit as it is, or in fragmentation units (FU-A). */
function h264Payloads(unit: Uint8Array): Uint8Array[] {
  if (unit.length <= maxPayloadBytes) return [unit]
  const header = unit[0] as number
  const indicator = (header & 0xe0) | 28
  return fragments(unit.subarray(1), 2, (first, last) => [
    indicator,
    (first ? 0x80 : 0) | (last ? 0x40 : 0) | (header & 0x1f),
  ])
}

/** RFC 7798: a NAL unit as it is, or in fragmentation units (type 49). */
function h265Payloads(unit: Uint8Array): Uint8Array[] {
  if (unit.length <= maxPayloadBytes) return [unit]
  const [high, low] = unit as unknown as [number, number]
  const type = (high >> 1) & 0x3f
  return fragments(unit.subarray(2), 3, (first, last) => [
    (high & 0x81) | (49 << 1),
    low,
    (first ? 0x80 : 0) | (last ? 0x40 : 0) | type,
  ])
}

/** RFC 2435 with the quantization tables in the first packet (Q = 255: they may change from picture to picture). */
function jpegPayloads(picture: Uint8Array): Uint8Array[] {
  const { width, height, subsampling, tables, scan } = parseJpeg(picture)
  if (width > 2040 || height > 2040) throw new Error(`JPEG of ${width}×${height} is too large for RFC 2435`)
  const quantization = [0, 0, 0, 128, ...tables[0], ...tables[1]]
  const payloads: Uint8Array[] = []
  for (let offset = 0; offset < scan.length; ) {
    const main = [
      0,
      offset >> 16,
      (offset >> 8) & 0xff,
      offset & 0xff,
      subsampling,
      255,
      width / 8,
      Math.ceil(height / 8),
    ]
    const head = offset === 0 ? [...main, ...quantization] : main
    const part = scan.subarray(offset, offset + maxPayloadBytes - head.length)
    payloads.push(Buffer.concat([Uint8Array.from(head), part]))
    offset += part.length
  }
  return payloads
}

function fragments(
  body: Uint8Array,
  headBytes: number,
  head: (first: boolean, last: boolean) => number[],
): Uint8Array[] {
  const size = maxPayloadBytes - headBytes
  const payloads: Uint8Array[] = []
  for (let offset = 0; offset < body.length; offset += size)
    payloads.push(
      Buffer.concat([
        Uint8Array.from(head(offset === 0, offset + size >= body.length)),
        body.subarray(offset, offset + size),
      ]),
    )
  return payloads
}
