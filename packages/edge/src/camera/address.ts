/**
 * The guard of addresses that a person, or a camera's answer, names: which of them a nimble may connect to.
 * Cameras live in private networks, so those are allowed; the nimble's own machine, cloud metadata services and
 * everything that is not one host are not, nor is the portal, wherever a name leads. The caller connects to `ip`, so that a second DNS answer cannot change the target.
 */
import { networkInterfaces } from 'node:os'
import { ipsOf, isCameraAddress, isHost } from '@sightline/domain'
import ipaddr from 'ipaddr.js'
import { resolveHost } from './resolve.ts'

/** A simulated camera that the start command runs on this machine: the only loopback addresses that are accepted. */
export type AllowedHost = { host: string; ports: number[] }
/** What is known of machines: where simulated cameras are, and at which addresses the portal, whose services are no cameras. */
export type KnownHosts = { simulated: readonly AllowedHost[]; portal: readonly string[] }
export const nothingKnown: KnownHosts = { simulated: [], portal: [] }

export type Target = {
  scheme: string
  /** As written. */
  host: string
  /** What `host` resolved to: connect to this. */
  ip: string
  port: number
  /** Path and query, beginning with `/`. */
  path: string
}

export type AddressCause = 'address_refused' | 'host_unknown'

export type AddressRules = {
  /** For example `['rtsp:']`. */
  schemes: string[]
  known?: KnownHosts
  /** Answers every address of a host; tests put their own in. */
  resolve?: (host: string) => Promise<string[]>
}

const defaultPorts: Record<string, number> = { 'rtsp:': 554, 'http:': 80, 'https:': 443 }
const longestAddress = 1000

/**
 * Parses an address, resolves its host once and checks every answer.
 * Refuses (`address_refused`): other schemes, control characters and blanks, credentials inside the address, hosts that
 * resolve to anything but an ordinary unicast address. `host_unknown`: the name does not resolve.
 */
export async function checkAddress(address: string, rules: AddressRules): Promise<Target | { cause: AddressCause }> {
  const parsed = parseAddress(address, rules.schemes)
  if (!parsed) return { cause: 'address_refused' }
  const ips = await (rules.resolve ?? resolveHost)(parsed.host).catch(() => [])
  const [ip] = ips
  if (ip === undefined) return { cause: 'host_unknown' }
  const { simulated, portal } = rules.known ?? nothingKnown
  const permitted = ips.every((each) => isCameraIp(each, portal) || isDeclared(parsed, each, simulated))
  return permitted ? { ...parsed, ip: plainIp(ip) } : { cause: 'address_refused' }
}

/** The parts of an address, or null where it is malformed, of another scheme, or carries credentials. */
export function parseAddress(address: string, schemes: string[]): Omit<Target, 'ip'> | null {
  // URL() drops tabs and line breaks in silence, so they are looked for before.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused here
  if (address.length > longestAddress || /[\u0000-\u0020\u007f\\]/.test(address)) return null
  const url = URL.parse(address)
  if (!url || !schemes.includes(url.protocol) || url.username !== '' || url.password !== '') return null
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const port = url.port === '' ? defaultPorts[url.protocol] : Number(url.port)
  if (!port || !isHost(host)) return null
  return { scheme: url.protocol, host, port, path: (url.pathname || '/') + url.search }
}

/** Whether an address is this machine's, which has many programs that answer, or the portal's. */
export function isOwnIp(text: string, portal: KnownHosts['portal']): boolean {
  const ip = plainIp(text)
  return ipaddr.parse(ip).range() === 'loopback' || ownIps(portal).includes(ip)
}

/** Of this machine now, networks come and go, and of the portal. */
const ownIps = (portal: KnownHosts['portal']) => [...ipsOf(networkInterfaces()), ...portal].map(plainIp)

/** True for ordinary unicast addresses, private ones included, that are not this machine's own, nor the portal's. */
export function isCameraIp(text: string, portal: KnownHosts['portal']): boolean {
  if (!ipaddr.isValid(text)) return false
  const ip = ipaddr.process(text)
  return isCameraAddress(ip.toString(), ip.range(), ownIps(portal))
}

function isDeclared(
  { host, port }: { host: string; port: number },
  ip: string,
  simulated: KnownHosts['simulated'],
): boolean {
  const plain = plainIp(ip)
  return (
    ipaddr.isValid(plain) &&
    ipaddr.process(plain).range() === 'loopback' &&
    simulated.some((each) => (each.host === host || each.host === plain) && each.ports.includes(port))
  )
}

/** ::ffff:10.0.0.1 → 10.0.0.1, so that rules and sockets see the address that is really meant. */
const plainIp = (ip: string): string => (ipaddr.isValid(ip) ? ipaddr.process(ip).toString() : ip)
