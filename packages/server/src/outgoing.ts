/** Calls of the portal to addresses that somebody configured: never to itself, its machine's services or a cloud's metadata. */
import { lookup } from 'node:dns'
import http from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { isAllowedHost } from './camera-address.ts'

export type Outgoing = {
  /** For the whole call, the name's lookup included. */
  timeoutMs: number
  mostBytes: number
  /** Whether an IP address may be connected to. */
  isAllowed?: (ip: string) => boolean
}

/**
 * The text under an http or https address. The name is resolved once, every address it has is judged, and one of these
 * is connected to: a name cannot point elsewhere between the two. Redirects are not followed.
 * @throws Error in words: a status other than 200, a refused address, too long, too slow
 */
export function getText(
  address: string,
  { timeoutMs, mostBytes, isAllowed = isAllowedHost }: Outgoing,
): Promise<string> {
  const url = new URL(address)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) && !isAllowed(host)) return Promise.reject(new Error(`the address ${host} is not one to be called`))
  const guarded: LookupFunction = (name, options, callback) =>
    lookup(name, { ...options, all: true }, (error, found) => {
      const refused = error ? undefined : found.find(({ address: ip }) => !isAllowed(ip))
      if (error) callback(error, '')
      else if (refused) callback(new Error(`${name} leads to ${refused.address}, which is not to be called`), '')
      else if (options.all) callback(null, found)
      else callback(null, found[0]?.address ?? '', found[0]?.family)
    })
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMs)
    const headers = { accept: 'application/json', 'user-agent': 'Sightline' }
    const client = url.protocol === 'https:' ? https : http
    const request = client.get(url, { lookup: guarded, signal, headers, agent: false }, (response) => {
      if (response.statusCode !== 200) {
        response.destroy()
        reject(new Error(`${url.host} answered ${response.statusCode}`))
        return
      }
      const parts: Buffer[] = []
      let size = 0
      response.on('data', (part: Buffer) => {
        size += part.length
        if (size > mostBytes) response.destroy(new Error(`${url.host} answered more than ${mostBytes} bytes`))
        else parts.push(part)
      })
      response.on('end', () => resolve(Buffer.concat(parts).toString('utf8')))
      response.on('error', reject)
    })
    request.on('error', reject)
  })
}
