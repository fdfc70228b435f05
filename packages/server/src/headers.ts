import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { FastifyHelmetOptions } from '@fastify/helmet'

const nonces = new WeakMap<object, string>()

/** The nonce of one answer: in its policy, and on the scripts and styles of its page. */
export function nonceOf(response: object): string {
  const nonce = nonces.get(response) ?? randomBytes(16).toString('base64')
  nonces.set(response, nonce)
  return nonce
}
const withNonce = (_request: unknown, response: ServerResponse) => `'nonce-${nonceOf(response)}'`

/**
 * Security headers of every answer. The policy allows what the web app needs and nothing else: Mantine sets style
 * attributes, live pictures are blobs. Scripts and style elements carry the nonce of their answer.
 */
export const securityHeaders = (isSecure: boolean): FastifyHelmetOptions => ({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      'default-src': ["'none'"],
      'script-src': ["'self'", withNonce],
      'style-src': ["'self'", withNonce],
      'style-src-attr': ["'unsafe-inline'"],
      'img-src': ["'self'", 'data:', 'blob:'],
      'media-src': ["'self'", 'blob:'],
      'font-src': ["'self'"],
      'connect-src': ["'self'"],
      'worker-src': ["'self'"],
      'manifest-src': ["'self'"],
      'object-src': ["'none'"],
      'base-uri': ["'none'"],
      'form-action': ["'self'"],
      'frame-ancestors': ["'none'"],
    },
  },
  strictTransportSecurity: isSecure ? { maxAge: 31_536_000, includeSubDomains: true } : false,
  referrerPolicy: { policy: 'no-referrer' },
  xFrameOptions: { action: 'deny' },
})

/** Where the answer is made before any hook runs: an address that cannot be read. */
export const bareHeaders = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
}
