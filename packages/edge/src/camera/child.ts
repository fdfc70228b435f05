/**
 * One camera's own process: everything that native media code touches. It opens one RTSP connection, sends every access
 * unit to main and the pictures that are wanted to the analysis worker, and ends with the connection. node-av's binary is
 * a GPLv3 build of FFmpeg; it is loaded here and nowhere else in the nimble.
 */
import { flushCompileCache } from 'node:module'
import { Packet, type Stream } from 'node-av'
import { createAnalysisFeed } from './analysis.ts'
import { createFloodGuard, isTooLarge, mostMemoryBytes } from './bounds.ts'
import { createDecoder, type Picture } from './decoder.ts'
import { isReference, isSlice, joinNals, nalType, splitNals, typeOf } from './h264.ts'
import { createJpegEncoder } from './image.ts'
import type { FromChild, ToChild, Unit } from './messages.ts'
import { createParameterTracker } from './parameters.ts'
import { openStream } from './stream.ts'
import { createTimeline, type Timeline, ticksPerSecond } from './timeline.ts'
import { offerAsVictim } from './victim.ts'

/** Access units that main has not taken yet; beyond it they are left out up to the next key frame. */
const mostUnsentBytes = 8 * 1024 * 1024
const notYetMs = 1000
const halfSecondMs = 500
/** Size of pictures for viewers without a video decoder. */
const viewerSize = { width: 1280, height: 720 }
const noTime = -(2n ** 63n)

const analysis = createAnalysisFeed(tell)
const jpeg = createJpegEncoder()
const viewers = createViewerFeed()
const units = createUnitFeed()
let latest: ((take: (picture: Picture) => void) => void) | null = null
let isClosing = false
let hasFailed = false

// Where memory ends the system takes a camera, before the edge server with all of them and the database.
if (process.platform === 'linux') offerAsVictim(console.error)
// It is killed rather than ended, so what it compiled is kept for the next one here; nothing to do where it was kept before.
flushCompileCache()

// Without its parent nobody stops it, and a blocked read would hold back an orderly exit.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
process.on('message', (message: ToChild) => {
  if (message.type === 'open') {
    jpeg.hide(message.masks)
    run(message)
  } else if (message.type === 'masks') jpeg.hide(message.masks)
  else if (message.type === 'analysis') analysis.set(message.analysis)
  else if (message.type === 'pictures') viewers.setFps(message.fps)
  else if (message.type === 'gather') units.setGathering(message.gather)
  else if (message.type === 'jpeg') sendJpeg(message)
  else isClosing = true
})

setInterval(() => {
  units.flush()
  // What native code takes is not bounded by anything else.
  if (process.memoryUsage.rss() > mostMemoryBytes) giveUp()
}, halfSecondMs)

/** Told once: nothing more is read, and main ends this process. */
function fail(cause: Extract<FromChild, { type: 'failed' }>['cause']): void {
  if (hasFailed) return
  hasFailed = true
  units.flush()
  tell({ type: 'failed', cause })
}

const giveUp = () => fail('bad_stream')

function tell(message: FromChild, sent?: () => void): void {
  process.send?.(message, undefined, undefined, sent)
}

async function run(open: Extract<ToChild, { type: 'open' }>): Promise<void> {
  const timeline = createTimeline(open.start_ms, performance.now())
  const opened = await openStream(open)
  if ('cause' in opened) return fail(opened.cause)
  const { stream, read, close } = opened
  const take = createTaker(stream, timeline)
  const packet = new Packet()
  packet.alloc()
  while (!hasFailed) {
    const cause = await read(packet)
    if (isClosing) {
      await close()
      process.exit(0)
    }
    if (cause) return fail(cause)
    take(packet)
    packet.unref()
  }
}

/** What becomes of a packet: an access unit for main, and food for the decoder. */
function createTaker(stream: Stream, timeline: Timeline): (packet: Packet) => void {
  const parameters = createParameterTracker()
  parameters.take(splitNals(stream.codecpar.extradata ?? Buffer.alloc(0)))
  const decoder = createDecoder(stream.codecpar, [analysis.consumer, viewers.consumer])
  latest = decoder.latest
  const { num, den } = stream.timeBase
  let areTold = false
  let notYetAt = Number.NEGATIVE_INFINITY
  const comesTooFast = createFloodGuard()

  const notYet = () => {
    if (performance.now() - notYetAt < notYetMs) return
    notYetAt = performance.now()
    tell({ type: 'not_yet' })
  }
  return (packet) => {
    if (comesTooFast(performance.now())) return giveUp()
    const nals = splitNals(packet.data ?? Buffer.alloc(0))
    const slices = nals.filter(isSlice)
    const isChanged = parameters.take(nals)
    const sets = parameters.current()
    if (slices.length === 0 || !sets) return notYet()
    if (isTooLarge(sets)) return giveUp()
    timeline.setReorder(parameters.reorder())
    const time = packet.pts === noTime ? null : (Number(packet.pts) * num * ticksPerSecond) / den
    const { pts, dts, lateMs } = timeline.place(time, performance.now())
    const at = Math.round(Date.now() - lateMs)
    const key = packet.isKeyframe || slices.some((nal) => typeOf(nal) === nalType.idr)
    if (isChanged || !areTold) {
      units.flush()
      tell({ type: 'parameters', parameters: sets })
      areTold = true
    }
    // A change within a group of pictures has to reach decoders that were set up with the group's beginning.
    const kept = isChanged && !key ? nals.filter((nal) => isSlice(nal) || isParameterSet(typeOf(nal))) : slices
    units.take({ key, pts, dts, at }, kept)
    decoder.push(packet, { pts, at, key, isReference: slices.some(isReference) })
    if (decoder.isBroken()) giveUp()
  }
}

const isParameterSet = (type: number) => type === nalType.sps || type === nalType.pps

function sendJpeg({ id, most }: Extract<ToChild, { type: 'jpeg' }>): void {
  latest?.(({ frame, at }) => tell({ type: 'jpeg', id, at, jpeg: jpeg.encode(frame, most) }))
}

/** Access units for main: one by one, or gathered until they are flushed. */
function createUnitFeed() {
  let gathered: Unit[] = []
  let isGathering = false
  let unsentBytes = 0
  let isComplete = true

  const flush = () => {
    if (gathered.length === 0) return
    const bytes = gathered.reduce((sum, { data }) => sum + data.length, 0)
    tell({ type: 'units', units: gathered }, () => {
      unsentBytes -= bytes
    })
    gathered = []
  }
  return {
    flush,
    setGathering: (value: boolean) => {
      isGathering = value
      if (!isGathering) flush()
    },
    take(unit: Omit<Unit, 'data'>, nals: Buffer[]) {
      isComplete = unsentBytes < mostUnsentBytes && (isComplete || unit.key)
      if (!isComplete) return
      const data = joinNals(nals)
      unsentBytes += data.length
      gathered.push({ ...unit, data })
      if (!isGathering) flush()
    },
  }
}

/** JPEG pictures, one at a time: the next only when main has taken the last. */
function createViewerFeed() {
  let fps = 0
  let isSending = false
  return {
    setFps: (value: number) => {
      fps = value
    },
    consumer: {
      fps: () => (isSending ? 0 : fps),
      mayRest: () => false,
      take: ({ frame, at, pts }: Picture) => {
        isSending = true
        tell({ type: 'picture', at, pts, jpeg: jpeg.encode(frame, viewerSize) }, () => {
          isSending = false
        })
      },
    },
  }
}
