/**
 * The table of operations becomes routes. A row gives method, path, access, input, output and status; from it follow
 * authentication, authorization, CSRF, validation, the envelope, output filtering and the trace row.
 */
import type { Readable } from 'node:stream'
import { type Api, api, type Op, type OpId, type Page, type Receive, type Reply } from '@sightline/contract'
import { type AccessRule, allows, permissions } from '@sightline/domain'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { WebSocket } from 'ws'
import type * as z from 'zod'
import { compressed, type Written, written } from './compress.ts'
import { failureOf } from './failure.ts'
import { dropUpload, readInput, type UploadedFile } from './input.ts'
import { Refusal } from './refusal.ts'
import type { Caller, Principal, Scope } from './scope.ts'
import type { Services } from './services.ts'
import type { Socket, Sockets } from './sockets.ts'
import type { Note, Traced } from './trace.ts'

/** What a handler of a public row knows beside its input. */
export type PublicCtx = {
  principal: Principal | null
  scope: Scope | null
  requestId: string
  /** Address of the client; of the proxy's client when the proxy is a trusted one. */
  ip: string
  request: FastifyRequest
  reply: FastifyReply
  app: Services
  /** Adds to the trace row of this call: whom or what it concerned, and what changed. */
  note(detail: Note): void
}
/** The same for every other row: somebody is signed in. */
export type Ctx = PublicCtx & Caller

/** Bytes instead of the envelope. */
export type FileAnswer = {
  contentType: string
  body: Buffer | Readable
  headers?: Record<string, string>
  /** 206 for a part of it, 304 for what the browser has already; 200 unless given. */
  status?: 206 | 304
}

type Extra = { message?: string; message_type?: 'success' | 'error' | 'warning' | 'info'; page?: Page }
const replied = Symbol('replied')
type Replied<T> = { [replied]: true; output: T; extra: Extra }
/** Answers `output` with more of the envelope than the response itself: a message, its kind, the page. */
export const reply = <T>(output: T, extra: Extra): Replied<T> => ({ [replied]: true, output, extra })

/** Answers that stay as they are, with what rows sent of them. */
const kept = new WeakMap<object, Map<Op, Written>>()
/**
 * Freezes an answer that is given again and again. What goes out of it, by a row that compresses and without a message or
 * page, is checked, written and compressed the first time only.
 */
export function lasting<T extends object>(answer: T): T {
  if (!kept.has(answer)) kept.set(freeze(answer), new Map())
  return answer
}

function freeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) freeze(part)
  return Object.freeze(value)
}

type CtxOf<O extends Op> = O['access'] extends 'public' ? PublicCtx : Ctx
type SocketCtx = Omit<Ctx, 'reply'>
type Output<O extends Op> = z.input<O['output']>
type Answer<O extends Op> = Output<O> | Replied<Output<O>>
export type Handler<O extends Op> = O extends { kind: 'socket' }
  ? (input: Receive<O>, ctx: SocketCtx, socket: Socket<Reply<O>>) => void | Promise<void>
  : O extends { kind: 'file' }
    ? (input: Receive<O>, ctx: CtxOf<O>) => FileAnswer | Promise<FileAnswer>
    : O extends { kind: 'upload' }
      ? (input: Receive<O>, ctx: CtxOf<O>, file: UploadedFile) => Answer<O> | Promise<Answer<O>>
      : (input: Receive<O>, ctx: CtxOf<O>) => Answer<O> | Promise<Answer<O>>

/** Every operation of a feature has a handler: a missing one does not compile. */
export type Handlers<F extends keyof Api> = { [K in keyof Api[F]]: Api[F][K] extends Op ? Handler<Api[F][K]> : never }
export type AllHandlers = { [F in keyof Api]: Handlers<F> }

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Every route says who may call it, or the server refuses to start. */
    access?: AccessRule
    /** Takes large files, which may come slowly. */
    isLong?: boolean
  }
  interface FastifyRequest {
    caller: Caller | null
    input: unknown
    uploaded: UploadedFile | undefined
    notes: Note
  }
}

/** The parts of the server that a request passes through before and after its handler. */
export type Gates = {
  /** Who calls, by cookie or key; null without either, or when the session ended. Throws 401 for a bad key. */
  authenticate(request: FastifyRequest, row: Op): Promise<Caller | null>
  /** The 401 of a request that nobody known made. */
  nobody(request: FastifyRequest): Refusal
  /** Refuses what another site's page may have caused (403). */
  checkOrigin(request: FastifyRequest, row: Op): void
  /** Refuses the request when its address or user has used up the minute (429). */
  limit(request: FastifyRequest, row: Op): Promise<void>
  /** Writes the trace row of a call. Never throws. */
  trace(request: FastifyRequest, entry: Traced): Promise<void>
  sockets: Sockets
}

const unsafe = (row: Op) => row.method !== 'GET'
export const unauthorized = (detail: string, code = 'unauthorized') =>
  new Refusal(401, `Unauthorized: ${detail}`, { code })

