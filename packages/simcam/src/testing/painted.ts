/** A camera that plays painted pictures in a loop, for tests that must know exactly what it shows. */
import { spawnSync } from 'node:child_process'
import { groupAccessUnits, splitNalUnits } from '../annexb.ts'
import { startClock } from '../clock.ts'
import { startRtspServer } from '../rtsp.ts'
import { type Clip, nextKeyTick, pictureAt } from '../scene.ts'

export type PaintedCamera = { hosts: { host: string; ports: number[] }[]; address: string; stop(): Promise<void> }

/** What every painter of this size paints on. */
export const roomSize = { width: 640, height: 360, fps: 10 }
const room = Uint8Array.from({ length: roomSize.width * roomSize.height * 3 }, (_, i) => {
  const x = Math.floor(i / 3) % roomSize.width
  return 90 + ((x >> 4) % 3) * 30 + ((Math.floor(i / 3 / roomSize.width) >> 4) % 2) * 20
})

/** A room of grey tiles; in one of its ten cells, if any, stands a square of a colour, which a made model takes for something. */
export function paintedRoom(cell: number | null, colour: readonly [number, number, number]): Uint8Array {
  const picture = room.slice()
  if (cell !== null)
    for (let y = 116; y < 180; y++)
      for (let x = cell * 64; x < (cell + 1) * 64; x++) picture.set(colour, (y * roomSize.width + x) * 3)
  return picture
}

/** @param pictures RGB24, rows top down without padding @throws Error with what ffmpeg says */
export async function startPaintedCamera(
  { width, height, fps }: { width: number; height: number; fps: number },
  pictures: readonly Uint8Array[],
): Promise<PaintedCamera> {
  const { status, stdout, stderr } = spawnSync(
    'ffmpeg',
    [
      ...['-v', 'error', '-f', 'rawvideo', '-pix_fmt', 'rgb24', '-s', `${width}x${height}`, '-r', `${fps}`, '-i', '-'],
      ...['-c:v', 'libx264', '-preset', 'ultrafast', '-tune', 'zerolatency', '-pix_fmt', 'yuv420p', '-qp', '12'],
      ...['-g', `${fps}`, '-bf', '0', '-x264-params', 'repeat-headers=1', '-f', 'h264', '-'],
    ],
    { input: Buffer.concat(pictures), maxBuffer: 256 * 1024 * 1024 },
  )
  if (status !== 0) throw new Error(`The pictures could not be encoded: ${stderr}`)
  const units = groupAccessUnits('H264', splitNalUnits(stdout))
  const clip: Clip = { codec: 'H264', width, height, fps, every: 1, pictures: units }
  const host = '127.0.0.1'
  const server = await startRtspServer({
    ...{ host, port: 0, path: '/painted', name: 'Painted', credentials: null },
    ...{ authMethods: ['digest'], transports: ['tcp'], fps, clip: () => clip },
    nextKeyTick: () => nextKeyTick(clip, clock.tick() + 1),
  })
  const clock = startClock(fps, 0, (tick) => {
    const picture = pictureAt(clip, tick)
    if (picture) server.publish(clip, picture, tick, false)
  })
  return {
    hosts: [{ host, ports: [server.port] }],
    address: `rtsp://${host}:${server.port}/painted`,
    async stop() {
      clock.stop()
      await server.close()
    },
  }
}
