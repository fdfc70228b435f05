/** Builds the server out of its parts. Listening, signals and exit codes are `main.ts`'s; tests build the same app. */
import cookie from '@fastify/cookie'
import helmet from '@fastify/helmet'
import multipart from '@fastify/multipart'
import rateLimit from '@fastify/rate-limit'
import websocket from '@fastify/websocket'
import { openapi } from '@sightline/contract/openapi'
import { imageMaxBytes } from '@sightline/domain'
import Fastify, { type FastifyInstance, type FastifyServerOptions, LogController } from 'fastify'
import { acl } from './acl/handlers.ts'
import { auth } from './auth/handlers.ts'
import { createBus } from './bus.ts'
import { channel } from './channel/handlers.ts'
import { customer } from './customer/handlers.ts'
import { demo } from './demo/handlers.ts'
import { createDemo, type Demo } from './demo/supervisor.ts'
import { device } from './device/handlers.ts'
import { type Env, isSecure } from './env.ts'
import { event } from './event/handlers.ts'
import { createEventWriter } from './event/ingest.ts'
import { face } from './face/handlers.ts'
import { answerFailure, answerUnreadable } from './failure.ts'
import { createGates } from './gates.ts'
import { createGeocoder, type Geocoder } from './geo/geocoder.ts'
import { geo } from './geo/handlers.ts'
import { bareHeaders, securityHeaders } from './headers.ts'
import { serveHealth } from './health.ts'
import { instance } from './instance/handlers.ts'
import { job } from './job/handlers.ts'
import { createJobs } from './job/run.ts'
import { refuseRepeated } from './json.ts'
import { license } from './license/handlers.ts'
import { reviewLicenses } from './license/signer.ts'
import { live } from './live/handlers.ts'
import { media } from './media/handlers.ts'
import { model } from './model/handlers.ts'
import { type AllHandlers, mount } from './mount.ts'
import { openEntrance, serveEnrolment } from './nimble/entrance.ts'
import { nimble } from './nimble/handlers.ts'
import { createLinks, type Links } from './nimble/links.ts'
import { setting } from './nimble/setting.ts'
import { organization } from './organization/handlers.ts'
import { createPasswords } from './password.ts'
import { pipeline } from './pipeline/handlers.ts'
import { notFound } from './refusal.ts'
import { role } from './role/handlers.ts'
import type { Services } from './services.ts'
import { site } from './site/handlers.ts'
import { source } from './source/handlers.ts'
import { zones } from './static/handlers.ts'
import { status } from './status/handlers.ts'
import { storage } from './storage/handlers.ts'
import { createAudiences } from './stream/audience.ts'
import { stream } from './stream/handlers.ts'
import { newUid } from './uid.ts'
import { upload } from './upload/handlers.ts'
import { bundle, usecase } from './usecase/handlers.ts'
import { user } from './user/handlers.ts'
import { serveWeb } from './web.ts'
import { createWire, noWire, type Wire } from './wire.ts'

const jsonMaxBytes = 1024 * 1024
const wsMaxBytes = 4096
/** Of address and headers together: a chart of a thousand channels names them in its address. */
const headMaxBytes = 64 * 1024
/** For a request to come in whole; for one with a large file, over a line of 2 Mbit/s. */
const requestMs = 30_000
const longRequestMs = 15 * 60_000

const handlers: AllHandlers = {
  acl,
  auth,
  bundle,
  channel,
  customer,
  demo,
  device,
  event,
  geo,
  instance,
  job,
  license,
  live,
  media,
  face,
  model,
  nimble,
  organization,
  pipeline,
  role,
  setting,
  site,
  source,
  static: zones,
  status,
  storage,
  stream,
  upload,
  usecase,
  user,
}

