/** What a camera says about itself by ONVIF: six calls, one after the other, since weak cameras refuse two at once. */
import { endpointUuid } from '@sightline/domain'
import { checkAddress, type KnownHosts, type Target } from '../camera/address.ts'
import type { Credentials } from '../camera/rtsp.ts'
import { type Login, SoapError, type SoapOptions, soapCall } from './soap.ts'
import { attributeOf, escapeXml, nodesAt, textAt, type XmlNode } from './xml.ts'

export type OnvifProfile = {
  token: string
  name: string
  /** FFmpeg's name of the codec, as the stream's own check gives it. */
  codec: string | null
  width: number | null
  height: number | null
  fps: number | null
  /** Kilobits per second. */
  bitrate: number | null
  /** As the camera writes it: see `address.ts` before use. */
  streamUri: string | null
}

export type OnvifCamera = {
  maker: string | null
  model: string | null
  firmware: string | null
  endpointUuid: string | null
  /** How far its clock is ahead of ours; null when it does not tell. */
  clockOffsetMs: number | null
  profiles: OnvifProfile[]
  /** Of the first profile, as the camera writes it. */
  snapshotUri: string | null
}

export type AskOptions = { known: KnownHosts; signal?: AbortSignal }

const maxProfiles = 8
const maxTextLength = 200

const namespaces = {
  device: 'http://www.onvif.org/ver10/device/wsdl',
  media: 'http://www.onvif.org/ver10/media/wsdl',
  media2: 'http://www.onvif.org/ver20/media/wsdl',
  schema: 'http://www.onvif.org/ver10/schema',
}

const codecs: Record<string, string> = {
  h264: 'h264',
  h265: 'hevc',
  hevc: 'hevc',
  jpeg: 'mjpeg',
  mjpeg: 'mjpeg',
  mpeg4: 'mpeg4',
  mpv4es: 'mpeg4',
}

/** @throws SoapError with the first cause why nothing can be had */
export async function askCamera(
  device: Target,
  credentials: Credentials,
  { known, signal }: AskOptions,
): Promise<OnvifCamera> {
  const clockOffsetMs = await cameraClock(device, { signal })
  const login: Login = { ...credentials, clockOffsetMs: clockOffsetMs ?? 0 }
  const signedIn = { login, signal }
  const information = await deviceInformation(device, signedIn)
  const endpointUuid = await ifOffered(endpointReference(device, signedIn), null)
  const media = await mediaService(device, known, signedIn)
  const described = await profilesOf(media, signedIn)
  const profiles: OnvifProfile[] = []
  for (const profile of described.slice(0, maxProfiles))
    profiles.push({ ...profile, streamUri: await ifOffered(streamUri(media, profile.token, signedIn), null) })
  const [first] = profiles
  const snapshotUri = first ? await ifOffered(snapshot(media, first.token, signedIn), null) : null
  return { ...information, endpointUuid, clockOffsetMs, profiles, snapshotUri }
}

/** An operation that a camera may lack, or may keep from this user: that must not spoil what it does tell. */
async function ifOffered<T>(asked: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof SoapError && !['unreachable', 'timeout'].includes(error.cause)) return otherwise
    throw error
  }
}

/** The only call before signing in: the digest is good only at the camera's own time. */
async function cameraClock(device: Target, options: SoapOptions): Promise<number | null> {
  const asked = Date.now()
  // Against its specification, some firmware asks for a login here; then our own clock must do.
  const answer = await soapCall(device, operation('device', 'GetSystemDateAndTime'), options).catch((error) => {
    if (error instanceof SoapError && ['declined', 'bad_credentials'].includes(error.cause)) return null
    throw error
  })
  const [utc] = answer ? nodesAt(answer, 'GetSystemDateAndTimeResponse', 'SystemDateAndTime', 'UTCDateTime') : []
  if (!utc) return null
  const part = (...path: string[]) => Number(textAt(utc, ...path) ?? Number.NaN)
  const at = Date.UTC(
    part('Date', 'Year'),
    part('Date', 'Month') - 1,
    part('Date', 'Day'),
    part('Time', 'Hour'),
    part('Time', 'Minute'),
    part('Time', 'Second'),
  )
  return Number.isNaN(at) ? null : at - (asked + Date.now()) / 2
}

/** Asked first of all that need a login: some cameras let a wrong password through elsewhere and answer with nothing. */
async function deviceInformation(device: Target, options: SoapOptions) {
  const answer = await soapCall(device, operation('device', 'GetDeviceInformation'), options)
  const [information] = nodesAt(answer, 'GetDeviceInformationResponse')
  if (!information) throw new SoapError('not_onvif')
  return {
    maker: words(textAt(information, 'Manufacturer')),
    model: words(textAt(information, 'Model')),
    firmware: words(textAt(information, 'FirmwareVersion')),
  }
}

async function endpointReference(device: Target, options: SoapOptions): Promise<string | null> {
  const answer = await soapCall(device, operation('device', 'GetEndpointReference'), options)
  return endpointUuid(textAt(answer, 'GetEndpointReferenceResponse', 'GUID'))
}

/* ── media ───────────────────────────────────────────────────────────────────────────── */

type MediaService = { version: 'media' | 'media2'; target: Target }

