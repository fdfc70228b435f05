/** Addresses that a camera tells by ONVIF. They lead to the camera that was asked, and carry no credentials. */
import { parseAddress, type Target } from '../camera/address.ts'
import type { Credentials } from '../camera/rtsp.ts'

export type ToldAddress =
  | {
      address: string
      /** The host that the camera told, where it was another one: cameras behind a router tell their inner address. */
      told: string | null
    }
  | { fault: 'unusable' | 'credentials_inside' }

/** Shorter passwords may stand in an address by chance. */
const shortestTelling = 4

/** @param scheme with its colon, `rtsp:` or `http:` */
export function toldAddress(uri: string, scheme: string, device: Target, credentials: Credentials): ToldAddress {
  const url = URL.parse(uri)
  if (url?.protocol !== scheme || url.hostname === '') return { fault: 'unusable' }
  const toldHost = url.hostname.replace(/^\[|\]$/g, '')
  const isSame = [device.host, device.ip].includes(toldHost)
  const host = isSame ? toldHost : device.host
  const port = url.port && `:${url.port}`
  const address = `${scheme}//${host.includes(':') ? `[${host}]` : host}${port}${url.pathname}${url.search}`
  if (!parseAddress(address, [scheme])) return { fault: 'unusable' }
  if (tells(address, credentials.password)) return { fault: 'credentials_inside' }
  return { address, told: isSame ? null : toldHost }
}

/** Some cameras write the password into path or query. */
function tells(address: string, password: string | null): boolean {
  if (password === null || password.length < shortestTelling) return false
  return [password, encodeURIComponent(password)].some((form) => address.includes(form))
}
