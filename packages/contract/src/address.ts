/** What tells cameras apart, however their addresses are written: files, searches and portal ask here. */
import { endpointUuid, isLoopbackHost } from '@sightline/domain'

const defaultPorts: Record<string, number> = { 'rtsp:': 554, 'http:': 80 }

/** Canonical host, and port with the default of the scheme; null when the address has no host. */
export function addressPlace(address: string): { host: string; port: number } | null {
  const url = URL.parse(address)
  const host = url && canonicalHost(url.hostname)
  return host ? { host, port: Number(url.port) || (defaultPorts[url.protocol] ?? 0) } : null
}

/**
 * The host as a resolver would read it: `0x7f.1`, `2130706433` and `%31%32%37.0.0.1` are all 127.0.0.1. URL() reads
 * hosts that way for http only, so the host is passed through one.
 */
export function canonicalHost(hostname: string): string | null {
  const host = hostname === '' ? null : URL.parse(`http://${hostname}/`)?.hostname
  return host ? host.replace(/^\[|\]$/g, '') : null
}

/** Equal for two addresses of one stream: the port may be left out, the host be written in either case. */
export function streamKey(address: string): string {
  const place = addressPlace(address)
  if (!place) return address
  const url = URL.parse(address)
  // Recorders tell their cameras apart by what follows the path.
  return `${place.host}:${place.port}${url?.pathname || '/'}${url?.search}`
}

/** A device, as far as it tells which camera it is. */
export type Identified = { uuid: string | null; onvifPort: number | null; addresses: readonly string[] }

/**
 * Whether a device is the camera that answered a search: the same ONVIF endpoint, or where one of the two has none, the
 * same host and port. Where the device's port is not known its host decides, except on loopback, which is the host of all
 * simulated cameras. Channels of a recorder answer at one host and port: which of them a device is only an id tells.
 * @param isChannel others answered at the same host and port
 */
export function isSameCamera(
  { uuid, onvifPort, addresses }: Identified,
  camera: { uuid: string | null; host: string; port: number },
  isChannel = false,
): boolean {
  const [own, other] = [endpointUuid(uuid), endpointUuid(camera.uuid)]
  if (own !== null && other !== null) return own === other
  if (isChannel) return false
  const isPort = onvifPort === null ? !isLoopbackHost(camera.host) : onvifPort === camera.port
  return isPort && addresses.some((address) => addressPlace(address)?.host === camera.host)
}
