/** ONVIF device of one camera: Device and Media services, and its still picture, over HTTP. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type AuthMethod, authenticator } from './auth.ts'
import type { Clip } from './scene.ts'
import { element, envelope, escapeXml, faultBody, operationOf, textOf, tokenChecker } from './soap.ts'

export const manufacturer = 'Sightline'
export const model = 'Simulated camera'
const firmware = '1.0'
const profileToken = 'main'
const devicePath = '/onvif/device_service'
const mediaPath = '/onvif/media_service'
const stillPath = '/snapshot.jpg'
const maxRequestBytes = 64 * 1024

export type OnvifOptions = {
  host: string
  /** 0 takes a free one. */
  port: number
  name: string
  uuid: string
  credentials: { username: string; password: string } | null
  streamAddress: string
  /** The stream as it is now. */
  clip(): Clip
  /** The picture on air, as JPEG. */
  still(): Uint8Array
  /** How far the camera's clock is ahead of ours. */
  clockOffsetMs: number
}

export type OnvifServer = {
  port: number
  xaddr: string
  refuseEverybody(refuse: boolean): void
  close(): Promise<void>
}

/** Scopes that tell a client what the device is, before anybody signs in. */
export const scopesOf = (name: string): string[] =>
  [
    'type/video_encoder',
    'Profile/Streaming',
    `name/${encodeURIComponent(name)}`,
    `hardware/${encodeURIComponent(model)}`,
  ].map((scope) => `onvif://www.onvif.org/${scope}`)

