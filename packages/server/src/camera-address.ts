/**
 * Which addresses may be a camera, before they are saved or sent to an edge server. Cameras live on private networks, so
 * those pass; loopback, this machine's own where the edge server may reach them, cloud metadata services, multicast and
 * other special ones do not. Host names are resolved and checked again by the edge server when it connects: only it sees
 * the camera's network and its DNS. It is told those of this machine's addresses that mean this machine where it is, so
 * that no name leads to them either.
 */
import { networkInterfaces } from 'node:os'
import { addressPlace } from '@sightline/contract'
import { ipsOf, isCameraAddress, isLoopbackHost } from '@sightline/domain'
import ipaddr from 'ipaddr.js'

/** Simulated cameras that run beside the local edge server: the only loopback addresses that may be cameras. */
export type LoopbackExemption = (host: string, port: number) => boolean

/** What an edge server opens: RTSP without TLS, and ONVIF services by http. */
export const streamSchemes = ['rtsp:']
export const cameraSchemes = ['rtsp:', 'http:']

/** The edge server that is to open a camera. @param address at which the portal dials it; null: it dials the portal */
export type Opener = { is_local: boolean; address: string | null }

/** Message id of what is wrong with a camera's address, null when nothing is. */
export function addressFault(
  address: string,
  protocols: readonly string[],
  exempt: LoopbackExemption,
  opener: Opener,
  own: readonly string[] = ownIps(),
): 'stream_address' | 'credentials_apart' | 'address_refused' | null {
  const url = URL.parse(address)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (!url || !protocols.includes(url.protocol) || /[\u0000-\u0020\u007f]/.test(address)) return 'stream_address'
  // Readers of addresses disagree about where a host with one ends, and no camera needs one.
  if (address.includes('#')) return 'stream_address'
  if (url.username !== '' || url.password !== '') return 'credentials_apart'
  const place = addressPlace(address)
  if (place === null) return 'stream_address'
  if (isAllowedHost(place.host, isSurelyElsewhere(opener) ? ipsMeantAt(opener, own) : own)) return null
  return exempt(place.host, place.port) ? null : 'address_refused'
}

/** Whether a canonical host may be connected to for a person who typed it. @param own addresses that may not, besides */
export function isAllowedHost(host: string, own: readonly string[] = []): boolean {
  if (!ipaddr.isValid(host)) return !isLoopbackHost(host)
  const ip = ipaddr.process(host)
  return isCameraAddress(ip.toString(), ip.range(), own)
}

let own = { ips: [] as string[], readAt: Number.NEGATIVE_INFINITY }
/** A table has a thousand addresses, and asking the system takes a while. */
const knownForMs = 1000

/** Of this machine now, canonical: networks come and go. */
export function ownIps(): string[] {
  if (performance.now() - own.readAt > knownForMs) {
    const ips = ipsOf(networkInterfaces()).map((ip) => ipaddr.process(ip).toString())
    own = { ips, readAt: performance.now() }
  }
  return own.ips
}

const rangeOf = (ip: string): string | null => (ipaddr.isValid(ip) ? ipaddr.process(ip).range() : null)

/**
 * The addresses of this machine that mean it at an edge server too. Public ones do everywhere; private ones are those of
 * a camera in the next building, and nobody's business there, so only an edge server that is reached at one is told.
 */
export function ipsMeantAt({ is_local, address }: Opener, ips: readonly string[] = ownIps()): string[] {
  const isNear = is_local || (address !== null && isInside(rangeOf(address)))
  return ips.filter((ip) => isAllowedHost(ip) && (isNear || rangeOf(ip) === 'unicast'))
}

/**
 * Whether private addresses of this machine are other machines where the edge server is: it is dialled at a public one.
 * One that is dialled by its name, or dials us, may stand in the next rack.
 */
const isSurelyElsewhere = ({ is_local, address }: Opener): boolean =>
  !is_local && address !== null && rangeOf(address) === 'unicast'

const isInside = (range: string | null) => range === 'private' || range === 'uniqueLocal' || range === 'carrierGradeNat'
