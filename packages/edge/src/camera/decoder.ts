/**
 * Decodes as little of a stream as its consumers need (camera process only). Packets wait, from one key frame to the
 * next, until a picture is due; where none comes due before the next key frame they are never decoded, and pictures that
 * no other is predicted from are left out unless they are wanted themselves. What is seen is the same as by decoding
 * everything.
 */
import { AV_CODEC_ID_H264, Codec, CodecContext, type CodecParameters, Frame, type Packet } from 'node-av'
import { ticksPerSecond } from './timeline.ts'

/** What is known of a packet beside its bytes; times as in `AccessUnit`. */
export type Arrival = { pts: number; at: number; key: boolean; isReference: boolean }

/** Valid during the call it is handed to only. */
export type Picture = { frame: Frame; pts: number; at: number }

/** Someone who wants pictures at a rate; 0 = none. */
export type Consumer = { fps(): number; take(picture: Picture): void }

export type Decoder = {
  /** The packet stays the caller's. */
  push(packet: Packet, arrival: Arrival): void
  /** Hands over the newest picture: at once, or as soon as the stream gives one. */
  latest(take: (picture: Picture) => void): void
  close(): void
}

/** Beyond this a long group of pictures is decoded although nobody waits for it, rather than kept. */
const mostWaitingBytes = 8 * 1024 * 1024
/** Pictures that a decoder can hold back (ITU-T H.264 allows 16), and as many again that it gave up. */
const mostInside = 32
const freshMs = 1000

export function createDecoder(parameters: CodecParameters, consumers: Consumer[]): Decoder {
  const context = openContext(parameters)
  const decoded = new Frame()
  decoded.alloc()
  const samplers = consumers.map((consumer) => ({ consumer, due: Number.NEGATIVE_INFINITY }))
  let requests: ((picture: Picture) => void)[] = []
  let waiting: { packet: Packet; arrival: Arrival }[] = []
  let waitingBytes = 0
  let hasKey = false
  let newestAt = 0
  /** By the packet's own time, which the decoder gives back with the picture. */
  const inside = new Map<bigint, Arrival>()
  let last: Picture | null = null

  const forgetWaiting = () => {
    for (const { packet } of waiting) packet.free()
    waiting = []
    waitingBytes = 0
  }
  const isWanted = (pts: number) =>
    requests.length > 0 || samplers.some(({ consumer, due }) => consumer.fps() > 0 && pts >= due)

  const show = (arrival: Arrival) => {
    const frame = decoded.clone()
    if (!frame) throw new Error('No memory for a picture.')
    last?.frame.free()
    last = { frame, pts: arrival.pts, at: arrival.at }
    for (const sampler of samplers) {
      const fps = sampler.consumer.fps()
      if (fps <= 0 || arrival.pts < sampler.due) continue
      sampler.due = nextDue(sampler.due, arrival.pts, ticksPerSecond / fps)
      sampler.consumer.take(last)
    }
    const asked = requests
    requests = []
    for (const take of asked) take(last)
  }
  const decode = (packet: Packet, arrival: Arrival) => {
    inside.set(packet.pts, arrival)
    for (const oldest of inside.keys()) {
      if (inside.size <= mostInside) break
      inside.delete(oldest)
    }
    // A damaged packet gives no picture; the next key frame mends it.
    if (context.sendPacketSync(packet) < 0) return
    while (context.receiveFrameSync(decoded) >= 0) {
      const shown = inside.get(decoded.pts)
      inside.delete(decoded.pts)
      if (shown) show(shown)
      decoded.unref()
    }
  }
  const decodeWaiting = () => {
    for (const { packet, arrival } of waiting) decode(packet, arrival)
    forgetWaiting()
  }

  return {
    push(packet, arrival) {
      if (arrival.key) {
        forgetWaiting()
        hasKey = true
      }
      newestAt = arrival.at
      const wanted = isWanted(arrival.pts)
      if (!hasKey || (!wanted && !arrival.isReference)) return
      const kept = packet.clone()
      if (!kept) throw new Error('No memory for a packet.')
      waiting.push({ packet: kept, arrival })
      waitingBytes += packet.size
      if (wanted || waitingBytes > mostWaitingBytes) decodeWaiting()
    },
    latest(take) {
      decodeWaiting()
      if (last && last.at > newestAt - freshMs) take(last)
      else requests.push(take)
    },
    close() {
      forgetWaiting()
      last?.frame.free()
      decoded.free()
      context.freeContext()
    },
  }
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
