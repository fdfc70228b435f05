/** The portal's address as an administrator pasted it: which of them a nimble trusts with its events. */
import { isLoopbackHost } from '@sightline/domain'
import ipaddr from 'ipaddr.js'

/**
 * @param allowHttp the person at the edge server accepts that others of the same network can read along
 * @throws with one sentence
 */
export function readPortalUrl(text: string, allowHttp: boolean): string {
  const url = URL.parse(text)
  const isPlain = url !== null && url.pathname === '/' && url.search === '' && url.hash === '' && url.username === ''
  if (!isPlain || !['https:', 'http:'].includes(url.protocol))
    throw new Error(`"${text}" is not the address of a portal; it looks like https://portal.example.org`)
  if (url.protocol === 'https:' || isLoopbackHost(url.hostname)) return url.origin
  if (!isPrivate(url.hostname))
    throw new Error(`${url.origin} would carry pictures and events unprotected across the internet; use https`)
  if (!allowHttp)
    throw new Error(
      `${url.origin} is not protected: everyone on this network can read along. Use https, or add --allow-http if that is acceptable`,
    )
  return url.origin
}

const isPrivate = (hostname: string): boolean => {
  const host = hostname.replace(/^\[|\]$/g, '')
  return ipaddr.isValid(host) && ['private', 'uniqueLocal'].includes(ipaddr.process(host).range())
}
