/** What is decided about a found camera: its name, and which of its streams is read. */
import type { Device, Discovered, Probe } from '@sightline/contract'
import { endpointUuid, folded } from '@sightline/domain'

/** Which camera it is, whatever answers: its id, or its address. */
export const identity = (found: Pick<Discovered, 'UUID' | 'xaddr'>): string => found.UUID ?? found.xaddr

/** What was found before, with what is heard now: who is heard again stays in its place, who is new comes last. */
export function withHeard<F extends Pick<Discovered, 'UUID' | 'xaddr'>>(
  earlier: readonly F[],
  heard: readonly F[],
): F[] {
  const found = new Map([...earlier, ...heard].map((one) => [identity(one), one]))
  return [...found.values()]
}

/** A name for a found camera: what it calls itself, without letters that names do not take, and not one that is taken. */
export function cameraName(found: Pick<Discovered, 'name' | 'model' | 'host'>, taken: readonly string[]): string {
  const own = (found.name || found.model || `Camera ${found.host}`)
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N} _-]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 56)
  const base = own.length >= 2 ? own : 'Camera'
  const isTaken = (name: string) => taken.some((one) => folded(one) === folded(name))
  if (!isTaken(base)) return base
  for (let number = 2; ; number++) if (!isTaken(`${base} ${number}`)) return `${base} ${number}`
}

/** Names for found cameras, one each: what somebody typed, else the proposed one. @param typed by `key` of the camera */
export function cameraNames<F extends Pick<Discovered, 'name' | 'model' | 'host'>>(
  found: readonly F[],
  key: (found: F) => string,
  typed: Readonly<Record<string, string>>,
  taken: readonly string[],
): Map<string, string> {
  const names = new Map(found.flatMap((one) => (key(one) in typed ? [[key(one), typed[key(one)] ?? '']] : [])))
  for (const one of found) if (!names.has(key(one))) names.set(key(one), cameraName(one, [...taken, ...names.values()]))
  return names
}

type Profile = Probe['profiles'][number]
/** As the contract lets a camera have. */
const streamsPerCamera = 4

const pixels = (profile: Profile) => {
  const [width = 0, height = 0] = (profile.resolution ?? '').split('x').map(Number)
  return width * height
}

const readable = (profiles: readonly Profile[]) =>
  profiles.filter((profile) => /^(h\.?264|avc)/i.test(profile.codec ?? ''))

/** The stream to read: H.264, the largest up to full HD; null when the camera offers no H.264. */
export function bestProfile(profiles: readonly Profile[]): Profile | null {
  const all = readable(profiles)
  const fits = all.filter((profile) => pixels(profile) <= 1920 * 1080)
  return (fits.length > 0 ? fits : all).toSorted((a, b) => pixels(b) - pixels(a))[0] ?? null
}

/** Addresses of the stream to analyse, and of another one to look at; empty: the same. */
export type StreamChoice = { main: string; live: string }

/** What a camera offers beside the stream that is analysed: H.264, the smallest first. */
export const liveProfiles = (profiles: readonly Profile[], main: string): Profile[] =>
  readable(profiles)
    .filter(({ stream_address }) => stream_address !== main)
    .toSorted((a, b) => pixels(a) - pixels(b))

type Names = { main: string; live: string }
type Stream = Device['device_source'][number]

/** The streams of a camera to add, as a draft has them; none where the camera's address says it all. */
export const streamsToAdd = ({ main, live }: StreamChoice, names: Names) =>
  live === ''
    ? undefined
    : [
        { source_name: names.main, source_address: main, role: 'analytics' as const },
        { source_name: names.live, source_address: live, role: 'live' as const },
      ]

/**
 * What each stream of a camera becomes when another camera takes its place: the default reads the new main stream, the one
 * for looking at the new live stream. Of the others those go that no analytic needs; the rest read the new main stream.
 */
export function swappedStreams(device: Device, { main, live }: StreamChoice, liveName: string) {
  const isUsed = ({ source_id }: Stream) => device.source_channels.some((channel) => channel.source_id === source_id)
  const at = ({ source_id, source_name, role }: Stream, source_address: string) => ({
    source_id,
    source_name,
    role,
    source_address,
  })
  const kept: ReturnType<typeof at>[] = []
  const gone: Stream[] = []
  let isLiveTaken = live === ''
  for (const [i, stream] of device.device_source.entries()) {
    if (i === 0) kept.push(at(stream, main))
    else if (!isLiveTaken && stream.role === 'live') {
      kept.push(at(stream, live))
      isLiveTaken = true
    } else if (isUsed(stream)) kept.push(at(stream, main))
    else gone.push(stream)
  }
  const hasPlace = kept.length < streamsPerCamera && !kept.some(({ role }) => role === 'live')
  const added = isLiveTaken || !hasPlace ? [] : [{ source_name: liveName, source_address: live, role: 'live' as const }]
  return { streams: [...kept, ...added], gone }
}

/** The port of an ONVIF service that was typed as the camera's address; null for the address of a stream. */
export function onvifPortOf(address: string): number | null {
  const url = URL.parse(address.trim())
  return url?.protocol === 'http:' ? Number(url.port || 80) : null
}

/** Host and port of a stream, with the default port of RTSP. */
const placeOf = (address: string) => {
  const url = URL.parse(address.trim())
  return url?.hostname ? `${url.hostname.toLowerCase()}:${url.port || 554}` : null
}

/**
 * Whether other streams of a camera go along when its address changes: those at the host and port of the default, the
 * first of its streams. What is no address yet moves nothing.
 */
export function movesOthers(address: string, { device_source }: Pick<Device, 'device_source'>): boolean {
  const [from, ...others] = device_source.map(({ source_address }) => placeOf(source_address))
  const to = placeOf(address)
  return to !== null && to !== from && others.some((place) => place === from)
}

const hostOf = (address: string) => URL.parse(address.trim())?.hostname.toLowerCase()

/** Whether an address is at a host where the camera has a stream; what is no address yet is nowhere else. */
export const isAtHost = (address: string, { device_source }: Pick<Device, 'device_source'>): boolean => {
  const host = hostOf(address)
  return !host || device_source.some(({ source_address }) => hostOf(source_address) === host)
}

/**
 * The ONVIF id to keep with a camera whose address was changed: that of what was found there. The stored one says nothing
 * of another host, and would keep the former camera from being added elsewhere.
 */
export const endpointAt = (
  address: string,
  device: Pick<Device, 'device_source' | 'UUID'>,
  found: Pick<Probe, 'UUID'> | null,
): string | null => found?.UUID ?? (isAtHost(address, device) ? endpointUuid(device.UUID) : null)
