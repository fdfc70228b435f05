/**
 * Decodes a clip in a process of its own, as cameras are decoded: every n-th picture as raw BGR on the standard output.
 * Arguments: file, first picture, step, greatest width, greatest height. The first line says the size in JSON.
 */
import { writeSync } from 'node:fs'
import { AV_LOG_QUIET, Codec, CodecContext, Dictionary, FormatContext, Frame, InputFormat, Log, Packet } from 'node-av'
import { createScaler } from '../../camera/image.ts'

const [file = '', first = '0', step = '1', width = '640', height = '480'] = process.argv.slice(2)
Log.setLevel(AV_LOG_QUIET)
const input = new FormatContext()
const format = file.endsWith('.h264') ? 'h264' : 'mov'
if ((await input.openInput(file, InputFormat.findInputFormat(format), new Dictionary())) < 0)
  throw new Error(`${file} cannot be opened`)
await input.findStreamInfo(null)
const stream = input.streams.find((one) => one.codecpar.width > 0)
if (!stream) throw new Error(`${file} has no picture`)
const codec = Codec.findDecoder(stream.codecpar.codecId)
const context = new CodecContext()
context.allocContext3(codec)
context.parametersToContext(stream.codecpar)
context.threadCount = 1
if (context.open2Sync(codec) < 0) throw new Error('The decoder does not open')

const scaler = createScaler()
const packet = new Packet()
packet.alloc()
const frame = new Frame()
frame.alloc()
let count = 0
let isFirst = true

function write(bytes: Uint8Array): void {
  for (let sent = 0; sent < bytes.length; ) {
    try {
      sent += writeSync(1, bytes, sent)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      // The reader has seen enough.
      if (code === 'EPIPE') process.exit(0)
      // The reader is behind: a full pipe is not an error.
      if (code !== 'EAGAIN') throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2)
    }
  }
}
function show(): void {
  const index = count++
  if (index < Number(first) || (index - Number(first)) % Number(step) !== 0) return
  const picture = scaler.bgr(frame, { width: Number(width), height: Number(height) })
  if (isFirst) write(Buffer.from(`${JSON.stringify({ width: picture.width, height: picture.height })}\n`))
  isFirst = false
  write(picture.data)
}
function drain(): void {
  while (context.receiveFrameSync(frame) >= 0) {
    show()
    frame.unref()
  }
}

while ((await input.readFrame(packet)) >= 0) {
  if (packet.streamIndex === stream.index && context.sendPacketSync(packet) >= 0) drain()
  packet.unref()
}
context.sendPacketSync(null)
drain()
process.exit(0)
