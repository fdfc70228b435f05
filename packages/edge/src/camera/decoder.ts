/**
 * Decodes as little of a stream as its consumers need (camera process only). Packets wait, from one key frame to the
 * next, until a picture is due; where none comes due before the next key frame they are never decoded, and pictures that
 * no other is predicted from are left out unless they are wanted themselves. While nothing happens in the picture, no
 * more than a key frame a second is decoded (`gate.ts`). What is seen is the same as by decoding everything.
 */
import { AV_CODEC_ID_H264, Codec, CodecContext, type CodecParameters, Frame, type Packet } from 'node-av'
import { createGate, glanceSize, showsChange } from './gate.ts'
import { createReducer } from './image.ts'
import { ticksPerSecond } from './timeline.ts'

/** What is known of a packet beside its bytes; times as in `AccessUnit`. */
export type Arrival = { pts: number; at: number; key: boolean; isReference: boolean }

/** Valid during the call it is handed to only. `isLate`: decoded some time after it came, since it was not wanted then. */
export type Picture = { frame: Frame; pts: number; at: number; isLate: boolean }

export type Consumer = {
  /** Pictures a second that it wants; 0 = none. */
  fps(): number
  /** True while it can do with a picture now and then, as long as nothing moves. */
  mayRest(): boolean
  take(picture: Picture): void
}

export type Decoder = {
  /** The packet stays the caller's. */
  push(packet: Packet, arrival: Arrival): void
  /** Hands over the newest picture: at once, or as soon as the stream gives one. */
  latest(take: (picture: Picture) => void): void
  /** True when packets of ten seconds gave no picture. */
  isBroken(): boolean
  close(): void
}

/** Beyond this a long group of pictures is decoded although nobody waits for it, rather than kept. */
const mostWaitingBytes = 8 * 1024 * 1024
/** Pictures that a decoder can hold back (ITU-T H.264 allows 16), and as many again that it gave up. */
const mostInside = 32
const freshMs = 1000
const brokenTicks = 10 * ticksPerSecond

/** The packet is ours. */
type Kept = { packet: Packet; arrival: Arrival }