/** Registers every row of the table under the scope's prefix. Throws when a row has no access rule or no handler. */
export function mount(app: FastifyInstance, services: Services, handlers: AllHandlers, gates: Gates): void {
  app.decorateRequest('caller', null)
  app.decorateRequest('input', null)
  app.decorateRequest('uploaded')
  app.decorateRequest('notes')
  for (const [feature, rows] of Object.entries(api)) {
    for (const [name, row] of Object.entries(rows as Record<string, Op>)) {
      const id = `${feature}.${name}` as OpId
      const handler = (handlers as Record<string, Record<string, AnyHandler> | undefined>)[feature]?.[name]
      if (!handler) throw new Error(`The operation ${id} has no handler.`)
      if (row.access !== 'public' && !(row.access in permissions)) throw new Error(`The operation ${id} has no access.`)
      mountRow(app, services, id, row, handler, gates)
    }
  }
}

type AnyHandler = (input: unknown, ctx: unknown, more?: unknown) => unknown

function mountRow(
  app: FastifyInstance,
  services: Services,
  id: OpId,
  row: Op,
  handler: AnyHandler,
  gates: Gates,
): void {
  const contextOf = (request: FastifyRequest): Omit<PublicCtx, 'reply'> => ({
    principal: request.caller?.principal ?? null,
    scope: request.caller?.scope ?? null,
    requestId: request.id,
    ip: request.ip,
    request,
    app: services,
    note: (detail) => Object.assign(request.notes, detail),
  })

  /** The gates, in the order in which they may say no: who, how often, may they, did they mean it. */
  const guard = async (request: FastifyRequest) => {
    request.notes = {}
    request.caller = await gates.authenticate(request, row)
    await gates.limit(request, row)
    if (row.access !== 'public' && !request.caller) throw gates.nobody(request)
    if (!allows(row.access, request.caller?.principal.role ?? null)) {
      await gates.trace(request, { id, result: 'refused', status: 403 })
      throw new Refusal(403, 'Forbidden', { code: 'forbidden' })
    }
    if (unsafe(row) || row.kind === 'socket') gates.checkOrigin(request, row)
  }

  const read = async (request: FastifyRequest) => {
    const { input, file } = await readInput(row, request, services.env.dataDir)
    request.input = input
    request.uploaded = file
  }

  const isTraced = unsafe(row) && !row.reads
  const run = async (request: FastifyRequest, reply: FastifyReply) => {
    try {
      return await handler(request.input, { ...contextOf(request), reply }, request.uploaded)
    } catch (error) {
      // A refusal of authority leaves a row; wrong input does not.
      if (isTraced && error instanceof Refusal && (error.status === 401 || error.status === 403))
        await gates.trace(request, { id, result: 'refused', status: error.status })
      throw error
    } finally {
      await dropUpload(request.uploaded)
    }
  }

  const bodyOf = (output: unknown, extra?: Extra) => ({
    response_code: row.status ?? 200,
    response: row.output.parse(output),
    ...extra,
  })
  const textOf = (output: unknown, extra?: Extra): Written => {
    const sent = extra ? undefined : kept.get(output as object)
    const text = sent?.get(row) ?? written(JSON.stringify(bodyOf(output, extra)))
    sent?.set(row, text)
    return text
  }

  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const result = await run(request, reply)
    if (row.kind === 'file') {
      // Before the bytes go out: whoever has them left his name.
      if (isTraced) await gates.trace(request, { id, result: 'ok', status: row.status ?? 200 })
      return sendFile(reply, result as FileAnswer)
    }
    const { output, extra } = isReplied(result) ? result : { output: result }
    const status = row.status ?? 200
    const body = row.compressed ? textOf(output, extra) : bodyOf(output, extra)
    if (isTraced && !isTried(request.input)) await gates.trace(request, { id, result: 'ok', status, output })
    reply.code(status)
    if ('response' in body) return reply.send(body)
    return reply.type('application/json; charset=utf-8').send(await compressed(reply, body))
  }

  const refuseWithoutUpgrade = () => {
    throw new Refusal(426, 'This address speaks WebSocket only.', { code: 'websocket_only' })
  }

  const upgrade = async (ws: WebSocket, request: FastifyRequest) => {
    const socket = gates.sockets.add<unknown>(ws, request.caller as Caller, request.ip)
    try {
      gates.sockets.refuseTooMany(request.caller as Caller, request.ip)
      await handler(request.input, contextOf(request), socket)
    } catch (error) {
      const { status, body } = failureOf(error, request.id, services.log)
      // A reason has room for 123 bytes: the id, which clients know how to say.
      socket.close(4000 + status, body.error_code ?? '')
    }
  }

  app.route({
    method: row.method,
    url: row.path.replace(/\{(\w+)\}/g, ':$1'),
    config: { access: row.access, isLong: row.onDisk !== undefined },
    onRequest: guard,
    preHandler: read,
    ...(row.kind === 'socket' ? { handler: refuseWithoutUpgrade, wsHandler: upgrade } : { handler: answer }),
  })
}

/** What a dry run looks at stays as it is. */
const isTried = (input: unknown): boolean => (input as { dry_run?: boolean } | null)?.dry_run === true

const sendFile = (reply: FastifyReply, file: FileAnswer) =>
  reply
    .code(file.status ?? 200)
    .headers(file.headers ?? {})
    .type(file.contentType)
    .send(file.body)

const isReplied = (value: unknown): value is Replied<unknown> =>
  typeof value === 'object' && value !== null && replied in value
