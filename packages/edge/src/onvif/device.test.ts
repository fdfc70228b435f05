import { createHash } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Credentials } from '../camera/rtsp.ts'
import { local } from '../camera/testing/watch.ts'
import { probe, type StreamCheck } from './probe.ts'
import { soapTimeoutMs } from './soap.ts'
import { decentAnswer, fault, soap, startOnvifPeer } from './testing/onvif-peer.ts'
import { maxXmlBytes } from './xml.ts'

type Answer = Parameters<typeof startOnvifPeer>[0]

/** A stream that works, so that these tests are about ONVIF alone; `probe.test.ts` opens real ones. */
const works: StreamCheck = {
  ...{ codec: 'h264', width: 640, height: 480, fps: 15, bitrate: null, key_interval: null },
  ...{ has_b_frames: false, jpeg: null },
}

async function tried(answer: Answer, login: Credentials = { username: 'admin', password: 'secret' }) {
  const peer = await startOnvifPeer(answer)
  onTestFinished(() => peer.close())
  const streams: string[] = []
  const result = await probe(
    { address: peer.address, ...login },
    {
      known: local(peer.port),
      probeStream: async ({ address }) => {
        streams.push(address)
        return works
      },
    },
  )
  return { result, streams, operations: peer.operations, port: peer.port, ids: result.findings.map((f) => f.text_id) }
}

const streamUri = 'rtsp://127.0.0.1:554/main'
const decent: Answer = (operation) => decentAnswer(operation, { streamUri })

describe('a camera of another make', () => {
  test('is understood without namespaces prefixes, services or endpoint reference', async () => {
    const { result, streams, operations } = await tried(decent)
    expect(result).toMatchObject({ maker: 'Acme', model: 'Eye 1.10', firmware: '2.10', endpoint_uuid: null })
    expect(result.profiles).toEqual([
      { name: 'Main', codec: 'h264', resolution: '640x480', fps: 15, bitrate: 4096, stream_address: streamUri },
    ])
    expect(streams).toEqual([streamUri])
    expect(operations).toEqual([
      'GetSystemDateAndTime',
      'GetDeviceInformation',
      'GetEndpointReference',
      'GetServices',
      'GetCapabilities',
      'GetProfiles',
      'GetStreamUri',
      'GetSnapshotUri',
    ])
  })

  test('that has Media2 only gives its profiles with their real codec', async () => {
    const media2 = 'http://www.onvif.org/ver20/media/wsdl'
    const { result, ids } = await tried((operation, { xml }) => {
      if (operation === 'GetServices')
        return `<GetServicesResponse><Service><Namespace>${media2}</Namespace><XAddr>http://127.0.0.1/onvif/media2</XAddr></Service></GetServicesResponse>`
      if (operation === 'GetProfiles' && xml.includes(media2))
        return (
          `<GetProfilesResponse><Profiles token="a"><Name>One</Name><Configurations><VideoEncoder><Encoding>H265</Encoding></VideoEncoder></Configurations></Profiles>` +
          `<Profiles token="b"><Name>Two</Name><Configurations><VideoEncoder><Encoding>H264</Encoding></VideoEncoder></Configurations></Profiles></GetProfilesResponse>`
        )
      if (operation === 'GetStreamUri' && xml.includes('<Protocol>RTSP</Protocol><ProfileToken>'))
        return `<GetStreamUriResponse><Uri>rtsp://127.0.0.1/${/Token>(\w)/.exec(xml)?.[1]}</Uri></GetStreamUriResponse>`
      return decentAnswer(operation)
    })
    expect(result.profiles).toMatchObject([
      { name: 'One', codec: 'hevc', stream_address: 'rtsp://127.0.0.1/a' },
      { name: 'Two', codec: 'h264', stream_address: 'rtsp://127.0.0.1/b' },
    ])
    expect(ids).toEqual(['stream_works_at:640x480:15', 'profile_not_h264:One:H.265'])
  })

  test('that wants HTTP Digest gets it', async () => {
    const { ids } = await tried((operation, { headers }) => {
      if (operation === 'GetSystemDateAndTime') return decentAnswer(operation)
      const { response, uri } = Object.fromEntries(
        Array.from((headers.authorization ?? '').matchAll(/(\w+)="([^"]*)"/g), ([, key, value]) => [key, value]),
      )
      const md5 = (text: string) => createHash('md5').update(text).digest('hex')
      if (response === md5(`${md5('admin:cam:secret')}:n1:${md5(`POST:${uri}`)}`))
        return decentAnswer(operation, { streamUri })
      return (http) => http.writeHead(401, { 'WWW-Authenticate': 'Digest realm="cam", nonce="n1"' }).end()
    })
    expect(ids).toEqual(['stream_works_at:640x480:15'])
  })

  test('that keeps its clock behind the login is asked with our own time', async () => {
    const { ids } = await tried((operation) =>
      operation === 'GetSystemDateAndTime' ? fault('NotAuthorized') : decentAnswer(operation, { streamUri }),
    )
    expect(ids).toEqual(['stream_works_at:640x480:15'])
  })

  test('that lets a wrong password pass until GetDeviceInformation is caught there', async () => {
    const { ids, operations } = await tried((operation) =>
      operation === 'GetDeviceInformation' ? fault('NotAuthorized') : decentAnswer(operation, { streamUri }),
    )
    expect(ids).toEqual(['bad_credentials'])
    expect(operations).toEqual(['GetSystemDateAndTime', 'GetDeviceInformation'])
  })

  test('without a video profile says so', async () => {
    const { ids } = await tried((operation) =>
      operation === 'GetProfiles' ? '<GetProfilesResponse/>' : decentAnswer(operation, { streamUri }),
    )
    expect(ids).toEqual(['no_profile'])
  })
})

