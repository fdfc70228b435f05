import type { AccessUnit } from './h264.ts'
import { ticksPerSecond } from './timeline.ts'

/** The last seconds of a stream, cut at key frames: what a clip begins with and what a new viewer is shown first. */
export type Ring = {
  push(unit: AccessUnit): void
  /** From a key frame at least `seconds` back, where there is one; empty while the stream has not given a key frame. */
  all(): AccessUnit[]
  /** From the latest key frame. */
  group(): AccessUnit[]
  clear(): void
}

/** @param maxBytes beyond it whole groups go, oldest first; a group larger than this is not kept at all */
export function createRing(seconds: number, maxBytes: number): Ring {
  let units: AccessUnit[] = []
  /** Positions of key frames in `units`; the first is 0 unless it is empty. */
  let keys: number[] = []
  let bytes = 0

  const dropGroup = () => {
    const end = keys[1] ?? units.length
    for (const unit of units.slice(0, end)) bytes -= unit.data.length
    units = units.slice(end)
    keys = keys.slice(1).map((position) => position - end)
  }
  return {
    push(unit) {
      if (unit.key) keys.push(units.length)
      if (keys.length === 0) return
      units.push(unit)
      bytes += unit.data.length
      const oldest = unit.pts - seconds * ticksPerSecond
      while (keys.length > 1 && (units[keys[1] as number] as AccessUnit).pts <= oldest) dropGroup()
      while (keys.length > 0 && bytes > maxBytes) dropGroup()
    },
    all: () => units.slice(),
    group: () => units.slice(keys.at(-1)),
    clear() {
      units = []
      keys = []
      bytes = 0
    },
  }
}
