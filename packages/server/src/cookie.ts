import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Env, isSecure } from './env.ts'

/**
 * Over TLS the name forbids subdomains and plain http to set it. Loopback http, the default, cannot have that.
 * Lax and not Strict: a link in a mail must arrive signed in.
 */
const nameOf = (env: Env) => (isSecure(env) ? '__Host-sightline' : 'sightline')
const flags = (env: Env) => ({ path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure(env) }) as const

export const sessionToken = (request: FastifyRequest, env: Env): string | undefined => request.cookies[nameOf(env)]

export const giveSession = (reply: FastifyReply, env: Env, token: string) =>
  reply.setCookie(nameOf(env), token, flags(env))

export const takeSession = (reply: FastifyReply, env: Env) => reply.clearCookie(nameOf(env), flags(env))