describe('a camera that lies', () => {
  test('about its media service is asked where it was found', async () => {
    const { ids, operations } = await tried((operation) =>
      decentAnswer(operation, { streamUri, mediaXAddr: 'http://169.254.169.254/latest/meta-data' }),
    )
    expect(operations).toContain('GetProfiles')
    expect(ids).toEqual(['stream_works_at:640x480:15'])
  })

  test('about the host of its stream is corrected, with a word about it', async () => {
    const { streams, ids } = await tried((operation) =>
      decentAnswer(operation, { streamUri: 'rtsp://admin:x@10.9.8.7:8554/main?a=1&amp;b=2' }),
    )
    expect(streams).toEqual(['rtsp://127.0.0.1:8554/main?a=1&b=2'])
    expect(ids).toContain('address_corrected:10.9.8.7:127.0.0.1')
  })

  test.each(['http://127.0.0.1/x', 'file:///etc/passwd', '', 'rtsp://'])(
    'about the kind of its stream (%o) has none',
    async (uri) => {
      const { streams, ids } = await tried((operation) => decentAnswer(operation, { streamUri: uri }))
      expect([streams, ids]).toEqual([[], ['no_profile']])
    },
  )

  test('and writes the password into its address is not passed on', async () => {
    const { result, ids } = await tried((operation) =>
      decentAnswer(operation, { streamUri: 'rtsp://127.0.0.1/user=admin_password=secret' }),
    )
    expect(ids).toEqual(['no_profile', 'credentials_in_address:Main'])
    expect(JSON.stringify(result)).not.toContain('secret')
  })

  test.each([
    ['is a JPEG', 200, Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3]), true],
    ['is a web page', 200, '<html>', false],
    ['is somewhere else', 302, '', false],
    ['is endless', 200, Buffer.alloc(600_000, 0xff), false],
  ])('about its still is caught: it counts only when it %s', async (_what, status, body, isTaken) => {
    const { result } = await tried((operation, { headers }) => {
      if (operation === 'GET /still.jpg') return (http) => http.writeHead(status, { Location: '/other' }).end(body)
      // The inner address again: the still, too, is asked for where the camera was found.
      const port = headers.host?.split(':')[1]
      return decentAnswer(operation, { streamUri, snapshotUri: `http://10.9.8.7:${port}/still.jpg` })
    })
    expect(result.snapshot !== null).toBe(isTaken)
  })

  test.each(['file:///etc/passwd', 'http://127.0.0.1:9/still.jpg', ''])(
    'about where its still is (%o) shows none',
    async (snapshotUri) => {
      const { result } = await tried((operation) => decentAnswer(operation, { streamUri, snapshotUri }))
      expect(result.snapshot).toBeNull()
    },
  )
})

describe('an answer that is none', () => {
  const instead = (reply: Extract<ReturnType<Answer>, (...args: never[]) => unknown>): Answer => {
    return (operation) => (operation === 'GetSystemDateAndTime' ? decentAnswer(operation) : reply)
  }

  test.each([
    ['a web page', '<html><body>Welcome</body></html>'],
    ['nothing', ''],
    ['half an envelope', '<Envelope><Body><GetDeviceInformationRespon'],
    ['an envelope about something else', soap('<Other/>')],
    ['a document type', `<!DOCTYPE x [<!ENTITY e "boom">]>${soap('<GetDeviceInformationResponse/>')}`],
    [
      'over 64 KB',
      soap(`<GetDeviceInformationResponse><Model>${'x'.repeat(maxXmlBytes)}</Model></GetDeviceInformationResponse>`),
    ],
  ])('%s', async (_what, text) => {
    const { ids } = await tried(instead((http) => http.writeHead(200).end(text)))
    expect(ids).toEqual(['not_onvif'])
  })

  test('endless: it is cut off, not collected', async () => {
    let sent = 0
    const { ids } = await tried(
      instead((http) => {
        const more = () => {
          while (!http.destroyed && http.write(Buffer.alloc(65_536, 0x20))) sent += 65_536
          if (!http.destroyed) http.once('drain', more)
        }
        more()
      }),
    )
    expect(ids).toEqual(['not_onvif'])
    expect(sent).toBeLessThan(20e6)
  })

  test('a redirect is not followed', async () => {
    const { ids, operations } = await tried(
      instead((http) => http.writeHead(302, { Location: 'http://169.254.169.254/' }).end()),
    )
    expect(ids).toEqual(['not_onvif'])
    expect(operations.length).toBe(2)
  })

  test.each([
    ['a connection that says nothing', () => undefined],
    [
      'an answer that drips',
      (http: import('node:http').ServerResponse) => {
        http.writeHead(200)
        const drip = setInterval(() => http.write(' '), 200)
        http.on('close', () => clearInterval(drip))
      },
    ],
  ])('%s: it is waited for so long and no longer', async (_what, reply) => {
    const started = performance.now()
    const { ids } = await tried(instead(reply))
    expect(ids).toEqual(['timeout'])
    expect(performance.now() - started).toBeLessThan(2 * soapTimeoutMs)
  })

  test.each([
    fault('NotAuthorized'),
    '<Fault><faultstring>Unauthorized</faultstring></Fault>',
    fault('wsse:FailedAuthentication'),
  ])('a refusal as %s means the credentials', async (body) => {
    expect((await tried(instead((http) => http.writeHead(400).end(soap(body))))).ids).toEqual(['bad_credentials'])
    const nobody = { username: null, password: null }
    const asked = await tried(
      instead((http) => http.writeHead(400).end(soap(body))),
      nobody,
    )
    expect(asked.ids).toEqual(['credentials_missing'])
  })
})
