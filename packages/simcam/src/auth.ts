/** Basic and Digest access authentication (RFC 7617, RFC 2617 without qop, as most cameras have it), for RTSP and HTTP. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

export type AuthMethod = 'basic' | 'digest'

export type Authenticator = {
  /** Values of `WWW-Authenticate`, the preferred method first. */
  challenges: string[]
  /** @param authorization the header's value @param method the request's method, which Digest signs */
  accepts(authorization: string | undefined, method: string): boolean
}

const realm = 'Simulated camera'

/** Makes a checker with a nonce of its own: one per connection, so that an answer heard elsewhere is worth nothing. */
export function authenticator(username: string, password: string, methods: readonly AuthMethod[]): Authenticator {
  const nonce = randomBytes(16).toString('hex')
  const challenges = { digest: `Digest realm="${realm}", nonce="${nonce}"`, basic: `Basic realm="${realm}"` }
  const offered = (['digest', 'basic'] as const).filter((method) => methods.includes(method))
  return {
    challenges: offered.map((method) => challenges[method]),
    accepts(authorization, method) {
      const [, scheme, rest] = /^(\w+)\s+(.*)$/s.exec(authorization ?? '') ?? []
      if (scheme === undefined || rest === undefined) return false
      if (/^basic$/i.test(scheme))
        return methods.includes('basic') && sameText(Buffer.from(rest, 'base64').toString(), `${username}:${password}`)
      if (!/^digest$/i.test(scheme) || !methods.includes('digest')) return false
      const field = digestFields(rest)
      // The signed address is taken as the client wrote it: clients differ in how they spell the track's address.
      const expected = md5(`${md5(`${username}:${realm}:${password}`)}:${nonce}:${md5(`${method}:${field.uri}`)}`)
      return field.username === username && field.nonce === nonce && sameText(field.response ?? '', expected)
    },
  }
}

function digestFields(text: string): Record<string, string | undefined> {
  const fields: Record<string, string> = {}
  for (const [, key, quoted, bare] of text.matchAll(/(\w+)=(?:"((?:[^"\\]|\\.)*)"|([^\s,]*))/g))
    fields[key as string] = quoted?.replace(/\\(.)/g, '$1') ?? bare ?? ''
  return fields
}

const md5 = (text: string) => createHash('md5').update(text).digest('hex')

/** Compares without telling by its duration where the texts differ. */
export function sameText(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}
