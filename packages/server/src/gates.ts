import type { AddressInfo } from 'node:net'
import { normalizeIP } from '@fastify/rate-limit'
import type { Op } from '@sightline/contract'
import { awayHeader } from '@sightline/contract/away'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { createGuesses, rateLimited } from './auth/guesses.ts'
import { checkOrigin } from './auth/origin.ts'
import { callersOf, findCaller, noteActivity } from './auth/store.ts'
import { sessionToken } from './cookie.ts'
import { ownOrigins } from './env.ts'
import { type Gates, unauthorized } from './mount.ts'
import type { Services } from './services.ts'
import { watchSockets } from './sockets.ts'
import { writeTrace } from './trace.ts'

/** Calls a minute of one address while nobody is signed in. */
const strangersPerMinute = 300

/** The gates of the real server: sessions in the database, this portal's origins, limits in this process. */
export function createGates(app: FastifyInstance, services: Services): Gates {
  const { db, env, log } = services
  const guesses = createGuesses(strangersPerMinute)
  const limiters = new Map<number, ReturnType<FastifyInstance['createRateLimit']>>()
  const limiter = (perMinute: number) => {
    const known = limiters.get(perMinute)
    if (known) return known
    const made = app.createRateLimit({ max: perMinute, timeWindow: 60_000, keyGenerator: personOrAddress })
    limiters.set(perMinute, made)
    return made
  }
  return {
    async authenticate(request, row) {
      // Keys for machines come with a later version; a key that is sent is judged alone, and none is known.
      if (request.headers['x-portal'] !== undefined) {
        guesses.mayAsk(request.ip)
        guesses.wrong(request.ip)
        throw unauthorized('the key is not valid', 'bad_key')
      }
      const token = sessionToken(request, env)
      if (token === undefined || !guesses.mayAsk(request.ip, token)) return null
      const found = await db.read(null, (trx) => findCaller(trx, token), { statements: 1 })
      if (found === null) {
        guesses.wrong(request.ip)
        return null
      }
      guesses.right(token)
      const { isDue, ...caller } = found
      if (isDue && isOfPerson(request, row)) await db.instance((trx) => noteActivity(trx, caller.principal))
      return caller
    },

    nobody: (request) =>
      sessionToken(request, env) === undefined
        ? unauthorized('sign in first')
        : unauthorized('the session has ended, sign in again', 'session_ended'),

    checkOrigin(request, row) {
      const csrf = row.access === 'public' || row.kind === 'socket' ? null : (request.caller?.principal.csrf ?? null)
      checkOrigin(request, ownOrigins(env, portOf(app) ?? env.port), csrf)
    },

    async limit(request, row) {
      // Pictures do not count.
      if (row.kind === 'file' && row.perMinute === undefined) return
      const state = await limiter(row.perMinute ?? (request.caller ? env.callsPerMinute : strangersPerMinute))(request)
      if (state.isAllowed || !state.isExceeded) return
      throw rateLimited(state.ttlInSeconds)
    },

    async trace(request, entry) {
      if (entry.result === 'ok' && request.notes.isTraced) return
      try {
        await writeTrace(db, request, entry)
      } catch (error) {
        // The change itself is committed: saying now that it failed would be wrong.
        log.error({ err: error, requestId: request.id, ...entry }, 'a trace row could not be written')
      }
    },

    sockets: watchSockets((uids) => db.instance((trx) => callersOf(trx, uids)), log),
  }
}

/**
 * Whether a request is somebody's doing, and not the page's own: sockets are taken up again and pictures loaded without
 * anybody there, and what a page reads by itself it says to be that.
 */
const isOfPerson = (request: FastifyRequest, row: Op): boolean =>
  row.kind !== 'socket' &&
  row.kind !== 'file' &&
  (request.headers[awayHeader] === undefined || (row.method !== 'GET' && !row.reads))

const personOrAddress = (request: FastifyRequest): string =>
  request.caller?.principal.userUid ?? normalizeIP(request.ip)

/** The port really listened on, which differs from the wanted one when that is 0; null before. */
const portOf = (app: FastifyInstance): number | null => (app.server.address() as AddressInfo | null)?.port ?? null
