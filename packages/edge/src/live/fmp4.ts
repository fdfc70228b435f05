/**
 * Fragmented MP4 (ISO/IEC 14496-12) with one H.264 track (ISO/IEC 14496-15, `avc1`): an init segment, then one `moof` and
 * `mdat` per access unit, so that nothing waits for the next picture. Times are 90 kHz ticks. `clip.ts` makes files of them.
 */
import type { AccessUnit, ParameterSets } from '../camera/h264.ts'
import { ticksPerSecond } from '../camera/timeline.ts'

/** For `MediaSource.addSourceBuffer` (RFC 6381). */
export function mimeOf({ sps: [sps] }: ParameterSets): string {
  return `video/mp4; codecs="avc1.${sps?.subarray(1, 4).toString('hex') ?? ''}"`
}

/** The beginning of a stream of fragments. @param firstPts what is shown at the beginning: players count from there */
export const initSegment = (parameters: ParameterSets, firstPts = 0): Buffer =>
  Buffer.concat([fileType, movie(parameters, firstPts, [])])

/** Where a picture lies in a file; times in ticks. */
export type Sample = { offset: number; size: number; ticks: number; pts: number; dts: number; key: boolean }

/** What the file holds: all that follows in fragments, or these samples. */
export function movie(parameters: ParameterSets, firstPts: number, samples: readonly Sample[]): Buffer {
  const { width, height } = parameters
  const ticks = samples.reduce((sum, sample) => sum + sample.ticks, 0)
  const edits = box('edts', fullBox('elst', 0, 0, u32(1), u32(ticks), u32(firstPts), u32(0x10000)))
  const media = box(
    'mdia',
    fullBox('mdhd', 0, 0, u32(0), u32(0), u32(ticksPerSecond), u32(ticks), u16(undetermined), u16(0)),
    fullBox('hdlr', 0, 0, u32(0), text('vide'), zeros(12), text('video\0')),
    box(
      'minf',
      fullBox('vmhd', 0, 1, zeros(8)),
      box('dinf', fullBox('dref', 0, 0, u32(1), fullBox('url ', 0, selfContained))),
      sampleTable(parameters, samples),
    ),
  )
  const header = fullBox(
    'tkhd',
    0,
    enabledInMovie,
    u32(0),
    u32(0),
    u32(trackId),
    u32(0),
    u32(ticks),
    zeros(16),
    matrix,
    u32(width * 0x10000),
    u32(height * 0x10000),
  )
  return box(
    'moov',
    fullBox(
      'mvhd',
      0,
      0,
      u32(0),
      u32(0),
      u32(ticksPerSecond),
      u32(ticks),
      u32(0x10000),
      u16(0x100),
      zeros(10),
      matrix,
      zeros(24),
      u32(trackId + 1),
    ),
    box('trak', header, ...(firstPts > 0 ? [edits] : []), media),
    ...(samples.length === 0 ? [box('mvex', fullBox('trex', 0, 0, u32(trackId), u32(1), u32(0), u32(0), u32(0)))] : []),
  )
}

/** Each sample is a chunk of its own. */
function sampleTable(parameters: ParameterSets, samples: readonly Sample[]): Buffer {
  const list = (values: readonly number[]) => Buffer.concat([u32(values.length), ...values.map(u32)])
  const runs = (values: readonly number[]) => {
    const found: { value: number; count: number }[] = []
    for (const value of values) {
      const last = found.at(-1)
      if (last?.value === value) last.count += 1
      else found.push({ value, count: 1 })
    }
    return Buffer.concat([u32(found.length), ...found.flatMap(({ value, count }) => [u32(count), u32(value)])])
  }
  const keys = samples.flatMap(({ key }, i) => (key ? [i + 1] : []))
  const shifts = samples.map(({ pts, dts }) => pts - dts)
  return box(
    'stbl',
    fullBox('stsd', 0, 0, u32(1), sampleEntry(parameters)),
    fullBox('stts', 0, 0, runs(samples.map(({ ticks }) => ticks))),
    ...(shifts.some((shift) => shift !== 0) ? [fullBox('ctts', 1, 0, runs(shifts))] : []),
    ...(samples.length > 0 ? [fullBox('stss', 0, 0, list(keys))] : []),
    fullBox('stsc', 0, 0, ...(samples.length > 0 ? [u32(1), u32(1), u32(1), u32(1)] : [u32(0)])),
    fullBox('stsz', 0, 0, u32(0), list(samples.map(({ size }) => size))),
    fullBox('stco', 0, 0, list(samples.map(({ offset }) => offset))),
  )
}