/** The bare server with its log. Every route that is added must say who may call it. */
export function createServer(env: Env, logger: FastifyServerOptions['logger']): FastifyInstance {
  const app = Fastify({
    logger,
    // Addresses hold tokens: our own line per request, below, leaves the query out.
    logController: new LogController({ disableRequestLogging: true }),
    frameworkErrors: (error, request, reply) => answerFailure(error, request, reply.headers(bareHeaders)),
    genReqId: newUid,
    requestIdHeader: false,
    bodyLimit: jsonMaxBytes,
    http: { maxHeaderSize: headMaxBytes, headersTimeout: requestMs },
    clientErrorHandler: answerUnreadable,
    requestTimeout: longRequestMs,
    keepAliveTimeout: 72_000,
    trustProxy: env.trustedProxies.length > 0 ? env.trustedProxies : false,
    // Of two ways to write a path only one exists, so nothing is decided about one and done to the other.
    routerOptions: { caseSensitive: true, ignoreTrailingSlash: false, ignoreDuplicateSlashes: false },
  })
  app.addHook('onRoute', (route) => {
    if (!route.config?.access) throw new Error(`The route ${route.method} ${route.url} does not say who may call it.`)
  })
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
  })
  // Node knows one limit for all requests: that of the longest.
  app.addHook('onRequest', async ({ raw, routeOptions }) => {
    if (routeOptions.config?.isLong || raw.method === 'GET') return
    const late = setTimeout(() => {
      const tooSlow = Object.assign(new Error('the request came too slowly'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
      if (raw.complete === false) answerUnreadable(tooSlow, raw.socket)
    }, requestMs).unref()
    raw.once('close', () => clearTimeout(late))
  })
  let isProxyTold = false
  app.addHook('onRequest', async (request) => {
    if (isProxyTold || request.headers['x-forwarded-for'] === undefined || (request.ips?.length ?? 1) > 1) return
    isProxyTold = true
    request.log.warn(
      `${request.ip} forwards the requests of others, but TRUSTED_PROXIES does not name it: they all count as one address`,
    )
  })
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
  })
  app.addHook('onSend', async (_request, reply) => {
    // A connection that is kept after its last answer would hold up the end.
    if (isClosing) reply.header('connection', 'close')
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
  })
  app.addHook('onResponse', async (request, reply) => {
    request.log.info({
      method: request.method,
      path: request.url.split('?')[0],
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      ip: request.ip,
      user: request.caller?.principal.userUid,
    })
  })
  return app
}

export type Core = Pick<Services, 'env' | 'db' | 'log' | 'secrets'>
/** What a test may bring itself: a link of its own, a start command, a geocoder on this machine. */
export type Parts = {
  links?: (shared: Core & Pick<Services, 'bus' | 'events'>, wire: Wire) => Links
  demo?: Demo
  geocoder?: Geocoder
}

/** What handlers work with. Nothing runs yet: links and jobs begin with their `start`. */
export function createServices(core: Core, parts: Parts = {}): Services {
  const { geocoderUrl } = core.env
  const wire = core.env.databaseUrl === null ? noWire : createWire(core.db, core.log)
  const bus = createBus(wire)
  const shared = { ...core, bus, events: createEventWriter({ db: core.db, bus }) }
  return {
    ...shared,
    wire,
    audiences: createAudiences(bus),
    links: (parts.links ?? createLinks)(shared, wire),
    passwords: createPasswords(core.secrets.pepper),
    demo: parts.demo ?? createDemo(process),
    jobs: createJobs(shared),
    geocoder: parts.geocoder ?? (geocoderUrl === null ? null : createGeocoder(geocoderUrl)),
  }
}

/** Adds everything to the server: headers, health, the API, the web app. */
export async function build(app: FastifyInstance, services: Services, webRoot?: string): Promise<FastifyInstance> {
  const { env } = services
  const gates = createGates(app, services)
  // Bodies are JSON or, where a row says so, multipart. Anything a plain form can send is not read at all.
  app.removeContentTypeParser(['text/plain', 'application/json'])
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    // A DELETE may name its type and have its parameters in the query.
    if (body === '') return done(null, undefined)
    parseJson(request, body as string, (error, value) => {
      if (error) return done(error)
      try {
        refuseRepeated(body as string)
        done(null, value)
      } catch (refusal) {
        done(refusal as Error)
      }
    })
  })
  await app.register(cookie)
  await app.register(helmet, securityHeaders(isSecure(env)))
  await app.register(multipart, {
    limits: { fileSize: imageMaxBytes - 1, files: 1, fields: 8, fieldSize: 1024, parts: 9 },
  })
  await app.register(rateLimit, { global: false })
  await app.register(websocket, {
    options: { maxPayload: wsMaxBytes, server: openEntrance(app, services) },
    // A broken client's frames, or a connection that tears, are its own trouble.
    errorHandler(error, socket, request) {
      request.log.info({ code: (error as NodeJS.ErrnoException).code }, `a live connection broke: ${error.message}`)
      socket.terminate()
    },
    preClose(done) {
      gates.sockets.close().then(() => done(), done)
    },
  })
  app.setErrorHandler(answerFailure)
  app.setNotFoundHandler(() => {
    throw notFound()
  })

  // Before anybody can call: what LICENSE_PUBLIC_KEY says changes with a start alone.
  app.addHook('onReady', () => reviewLicenses(services))
  serveHealth(app, services)
  serveEnrolment(app, services)
  const document = JSON.stringify(openapi(env.apiBase))
  app.get(`${env.apiBase}/openapi.json`, { config: { access: 'public' } }, (_request, reply) =>
    reply.type('application/json').send(document),
  )
  await app.register(async (scope) => mount(scope, services, handlers, gates), { prefix: env.apiBase })
  await serveWeb(app, env.apiBase, webRoot)
  return app
}
