/** A camera tried before it is saved: by ONVIF when that is its address, and always by opening a stream of it. */
import type { Finding, Probed } from '@sightline/contract/edge'
import { checkAddress, type KnownHosts, parseAddress, type Target } from '../camera/address.ts'
import { type CameraCause, sentCodec } from '../camera/cause.ts'
import type { Credentials } from '../camera/rtsp.ts'
import { askCamera, type OnvifCamera, type OnvifProfile } from './device.ts'
import {
  aboutClock,
  aboutStream,
  addressCorrected,
  credentialsInAddress,
  failure,
  type ProbeCause,
  profileNotH264,
} from './findings.ts'
import { SoapError } from './soap.ts'
import { fetchStill, maxStillBytes } from './still.ts'
import { toldAddress } from './uri.ts'

export type ProbeTarget = Credentials & {
  /** `rtsp://` address of a stream, or `http://` address of the ONVIF service; without credentials inside. */
  address: string
}

/** What opening a stream has shown. */
export type StreamCheck =
  | {
      codec: string
      width: number
      height: number
      fps: number | null
      bitrate: number | null
      key_interval: number | null
      has_b_frames: boolean
      jpeg: Buffer | null
    }
  | { cause: CameraCause }

export type ProbeHooks = {
  known: KnownHosts
  /** Opens a stream as the pipeline will: `probeStream` of `camera/probe.ts`. */
  probeStream(stream: ProbeTarget & { known: KnownHosts }): Promise<StreamCheck>
  /** Each as it is found; the answer holds all of them, the most important first. */
  onFinding?(finding: Finding): void
  signal?: AbortSignal
  /** A still of the camera's own, which cannot be painted over, must not be shown. */
  isMasked?: boolean
}

type Profile = Probed['profiles'][number]

const devicePath = '/onvif/device_service'
/** For all that is asked by ONVIF: a camera that takes its time over each answer is not waited for without end. */
const patienceMs = 20_000

/** Tells what is there, what works, and what to change, as findings. Never rejects for what a camera does. */
export async function probe(target: ProbeTarget, hooks: ProbeHooks): Promise<Probed> {
  const told = new Set<Finding>()
  const onFinding = (finding: Finding) => {
    if (!told.has(finding)) hooks.onFinding?.(finding)
    told.add(finding)
  }
  const probed = await tryCamera(target, { ...hooks, onFinding })
  for (const finding of probed.findings) onFinding(finding)
  return probed
}

