/**
 * Simulated cameras that show clips from files, as a process: started by `startCameras` with the clips as its first
 * argument; says where they are. With `true` as its second argument they leave out all but key frames.
 */
import { readFileSync } from 'node:fs'
import { groupAccessUnits, splitNalUnits } from '../packages/simcam/src/annexb.ts'
import { startClock } from '../packages/simcam/src/clock.ts'
import { type RtspServer, startRtspServer } from '../packages/simcam/src/rtsp.ts'
import { type Clip, nextKeyTick, pictureAt } from '../packages/simcam/src/scene.ts'
import type { ClipFile, SimulatedCamera } from './process.ts'

const files = JSON.parse(process.argv[2] ?? '[]') as ClipFile[]
const keysOnly = process.argv[3] === 'true'
const host = '127.0.0.1'

/** Cameras that show the same share its pictures. */
const clips = new Map<string, Clip>()
function clipOf({ path, width, height, fps }: ClipFile): Clip {
  const known = clips.get(path)
  if (known) return known
  const pictures = groupAccessUnits('H264', splitNalUnits(readFileSync(path)))
  const clip: Clip = { codec: 'H264', width, height, fps, every: 1, pictures }
  clips.set(path, clip)
  return clip
}

async function start(file: ClipFile, index: number): Promise<SimulatedCamera> {
  const clip = clipOf(file)
  // Cameras of the same clip are not in step: nothing in the world happens eight times at once.
  const clock = startClock(clip.fps, Math.floor((clip.pictures.length * index) / files.length), (tick) => {
    const picture = pictureAt(clip, tick)
    if (picture && (picture.isKey || !keysOnly)) rtsp?.publish(clip, picture, tick, false)
  })
  let rtsp: RtspServer | null = null
  rtsp = await startRtspServer({
    host,
    port: 0,
    path: '/stream1',
    name: `Camera ${index + 1}`,
    credentials: null,
    authMethods: ['digest'],
    transports: ['tcp', 'udp'],
    clip: () => clip,
    fps: clip.fps,
    nextKeyTick: () => nextKeyTick(clip, clock.tick() + 1),
  })
  return { address: `rtsp://${host}:${rtsp.port}/stream1`, port: rtsp.port, startedAt: clock.startedAt }
}

process.on('disconnect', () => process.exit(0))
process.send?.(await Promise.all(files.map(start)))
