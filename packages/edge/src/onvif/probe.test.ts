import { probed } from '@sightline/contract/edge'
import { type CameraOptions, startCamera } from '@sightline/simcam'
import { describe, expect, onTestFinished, test } from 'vitest'
import { probeStream } from '../camera/probe.ts'
import { gstMissing, pipelines, startGst } from '../camera/testing/gst.ts'
import { local } from '../camera/testing/watch.ts'
import { type ProbeTarget, probe } from './probe.ts'

const password = 'p@ss:w/rd#1^!'

async function camera(options: Partial<CameraOptions> = {}) {
  const made = await startCamera({
    scene: 'lobby',
    host: '127.0.0.1',
    username: 'admin',
    password,
    name: 'Lobby',
    uuid: '7d0e1a52-3c55-8b1d-9a41-0f6f2f4f8c11',
    // The next key frame is a third of a second away.
    startFrame: 25,
    ...options,
  })
  onTestFinished(() => made.stop())
  return made
}
type Made = Awaited<ReturnType<typeof camera>>

/** Probes as the nimble does, and checks what every answer must keep. */
async function tried(target: ProbeTarget, ports: number[]) {
  const result = probed.parse(await probe(target, { known: local(...ports), probeStream }))
  if (target.password) {
    const { snapshot: _picture, ...words } = result
    for (const form of [target.password, encodeURIComponent(target.password)])
      expect(JSON.stringify(words)).not.toContain(form)
  }
  return result
}
const byOnvif = (made: Made, login: Partial<ProbeTarget> = {}) =>
  tried({ address: made.camera.xaddr, username: 'admin', password, ...login }, portsOf(made))
const byStream = (made: Made, login: Partial<ProbeTarget> = {}) =>
  tried({ address: made.camera.stream_address, username: 'admin', password, ...login }, portsOf(made))
const portsOf = ({ camera: { rtsp_port, onvif_port } }: Made) => [rtsp_port, onvif_port]

const idsOf = (result: { findings: { level: string; text_id: string }[] }) =>
  result.findings.map(({ level, text_id }) => `${level} ${text_id}`)

const isJpeg = (base64: string | null) => Buffer.from(base64 ?? '', 'base64').readUIntBE(0, 3) === 0xffd8ff

describe('a camera that is fine', () => {
  test('by its ONVIF address: who it is, its profile, a picture, and that it works', async () => {
    const made = await camera()
    const result = await byOnvif(made)
    expect(result).toMatchObject({ maker: 'Sightline', model: 'Simulated camera', firmware: '1.0' })
    expect(result.endpoint_uuid).toBe(made.camera.UUID)
    expect(result.profiles).toEqual([
      {
        name: 'Main stream',
        codec: 'h264',
        resolution: '640x360',
        fps: 15,
        // What it sends, not the 512 it names as its limit.
        bitrate: expect.any(Number),
        stream_address: made.camera.stream_address,
      },
    ])
    const bitrate = result.profiles[0]?.bitrate ?? 0
    expect(bitrate).toBeGreaterThan(20)
    expect(bitrate).not.toBe(512)
    expect(isJpeg(result.snapshot)).toBe(true)
    expect(idsOf(result)).toEqual(['good stream_works_at:640x360:15'])
    expect(result.findings[0]?.args).toEqual({ resolution: '640x360', fps: 15 })
  })

  test('by the address of its stream', async () => {
    const made = await camera()
    const result = await byStream(made)
    expect(result.profiles).toMatchObject([
      { codec: 'h264', resolution: '640x360', stream_address: made.camera.stream_address },
    ])
    expect(isJpeg(result.snapshot)).toBe(true)
    expect(idsOf(result)).toEqual(['good stream_works_at:640x360:15'])
  })

  test('is asked one thing at a time, and finds its service without being told the path', async () => {
    const made = await camera()
    const result = await byOnvif(made, { address: `http://127.0.0.1:${made.camera.onvif_port}` })
    expect(idsOf(result)).toEqual(['good stream_works_at:640x360:15'])
  })

  test('tells of each finding as it is found: of its clock before its stream is even open', async () => {
    const made = await camera({ clockOffsetMs: 3_600_000 })
    const told: { code: string; at: number }[] = []
    const { xaddr } = made.camera
    const { findings } = await probe(
      { address: xaddr, username: 'admin', password },
      {
        known: local(...portsOf(made)),
        async probeStream(stream) {
          told.push({ code: 'the stream is being opened', at: performance.now() })
          return probeStream(stream)
        },
        onFinding: ({ code }) => told.push({ code, at: performance.now() }),
      },
    )
    expect(told.map(({ code }) => code)).toEqual([
      'camera_clock_wrong',
      'the stream is being opened',
      'stream_works_at',
    ])
    expect(findings.map(({ code }) => code)).toEqual(['stream_works_at', 'camera_clock_wrong'])
  })

  test('lets one sign in though its clock is two hours wrong, and is told so', async () => {
    const made = await camera({ clockOffsetMs: -2 * 3_600_000 })
    expect(idsOf(await byOnvif(made))).toEqual(['good stream_works_at:640x360:15', 'warning camera_clock_wrong:-120'])
  })
})

