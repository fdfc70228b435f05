import { describe, expect, test } from 'vitest'
import { nothingKnown } from './address.ts'
import { patience } from './connection.ts'
import { odd, startDemoCamera } from './testing/demo-camera.ts'
import { frameListener } from './testing/frame-listener.ts'
import { reply, sdp, startPeer } from './testing/peer.ts'
import { watch } from './testing/watch.ts'

describe('a camera that misbehaves', () => {
  test('wrong password: said at once', async () => {
    const demo = await startDemoCamera(odd)
    const { until, states } = watch({ address: demo.address, ...odd, password: 'wrong' })
    await until({ state: 'refused', cause: 'bad_credentials', codec: null, fps: null })
    expect(states.length).toBe(1)
  })

  test('no password', async () => {
    const demo = await startDemoCamera(odd)
    const { until } = watch({ address: demo.address })
    await until({ state: 'refused', cause: 'bad_credentials' })
  })

  test('a password that was changed at the camera while it was watched', async () => {
    const demo = await startDemoCamera(odd)
    const { until } = watch({ address: demo.address, ...odd })
    await until({ state: 'streaming' })
    demo.setFault('password')
    await until({ state: 'refused', cause: 'bad_credentials' })
    demo.setFault('none')
    await until({ state: 'streaming', reconnects: 1 })
  })

  test('credentials that FFmpeg would cut', async () => {
    const long = { username: 'admin', password: 'p@'.repeat(50) }
    const demo = await startDemoCamera(long)
    const { until } = watch({ address: demo.address, ...long })
    await until({ state: 'refused', cause: 'credentials_too_long' })
  })

  test('one whose password the portal cannot read is refused for that, and not asked for anything', async () => {
    const peer = await startPeer(() => null)
    const { until } = watch({ address: peer.address, refusal: 'credentials_unreadable' })
    await until({ state: 'refused', cause: 'credentials_unreadable' })
    expect(peer.connections()).toBe(0)
  })

  test('no such stream', async () => {
    const demo = await startDemoCamera()
    const { until } = watch({ address: demo.address.replace('stream1', 'none') })
    await until({ state: 'offline', cause: 'no_stream' })
  })

  test('nobody there, then there: its picture comes within 15 s', async () => {
    const gone = await startDemoCamera()
    await gone.stop()
    const { until } = watch({ address: gone.address })
    await until({ state: 'offline', cause: 'unreachable' })
    const back = performance.now()
    await startDemoCamera({ rtspPort: gone.port })
    await until({ state: 'streaming' })
    expect(performance.now() - back).toBeLessThan(15_000)
  })

  test('a name that nobody knows', async () => {
    const { until } = watch({ address: 'rtsp://no-such-host.invalid/stream1' })
    await until({ state: 'offline', cause: 'host_unknown' })
  })

  test('a camera that accepts and says nothing', async () => {
    const peer = await startPeer(() => null)
    const { until } = watch({ address: peer.address })
    await until({ state: 'offline', cause: 'timeout' })
  })

  test('a connection that is cut, again and again', async () => {
    const demo = await startDemoCamera()
    const { until } = watch({ address: demo.address })
    await until({ state: 'streaming' })
    demo.setFault('cut')
    await until({ state: 'offline', cause: 'cut' })
    demo.setFault('none')
    await until({ state: 'streaming' })
  })

  test('pictures stop: said after the time that is left to a camera, and back when they come again', async () => {
    const demo = await startDemoCamera()
    const { socket } = await frameListener()
    const { until, camera } = watch({
      address: demo.address,
      analysis: { fps: 5, width: 320, height: 240, on_demand: true, socket },
      patience: { ...patience, silenceMs: 3000 },
    })
    const { last_frame_at } = await until({ state: 'streaming' })
    demo.setFault('stall')
    const stalled = await until({ state: 'offline', cause: 'stalled' })
    expect(stalled.last_frame_at).toBeGreaterThanOrEqual(last_frame_at as number)
    expect(Date.now() - (stalled.last_frame_at as number)).toBeLessThan(9000)
    await expect(camera.snapshot()).rejects.toThrow('stalled')
    demo.setFault('none')
    await until({ state: 'streaming', cause: null })
  })

  test.each([
    ['h265', 'hevc'],
    ['mjpeg', 'mjpeg'],
  ] as const)('switched to another codec while it was watched: %s', async (fault, codec) => {
    const demo = await startDemoCamera()
    const { until } = watch({ address: demo.address })
    await until({ state: 'streaming' })
    demo.setFault(fault)
    await until({ state: 'refused', cause: `not_h264:${codec}`, codec })
  })

  test('a redirect is refused, and nobody sees a connection', async () => {
    const other = await startPeer(() => null)
    const peer = await startPeer(() => reply('302 Found', [`Location: ${other.address}`]))
    const { until } = watch({ address: peer.address })
    await until({ state: 'refused', cause: 'redirected' })
    expect(other.connections()).toBe(0)
  })

  test('a camera that redirects only the second time is found out and not shown', async () => {
    const other = await startDemoCamera()
    let described = 0
    const peer = await startPeer((method) => {
      if (method !== 'DESCRIBE') return reply('200 OK')
      described += 1
      if (described > 1) return reply('302 Found', [`Location: ${other.address}`])
      return reply('200 OK', [], sdp(['m=video 0 RTP/AVP 96', 'a=rtpmap:96 H264/90000']))
    })
    const { until, states } = watch({ address: peer.address })
    await until({ state: 'refused', cause: 'redirected' })
    expect(states.some(({ state }) => state === 'streaming')).toBe(false)
  })

  test.each(['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '169.254.169.254'])(
    'an address of this machine or of a cloud is refused without a connection: %s',
    async (host) => {
      const peer = await startPeer(() => null)
      const { until } = watch({ address: `rtsp://${host}:${peer.port}/stream1`, known: () => nothingKnown })
      await until({ state: 'refused', cause: 'address_refused' })
      expect(peer.connections()).toBe(0)
    },
  )

  test.each(['file:///etc/passwd', 'http://127.0.0.1:8080/x', 'concat:/etc/passwd|/etc/hosts', 'data:text/plain,x'])(
    'what is no camera address is refused: %s',
    async (address) => {
      const { until } = watch({ address })
      await until({ state: 'refused', cause: 'address_refused' })
    },
  )
})

describe('ways of sending', () => {
  test('a camera that sends by UDP only is asked that way, and remembered', async () => {
    const demo = await startDemoCamera({ transports: ['udp'] })
    const { until, camera } = watch({ address: demo.address })
    await until({ state: 'streaming', reconnects: 0 })
    await expect.poll(() => camera.preRoll().length).toBeGreaterThan(20)
    process.kill(camera.pid() as number, 'SIGKILL')
    await until({ state: 'streaming', reconnects: 1 })
  })
})
