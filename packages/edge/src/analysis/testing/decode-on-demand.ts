/**
 * Decodes a clip as a camera process does, in a process of its own: the pictures that `createDecoder` hands to the
 * analysis go to the parent, which answers whether they were still. Arguments: file, pictures a second of the clip, loops,
 * whether on demand, pictures of each loop at most.
 * At the end it tells the CPU time of decoding.
 */
import { AV_LOG_QUIET, Dictionary, FormatContext, InputFormat, Log, Packet } from 'node-av'
import { createDecoder } from '../../camera/decoder.ts'
import { createScaler } from '../../camera/image.ts'
import { ticksPerSecond } from '../../camera/timeline.ts'
import type { FromDecoder, ToDecoder } from './on-demand.ts'

const [file = '', fps = '', loops = '1', onDemand = 'true', most = 'Infinity'] = process.argv.slice(2)
const analysed = { fps: 5, width: 640, height: 480 }
Log.setLevel(AV_LOG_QUIET)

let isStill = false
let waiting: Extract<FromDecoder, { type: 'picture' }>[] = []
let cpuMs = 0

const scaler = createScaler()
const consumer = {
  fps: () => analysed.fps,
  mayRest: () => onDemand === 'true' && isStill,
  take({ frame, at }: { frame: Parameters<typeof scaler.bgr>[0]; at: number }) {
    const { width, height, data } = scaler.bgr(frame, analysed)
    waiting.push({ type: 'picture', index: at, width, height, data: Buffer.from(data) })
  },
}
const say = (message: FromDecoder) => new Promise((sent) => process.send?.(message, undefined, undefined, sent))
const answer = () =>
  new Promise<ToDecoder>((resolve) => process.once('message', (message) => resolve(message as ToDecoder)))

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
      const before = process.cpuUsage()
      decoder.push(packet, { pts: index * tick, at: index, key: packet.isKeyframe, isReference: true })
      const { user, system } = process.cpuUsage(before)
      cpuMs += (user + system) / 1000
      for (const picture of waiting) {
        await say(picture)
        isStill = (await answer()).isStill
      }
      waiting = []
    }
    packet.unref()
  }
  from += count
}
await say({ type: 'end', pictures: from, cpuMs })
process.disconnect?.()
