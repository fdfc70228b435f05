import { normalizeIP } from '@fastify/rate-limit'
import { sessionIdleMinutes } from '@sightline/domain'
import { Refusal } from '../refusal.ts'
import { hashOf, tokenPattern } from './store.ts'

const minuteMs = 60_000

export const rateLimited = (seconds: number) =>
  new Refusal(429, 'Too many requests, wait a moment.', {
    code: 'rate_limited',
    args: { seconds },
    headers: { 'retry-after': String(seconds) },
  })

/**
 * Session tokens and keys that nobody has, counted by address: after so many in a minute the database is asked about none
 * of its tokens any more. Sessions that were let in before go on, also where all people come from one address.
 * @param perMinute of one address
 */
export function createGuesses(perMinute: number, now: () => number = Date.now) {
  let minute = 0
  const wrong = new Map<string, number>()
  /** By the hash of its token, in which minute a session was here last. */
  const known = new Map<string, number>()

  const turn = () => {
    const at = Math.floor(now() / minuteMs)
    if (at === minute) return
    minute = at
    wrong.clear()
    for (const [token, seen] of known) if (at - seen > sessionIdleMinutes) known.delete(token)
  }
  const keyOf = (token: string) => hashOf(token).toString('base64')

  return {
    /**
     * Before it is asked whose a token is, or without one before a key is judged.
     * @returns false for what cannot be a token
     * @throws 429 where the address guessed too often
     */
    mayAsk(ip: string, token?: string): boolean {
      turn()
      if (token !== undefined && !tokenPattern.test(token)) return false
      const isKnown = token !== undefined && known.has(keyOf(token))
      if (!isKnown && (wrong.get(normalizeIP(ip)) ?? 0) >= perMinute)
        throw rateLimited(Math.ceil(((minute + 1) * minuteMs - now()) / 1000))
      return true
    },
    wrong(ip: string): void {
      const address = normalizeIP(ip)
      wrong.set(address, (wrong.get(address) ?? 0) + 1)
    },
    right(token: string): void {
      known.set(keyOf(token), minute)
    },
  }
}