async function tryCamera(target: ProbeTarget, hooks: ProbeHooks): Promise<Probed> {
  if (carriesCredentials(target.address)) return nothing([failure('credentials_apart', true)])
  if (parseAddress(target.address, ['rtsp:'])) return probeRtsp(target, hooks)
  const address = target.address.replace(/^(http:\/\/[^/?#]+)\/?$/, `$1${devicePath}`)
  const device = await checkAddress(address, { schemes: ['http:'], known: hooks.known })
  if ('cause' in device) return nothing([failure(device.cause, hasUser(target))])
  try {
    const patience = AbortSignal.timeout(patienceMs)
    const signal = hooks.signal ? AbortSignal.any([hooks.signal, patience]) : patience
    const camera = await askCamera(device, target, { known: hooks.known, signal })
    return await probeOnvif(camera, device, target, hooks)
  } catch (error) {
    if (!(error instanceof SoapError)) throw error
    const cause = error.cause === 'declined' ? 'not_onvif' : error.cause
    return nothing([failure(cause, hasUser(target))])
  }
}

function carriesCredentials(address: string): boolean {
  const url = URL.parse(address)
  return url !== null && (url.username !== '' || url.password !== '')
}

const hasUser = ({ username }: Credentials): boolean => username !== null && username !== ''

const nothing = (findings: Finding[]): Probed => ({
  profiles: [],
  maker: null,
  model: null,
  firmware: null,
  endpoint_uuid: null,
  snapshot: null,
  findings,
})

async function probeRtsp(target: ProbeTarget, hooks: ProbeHooks): Promise<Probed> {
  const bare = { name: '', codec: null, resolution: null, fps: null, bitrate: null, stream_address: target.address }
  const { profile, findings, jpeg } = await tryStream(bare, target, hooks)
  return { ...nothing(findings), profiles: profile.codec === null ? [] : [profile], snapshot: written(jpeg) }
}

async function probeOnvif(
  camera: OnvifCamera,
  device: Target,
  target: ProbeTarget,
  hooks: ProbeHooks,
): Promise<Probed> {
  const { profiles, findings } = usable(camera.profiles, device, target)
  const chosen = profiles.find(({ codec }) => codec === 'h264') ?? profiles[0]
  const others = profiles.filter((profile) => profile !== chosen && profile.codec !== null && profile.codec !== 'h264')
  const aboutCamera = [
    ...others.map(({ name, codec }) => profileNotH264(name, codec as string)),
    ...findings,
    ...aboutClock(camera.clockOffsetMs),
  ]
  // Opening the stream takes seconds.
  for (const finding of aboutCamera) hooks.onFinding?.(finding)
  const tried = chosen
    ? await tryStream(chosen, target, hooks)
    : { profile: null, findings: [failure('no_profile', true)], jpeg: null }
  for (const finding of tried.findings) hooks.onFinding?.(finding)
  return {
    profiles: profiles.map((profile) => (profile === chosen && tried.profile ? tried.profile : profile)),
    maker: camera.maker,
    model: camera.model,
    firmware: camera.firmware,
    endpoint_uuid: camera.endpointUuid,
    snapshot: written(tried.jpeg ?? (await stillOf(camera, device, target, hooks))),
    findings: [...tried.findings, ...aboutCamera],
  }
}

/** Profiles whose stream can be addressed, with what had to be put right. */
function usable(
  told: OnvifProfile[],
  device: Target,
  credentials: Credentials,
): { profiles: Profile[]; findings: Finding[] } {
  const profiles: Profile[] = []
  const findings: Finding[] = []
  for (const { name, codec, width, height, fps, bitrate, streamUri } of told) {
    const address = toldAddress(streamUri ?? '', 'rtsp:', device, credentials)
    if ('fault' in address) {
      if (address.fault === 'credentials_inside') findings.push(credentialsInAddress(name))
      continue
    }
    if (address.told !== null && !findings.some(({ code }) => code === 'address_corrected'))
      findings.push(addressCorrected(address.told, device.host))
    const resolution = width !== null && height !== null ? `${width}x${height}` : null
    profiles.push({ name, codec, resolution, fps, bitrate, stream_address: address.address })
  }
  return { profiles, findings }
}

/** Opens the stream; what it really sends goes before what ONVIF says it would. */
async function tryStream(profile: Profile, target: ProbeTarget, hooks: ProbeHooks) {
  const { username, password } = target
  const check = await hooks.probeStream({ address: profile.stream_address, username, password, known: hooks.known })
  if ('cause' in check) {
    const codec = sentCodec(check.cause)
    const findings = [failure(check.cause as ProbeCause, hasUser(target))]
    return { profile: codec === null ? profile : { ...profile, codec }, findings, jpeg: null }
  }
  const { codec, width, height, fps, jpeg } = check
  const seen = { width, height, fps: fps ?? profile.fps, keySeconds: check.key_interval }
  return {
    profile: {
      ...profile,
      ...{ codec, resolution: `${width}x${height}`, fps: seen.fps, bitrate: check.bitrate ?? profile.bitrate },
    },
    findings: aboutStream({ ...seen, hasBFrames: check.has_b_frames }),
    jpeg,
  }
}

/** The camera's own still, where its stream gives none: one sees at least which camera it is. */
async function stillOf(
  camera: OnvifCamera,
  device: Target,
  target: ProbeTarget,
  { known, signal, isMasked }: ProbeHooks,
): Promise<Buffer | null> {
  if (isMasked) return null
  const told = toldAddress(camera.snapshotUri ?? '', 'http:', device, target)
  return 'fault' in told ? null : fetchStill(told.address, target, known, signal)
}

const written = (jpeg: Buffer | null): string | null =>
  jpeg && jpeg.length <= maxStillBytes ? jpeg.toString('base64') : null
