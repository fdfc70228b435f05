/**
 * Fragments of an H.264 NAL unit as one packet (RFC 6184, 5.8), within an RTSP connection (RFC 2326, 10.12). Cameras cut
 * units to the 1400 bytes that a datagram bears; within a connection nothing asks for that, and FFmpeg makes six system
 * calls and a packet of its own of each.
 */

/** Fields of an interleaved packet: `$`, channel, u16 length, RTP with the least head, then indicator and head of the fragment. */
const field = { channel: 1, length: 2, rtp: 4, kind: 5, sequence: 6, time: 8, source: 12, indicator: 16, head: 17 }
const headBytes = 18
/** Version 2: no padding, no extension, no contributing sources. */
const plainRtp = 0x80
const marker = 0x80
const fragmentType = 28
const typeBits = 0x1f
/** H.264 has a dynamic payload type (RFC 3551, 6); reports of RTCP have less there. */
const leastPayloadType = 96
/** What a unit may be that is neither several units nor a fragment again. */
const largestUnitType = 23
const [starts, ends] = [0x80, 0x40]
const largest = 4 + 0xffff
/** The packet has the number of its last fragment: who reads it takes a jump of 3000 for another stream (RFC 3550, A.1). */
const mostJoined = 1000

export type FragmentJoiner = {
  /** A packet, of use until this returns; `pass` gets it, or what it was joined to, in memory of its own. */
  take(packet: Buffer): void
  /** Passes what is held: something comes that is no packet. */
  flush(): void
}

/** What ends no unit is held until its next fragment comes, or anything else; order and content stay. */
export function createFragmentJoiner(pass: (packet: Buffer) => void): FragmentJoiner {
  const memory = Buffer.allocUnsafeSlow(largest)
  /** Of the packet that is held; 0 = none. */
  let length = 0
  let joined = 0

  const flush = () => {
    if (length === 0) return
    if ((at(memory, field.head) & (starts | ends)) === (starts | ends)) unwrap()
    memory.writeUInt16BE(length - 4, field.length)
    pass(Buffer.from(memory.subarray(0, length)))
    length = 0
  }
  /** One that is whole is no fragment any more: it begins with its own head. */
  const unwrap = () => {
    const type = at(memory, field.head) & typeBits
    memory[field.head] = (at(memory, field.indicator) & ~typeBits) | type
    memory.copyWithin(field.indicator, field.head, length)
    length -= 1
  }
  const add = (fragment: Buffer) => {
    joined += 1
    length += fragment.copy(memory, length, headBytes)
    memory[field.kind] = at(fragment, field.kind)
    memory.writeUInt16BE(fragment.readUInt16BE(field.sequence), field.sequence)
    memory[field.head] = at(memory, field.head) | (at(fragment, field.head) & ends)
  }
  return {
    take(packet) {
      if (length > 0 && joined < mostJoined && continues(memory, packet, length)) add(packet)
      else {
        flush()
        if (!isFragment(packet)) return pass(Buffer.from(packet))
        length = packet.copy(memory)
        joined = 1
      }
      if (at(packet, field.head) & ends) flush()
    },
    flush,
  }
}

const at = (bytes: Buffer, position: number) => bytes[position] as number

const isFragment = (packet: Buffer): boolean =>
  packet.length > headBytes &&
  at(packet, field.rtp) === plainRtp &&
  (at(packet, field.kind) & ~marker) >= leastPayloadType &&
  (at(packet, field.indicator) & typeBits) === fragmentType &&
  (at(packet, field.head) & typeBits) <= largestUnitType

/** @param held a fragment that ends no unit */
const continues = (held: Buffer, next: Buffer, length: number): boolean =>
  isFragment(next) &&
  length + next.length - headBytes <= largest &&
  at(next, field.channel) === at(held, field.channel) &&
  (at(next, field.kind) & ~marker) === at(held, field.kind) &&
  next.readUInt16BE(field.sequence) === ((held.readUInt16BE(field.sequence) + 1) & 0xffff) &&
  next.readUInt32BE(field.time) === held.readUInt32BE(field.time) &&
  next.readUInt32BE(field.source) === held.readUInt32BE(field.source) &&
  at(next, field.indicator) === at(held, field.indicator) &&
  (at(next, field.head) & ~ends) === (at(held, field.head) & typeBits)
