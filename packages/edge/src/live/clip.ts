/**
 * A clip as a file that plays whatever happens: while it grows, it is fragments (`fmp4.ts`), and a crash leaves what came so
 * far. At its end it gets the index of an ordinary MP4, with its length and every key frame, so that any player takes it and
 * can go to any place; the fragments then lie inside one `mdat`.
 */
import type { AccessUnit, ParameterSets } from '../camera/h264.ts'
import { ticksPerSecond } from '../camera/timeline.ts'
import { box, duration, fileType, fragment, movie, type Sample, u64, usualDuration, zeros } from './fmp4.ts'
import { isSame } from './live.ts'
import type { MediaKind } from './media-store.ts'

export type Clip = {
  /** What the next unit adds to the file; null for one that cannot be part of it: before the first key frame. */
  add(unit: AccessUnit): Buffer | null
  /** Whether a unit still has the picture that this clip began with: its size and all that a decoder was told. */
  fits(unit: AccessUnit): boolean
  /** When its first picture was taken: ms since the epoch, edge clock; null before. */
  begunAt(): number | null
  /** How far its pictures reach, in seconds. */
  seconds(): number
  /** What completes the file: `tail` goes to its end, then `head` to `headAt`. Null without any picture. */
  finish(): { tail: Buffer; head: Buffer; headAt: number } | null
}

/** Until the end it is room, then the head of the `mdat` that holds all fragments. */
const room = box('free', zeros(8))

export function createClip(): Clip {
  const samples: Sample[] = []
  let first: { unit: AccessUnit; parameters: ParameterSets } | null = null
  /** Written when the next one says how long it lasts. */
  let last: AccessUnit | null = null
  let lastTicks = usualDuration
  let length = 0

  const placed = (unit: AccessUnit): AccessUnit => {
    const start = first?.unit.dts ?? 0
    return { ...unit, pts: unit.pts - start, dts: unit.dts - start }
  }
  const write = (unit: AccessUnit, ticks: number): Buffer => {
    const { pts, dts, key, data } = placed(unit)
    const bytes = fragment({ ...unit, pts, dts }, samples.length + 1, ticks)
    samples.push({ offset: length + bytes.length - data.length, size: data.length, ticks, pts, dts, key })
    length += bytes.length
    return bytes
  }
  const begin = (unit: AccessUnit): Buffer => {
    first = { unit, parameters: unit.parameters }
    last = unit
    const bytes = Buffer.concat([fileType, room, movie(unit.parameters, unit.pts - unit.dts, [])])
    length = bytes.length
    return bytes
  }

  return {
    add(unit) {
      if (!first || !last) return unit.key ? begin(unit) : null
      // Shown before the first key frame, and made from pictures before it.
      if (unit.pts < first.unit.pts) return null
      lastTicks = Math.max(1, unit.dts - last.dts)
      const bytes = write(last, lastTicks)
      last = unit
      return bytes
    },
    fits: (unit) => first === null || isSame(first.parameters, unit.parameters),
    begunAt: () => first?.unit.at ?? null,
    seconds: () => samples.reduce((sum, { ticks }) => sum + ticks, 0) / ticksPerSecond,
    finish() {
      if (!first || !last) return null
      const end = write(last, duration(0, lastTicks))
      const index = movie(first.parameters, first.unit.pts - first.unit.dts, samples)
      const headAt = fileType.length
      return {
        tail: Buffer.concat([end, index]),
        // Size 1: the real one follows in 64 bits.
        head: Buffer.concat([Buffer.of(0, 0, 0, 1), Buffer.from('mdat', 'latin1'), u64(length - headAt)]),
        headAt,
      }
    },
  }
}

/**
 * The units that a clip begins with: from a key frame not after `before` (ms since the epoch), or the first there is. Where
 * the picture changed meanwhile, it begins after that. Empty when there is no key frame.
 */
export function beginningOf(units: readonly AccessUnit[], before: number): AccessUnit[] {
  const newest = units.at(-1)
  if (!newest) return []
  const same = units.slice(units.findLastIndex((unit) => !isSame(unit.parameters, newest.parameters)) + 1)
  const wanted = same.findLastIndex((unit) => unit.key && unit.at <= before)
  const first = wanted < 0 ? same.findIndex(({ key }) => key) : wanted
  return first < 0 ? [] : same.slice(first)
}

/** How much of a file that a crash cut off is whole fragments; 0 when nothing of it plays. */
export function wholeLength(file: Buffer): number {
  let end = 0
  for (let at = 0; at + 8 <= file.length; ) {
    const size = file.readUInt32BE(at)
    if (size < 8 || at + size > file.length) break
    at += size
    if (file.toString('latin1', at - size + 4, at - size + 8) === 'mdat') end = at
  }
  return end
}

export const clipFiles: MediaKind = { suffix: '.mp4', contentType: 'video/mp4', name: 'clips', wholeLength }
