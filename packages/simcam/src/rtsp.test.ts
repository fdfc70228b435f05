import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { type CameraOptions, type SimulatedCamera, startCamera } from './camera.ts'
import { startRtspServer } from './rtsp.ts'
import { loadScene } from './scene.ts'
import { ffmpegMissing, read, withCredentials } from './testing/ffmpeg.ts'

const running: SimulatedCamera[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((camera) => camera.stop()))
})

async function camera(options: Partial<CameraOptions> = {}) {
  const started = await startCamera({
    scene: 'lobby',
    host: '127.0.0.1',
    username: 'admin',
    password: 'p@ss:w/rd#1',
    name: 'Lobby',
    uuid: crypto.randomUUID(),
    // A client that connects now waits a third of a second for the next key frame, not two.
    startFrame: 25,
    ...options,
  })
  running.push(started)
  const { stream_address, username, password } = started.camera
  return { ...started, address: withCredentials(stream_address, username, password) }
}

describe.skipIf(ffmpegMissing)('ffmpeg', () => {
  test.each([
    ['tcp', 'digest'],
    ['tcp', 'basic'],
    ['udp', 'digest'],
    ['udp', 'basic'],
  ] as const)('reads the stream by %s with %s authentication', async (transport, method) => {
    const { address } = await camera({ authMethods: [method] })
    const { codec, width, height, packets } = await read(address, transport, 10)
    expect([codec, width, height]).toEqual(['h264', 640, 360])
    expect(packets.length).toBeGreaterThanOrEqual(10)
    expect(packets[0]?.isKey).toBe(true)
  })

  test('sees no seam where the loop ends: time goes on frame by frame, in display order', async () => {
    // 810 frames a loop: the stream begins at the last key frame before its end.
    const { address } = await camera({ startFrame: 775 })
    const { packets } = await read(address, 'tcp', 60)
    packets.slice(1).forEach(({ ptsSeconds, dtsSeconds }, i) => {
      expect(ptsSeconds).toBeCloseTo((i + 1) / 15, 3)
      expect(dtsSeconds).toBe(ptsSeconds)
    })
    expect(packets.flatMap(({ isKey }, i) => (isKey ? [i] : []))).toEqual([0, 30])
  })

  test('is refused with a wrong password', async () => {
    const { camera: made } = await camera()
    const address = withCredentials(made.stream_address, made.username, 'wrong')
    await expect(read(address, 'tcp', 1)).rejects.toThrow('401')
  })

  test('is told when there is no such stream', async () => {
    const { address } = await camera()
    await expect(read(address.replace('/stream1', '/stream2'), 'tcp', 1)).rejects.toThrow('404')
  })

  test('is told when the camera sends by TCP only', async () => {
    const { address } = await camera({ transports: ['tcp'] })
    await expect(read(address, 'udp', 1)).rejects.toThrow('461')
  })

  test('two at once get the same pictures', async () => {
    const { address } = await camera()
    const [a, b] = await Promise.all([read(address, 'tcp', 20), read(address, 'udp', 20)])
    expect(a.packets.length).toBeGreaterThanOrEqual(20)
    expect(b.packets.length).toBeGreaterThanOrEqual(20)
  })
})

/** A client that says what it is told to, and nothing else. */
async function client(port: number) {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  let heard = ''
  socket.on('data', (chunk) => {
    heard += chunk.toString('latin1')
  })
  socket.on('error', () => undefined)
  const closed = once(socket, 'close')
  let cseq = 0
  return {
    socket,
    closed,
    async ask(method: string, uri: string, headers: Record<string, string> = {}) {
      const from = heard.length
      const lines = Object.entries({ CSeq: String(++cseq), ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
      socket.write(`${method} ${uri} RTSP/1.0\r\n${lines.join('')}\r\n`)
      while (!heard.slice(from).includes('\r\n\r\n')) await once(socket, 'data')
      return heard.slice(from)
    },
  }
}

describe('the camera', () => {
  test('answers requests in order with the status of RFC 2326', async () => {
    const { camera: made } = await camera({ username: '', password: '' })
    const { ask, socket } = await client(made.rtsp_port)
    const stream = made.stream_address
    expect(await ask('OPTIONS', '*')).toContain('200 OK')
    expect(await ask('PLAY', stream)).toContain('455 ')
    expect(await ask('SETUP', `${stream}/trackID=0`, { Transport: 'RTP/AVP;multicast' })).toContain('461 ')
    const setUp = await ask('SETUP', `${stream}/trackID=0`, {
      Transport: 'RTP/AVP;multicast,RTP/AVP/TCP;unicast;interleaved=2-3',
    })
    expect(setUp).toContain('interleaved=2-3')
    expect(await ask('PLAY', stream, { Session: 'other' })).toContain('454 ')
    expect(await ask('RECORD', stream, { Session: /Session: (\w+)/.exec(setUp)?.[1] ?? '' })).toContain('501 ')
    socket.destroy()
  })

  test('hangs up on what is not RTSP', async () => {
    const { camera: made } = await camera()
    const { socket, closed } = await client(made.rtsp_port)
    socket.write('GET / HTTP/1.1\r\n\r\n')
    await closed
  })

  test('drops a client that does not read, and goes on for the others', async () => {
    const clip = loadScene('lobby').clips.h264
    const server = await startRtspServer({
      host: '127.0.0.1',
      port: 0,
      path: '/stream1',
      name: 'Lobby',
      credentials: null,
      authMethods: [],
      transports: ['tcp'],
      clip: () => clip,
      fps: 15,
      nextKeyTick: () => 0,
    })
    const play = async () => {
      const viewer = await client(server.port)
      const stream = `rtsp://127.0.0.1:${server.port}/stream1`
      const setUp = await viewer.ask('SETUP', stream, { Transport: 'RTP/AVP/TCP;unicast;interleaved=0-1' })
      await viewer.ask('PLAY', stream, { Session: /Session: (\w+)/.exec(setUp)?.[1] ?? '' })
      return viewer
    }
    const [slow, quick] = [await play(), await play()]
    slow.socket.pause()
    const picture = { units: [Buffer.alloc(500_000, 0x65)], isKey: true }
    for (let tick = 0; tick < 40; tick++) {
      server.publish(clip, picture, tick, false)
      await once(quick.socket, 'data')
    }
    expect(quick.socket.closed).toBe(false)
    slow.socket.resume()
    await slow.closed
    expect(slow.socket.bytesRead).toBeLessThan(quick.socket.bytesRead)
    await server.close()
    await quick.closed
  })
})
