/**
 * Decodes a clip as a camera process does, in a process of its own: the pictures that `createDecoder` hands to the
 * analysis go to the parent, which answers whether they were still, and wait for it as they do in the product.
 * Arguments: file, pictures a second of the clip, loops, whether on demand, pictures of each loop at most.
 * At the end it tells the CPU time of decoding.
 */
import { AV_LOG_QUIET, Dictionary, FormatContext, InputFormat, Log, Packet } from 'node-av'
import { joins, mostHeld } from '../../camera/analysis.ts'
import { createDecoder, type Picture as Taken } from '../../camera/decoder.ts'
import { createScaler } from '../../camera/image.ts'
import { ticksPerSecond } from '../../camera/timeline.ts'
import type { FromDecoder, ToDecoder } from './on-demand.ts'

const [file = '', fps = '', loops = '1', onDemand = 'true', most = 'Infinity'] = process.argv.slice(2)
const analysed = { fps: 5, width: 640, height: 480 }
Log.setLevel(AV_LOG_QUIET)

/** For a picture, as where several cameras share a worker: soon enough for 5 a second, but behind after each catching up. */
const workMs = 60

type Picture = Extract<FromDecoder, { type: 'picture' }>
/** Of the clip's own time: nothing here depends on how fast this machine is. */
let nowMs = 0
let isStill = false
let held: { picture: Picture; isLate: boolean }[] = []
let inWork: { picture: Picture; untilMs: number; isStill: boolean | null } | null = null
let cpuMs = 0

const scaler = createScaler()
const consumer = {
  fps: () => analysed.fps,
  mayRest: () => onDemand === 'true' && held.length === 0 && isStill,
  take({ frame, at, isLate }: Taken) {
    const { width, height, data } = scaler.bgr(frame, analysed)
    const picture: Picture = { type: 'picture', index: at, width, height, data: Buffer.from(data) }
    if (!inWork) inWork = { picture, untilMs: nowMs + workMs, isStill: null }
    else if (joins(held, isLate, mostHeld(analysed))) held.push({ picture, isLate: true })
    else held = [{ picture, isLate }]
  },
}
const say = (message: FromDecoder) => new Promise((sent) => process.send?.(message, undefined, undefined, sent))
const answer = () =>
  new Promise<ToDecoder>((resolve) => process.once('message', (message) => resolve(message as ToDecoder)))

/** The picture in work is looked at in truth, and is done with when its time is over. */
async function look() {
  if (!inWork || inWork.isStill !== null) return
  await say(inWork.picture)
  inWork.isStill = (await answer()).isStill
}
async function goOn() {
  while (inWork && inWork.untilMs <= nowMs) {
    isStill = inWork.isStill === true
    const next = held.shift()
    inWork = next ? { picture: next.picture, untilMs: inWork.untilMs + workMs, isStill: null } : null
    await look()
  }
}

async function opened() {
  const input = new FormatContext()
  const format = file.endsWith('.h264') ? 'h264' : 'mov'
  if ((await input.openInput(file, InputFormat.findInputFormat(format), new Dictionary())) < 0)
    throw new Error(`${file} cannot be opened`)
  await input.findStreamInfo(null)
  const stream = input.streams.find((one) => one.codecpar.width > 0)
  if (!stream) throw new Error(`${file} has no picture`)
  return { input, stream }
}

const packet = new Packet()
packet.alloc()
const first = await opened()
const decoder = createDecoder(first.stream.codecpar, [consumer])
const tick = ticksPerSecond / Number(fps)
let from = 0
for (let loop = 0; loop < Number(loops); loop++) {
  const { input, stream } = loop === 0 ? first : await opened()
  const { num, den } = stream.timeBase
  let count = 0
  while (count < Number(most) && (await input.readFrame(packet)) >= 0) {
    if (packet.streamIndex === stream.index) {
      const hasTime = packet.pts >= 0n && !file.endsWith('.h264')
      const index = from + (hasTime ? Math.round((Number(packet.pts) * num * Number(fps)) / den) : count)
      // The decoder knows a picture by its packet's time.
      packet.pts = BigInt(index)
      count += 1
      // They arrive in the order of decoding.
      nowMs = ((from + count) * 1000) / Number(fps)
      await goOn()
      const before = process.cpuUsage()
      decoder.push(packet, { pts: index * tick, at: index, key: packet.isKeyframe, isReference: true })
      const { user, system } = process.cpuUsage(before)
      cpuMs += (user + system) / 1000
      await look()
    }
    packet.unref()
  }
  from += count
}
nowMs = Number.POSITIVE_INFINITY
await goOn()
await say({ type: 'end', pictures: from, cpuMs })
process.disconnect?.()
