import { describe, expect, test } from 'vitest'
import { authorize, preflight, videoCodec } from './rtsp.ts'
import { reply, sdp, startPeer } from './testing/peer.ts'

const anyone = { username: null, password: null }
const user = { username: 'Mufasa', password: 'Circle of Life' }
const target = (port: number) => ({ scheme: 'rtsp:', host: '127.0.0.1', ip: '127.0.0.1', port, path: '/stream1' })
const h264 = sdp(['m=video 0 RTP/AVP 96', 'a=rtpmap:96 H264/90000'])

describe('what a look at the camera tells', () => {
  test('the codec of a camera that gives its picture to everybody', async () => {
    const peer = await startPeer((method) => reply('200 OK', [], method === 'DESCRIBE' ? h264 : ''))
    expect(await preflight(target(peer.port), anyone)).toEqual({ codec: 'h264' })
    expect(peer.requests.map((request) => request.split('\r\n')[0])).toEqual([
      `OPTIONS rtsp://127.0.0.1:${peer.port}/stream1 RTSP/1.0`,
      `DESCRIBE rtsp://127.0.0.1:${peer.port}/stream1 RTSP/1.0`,
    ])
  })

  test.each([
    ['OPTIONS', '302 Moved Temporarily'],
    ['DESCRIBE', '301 Moved Permanently'],
    ['DESCRIBE', '305 Use Proxy'],
  ])('a redirect on %s is refused and nobody goes there', async (on, status) => {
    const other = await startPeer(() => null)
    const peer = await startPeer((method) =>
      method === on ? reply(status, [`Location: ${other.address}`]) : reply('200 OK', [], h264),
    )
    expect(await preflight(target(peer.port), anyone)).toEqual({ cause: 'redirected' })
    expect(other.connections()).toBe(0)
  })

  test('a redirect that only those who log in get is refused too', async () => {
    const peer = await startPeer((method, request) => {
      if (method === 'OPTIONS') return reply('200 OK')
      if (!/^authorization: basic/im.test(request))
        return reply('401 Unauthorized', ['WWW-Authenticate: Basic realm="x"'])
      return reply('302 Found', ['Location: rtsp://127.0.0.1:1/'])
    })
    expect(await preflight(target(peer.port), user)).toEqual({ cause: 'redirected' })
  })

  test.each([
    ['no_stream', '404 Not Found'],
    ['no_stream', '503 Service Unavailable'],
    ['bad_credentials', '403 Forbidden'],
    ['bad_credentials', '401 Unauthorized'],
  ])('%s: %s', async (cause, status) => {
    const peer = await startPeer(() => reply(status, ['WWW-Authenticate: Basic realm="x"']))
    expect(await preflight(target(peer.port), user)).toEqual({ cause })
  })

  test('a wrong password is sent once', async () => {
    const peer = await startPeer(() => reply('401 Unauthorized', ['WWW-Authenticate: Digest realm="x", nonce="1"']))
    expect(await preflight(target(peer.port), user)).toEqual({ cause: 'bad_credentials' })
    expect(peer.requests.filter((request) => /^authorization:/im.test(request)).length).toBe(1)
  })

  test('nobody listens', async () => {
    const peer = await startPeer(() => null)
    expect(await preflight(target(peer.port === 1 ? 2 : 1), anyone)).toEqual({ cause: 'unreachable' })
  })

  test('a camera that takes the connection and stays silent', async () => {
    const peer = await startPeer(() => null)
    expect(await preflight(target(peer.port), anyone, 200)).toEqual({ cause: 'timeout' })
  })

  test('a camera that hangs up', async () => {
    const peer = await startPeer(() => undefined)
    expect(await preflight(target(peer.port), anyone)).toEqual({ cause: 'cut' })
  })

  test('something that is no camera', async () => {
    const peer = await startPeer(() => 'HTTP/1.1 400 Bad Request\r\n\r\n')
    expect(await preflight(target(peer.port), anyone)).toEqual({ cause: 'not_rtsp' })
  })

  test('an answer without end is not waited for', async () => {
    const peer = await startPeer(() => `RTSP/1.0 200 OK\r\nX: ${'x'.repeat(100_000)}`)
    expect(await preflight(target(peer.port), anyone)).toEqual({ cause: 'not_rtsp' })
    const boaster = await startPeer(() => 'RTSP/1.0 200 OK\r\nContent-Length: 99999999\r\n\r\n')
    expect(await preflight(target(boaster.port), anyone)).toEqual({ cause: 'not_rtsp' })
  })

  test.each([
    ['hevc', ['m=video 0 RTP/AVP 96', 'a=rtpmap:96 H265/90000']],
    ['mjpeg', ['m=video 0 RTP/AVP 26']],
    ['mpeg4', ['m=audio 0 RTP/AVP 0', 'm=video 0 RTP/AVP 97', 'a=rtpmap:97 MP4V-ES/90000']],
    ['unknown', ['m=video 0 RTP/AVP 96', 'a=rtpmap:96 <script>/90000']],
  ])('another codec is named: %s', async (codec, media) => {
    const peer = await startPeer(() => reply('200 OK', [], sdp(media)))
    expect(await preflight(target(peer.port), anyone)).toEqual({ cause: `not_h264:${codec}` })
  })

  test('a description without video', async () => {
    expect(videoCodec(sdp(['m=audio 0 RTP/AVP 0']))).toBe(null)
    const peer = await startPeer(() => reply('200 OK', [], sdp(['m=audio 0 RTP/AVP 0'])))
    expect(await preflight(target(peer.port), anyone)).toEqual({ cause: 'no_stream' })
  })
})

describe('credentials', () => {
  test('Digest as in the example of RFC 2617, section 3.5 (without qop: RFC 2069, corrected)', () => {
    const header = authorize(
      'GET',
      '/dir/index.html',
      [
        'Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", opaque="5ccc069c403ebaf9f0171e9517f40e41"',
      ],
      {
        username: 'Mufasa',
        password: 'CircleOfLife',
      },
    )
    expect(header).toContain('response="1949323746fe6a43ef61f9606e7febea"')
    expect(header).toContain('opaque="5ccc069c403ebaf9f0171e9517f40e41"')
  })

  test('the strongest method that is offered and understood', () => {
    const basic = 'Basic realm="cam"'
    const md5 = 'Digest realm="cam", nonce="n", algorithm=MD5, qop="auth,auth-int"'
    const sha = 'Digest realm="cam", nonce="n", algorithm=SHA-256'
    expect(authorize('DESCRIBE', 'u', [basic, md5, sha], user)).toContain('algorithm=SHA-256')
    expect(authorize('DESCRIBE', 'u', [basic, md5], user)).toMatch(/qop=auth, nc=00000001, cnonce="/)
    expect(authorize('DESCRIBE', 'u', [basic], user)).toBe(
      `Basic ${Buffer.from('Mufasa:Circle of Life').toString('base64')}`,
    )
    expect(authorize('DESCRIBE', 'u', ['Negotiate'], user)).toBe(null)
  })
})
