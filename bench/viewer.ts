/** A viewer of a live picture without a browser: the portal's WebSocket, and what its fragments hold. */
import { WebSocket } from 'ws'
import { groupAccessUnits, splitNalUnits } from '../packages/simcam/src/annexb.ts'

export type Shown = {
  /** 90 kHz, on the time line of the page's video. */
  pts: number
  receivedAt: number
  /** The picture's slices as the camera sent them. */
  slices: Buffer[]
}
export type Viewer = { shown: Shown[]; close(): void }

const fragmentByte = 2

export async function openViewer(origin: string, cookie: string, deviceId: string): Promise<Viewer> {
  const address = `${origin.replace('http', 'ws')}/api/v1/live?device_id=${deviceId}&mode=fmp4`
  const socket = new WebSocket(address, { headers: { cookie, origin }, perMessageDeflate: false })
  const shown: Shown[] = []
  let closed = ''
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary && data[0] === fragmentByte) shown.push(pictureOf(data.subarray(1)))
  })
  await new Promise<void>((open, fail) => {
    socket.on('open', open)
    socket.on('error', fail)
    socket.on('close', (code, reason) => {
      closed = `${code} ${reason}`
      fail(new Error(`The portal closes the live picture: ${closed}`))
    })
  })
  return { shown, close: () => socket.close() }
}

/** Of one `moof` and `mdat` as the product writes them. */
function pictureOf(fragment: Buffer): Shown {
  const tfdt = fragment.indexOf('tfdt')
  const trun = fragment.indexOf('trun')
  const mdat = fragment.indexOf('mdat', fragment.readUInt32BE(0))
  // After the box's name: version and flags, then the time; in `trun` count, offset, duration, size, flags come before.
  const dts = Number(fragment.readBigUInt64BE(tfdt + 8))
  const offset = fragment.readInt32BE(trun + 28)
  const slices: Buffer[] = []
  for (let at = mdat + 4; at < fragment.length; ) {
    const length = fragment.readUInt32BE(at)
    slices.push(fragment.subarray(at + 4, at + 4 + length))
    at += 4 + length
  }
  return { pts: dts + offset, receivedAt: Date.now(), slices }
}

/** The slices of each picture of a clip. */
export function slicesOf(stream: Uint8Array): Buffer[][] {
  return groupAccessUnits('H264', splitNalUnits(stream)).map(({ units }) =>
    units.filter((unit) => isSlice(unit[0] as number)).map((unit) => Buffer.from(unit)),
  )
}
const isSlice = (head: number) => (head & 0x1f) >= 1 && (head & 0x1f) <= 5

const isSame = (a: readonly Buffer[], b: readonly Buffer[]) =>
  a.length === b.length && a.every((slice, i) => slice.equals(b[i] as Buffer))

/**
 * Which frame of the camera each picture is, counted since the camera began; null when one is not the camera's own, bit for
 * bit, or one is missing.
 * @param frameAt the camera's frame that is on air at a moment
 */
export function framesOf(
  shown: readonly Shown[],
  clip: readonly Buffer[][],
  frameAt: (at: number) => number,
): number[] | null {
  const [first] = shown
  if (!first) return null
  const newest = frameAt(first.receivedAt)
  // A camera's clip repeats; the picture is the latest of its kind that had been sent.
  let frame = newest
  while (frame > newest - clip.length && !isSame(clip[frame % clip.length] as Buffer[], first.slices)) frame--
  const frames = shown.map((_, i) => frame + i)
  return shown.every(({ slices }, i) => isSame(clip[(frame + i) % clip.length] as Buffer[], slices)) ? frames : null
}