/** @throws the error of `listen`, EADDRINUSE for a taken port */
export async function startOnvifServer(options: OnvifOptions): Promise<OnvifServer> {
  let refuse = false
  const now = () => Date.now() + options.clockOffsetMs
  const checkToken = options.credentials && tokenChecker(options.credentials, now)
  const isAllowed = (xml: string) => !checkToken || (!refuse && checkToken(xml))
  const still = authenticatedStill(options, () => refuse)

  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0]
    if (path === stillPath && request.method === 'GET') return still(request, response)
    if ((path !== devicePath && path !== mediaPath) || request.method !== 'POST') return send(response, 404)
    readBody(request)
      .then((xml) => {
        const answer = xml === null ? null : answerTo(xml)
        if (answer) send(response, answer.status, 'application/soap+xml; charset=utf-8', answer.body)
        else send(response, 413)
      })
      // The client hung up in the middle of its request: there is nobody to answer.
      .catch(() => response.destroy())
  })
  server.listen(options.port, options.host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const base = `http://${options.host}:${port}`

  function answerTo(xml: string): { status: number; body: string } {
    const operation = operationOf(xml) ?? ''
    const device = { ...options, now, base, profile: textOf(xml, 'ProfileToken') }
    const open = openOperations[operation]
    if (open) return { status: 200, body: envelope(open(device)) }
    if (!isAllowed(xml)) return { status: 400, body: envelope(faultBody('NotAuthorized', 'Sender not Authorized')) }
    const body = operations[operation]?.(device)
    if (body === undefined)
      return { status: 400, body: envelope(faultBody('ActionNotSupported', 'Optional Action Not Implemented')) }
    if (body === null) return { status: 400, body: envelope(faultBody('NoProfile', 'No such profile')) }
    return { status: 200, body: envelope(body) }
  }

  return {
    port,
    xaddr: base + devicePath,
    refuseEverybody: (value) => {
      refuse = value
    },
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

function send(response: ServerResponse, status: number, type = 'text/plain', body: string | Uint8Array = ''): void {
  response.writeHead(status, { 'Content-Type': type }).end(body)
}

/** @returns null when it is too long */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > maxRequestBytes) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** The still needs the same credentials as all else, by HTTP Digest. */
function authenticatedStill({ credentials, still }: OnvifOptions, refused: () => boolean) {
  const methods: AuthMethod[] = ['digest']
  const auth = credentials && authenticator(credentials.username, credentials.password, methods)
  return (request: IncomingMessage, response: ServerResponse) => {
    if (auth && (refused() || !auth.accepts(request.headers.authorization, 'GET'))) {
      response.setHeader('WWW-Authenticate', auth.challenges)
      return send(response, 401)
    }
    return send(response, 200, 'image/jpeg', still())
  }
}

/* ── operations ──────────────────────────────────────────────────────────────────────── */

type Device = OnvifOptions & {
  now(): number
  base: string
  /** Token of the profile that the request is about. */
  profile: string | null
}
/** The body of the answer; null when the request names a profile that does not exist. */
type Operation = (device: Device) => string | null

/** Without login, as ONVIF demands of them (access class PRE_AUTH): a client needs the clock in order to sign in. */
const openOperations: Record<string, ((device: Device) => string) | undefined> = {
  GetSystemDateAndTime: ({ now }) => {
    const at = new Date(now())
    const time =
      element('tt:Hour', at.getUTCHours()) +
      element('tt:Minute', at.getUTCMinutes()) +
      element('tt:Second', at.getUTCSeconds())
    const date =
      element('tt:Year', at.getUTCFullYear()) +
      element('tt:Month', at.getUTCMonth() + 1) +
      element('tt:Day', at.getUTCDate())
    return response(
      'tds:GetSystemDateAndTime',
      element(
        'tds:SystemDateAndTime',
        element('tt:DateTimeType', 'NTP') +
          element('tt:DaylightSavings', false) +
          element('tt:UTCDateTime', element('tt:Time', time) + element('tt:Date', date)),
      ),
    )
  },
  GetCapabilities: ({ base }) =>
    response(
      'tds:GetCapabilities',
      element(
        'tds:Capabilities',
        element('tt:Device', element('tt:XAddr', base + devicePath)) +
          element(
            'tt:Media',
            element('tt:XAddr', base + mediaPath) +
              element(
                'tt:StreamingCapabilities',
                element('tt:RTPMulticast', false) + element('tt:RTP_TCP', true) + element('tt:RTP_RTSP_TCP', true),
              ),
          ),
      ),
    ),
  GetServices: ({ base }) =>
    response(
      'tds:GetServices',
      [
        ['http://www.onvif.org/ver10/device/wsdl', devicePath],
        ['http://www.onvif.org/ver10/media/wsdl', mediaPath],
      ]
        .map(([namespace, path]) =>
          element(
            'tds:Service',
            element('tds:Namespace', namespace as string) +
              element('tds:XAddr', base + path) +
              element('tds:Version', element('tt:Major', 2) + element('tt:Minor', 60)),
          ),
        )
        .join(''),
    ),
  GetEndpointReference: ({ uuid }) => response('tds:GetEndpointReference', element('tds:GUID', `urn:uuid:${uuid}`)),
}

const operations: Record<string, Operation | undefined> = {
  GetDeviceInformation: ({ uuid }) =>
    response(
      'tds:GetDeviceInformation',
      element('tds:Manufacturer', manufacturer) +
        element('tds:Model', model) +
        element('tds:FirmwareVersion', firmware) +
        element('tds:SerialNumber', uuid.slice(-12)) +
        element('tds:HardwareId', model),
    ),
  GetScopes: ({ name }) =>
    response(
      'tds:GetScopes',
      scopesOf(name)
        .map((scope) =>
          element('tds:Scopes', element('tt:ScopeDef', 'Fixed') + element('tt:ScopeItem', escapeXml(scope))),
        )
        .join(''),
    ),
  GetVideoSources: ({ clip }) => {
    const { fps, width, height } = clip()
    return response(
      'trt:GetVideoSources',
      `<trt:VideoSources token="source">${element('tt:Framerate', fps)}${resolution(width, height)}</trt:VideoSources>`,
    )
  },
  GetProfiles: ({ clip }) => response('trt:GetProfiles', profile('trt:Profiles', clip())),
  GetProfile: ({ clip, profile: token }) =>
    token === profileToken ? response('trt:GetProfile', profile('trt:Profile', clip())) : null,
  GetStreamUri: ({ streamAddress, profile: token }) =>
    token === profileToken ? response('trt:GetStreamUri', mediaUri(streamAddress)) : null,
  GetSnapshotUri: ({ base, profile: token }) =>
    token === profileToken ? response('trt:GetSnapshotUri', mediaUri(base + stillPath)) : null,
}

const response = (operation: string, content: string): string => element(`${operation}Response`, content)

const resolution = (width: number, height: number): string =>
  element('tt:Resolution', element('tt:Width', width) + element('tt:Height', height))

const mediaUri = (uri: string): string =>
  element(
    'trt:MediaUri',
    element('tt:Uri', escapeXml(uri)) +
      element('tt:InvalidAfterConnect', false) +
      element('tt:InvalidAfterReboot', false) +
      element('tt:Timeout', 'PT0S'),
  )

/** The Media service knows no H.265 by the book; cameras that send it name it here all the same. */
const encodings = { H264: 'H264', H265: 'H265', MJPEG: 'JPEG' } as const

function profile(tag: string, { codec, width, height, fps, every }: Clip): string {
  const source =
    element('tt:Name', 'Source') +
    element('tt:UseCount', 1) +
    element('tt:SourceToken', 'source') +
    `<tt:Bounds x="0" y="0" width="${width}" height="${height}"/>`
  const encoder =
    element('tt:Name', 'Encoder') +
    element('tt:UseCount', 1) +
    element('tt:Encoding', encodings[codec]) +
    resolution(width, height) +
    element('tt:Quality', 5) +
    element(
      'tt:RateControl',
      element('tt:FrameRateLimit', fps) + element('tt:EncodingInterval', 1) + element('tt:BitrateLimit', 512),
    ) +
    (codec === 'H264'
      ? element('tt:H264', element('tt:GovLength', 30 / every) + element('tt:H264Profile', 'Main'))
      : '') +
    element(
      'tt:Multicast',
      element('tt:Address', element('tt:Type', 'IPv4') + element('tt:IPv4Address', '0.0.0.0')) +
        element('tt:Port', 0) +
        element('tt:TTL', 1) +
        element('tt:AutoStart', false),
    ) +
    element('tt:SessionTimeout', 'PT60S')
  return (
    `<${tag} token="${profileToken}" fixed="true">${element('tt:Name', 'Main stream')}` +
    `<tt:VideoSourceConfiguration token="source">${source}</tt:VideoSourceConfiguration>` +
    `<tt:VideoEncoderConfiguration token="encoder">${encoder}</tt:VideoEncoderConfiguration></${tag}>`
  )
}
