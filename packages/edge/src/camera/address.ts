/**
 * The guard of addresses that a person, or a camera's answer, names: which of them a nimble may connect to.
 * Cameras live in private networks, so those are allowed; the nimble's own machine, cloud metadata services and
 * everything that is not one host are not. The caller connects to `ip`, so that a second DNS answer cannot change the target.
 */
import { networkInterfaces } from 'node:os'
import { isCameraAddress, isHost } from '@sightline/domain'
import ipaddr from 'ipaddr.js'
import { resolveHost } from './resolve.ts'

/** A simulated camera that the start command runs on this machine: the only loopback addresses that are accepted. */
export type AllowedHost = { host: string; ports: number[] }

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
  allow?: AllowedHost[]
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
  const permitted = ips.every((each) => isCameraIp(each) || isDeclared(parsed, each, rules.allow ?? []))
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

/** True for ordinary unicast addresses, private ones included, that are not this machine's own. */
export function isCameraIp(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const ip = ipaddr.process(text)
  return isCameraAddress(ip.toString(), ip.range(), ownIps())
}

/** Of this machine now: networks come and go. */
const ownIps = (): string[] =>
  Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => plainIp(address)))

function isDeclared({ host, port }: { host: string; port: number }, ip: string, allow: AllowedHost[]): boolean {
  const plain = plainIp(ip)
  return (
    ipaddr.isValid(plain) &&
    ipaddr.process(plain).range() === 'loopback' &&
    allow.some((each) => (each.host === host || each.host === plain) && each.ports.includes(port))
  )
}

/** ::ffff:10.0.0.1 → 10.0.0.1, so that rules and sockets see the address that is really meant. */
const plainIp = (ip: string): string => (ipaddr.isValid(ip) ? ipaddr.process(ip).toString() : ip)