export function createDecoder(parameters: CodecParameters, consumers: Consumer[]): Decoder {
  let context = openContext(parameters)
  /** Nothing that is to come is predicted from what it holds. */
  let isEmpty = true
  const decoded = new Frame()
  decoded.alloc()
  const gate = createGate()
  const reducer = createReducer(glanceSize)
  const samplers = consumers.map((consumer) => ({ consumer, due: Number.NEGATIVE_INFINITY }))
  let requests: ((picture: Picture) => void)[] = []
  let waiting: Kept[] = []
  let waitingBytes = 0
  let hasKey = false
  let newestAt = 0
  let isLate = false
  /** Time of the first packet after the last picture, and of the last one that was decoded. */
  let unanswered: { from: number; to: number; packets: number } | null = null
  /** By the packet's own time, which the decoder gives back with the picture. */
  const inside = new Map<bigint, Arrival>()
  let last: Picture | null = null
  /** What the last glance saw. */
  let glimpse: Buffer | null = null

  const forgetWaiting = () => {
    for (const { packet } of waiting) packet.free()
    waiting = []
    waitingBytes = 0
  }
  const keep = (kept: Kept) => {
    waiting.push(kept)
    waitingBytes += kept.packet.size
  }
  /** What follows is predicted from this key frame, should it be needed. */
  const keepOnly = (kept: Kept) => {
    forgetWaiting()
    keep(kept)
  }
  const isWanted = (pts: number) =>
    requests.length > 0 || samplers.some(({ consumer, due }) => consumer.fps() > 0 && pts >= due)
  const mayRest = () => {
    const wanting = samplers.filter(({ consumer }) => consumer.fps() > 0)
    return requests.length === 0 && wanting.length > 0 && wanting.every(({ consumer }) => consumer.mayRest())
  }

  const asked = ({ pts }: Arrival) => {
    unanswered = { from: unanswered?.from ?? pts, to: pts, packets: (unanswered?.packets ?? 0) + 1 }
  }
  const show = (arrival: Arrival) => {
    const frame = decoded.clone()
    if (!frame) throw new Error('No memory for a picture.')
    last?.frame.free()
    last = { frame, pts: arrival.pts, at: arrival.at, isLate }
    for (const sampler of samplers) {
      const fps = sampler.consumer.fps()
      if (fps <= 0 || arrival.pts < sampler.due) continue
      sampler.due = nextDue(sampler.due, arrival.pts, ticksPerSecond / fps)
      sampler.consumer.take(last)
    }
    const takers = requests
    requests = []
    for (const take of takers) take(last)
  }
  const drain = () => {
    while (context.receiveFrameSync(decoded) >= 0) {
      unanswered = null
      const shown = inside.get(decoded.pts)
      inside.delete(decoded.pts)
      if (shown) show(shown)
      decoded.unref()
    }
  }
  const decode = (packet: Packet, arrival: Arrival) => {
    inside.set(packet.pts, arrival)
    for (const oldest of inside.keys()) {
      if (inside.size <= mostInside) break
      inside.delete(oldest)
    }
    asked(arrival)
    isEmpty = false
    // A damaged packet gives no picture; the next key frame mends it.
    if (context.sendPacketSync(packet) >= 0) drain()
  }
  const decodeWaiting = () => {
    for (const { packet, arrival } of waiting) decode(packet, arrival)
    forgetWaiting()
  }
  /** Decodes a packet, and those that it is predicted from, when its picture is wanted. */
  const follow = (kept: Kept) => {
    const { key, pts, isReference } = kept.arrival
    if (key) forgetWaiting()
    const wanted = isWanted(pts)
    if (!wanted && !isReference) return kept.packet.free()
    keep(kept)
    if (wanted || waitingBytes > mostWaitingBytes) decodeWaiting()
  }
  const catchUp = () => {
    gate.wake()
    const missed = waiting
    waiting = []
    waitingBytes = 0
    isLate = true
    for (const kept of missed) follow(kept)
    isLate = false
    glimpse = null
  }
  /**
   * Decodes a key frame by itself. True when it shows what the one before showed; that is then what there is to see. The
   * first of a rest needs a decoder of its own, since the other might have to go on where it stopped; where nothing
   * changed it never will, and one of them is enough.
   */
  const glance = (packet: Packet, arrival: Arrival): boolean => {
    const glancer = isEmpty ? context : openContext(parameters)
    const before = glimpse ?? (last && reducer.grey(last.frame))
    asked(arrival)
    let isSame = false
    // What follows the packet ends it, so that the picture comes out at once.
    if (glancer.sendPacketSync(packet) >= 0) glancer.sendPacketSync(null)
    while (glancer.receiveFrameSync(decoded) >= 0) {
      unanswered = null
      glimpse = reducer.grey(decoded)
      isSame = before !== null && !showsChange(before, glimpse)
      if (isSame) show(arrival)
      decoded.unref()
    }
    glancer.flushBuffers()
    if (glancer !== context) {
      const idle = isSame ? context : glancer
      if (isSame) context = glancer
      isEmpty = isSame
      idle.freeContext()
    }
    return isSame
  }

  return {
    push(packet, arrival) {
      const { key, pts } = arrival
      newestAt = arrival.at
      hasKey ||= key
      if (!hasKey) return
      const wasResting = gate.isResting()
      const verdict = gate.next({ key, bytes: packet.size, pts }, mayRest())
      const kept = { packet: ours(packet), arrival }
      if (verdict === 'keep') {
        keep(kept)
        if (waitingBytes > mostWaitingBytes) catchUp()
        return
      }
      if (verdict === 'glance' && glance(packet, arrival)) return keepOnly(kept)
      if (wasResting) catchUp()
      follow(kept)
    },
    latest(take) {
      if (gate.isResting()) catchUp()
      decodeWaiting()
      if (last && last.at > newestAt - freshMs) take(last)
      else requests.push(take)
    },
    isBroken: () =>
      unanswered !== null && unanswered.packets > 2 * mostInside && unanswered.to - unanswered.from > brokenTicks,
    close() {
      forgetWaiting()
      last?.frame.free()
      decoded.free()
      reducer.close()
      context.freeContext()
    },
  }
}

function ours(packet: Packet): Packet {
  const kept = packet.clone()
  if (!kept) throw new Error('No memory for a packet.')
  return kept
}

function openContext(parameters: CodecParameters): CodecContext {
  const context = new CodecContext()
  const codec = Codec.findDecoder(AV_CODEC_ID_H264)
  context.allocContext3(codec)
  context.parametersToContext(parameters)
  context.threadCount = 1
  const opened = context.open2Sync(codec)
  if (opened < 0) throw new Error(`The H.264 decoder did not open (${opened}).`)
  return context
}

/** On a steady grid while pictures come in time, so that 12 a second give exactly 5; a new grid after a gap. A tenth is left to jitter. */
function nextDue(due: number, pts: number, interval: number): number {
  const onGrid = due + interval
  return onGrid > pts && onGrid <= pts + interval ? onGrid : pts + interval * 0.9
}
