/** H.264 and H.265 elementary streams in the byte-stream format of Annex B: start codes, NAL units, access units. */

export type VideoCodec = 'H264' | 'H265'

/** One access unit (one picture) with the parameter sets and messages in front of it, in decoding order. */
export type AccessUnit = { units: Uint8Array[]; isKey: boolean }

const startCode = Buffer.from([0, 0, 1])

/** The NAL units of a stream, without start codes and without the zero bytes that may pad them. */
export function splitNalUnits(stream: Uint8Array): Uint8Array[] {
  const bytes = Buffer.from(stream.buffer, stream.byteOffset, stream.byteLength)
  const units: Uint8Array[] = []
  let start = bytes.indexOf(startCode)
  while (start >= 0) {
    const next = bytes.indexOf(startCode, start + 3)
    let end = next < 0 ? bytes.length : next
    // A NAL unit never ends with 0x00: zeros belong to the next (four-byte) start code or are padding.
    while (end > start + 3 && bytes[end - 1] === 0) end--
    if (end > start + 3) units.push(bytes.subarray(start + 3, end))
    start = next
  }
  return units
}

/** `nal_unit_type` of a NAL unit. */
export const nalType = (codec: VideoCodec, unit: Uint8Array): number =>
  codec === 'H264' ? (unit[0] as number) & 0x1f : ((unit[0] as number) >> 1) & 0x3f

/** Types of the parameter sets, in the order in which an SDP names them. */
export const parameterSetTypes: Record<VideoCodec, readonly number[]> = { H264: [7, 8], H265: [32, 33, 34] }

/** Groups NAL units into access units (H.264 7.4.1.2.3 and 7.4.1.2.4, H.265 7.4.2.4.4). */
export function groupAccessUnits(codec: VideoCodec, nalUnits: readonly Uint8Array[]): AccessUnit[] {
  const grammar = grammars[codec]
  const pictures: AccessUnit[] = []
  let current: AccessUnit | null = null
  let hasSlice = false
  for (const unit of nalUnits) {
    const type = nalType(codec, unit)
    const isSlice = grammar.isSlice(type)
    if (!current || (hasSlice && (isSlice ? grammar.isFirstSlice(unit) : grammar.opensPicture(type)))) {
      current = { units: [], isKey: false }
      hasSlice = false
      pictures.push(current)
    }
    current.units.push(unit)
    hasSlice ||= isSlice
    current.isKey ||= grammar.isKeySlice(type)
  }
  return pictures
}

type Grammar = {
  isSlice(type: number): boolean
  isKeySlice(type: number): boolean
  isFirstSlice(slice: Uint8Array): boolean
  /** Whether a unit that is no slice begins the next picture when it follows a slice. */
  opensPicture(type: number): boolean
}

const grammars: Record<VideoCodec, Grammar> = {
  H264: {
    isSlice: (type) => type >= 1 && type <= 5,
    isKeySlice: (type) => type === 5,
    // first_mb_in_slice is Exp-Golomb coded: 0 is a single set bit.
    isFirstSlice: (slice) => ((slice[1] as number) & 0x80) !== 0,
    // Supplemental information, parameter sets, delimiter; 14–18 are reserved for the front of a picture.
    opensPicture: (type) => (type >= 6 && type <= 9) || (type >= 14 && type <= 18),
  },
  H265: {
    isSlice: (type) => type < 32,
    isKeySlice: (type) => type >= 16 && type <= 21,
    isFirstSlice: (slice) => ((slice[2] as number) & 0x80) !== 0,
    opensPicture: (type) =>
      (type >= 32 && type <= 35) || type === 39 || (type >= 41 && type <= 44) || (type >= 48 && type <= 55),
  },
}
