/** Asks every network of this machine, and optionally each address of a range, for cameras; tells of each as it answers. */
import { networkInterfaces } from 'node:os'
import type { LinkDiscovered, Scanned } from '@sightline/contract/edge'
import { endpointUuid, listenSeconds } from '@sightline/domain'
import { isCameraIp, isOwnIp, type KnownHosts } from '../camera/address.ts'
import { Failed } from '../engine.ts'
import { words } from './device.ts'
import { rangeAddresses } from './range.ts'
import { ask, discoveryGroup, type OnMatch } from './wsd.ts'
import { textAt, type XmlNode } from './xml.ts'

/** One who floods the network with answers fills no memory, and hides no other camera. */
const maxFound = 1000
const maxFoundOfHost = 64

export type DiscoverOptions = {
  seconds?: number
  /** IPv4 network in CIDR form. */
  range?: string
  /** Names of interfaces; all when left out. */
  interfaces?: string[]
}

export type DiscoverHooks = {
  onFound(found: LinkDiscovered): void
  /** Of this machine itself only simulated cameras are told of, of the portal's none. */
  known: KnownHosts
  signal?: AbortSignal
}

/** IPv4 interfaces that discovery asks on: name, and address with prefix length. */
export function scanInterfaces(): { name: string; address: string }[] {
  return Object.entries(networkInterfaces()).flatMap(([name, addresses]) =>
    (addresses ?? [])
      .filter(({ family }) => family === 'IPv4')
      .map(({ cidr, address }) => ({ name, address: cidr ?? address })),
  )
}

/**
 * @returns what was scanned: interfaces that could be asked on, range, duration, and who answered in vain
 * @throws Failed for a range that is not searched, or when none of the named interfaces exists
 */
export async function discover(options: DiscoverOptions, hooks: DiscoverHooks): Promise<Scanned> {
  const started = performance.now()
  const range = options.range === undefined ? null : rangeAddresses(options.range)
  if (range && 'fault' in range) throw new Failed(range.fault)
  const wanted = scanInterfaces().filter(({ name }) => options.interfaces?.includes(name) ?? true)
  if (wanted.length === 0 && !range) throw new Failed('interface_unknown')

  const over = AbortSignal.any([
    AbortSignal.timeout((options.seconds ?? listenSeconds.first) * 1000),
    ...(hooks.signal ? [hooks.signal] : []),
  ])
  const { tell, unusable } = tellOnce(hooks)
  const asked = await Promise.all([
    ...wanted.map(({ name, address }) => ask([discoveryGroup], plain(address), tell(name), over)),
    ...(range ? [ask(range.addresses, null, tell(null), over)] : []),
  ])
  return {
    interfaces: [...new Set(wanted.filter((_, i) => asked[i]).map(({ name }) => name))],
    range: options.range ?? null,
    ms: Math.round(performance.now() - started),
    unusable: unusable(),
  }
}

/** Without the prefix length. */
const plain = (address: string): string => address.split('/')[0] as string

/* ── what an answer says ─────────────────────────────────────────────────────────────── */

/** Each device once, though it answers twice and on several interfaces; and hosts of which none can be used. */
function tellOnce({ onFound, known }: DiscoverHooks) {
  const told = new Set<string>()
  const ofHost = new Map<string, number>()
  const inVain = new Map<string, Unusable>()
  const unusable = () => [...inVain.values()].filter(({ host }) => !ofHost.has(host))
  const tell =
    (via: string | null): OnMatch =>
    (match, sender) => {
      const found = describeMatch(match, sender, via, known)
      if (!found || told.size >= maxFound) return
      if ('cause' in found) {
        if (inVain.size < maxFoundOfHost) inVain.set(sender, found)
        return
      }
      // Identity and address together: a device that borrows another's UUID cannot hide it.
      const key = `${found.endpoint_uuid} ${found.xaddr}`
      const before = ofHost.get(sender) ?? 0
      if (told.has(key) || before >= maxFoundOfHost) return
      told.add(key)
      ofHost.set(sender, before + 1)
      onFound(found)
    }
  return { tell, unusable }
}

type Unusable = Scanned['unusable'][number]

/**
 * @param via name of the interface that the answer came on
 * @returns why it cannot be used: without an address by http, or at an address that is no camera's. Null for what is no
 * camera, without any address, or a program of ours
 */
export function describeMatch(
  match: XmlNode,
  sender: string,
  via: string | null,
  known: KnownHosts,
): LinkDiscovered | Unusable | null {
  const byHttp = serviceAddress(textAt(match, 'XAddrs'), sender, 'http:')
  const service = byHttp ?? serviceAddress(textAt(match, 'XAddrs'), sender, 'https:')
  if (!service) return null
  const port = Number(service.port || defaultPorts[service.protocol])
  const isDemo = known.simulated.some((each) => each.host === sender && each.ports.includes(port))
  // The guard of all connections: what could not be opened afterwards is not offered.
  if (!isDemo && !isCameraIp(sender, known.portal))
    return isOwnIp(sender, known.portal) ? null : { host: sender, cause: 'camera_address_refused' }
  if (!byHttp) return { host: sender, cause: 'camera_https_only' }
  const scopes = scopesIn(textAt(match, 'Scopes'))
  return {
    endpoint_uuid: endpointUuid(textAt(match, 'EndpointReference', 'Address')),
    xaddr: service.href,
    host: sender,
    port,
    name: scopes.get('name') ?? null,
    maker: scopes.get('manufacturer') ?? scopes.get('mfr') ?? null,
    model: scopes.get('hardware') ?? scopes.get('model') ?? null,
    interface: via,
    is_demo: isDemo,
  }
}

/** The device's address at the host that answered, whatever other hosts it names: those may be anybody's. */
function serviceAddress(xaddrs: string | null, sender: string, scheme: Scheme): URL | null {
  const all = (xaddrs ?? '').split(/\s+/).flatMap((text) => URL.parse(text) ?? [])
  const urls = all.filter(({ protocol, href }) => protocol === scheme && href.length <= 500)
  const url = urls.find(({ hostname }) => hostname === sender) ?? urls[0]
  return url ? new URL(`${scheme}//${sender}:${url.port || defaultPorts[scheme]}${url.pathname}${url.search}`) : null
}

const defaultPorts: Record<string, number> = { 'http:': 80, 'https:': 443 }
type Scheme = 'http:' | 'https:'

/** `onvif://www.onvif.org/name/Front%20door` → name: Front door; the first of each kind. */
function scopesIn(text: string | null): Map<string, string> {
  const found = new Map<string, string>()
  for (const [, kind, value] of (text ?? '').matchAll(/onvif:\/\/www\.onvif\.org\/(\w+)\/(\S+)/gi)) {
    const line = words(decoded(value as string))
    const key = (kind as string).toLowerCase()
    if (line !== null && !found.has(key)) found.set(key, line)
  }
  return found
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // Not percent-encoded after all: as it is.
    return text
  }
}
