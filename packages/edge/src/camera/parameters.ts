import { nalType, type ParameterSets, parseSps, ppsId, type SequenceParameters, typeOf } from './h264.ts'

/** Follows a stream's parameter sets: from the session description, from the stream itself, and their changes. */
export type ParameterTracker = {
  /** True when the sets are other than before. */
  take(nals: Buffer[]): boolean
  /** Null until both kinds were seen. */
  current(): ParameterSets | null
  reorder(): number | null
}

/** Cameras send one or two. */
const mostPps = 32

export function createParameterTracker(): ParameterTracker {
  let sps: Buffer[] = []
  let active: SequenceParameters | null = null
  const pps = new Map<number, Buffer>()

  const takeSps = (found: Buffer[]) => {
    const [first] = found
    const parsed = first && parseSps(first)
    if (!parsed) return false
    active = parsed
    if (found.length === sps.length && found.every((nal, i) => nal.equals(sps[i] as Buffer))) return false
    sps = found.map((nal) => Buffer.from(nal))
    // Picture parameters belong to the sequence parameters they came with; the new ones bring their own.
    pps.clear()
    return true
  }
  const takePps = (nal: Buffer) => {
    const id = ppsId(nal)
    if (id === null || pps.get(id)?.equals(nal) || (pps.size >= mostPps && !pps.has(id))) return false
    pps.set(id, Buffer.from(nal))
    return true
  }
  return {
    take(nals) {
      let changed = takeSps(nals.filter((nal) => typeOf(nal) === nalType.sps))
      for (const nal of nals) if (typeOf(nal) === nalType.pps && takePps(nal)) changed = true
      return changed
    },
    current: () =>
      active && pps.size > 0 ? { sps, pps: [...pps.values()], width: active.width, height: active.height } : null,
    reorder: () => active?.reorder ?? null,
  }
}
