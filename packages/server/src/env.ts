import { isIP } from 'node:net'
import { isHost, isLoopbackHost } from '@sightline/domain'
import { readPublicKey } from './license/key.ts'

/** Everything that is set from outside, read once at the start. */
export type Env = {
  /** 0: any free port. */
  port: number
  host: string
  dataDir: string
  /** How often one person may call in a minute. */
  callsPerMinute: number
  /** Origin under which browsers reach the portal; null: http on loopback, at `port`. */
  publicUrl: string | null
  /** Path of the API, without a slash at its end. */
  apiBase: string
  databaseUrl: string | null
  /** Simulated cameras to start with the portal. */
  demoCameras: number
  /** Port of the edge server that the start command runs beside the portal; null: there is none. */
  localNimblePort: number | null
  /** Addresses or networks of proxies whose `X-Forwarded-…` headers count. */
  trustedProxies: string[]
  /** Port of the metrics listener on loopback; null: off. */
  metricsPort: number | null
  /** The vendor's key for licence keys, instead of the instance's own: Ed25519, raw in base64 or PEM. */
  licensePublicKey: string | null
  /** Address of a geocoder with {country} and {zip} in it, and {city} if it knows towns; null: nothing is looked up. */
  geocoderUrl: string | null
}

/** A variable has a value that cannot be used; the message is one sentence that says which and what may stand there. */
export class EnvFault extends Error {}

/** @throws EnvFault for the first variable that cannot be used */
export function readEnv(variables: Record<string, string | undefined>): Env {
  const text = (name: string) => {
    const value = variables[name]?.trim()
    return value === undefined || value === '' ? null : value
  }
  const whole = (name: string, least: number, most: number) => {
    const value = text(name)
    if (value === null) return null
    if (!/^\d{1,6}$/.test(value) || Number(value) < least || Number(value) > most)
      throw new EnvFault(`${name} is "${value}", but must be a whole number from ${least} to ${most}.`)
    return Number(value)
  }
  const host = text('HOST') ?? '127.0.0.1'
  if (!isHost(host)) throw new EnvFault(`HOST is "${host}", but must be a host name or an IP address to listen on.`)
  const publicUrl = readPublicUrl(text('PUBLIC_URL'))
  if (publicUrl === null && !isLoopbackHost(host))
    throw new EnvFault(
      `HOST is "${host}", which other machines reach, so PUBLIC_URL must give the https address under which they do.`,
    )
  return {
    port: whole('PORT', 0, 65535) ?? 8080,
    host,
    dataDir: text('DATA_DIR') ?? './data',
    callsPerMinute: whole('CALLS_PER_MINUTE', 60, 100_000) ?? 1200,
    publicUrl,
    apiBase: readApiBase(text('API_BASE') ?? '/api/v1'),
    databaseUrl: readDatabaseUrl(text('DATABASE_URL')),
    demoCameras: whole('DEMO_CAMERAS', 0, 16) ?? 0,
    localNimblePort: whole('LOCAL_NIMBLE_PORT', 1, 65535),
    trustedProxies: readProxies(text('TRUSTED_PROXIES')),
    metricsPort: whole('METRICS_PORT', 1, 65535),
    licensePublicKey: readLicenseKey(text('LICENSE_PUBLIC_KEY')),
    geocoderUrl: readGeocoder(text('GEOCODER_URL')),
  }
}

/** Passwords and session cookies must not cross a network in clear: http is for this machine alone. */
function readPublicUrl(value: string | null): string | null {
  if (value === null) return null
  const url = URL.parse(value)
  const isOrigin = url !== null && url.pathname === '/' && url.search === '' && url.hash === '' && url.username === ''
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname))
  if (!isOrigin || !isSafe)
    throw new EnvFault(
      `PUBLIC_URL is "${value}", but must be https://host[:port] without a path, or http:// on this machine's loopback address.`,
    )
  return url.origin
}

function readApiBase(value: string): string {
  const base = value.replace(/\/+$/, '')
  if (!/^(\/[a-z0-9_-]+)+$/.test(base))
    throw new EnvFault(
      `API_BASE is "${value}", but must be a path such as /api/v1 of lower-case letters, digits, hyphen and underscore.`,
    )
  return base
}

function readDatabaseUrl(value: string | null): string | null {
  if (value === null) return null
  const url = URL.parse(value)
  if (!url || !/^postgres(ql)?:$/.test(url.protocol))
    // The value itself may hold a password.
    throw new EnvFault('DATABASE_URL must be postgres://user:password@host:port/database, of PostgreSQL 15 or later.')
  return value
}

function readLicenseKey(value: string | null): string | null {
  if (value !== null && readPublicKey(value) === null)
    throw new EnvFault('LICENSE_PUBLIC_KEY must be an Ed25519 public key: 32 bytes in base64, or PEM.')
  return value
}

function readGeocoder(value: string | null): string | null {
  const url = value === null ? null : URL.parse(value)
  if (
    value !== null &&
    !(/^https?:$/.test(url?.protocol ?? '') && value.includes('{country}') && value.includes('{zip}'))
  )
    // The value itself may hold a key.
    throw new EnvFault('GEOCODER_URL must be an http or https address with {country} and {zip} in it.')
  return value
}

function readProxies(value: string | null): string[] {
  const proxies = value?.split(/[\s,]+/).filter((part) => part !== '') ?? []
  for (const proxy of proxies)
    if (!isIP(proxy.replace(/\/\d{1,3}$/, '')))
      throw new EnvFault(
        `TRUSTED_PROXIES holds "${proxy}", but must list IP addresses or networks such as 10.0.0.0/8, separated by commas.`,
      )
  return proxies
}

/** Origins whose pages may call the portal with a session. `port` is the one really listened on. */
export const ownOrigins = (env: Env, port: number): readonly string[] =>
  env.publicUrl ? [env.publicUrl] : [`http://127.0.0.1:${port}`, `http://localhost:${port}`]

/** Whether browsers reach the portal over TLS, so that cookies may demand it. */
export const isSecure = (env: Env): boolean => env.publicUrl?.startsWith('https:') ?? false
