import type { AuthMethod } from './auth.ts'
import { startClock } from './clock.ts'
import type { Discovery } from './discovery.ts'
import { scopesOf, startOnvifServer } from './onvif.ts'
import { startRtspServer } from './rtsp.ts'
import type { TransportKind } from './rtsp-transport.ts'
import { type Clip, loadScene, nextKeyTick, pictureAt, type Scene, type SceneName } from './scene.ts'

/**
 * Ways to misbehave, until told otherwise:
 * - `stall`: pictures stop, the connections stay;
 * - `cut`: each connection breaks off in the middle of its first picture;
 * - `password`: the right password is refused and whoever watches is thrown out, as after a change of the password;
 * - `h265`, `mjpeg`: the camera was switched to another codec; it says so by ONVIF too;
 * - `black`: something covers the lens.
 */
export const faults = ['none', 'stall', 'cut', 'password', 'h265', 'mjpeg', 'black'] as const
export type Fault = (typeof faults)[number]

export type CameraOptions = {
  scene: SceneName
  host: string
  /** A free one when left out. */
  rtspPort?: number
  onvifPort?: number
  /** Without a user name the camera lets everybody in. */
  username: string
  password: string
  name: string
  uuid: string
  /** Where to announce the camera; without it only its address leads to it. */
  discovery?: Discovery
  /** Frame of the scene to begin with. */
  startFrame?: number
  /** For tests of clients: what the camera supports, and how wrong its clock is. */
  authMethods?: readonly AuthMethod[]
  transports?: readonly TransportKind[]
  clockOffsetMs?: number
}

/** How the portal knows a simulated camera. */
export type DemoCamera = {
  name: string
  scene: string
  UUID: string
  host: string
  rtsp_port: number
  onvif_port: number
  stream_address: string
  xaddr: string
  username: string
  password: string
  fault: Fault
}

export type SimulatedCamera = {
  readonly camera: DemoCamera
  /** When frame 0 of the first loop was on air (or would have been), milliseconds since the epoch. */
  readonly startedAt: number
  /** What is on air now: frame of the scene's truth, and how many whole loops came before. */
  onAir(): { frame: number; loop: number }
  /** How many clients get its stream at present. */
  viewers(): number
  setFault(fault: Fault): void
  stop(): Promise<void>
}

export const streamPath = '/stream1'

const clipOf: Record<Fault, keyof Scene['clips']> = {
  none: 'h264',
  stall: 'h264',
  cut: 'h264',
  password: 'h264',
  h265: 'h265',
  mjpeg: 'mjpeg',
  black: 'black',
}

/** @throws EADDRINUSE when a wanted port is taken; nothing is left running then */
export async function startCamera(options: CameraOptions): Promise<SimulatedCamera> {
  const { host, name, uuid, username, password } = options
  const scene = loadScene(options.scene)
  const credentials = username === '' ? null : { username, password }
  let fault: Fault = 'none'
  let clip = scene.clips.h264
  let lastTick: number | null = null

  const clock = startClock(scene.fps, options.startFrame ?? 0, (tick) => {
    if (lastTick !== null && tick !== lastTick + 1) rtsp?.interrupt()
    lastTick = tick
    clip = nextClip(clip, scene.clips[clipOf[fault]], tick)
    const picture = pictureAt(clip, tick)
    if (picture && fault !== 'stall') rtsp?.publish(clip, picture, tick, fault === 'cut')
  })
  let rtsp: Awaited<ReturnType<typeof startRtspServer>> | null = null
  try {
    rtsp = await startRtspServer({
      host,
      port: options.rtspPort ?? 0,
      path: streamPath,
      name,
      credentials,
      authMethods: options.authMethods ?? ['digest', 'basic'],
      transports: options.transports ?? ['tcp', 'udp'],
      clip: () => clip,
      fps: scene.fps,
      // What was sent last, not what is due: a clock that is behind makes good, and its next key frame comes first.
      nextKeyTick: () => nextKeyTick(clip, lastTick === null ? clock.tick() : lastTick + 1),
    })
    const stream = rtsp
    const address = `rtsp://${host}:${stream.port}${streamPath}`
    const onvif = await startOnvifServer({
      host,
      port: options.onvifPort ?? 0,
      name,
      uuid,
      credentials,
      streamAddress: address,
      clip: () => clip,
      still: () => (fault === 'black' ? scene.blackStill : stillAt(scene, clock.tick())),
      clockOffsetMs: options.clockOffsetMs ?? 0,
    })
    const withdraw = options.discovery?.announce({ uuid, xaddr: onvif.xaddr, scopes: scopesOf(name) })

    return {
      get camera() {
        return {
          name,
          scene: scene.name,
          UUID: uuid,
          host,
          rtsp_port: stream.port,
          onvif_port: onvif.port,
          stream_address: address,
          xaddr: onvif.xaddr,
          username,
          password,
          fault,
        }
      },
      startedAt: clock.startedAt,
      onAir() {
        const tick = clock.tick()
        return { frame: tick % scene.frames, loop: Math.floor(tick / scene.frames) }
      },
      viewers: stream.viewers,
      setFault(next) {
        if (next === fault) return
        // Pictures were left out: the next one that a client can use is a key frame.
        if (fault === 'stall') stream.interrupt()
        fault = next
        stream.refuseEverybody(fault === 'password')
        onvif.refuseEverybody(fault === 'password')
        const wanted = scene.clips[clipOf[fault]]
        if (wanted.codec === clip.codec) return
        clip = wanted
        stream.disconnect()
      },
      async stop() {
        clock.stop()
        withdraw?.()
        await Promise.all([stream.close(), onvif.close()])
      },
    }
  } catch (error) {
    clock.stop()
    await rtsp?.close()
    throw error
  }
}

/** Within a codec the picture changes without a break, at the first key frame of the other clip. */
function nextClip(present: Clip, wanted: Clip, tick: number): Clip {
  return wanted !== present && pictureAt(wanted, tick)?.isKey ? wanted : present
}

function stillAt(scene: Scene, tick: number): Uint8Array {
  const second = Math.floor(tick / scene.fps) % scene.stills.length
  return scene.stills[second] as Uint8Array
}
