import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { Refusal } from '../refusal.ts'

/**
 * Refuses what a page of another site may have caused: the browser must name one of our origins, and where a session
 * acts, the caller must know the token that only our own pages can read.
 * @param origins of this portal; a request without Origin needs `Sec-Fetch-Site: same-origin`
 * @param csrf of the session that the operation acts for; null for one that acts for none (sign-in, registration)
 */
export function checkOrigin(request: FastifyRequest, origins: readonly string[], csrf: string | null): void {
  const { origin, 'sec-fetch-site': site, 'x-csrf-token': token } = request.headers
  if (origin === undefined ? site !== 'same-origin' : !origins.includes(origin))
    throw new Refusal(403, 'Cross-site request refused', { code: 'cross_site' })
  if (csrf !== null && !sameSecret(String(token ?? ''), csrf))
    throw new Refusal(403, 'The page is out of date, reload it.', { code: 'csrf' })
}

/** Compares in a time that does not depend on where they differ. */
const sameSecret = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b))
const digest = (text: string) => createHash('sha256').update(text).digest()
