/** H.264 byte streams (ITU-T H.264, Annex B) as far as storing and forwarding them needs: units, parameter sets, picture size. */

/** Everything a decoder must know before the first picture. */
export type ParameterSets = {
  sps: Buffer[]
  pps: Buffer[]
  width: number
  height: number
}

export type AccessUnit = {
  key: boolean
  /** 90 kHz ticks on the camera's time line; see `timeline.ts`. */
  pts: number
  dts: number
  /** When it was taken, as far as arrivals tell: ms since the epoch, edge clock. */
  at: number
  /** Slices, each with its length in four bytes before it (ISO/IEC 14496-15). */
  data: Buffer
  parameters: ParameterSets
}

export const nalType = { slice: 1, idr: 5, sps: 7, pps: 8 } as const
export const typeOf = (nal: Buffer): number => (nal[0] ?? 0) & 31
/** Slices of pictures, data partitions included. */
export const isSlice = (nal: Buffer): boolean => typeOf(nal) >= nalType.slice && typeOf(nal) <= nalType.idr
/** False where no other picture is predicted from this one (nal_ref_idc 0). */
export const isReference = (nal: Buffer): boolean => ((nal[0] ?? 0) & 0x60) !== 0

const startCode = Buffer.of(0, 0, 1)

/** The NAL units between start codes; views, not copies. */
export function splitNals(stream: Buffer): Buffer[] {
  const nals: Buffer[] = []
  let start = stream.indexOf(startCode)
  while (start >= 0) {
    const begin = start + 3
    const next = stream.indexOf(startCode, begin)
    let end = next < 0 ? stream.length : next
    // Zeros before a start code belong to it (or are trailing_zero_8bits): a NAL unit never ends in zero.
    while (end > begin && stream[end - 1] === 0) end -= 1
    if (end > begin) nals.push(stream.subarray(begin, end))
    start = next
  }
  return nals
}

/** NAL units with four-byte lengths, as MP4 samples hold them. */
export function joinNals(nals: Buffer[]): Buffer {
  const sample = Buffer.allocUnsafeSlow(nals.reduce((size, nal) => size + 4 + nal.length, 0))
  let offset = 0
  for (const nal of nals) {
    offset = sample.writeUInt32BE(nal.length, offset)
    offset += nal.copy(sample, offset)
  }
  return sample
}

export type SequenceParameters = {
  id: number
  width: number
  height: number
  /** How many pictures may come before their turn in decoding order; null where the stream does not say. */
  reorder: number | null
}

/** Real ones take some dozen bytes, with scaling lists some hundred. */
const longestSet = 2048

