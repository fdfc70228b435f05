/** SOAP 1.2 as ONVIF devices speak it. Requests are small and come from clients we test with, so patterns read them. */
import { createHash } from 'node:crypto'
import { sameText } from './auth.ts'

const namespaces = {
  s: 'http://www.w3.org/2003/05/soap-envelope',
  tds: 'http://www.onvif.org/ver10/device/wsdl',
  trt: 'http://www.onvif.org/ver10/media/wsdl',
  tt: 'http://www.onvif.org/ver10/schema',
  ter: 'http://www.onvif.org/ver10/error',
  wsa: 'http://schemas.xmlsoap.org/ws/2004/08/addressing',
  d: 'http://schemas.xmlsoap.org/ws/2005/04/discovery',
  dn: 'http://www.onvif.org/ver10/network/wsdl',
}
const declarations = Object.entries(namespaces)
  .map(([prefix, uri]) => `xmlns:${prefix}="${uri}"`)
  .join(' ')

export function envelope(body: string, header = ''): string {
  const head = header && `<s:Header>${header}</s:Header>`
  return `<?xml version="1.0" encoding="UTF-8"?><s:Envelope ${declarations}>${head}<s:Body>${body}</s:Body></s:Envelope>`
}

/** @param code ONVIF's subcode, such as `NotAuthorized` */
export function faultBody(code: string, reason: string): string {
  return `<s:Fault><s:Code><s:Value>s:Sender</s:Value><s:Subcode><s:Value>ter:${code}</s:Value></s:Subcode></s:Code><s:Reason><s:Text xml:lang="en">${escapeXml(reason)}</s:Text></s:Reason></s:Fault>`
}

/** An element with text or with elements already made. */
export const element = (name: string, content: string | number | boolean): string => `<${name}>${content}</${name}>`

export const escapeXml = (text: string): string =>
  text.replace(/[<>&"']/g, (character) => `&#${character.codePointAt(0)};`)

/** Text of the first element of that local name; null when there is none. */
export function textOf(xml: string, name: string): string | null {
  const text = new RegExp(`<(?:[\\w.-]+:)?${name}(?:\\s[^>]*)?>([^<]*)<`).exec(xml)?.[1]
  return text === undefined ? null : unescapeXml(text.trim())
}

const entities: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }
const unescapeXml = (text: string): string =>
  text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hex, name) =>
    name ? (entities[name] ?? whole) : String.fromCodePoint(Number.parseInt(decimal ?? hex, decimal ? 10 : 16)),
  )

/** Local name of the request: the first element of the body. */
export function operationOf(xml: string): string | null {
  return /<(?:[\w.-]+:)?Body[^>]*>\s*<(?:[\w.-]+:)?(\w+)/.exec(xml)?.[1] ?? null
}

/** How far `Created` may be from the device's clock. */
export const clockWindowMs = 5 * 60_000

/**
 * Checks the WS-UsernameToken of requests (Web Services Security UsernameToken Profile 1.0): password digest, created
 * within the window around the device's own clock, nonce not seen before.
 */
export function tokenChecker(credentials: { username: string; password: string }, now: () => number) {
  const seen = new Map<string, number>()
  return (xml: string): boolean => {
    const [username, digest, nonce, created] = ['Username', 'Password', 'Nonce', 'Created'].map((n) => textOf(xml, n))
    if (!username || !digest || !nonce || !created) return false
    if (!(Math.abs(now() - Date.parse(created)) <= clockWindowMs) || seen.has(nonce)) return false
    const expected = createHash('sha1')
      .update(Buffer.from(nonce, 'base64'))
      .update(created + credentials.password)
      .digest('base64')
    if (username !== credentials.username || !sameText(digest, expected)) return false
    // Older ones are refused by their age; so the list stays as short as the window.
    for (const [old, at] of seen) if (now() - at > 2 * clockWindowMs) seen.delete(old)
    seen.set(nonce, now())
    return true
  }
}