/** Media where the camera has it, Media2 on newer ones that have nothing else. */
async function mediaService(device: Target, known: KnownHosts, options: SoapOptions): Promise<MediaService> {
  const services = await ifOffered(listedServices(device, options), [])
  const version = (['media', 'media2'] as const).find((each) =>
    services.some(({ namespace }) => namespace === namespaces[each]),
  )
  const xaddr = version
    ? services.find(({ namespace }) => namespace === namespaces[version])?.xaddr
    : await mediaCapability(device, options)
  return { version: version ?? 'media', target: await onDevice(device, xaddr ?? null, known) }
}

async function listedServices(device: Target, options: SoapOptions) {
  const body = operation('device', 'GetServices', '<IncludeCapability>false</IncludeCapability>')
  const answer = await soapCall(device, body, options)
  return nodesAt(answer, 'GetServicesResponse', 'Service').map((service) => ({
    namespace: textAt(service, 'Namespace'),
    xaddr: textAt(service, 'XAddr'),
  }))
}

async function mediaCapability(device: Target, options: SoapOptions): Promise<string | null> {
  const answer = await soapCall(device, operation('device', 'GetCapabilities', '<Category>Media</Category>'), options)
  return textAt(answer, 'GetCapabilitiesResponse', 'Capabilities', 'Media', 'XAddr')
}

/**
 * The service's address, always on the device that was asked: a camera behind a router tells its inner address, and a
 * hostile one the address of somebody else.
 */
async function onDevice(device: Target, xaddr: string | null, known: KnownHosts): Promise<Target> {
  const url = URL.parse(xaddr ?? '')
  if (url?.protocol !== 'http:') return device
  const path = url.pathname + url.search
  const isSameHost = [device.host, device.ip].includes(url.hostname.replace(/^\[|\]$/g, ''))
  if (!isSameHost || url.port === String(device.port)) return { ...device, path }
  const other = await checkAddress(`http://${url.host}${path}`, { schemes: ['http:'], known })
  return 'cause' in other || other.ip !== device.ip ? { ...device, path } : other
}

async function profilesOf({ version, target }: MediaService, options: SoapOptions) {
  const body = operation(version, 'GetProfiles', version === 'media2' ? '<Type>VideoEncoder</Type>' : '')
  const answer = await soapCall(target, body, options)
  return nodesAt(answer, 'GetProfilesResponse', 'Profiles').flatMap((profile) => {
    const token = attributeOf(profile, 'token')
    const [encoder] =
      version === 'media2'
        ? nodesAt(profile, 'Configurations', 'VideoEncoder')
        : nodesAt(profile, 'VideoEncoderConfiguration')
    return token && encoder ? [describeProfile(token, words(textAt(profile, 'Name')) ?? token, encoder)] : []
  })
}

function describeProfile(token: string, name: string, encoder: XmlNode): Omit<OnvifProfile, 'streamUri'> {
  const encoding = textAt(encoder, 'Encoding')
  return {
    token,
    name,
    codec: encoding === null ? null : codecName(encoding),
    width: numberAt(encoder, 16_384, 'Resolution', 'Width'),
    height: numberAt(encoder, 16_384, 'Resolution', 'Height'),
    fps: numberAt(encoder, 1000, 'RateControl', 'FrameRateLimit'),
    bitrate: numberAt(encoder, 1_000_000, 'RateControl', 'BitrateLimit'),
  }
}

function codecName(encoding: string): string {
  const plain = encoding.toLowerCase().replace(/[^a-z\d]/g, '')
  return codecs[plain] ?? (plain.slice(0, 20) || 'unknown')
}

async function streamUri({ version, target }: MediaService, token: string, options: SoapOptions) {
  const profile = `<ProfileToken>${escapeXml(token)}</ProfileToken>`
  const unicastRtsp =
    `<StreamSetup><Stream xmlns="${namespaces.schema}">RTP-Unicast</Stream>` +
    `<Transport xmlns="${namespaces.schema}"><Protocol>RTSP</Protocol></Transport></StreamSetup>`
  const body = version === 'media2' ? `<Protocol>RTSP</Protocol>${profile}` : unicastRtsp + profile
  const answer = await soapCall(target, operation(version, 'GetStreamUri', body), options)
  return textAt(answer, 'GetStreamUriResponse', 'MediaUri', 'Uri') ?? textAt(answer, 'GetStreamUriResponse', 'Uri')
}

async function snapshot({ version, target }: MediaService, token: string, options: SoapOptions) {
  const body = operation(version, 'GetSnapshotUri', `<ProfileToken>${escapeXml(token)}</ProfileToken>`)
  const answer = await soapCall(target, body, options)
  return textAt(answer, 'GetSnapshotUriResponse', 'MediaUri', 'Uri') ?? textAt(answer, 'GetSnapshotUriResponse', 'Uri')
}

/* ── small parts ─────────────────────────────────────────────────────────────────────── */

const operation = (service: keyof typeof namespaces, name: string, content = ''): string =>
  `<${name} xmlns="${namespaces[service]}">${content}</${name}>`

/** One line of at most 200 characters. */
export function words(text: string | null): string | null {
  const line = text
    ?.replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, maxTextLength)
  return line ? line : null
}

/** A number above 0 and up to `most`; null for anything else. */
function numberAt(node: XmlNode, most: number, ...path: string[]): number | null {
  const value = Number(textAt(node, ...path) ?? Number.NaN)
  return value > 0 && value <= most ? value : null
}