/** One access unit. `sequence` rises by one from fragment to fragment. */
export function fragment(unit: AccessUnit, sequence: number, durationTicks: number): Buffer {
  // The offset of the data counts from the beginning of `moof`, whose length does not depend on it.
  const moof = (dataOffset: number) =>
    box(
      'moof',
      fullBox('mfhd', 0, 0, u32(sequence)),
      box(
        'traf',
        fullBox('tfhd', 0, defaultBaseIsMoof, u32(trackId)),
        fullBox('tfdt', 1, 0, u64(unit.dts)),
        fullBox(
          'trun',
          1,
          runFlags,
          u32(1),
          u32(dataOffset),
          u32(durationTicks),
          u32(unit.data.length),
          u32(unit.key ? independentSample : dependentSample),
          u32(unit.pts - unit.dts),
        ),
      ),
    )
  const headLength = moof(0).length + 8
  return Buffer.concat([moof(headLength), u32(unit.data.length + 8), text('mdat'), unit.data])
}

/** How long each unit lasts in decoding time; the last as long as the one before it. */
export function durations(units: AccessUnit[]): number[] {
  const steps = units.slice(1).map((unit, i) => duration((units[i] as AccessUnit).dts, unit.dts))
  return units.map((_, i) => steps[i] ?? steps.at(-1) ?? usualDuration)
}

/** From one decoding time to the next, kept sane over gaps. */
export const duration = (dts: number, nextDts: number): number => Math.min(Math.max(nextDts - dts, 1), ticksPerSecond)
export const usualDuration = ticksPerSecond / 15

const trackId = 1
const undetermined = 0x55c4
const enabledInMovie = 3
const selfContained = 1
const defaultBaseIsMoof = 0x020000
/** Data offset, and per sample: duration, size, flags, composition offset. */
const runFlags = 0x000f01
const independentSample = 0x02000000
const dependentSample = 0x01010000

function sampleEntry({ sps, pps, width, height }: ParameterSets): Buffer {
  const [profile, compatibility, level] = sps[0]?.subarray(1, 4) ?? []
  const listed = (nals: Buffer[]) => Buffer.concat(nals.flatMap((nal) => [u16(nal.length), nal]))
  const fourByteLengths = 0xff
  const configuration = box(
    'avcC',
    Buffer.of(1, profile ?? 0, compatibility ?? 0, level ?? 0, fourByteLengths, 0xe0 | sps.length),
    listed(sps),
    Buffer.of(pps.length),
    listed(pps),
  )
  const resolution = u32(72 * 0x10000)
  return box(
    'avc1',
    zeros(6),
    u16(1),
    zeros(16),
    u16(width),
    u16(height),
    resolution,
    resolution,
    u32(0),
    u16(1),
    zeros(32),
    u16(24),
    u16(0xffff),
    configuration,
  )
}

export function box(type: string, ...parts: Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 8)
  return Buffer.concat([u32(length), text(type), ...parts], length)
}

const fullBox = (type: string, version: number, flags: number, ...parts: Buffer[]) =>
  box(type, u32(version * 0x1000000 + flags), ...parts)

const text = (value: string) => Buffer.from(value, 'latin1')
export const zeros = (length: number) => Buffer.alloc(length)

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}

/** Negative values in two's complement, as signed fields want them. */
function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value >>> 0)
  return bytes
}

export function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes
}

/** The unit matrix in 16.16 and 2.30 fixed point. */
const matrix = Buffer.concat([0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000].map(u32))

export const fileType = box('ftyp', text('iso5'), u32(512), text('iso5iso6mp41'))