describe('a camera that cannot be used says why', () => {
  test.each([
    ['a wrong password', { password: 'wrong' }, 'error bad_credentials'],
    ['a wrong user', { username: 'root' }, 'error bad_credentials'],
    ['no credentials', { username: null, password: null }, 'error credentials_missing'],
  ])('%s', async (_what, login, finding) => {
    const made = await camera()
    expect(idsOf(await byOnvif(made, login))).toEqual([finding])
    expect(idsOf(await byStream(made, login))).toEqual([finding])
  })

  test.each([
    ['h265', 'hevc', 'H.265'],
    ['mjpeg', 'mjpeg', 'MJPEG'],
  ] as const)('%s: named soon, with its still by ONVIF', async (fault, codec, text) => {
    const made = await camera()
    made.setFault(fault)
    const started = performance.now()
    const result = await byOnvif(made)
    expect(performance.now() - started).toBeLessThan(10_000)
    expect(idsOf(result)).toEqual([`error not_h264:${text}`])
    expect(result.findings[0]?.args).toEqual({ codec: text })
    expect(result.profiles).toMatchObject([{ codec }])
    expect(isJpeg(result.snapshot)).toBe(true)
    expect(idsOf(await byStream(made))).toEqual([`error not_h264:${text}`])
  })

  test('no such stream, nobody there, not a camera, not an address', async () => {
    const made = await camera()
    const [rtspPort = 0, onvifPort = 0] = portsOf(made)
    const login = { username: 'admin', password }
    const at = async (address: string, ports = [rtspPort, onvifPort, 1]) =>
      idsOf(await tried({ address, ...login }, ports))
    expect(await at(`rtsp://127.0.0.1:${rtspPort}/none`)).toEqual(['error no_stream'])
    expect(await at('rtsp://127.0.0.1:1/stream1')).toEqual(['error unreachable'])
    expect(await at('http://127.0.0.1:1/')).toEqual(['error unreachable'])
    expect(await at('rtsp://no-such-host.invalid/stream1')).toEqual(['error host_unknown'])
    expect(await at(`rtsp://127.0.0.1:${onvifPort}/stream1`)).toEqual(['error not_rtsp'])
    expect(await at(`http://127.0.0.1:${rtspPort}/`)).toEqual(['error not_onvif'])
    expect(await at(`http://127.0.0.1:${onvifPort}/somewhere`)).toEqual(['error not_onvif'])
    for (const address of ['file:///etc/passwd', 'ftp://127.0.0.1/', 'camera', ''])
      expect(await at(address)).toEqual(['error address_refused'])
    for (const address of ['rtsp://a:b@127.0.0.1/stream1', 'http://a@127.0.0.1/'])
      expect(await at(address)).toEqual(['error credentials_apart'])
  })

  test('this machine and the clouds are refused before anything is sent', async () => {
    const made = await camera()
    for (const address of [made.camera.xaddr, made.camera.stream_address, 'http://169.254.169.254/', 'rtsp://[::1]/'])
      expect(idsOf(await tried({ address, username: null, password: null }, []))).toEqual(['error address_refused'])
  })
})

describe.skipIf(gstMissing)('an independent camera (gst-rtsp-server)', () => {
  async function gst(pipeline: keyof typeof pipelines, digest = true) {
    const made = await startGst(pipelines[pipeline], { username: 'admin', password: 'pw', digest })
    onTestFinished(() => made.stop())
    return (login = 'pw') =>
      tried({ address: made.address, username: 'admin', password: login }, [made.port]).then(idsOf)
  }

  test.each([true, false])('is fine with the right password only (digest: %s)', async (digest) => {
    const at = await gst('h264', digest)
    expect(await at()).toEqual(['good stream_works_at:640x480:15'])
    expect(await at('wrong')).toEqual(['error bad_credentials'])
  })

  test('is fine with B-frames, and is told of them', async () => {
    const at = await gst('bFrames')
    expect(await at()).toEqual(['good stream_works_at:640x480:15', 'warning b_frames'])
  })

  test('is told of key frames that are far apart, and of a rate that is too low for some use cases', async () => {
    expect(await (await gst('farKeys'))()).toEqual(['good stream_works_at:640x480:15', 'warning key_frames_far:4'])
    expect(await (await gst('slow'))()).toEqual([
      'good stream_works_at:640x480:8',
      'warning fps_low_frdtec:8:12',
      'warning fps_low_coldtec:8:10',
    ])
  })

  test.each([
    ['h265', 'H.265'],
    ['mjpeg', 'MJPEG'],
  ] as const)('in %s is refused by name', async (pipeline, text) => {
    const at = await gst(pipeline)
    expect(await at()).toEqual([`error not_h264:${text}`])
  })
})