/** Reads a sequence parameter set (clause 7.3.2.1.1, annex E.1.1). Null where it is damaged. */
export function parseSps(sps: Buffer): SequenceParameters | null {
  if (sps.length > longestSet) return null
  try {
    return readSps(bitsOf(sps))
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** Number of a picture parameter set. Null where it is damaged. */
export function ppsId(pps: Buffer): number | null {
  if (pps.length > longestSet) return null
  try {
    const bits = bitsOf(pps)
    bits.u(8)
    return atMost(bits.ue(), 255)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** Profiles whose parameter sets carry chroma format and scaling lists. */
const highProfiles = new Set([100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135])
const baseline = 66
const largestSide = 8192

function readSps(bits: Bits): SequenceParameters {
  bits.u(8)
  const profile = bits.u(8)
  bits.u(16)
  const id = bits.ue()
  const chroma = highProfiles.has(profile) ? readChroma(bits) : 1
  bits.ue()
  const orderType = bits.ue()
  if (orderType === 0) bits.ue()
  if (orderType === 1) {
    bits.u(1)
    bits.skipUe(2)
    bits.skipUe(atMost(bits.ue(), 255))
  }
  bits.ue()
  bits.u(1)
  const columns = bits.ue() + 1
  const rows = bits.ue() + 1
  const fields = bits.flag() ? 1 : 2
  if (fields === 2) bits.u(1)
  bits.u(1)
  let width = columns * 16
  let height = rows * 16 * fields
  if (bits.flag()) {
    const unitX = chroma === 1 || chroma === 2 ? 2 : 1
    const unitY = (chroma === 1 ? 2 : 1) * fields
    width -= unitX * (bits.ue() + bits.ue())
    height -= unitY * (bits.ue() + bits.ue())
  }
  if (width <= 0 || height <= 0) throw damaged()
  atMost(Math.max(width, height), largestSide)
  const said = bits.flag() ? readReorder(bits) : null
  const isInOrder = orderType === 2 || profile === baseline
  return { id, width, height, reorder: said ?? (isInOrder ? 0 : null) }
}

/** chroma_format_idc; skips bit depths and scaling lists. */
function readChroma(bits: Bits): number {
  const chroma = bits.ue()
  if (chroma === 3) bits.u(1)
  bits.skipUe(2)
  bits.u(1)
  const lists = bits.flag() ? (chroma === 3 ? 12 : 8) : 0
  for (let list = 0; list < lists; list++) {
    const isPresent = bits.flag()
    if (isPresent) skipScaling(bits, list < 6 ? 16 : 64)
  }
  return chroma
}

function skipScaling(bits: Bits, size: number): void {
  let last = 8
  let next = 8
  for (let i = 0; i < size; i++) {
    if (next !== 0) next = (last + bits.se() + 256) % 256
    if (next !== 0) last = next
  }
}

/** max_num_reorder_frames of the video usability information; null where it is left out. */
function readReorder(bits: Bits): number | null {
  const hasAspect = bits.flag()
  const extendedAspect = 255
  if (hasAspect && bits.u(8) === extendedAspect) bits.u(32)
  if (bits.flag()) bits.u(1)
  if (bits.flag()) {
    bits.u(4)
    if (bits.flag()) bits.u(24)
  }
  if (bits.flag()) bits.skipUe(2)
  if (bits.flag()) bits.u(65)
  const hasNal = bits.flag()
  if (hasNal) skipBuffering(bits)
  const hasVcl = bits.flag()
  if (hasVcl) skipBuffering(bits)
  if (hasNal || hasVcl) bits.u(1)
  bits.u(1)
  if (!bits.flag()) return null
  bits.u(1)
  bits.skipUe(4)
  return atMost(bits.ue(), 16)
}

function skipBuffering(bits: Bits): void {
  const count = atMost(bits.ue() + 1, 32)
  bits.u(8)
  for (let i = 0; i < count; i++) {
    bits.skipUe(2)
    bits.u(1)
  }
  bits.u(20)
}

const damaged = () => new RangeError('Damaged parameter set.')

function atMost(value: number, limit: number): number {
  if (value > limit) throw damaged()
  return value
}

/** Bits of a NAL unit without its emulation prevention bytes: fixed length, Exp-Golomb unsigned and signed (clause 9.1). */
type Bits = {
  /** Beyond 53 bits only to skip. */
  u(count: number): number
  flag(): boolean
  ue(): number
  se(): number
  /** Signed and unsigned codes have the same length. */
  skipUe(count: number): void
}

function bitsOf(nal: Buffer): Bits {
  const bytes = withoutEmulation(nal)
  let position = 0
  const bit = () => {
    const byte = bytes[position >> 3]
    if (byte === undefined) throw damaged()
    const value = (byte >> (7 - (position & 7))) & 1
    position += 1
    return value
  }
  const u = (count: number) => {
    let value = 0
    for (let i = 0; i < count; i++) value = value * 2 + bit()
    return value
  }
  const ue = () => {
    let zeros = 0
    while (bit() === 0) zeros = atMost(zeros + 1, 31)
    return 2 ** zeros - 1 + u(zeros)
  }
  const se = () => {
    const code = ue()
    return code % 2 ? (code + 1) / 2 : -code / 2
  }
  const skipUe = (count: number) => {
    for (let i = 0; i < count; i++) ue()
  }
  return { u, flag: () => bit() === 1, ue, se, skipUe }
}

function withoutEmulation(nal: Buffer): number[] {
  const bytes: number[] = []
  for (let i = 0; i < nal.length; i++) {
    if (nal[i] === 3 && i >= 2 && nal[i - 1] === 0 && nal[i - 2] === 0) continue
    bytes.push(nal[i] as number)
  }
  return bytes
}
