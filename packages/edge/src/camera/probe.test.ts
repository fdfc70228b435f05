import { describe, expect, onTestFinished, test } from 'vitest'
import { probeStream } from './probe.ts'
import { odd, startDemoCamera } from './testing/demo-camera.ts'
import { gstMissing, pipelines, startGst } from './testing/gst.ts'
import { startPeer } from './testing/peer.ts'
import { sizeOfJpeg } from './testing/probe-video.ts'
import { local } from './testing/watch.ts'

const anyone = { username: null, password: null }

describe('what a stream is, before it is added', () => {
  test('codec, size, rate and a still', async () => {
    const demo = await startDemoCamera(odd)
    const probed = await probeStream({ address: demo.address, ...odd, known: local(demo.port) })
    expect(probed).toMatchObject({ codec: 'h264', width: 640, height: 360, fps: 15 })
    const { bitrate, key_interval } = probed as { bitrate: number; key_interval: number }
    // One key frame in 30 pictures, of a scene with the size of which nothing else is known.
    expect(key_interval).toBeCloseTo(2, 1)
    expect(bitrate).toBeGreaterThan(20)
    expect(bitrate).toBeLessThan(5000)
    expect(sizeOfJpeg((probed as { jpeg: Buffer }).jpeg)).toEqual([640, 360])
  })

  test('by UDP where the camera wants it', async () => {
    const demo = await startDemoCamera({ transports: ['udp'] })
    // A machine that is busy loses datagrams, and with them the first pictures.
    const probed = () => probeStream({ address: demo.address, ...anyone, known: local(demo.port) })
    await expect.poll(probed).toMatchObject({ codec: 'h264', fps: 15 })
  })

  test.each([
    ['password', 'bad_credentials'],
    ['h265', 'not_h264:hevc'],
    ['mjpeg', 'not_h264:mjpeg'],
  ] as const)('why it cannot be used: %s', async (fault, cause) => {
    const demo = await startDemoCamera(odd)
    demo.setFault(fault)
    expect(await probeStream({ address: demo.address, ...odd, known: local(demo.port) })).toEqual({ cause })
  })

  test('a stream without pictures ends with the time that was given', async () => {
    const demo = await startDemoCamera()
    demo.setFault('stall')
    const begun = performance.now()
    const probed = await probeStream({ address: demo.address, ...anyone, known: local(demo.port), timeoutMs: 2000 })
    expect(probed).toEqual({ cause: 'stalled' })
    expect(performance.now() - begun).toBeLessThan(8000)
  })

  test('an address of this machine that is no simulated camera is not touched', async () => {
    const peer = await startPeer(() => null)
    expect(await probeStream({ address: peer.address, ...anyone })).toEqual({ cause: 'address_refused' })
    expect(peer.connections()).toBe(0)
  })
})

describe.skipIf(gstMissing)('a camera of another make', () => {
  test.each([
    ['mjpeg', 'not_h264:mjpeg'],
    ['h265', 'not_h264:hevc'],
  ] as const)('%s is named', async (codec, cause) => {
    const gst = await startGst(pipelines[codec])
    onTestFinished(gst.stop)
    expect(await probeStream({ address: gst.address, ...anyone, known: local(gst.port) })).toEqual({ cause })
  })
})
