import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { type SimulatedCamera, startCamera } from './camera.ts'
import { brightness, ffmpegMissing, read, withCredentials } from './testing/ffmpeg.ts'
import { onvifClient } from './testing/onvif-client.ts'
import { truthOf } from './truth.ts'

const running: SimulatedCamera[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((camera) => camera.stop()))
})

async function camera(options: { startFrame?: number; onvifPort?: number } = {}) {
  const started = await startCamera({
    scene: 'lobby',
    host: '127.0.0.1',
    username: 'admin',
    password: 'p@ss:w/rd#1',
    name: 'Lobby',
    uuid: crypto.randomUUID(),
    startFrame: 25,
    ...options,
  })
  running.push(started)
  return started
}

const addressOf = ({ camera: made }: SimulatedCamera) =>
  withCredentials(made.stream_address, made.username, made.password)

describe('a camera', () => {
  test('knows which frame of the truth is on air', async () => {
    const made = await camera({ startFrame: 805 })
    const { fps, frames_total } = truthOf('lobby')
    expect(made.onAir().loop).toBe(0)
    const frameNow = () => Math.floor(((Date.now() - made.startedAt) * fps) / 1000)
    const look = () => {
      const { frame, loop } = made.onAir()
      return { loop, isNow: Math.abs(loop * frames_total + frame - frameNow()) <= 1 }
    }
    expect(look().isNow).toBe(true)
    await expect.poll(look).toEqual({ loop: 1, isNow: true })
  })

  test('leaves nothing running when a port is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as { port: number }
    await expect(camera({ onvifPort: port })).rejects.toThrow('EADDRINUSE')
    taken.close()
  })
})

/** Waits until a client gets pictures. */
const untilWatched = (made: SimulatedCamera) => expect.poll(made.viewers).toBe(1)

/** Waits while that many seconds of the scene go on air. */
async function seconds(made: SimulatedCamera, count: number) {
  const end = made.onAir().frame + count * 15
  await expect.poll(() => made.onAir().frame).toBeGreaterThanOrEqual(end)
}

const signIn = ({ camera: made }: SimulatedCamera) => onvifClient(made.onvif_port, made)

describe.skipIf(ffmpegMissing)('a fault', () => {
  test('stall: pictures stop and come back with a key frame on the same connection', async () => {
    const made = await camera()
    const reading = read(addressOf(made), 'tcp', 45)
    await untilWatched(made)
    await seconds(made, 1)
    made.setFault('stall')
    await seconds(made, 2)
    made.setFault('none')
    const { packets } = await reading
    const times = packets.map(({ ptsSeconds }) => ptsSeconds ?? 0)
    const pause = times.findIndex((time, i) => time - (times[i - 1] ?? 0) > 1)
    expect(pause).toBeGreaterThan(0)
    expect(packets[pause]?.isKey).toBe(true)
  })

  test('cut: every connection breaks off before its first picture is complete', async () => {
    const made = await camera()
    made.setFault('cut')
    // What breaks off may still be handed over at the end of the stream: without a time it is none.
    const { packets } = await read(addressOf(made), 'tcp', 5)
    expect(packets.filter(({ ptsSeconds }) => ptsSeconds !== null)).toEqual([])
    made.setFault('none')
    expect((await read(addressOf(made), 'tcp', 5)).packets.length).toBeGreaterThanOrEqual(5)
  })

  test('password: who watches is thrown out and the right password is refused everywhere', async () => {
    const made = await camera()
    const reading = read(addressOf(made), 'tcp', 900)
    await untilWatched(made)
    made.setFault('password')
    expect((await reading).packets.length).toBeLessThan(900)
    await expect(read(addressOf(made), 'tcp', 2)).rejects.toThrow('401')
    const device = signIn(made)
    await device.connect().catch(() => undefined)
    await expect(device.getDeviceInformation()).rejects.toThrow('not Authorized')
    made.setFault('none')
    expect(await device.getDeviceInformation()).toMatchObject({ model: 'Simulated camera' })
  })

  test.each([
    ['h265', 'hevc', 'H265'],
    ['mjpeg', 'mjpeg', 'JPEG'],
  ] as const)('%s: the stream is in another codec, and ONVIF names it', async (fault, codec, encoding) => {
    const made = await camera()
    made.setFault(fault)
    for (const transport of ['tcp', 'udp'] as const) {
      const stream = await read(addressOf(made), transport, 2)
      expect([stream.codec, stream.width, stream.height]).toEqual([codec, 640, 360])
    }
    const device = signIn(made)
    await device.connect()
    expect((await device.getProfiles())[0].videoEncoderConfiguration.encoding).toBe(encoding)
    made.setFault('none')
    expect((await read(addressOf(made), 'tcp', 2)).codec).toBe('h264')
  })

  test('black: the picture goes dark and light again without a break', async () => {
    const made = await camera()
    const reading = brightness(addressOf(made), 120)
    await untilWatched(made)
    await seconds(made, 1)
    made.setFault('black')
    // Within two seconds comes the key frame at which it begins.
    await seconds(made, 3)
    made.setFault('none')
    const seen = await reading
    expect(seen.length).toBeGreaterThanOrEqual(120)
    expect(Math.min(...seen)).toBeLessThan(25)
    expect(seen[0]).toBeGreaterThan(80)
    expect(seen.at(-1)).toBeGreaterThan(80)
  })
})
