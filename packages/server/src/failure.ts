import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Failure } from '@sightline/contract'
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import { bareHeaders } from './headers.ts'
import { Refusal } from './refusal.ts'

/** What the client gets for an error: status, headers and envelope. */
export type FailureAnswer = { status: number; headers: Record<string, string>; body: Failure }

/**
 * Turns whatever was thrown into an answer. Refusals say what they mean, foreign errors are mapped to known ones here
 * and nowhere else, and what remains is a 500 that tells nothing but the id under which the log has it.
 */
export function failureOf(error: unknown, requestId: string, log: FastifyBaseLogger): FailureAnswer {
  const refusal = error instanceof Refusal ? error : known(error)
  const status = refusal?.status ?? 500
  if (status >= 500) log.error({ err: error, requestId }, refusal?.message ?? 'unexpected error')
  const body: Failure = {
    response_code: status,
    message: refusal?.message ?? 'Oops -- Something went wrong !!',
    message_type: 'error',
    ...(refusal?.errors ? { errors: refusal.errors, error: 'Error in inputs' } : {}),
    ...(refusal?.code || !refusal ? { error_code: refusal?.code ?? 'internal' } : {}),
    ...(refusal?.args ? { args: refusal.args } : {}),
    // Only where the operator will look for it: a 404 must not differ between what is missing and what is out of reach.
    ...(status >= 500 ? { request_id: requestId } : {}),
    ...(status === 503 || status === 429 ? { retryable: true } : {}),
  }
  return { status, headers: refusal?.headers ?? {}, body }
}

/** Answers an error; Fastify's error handler. */
export function answerFailure(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const { status, headers, body } = failureOf(error, request.id, request.log)
  return reply.code(status).headers(headers).send(body)
}

/** Answers what is no HTTP request, or one that is too long or too slow, before any route knows of it. */
export function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const [status, message, code] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? ([431, 'The address or the headers of the request are too long.', 'too_large'] as const)
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? ([408, 'The request took too long.', 'timeout'] as const)
        : ([400, 'Bad request', 'bad_request'] as const)
  const failure: Failure = { response_code: status, message, message_type: 'error', error_code: code }
  const body = JSON.stringify(failure)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    ...Object.entries(bareHeaders).map(([header, value]) => `${header}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  socket.destroySoon()
}

/** Errors of Fastify and its plugins that a client can do something about; the database makes its own refusals. */
function known(error: unknown): Refusal | null {
  if (typeof error !== 'object' || error === null) return null
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown }
  switch (code) {
    case 'ENOSPC':
      return new Refusal(507, 'The disk of the server is full.', { code: 'disk_full', cause: error })
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Refusal(413, 'The request is too large.', { code: 'too_large' })
    case 'FST_REQ_FILE_TOO_LARGE':
      return new Refusal(413, 'The file is too large.', { code: 'too_large', errors: { file: ['image_too_large'] } })
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_INVALID_MULTIPART_CONTENT_TYPE':
      return unsupportedMedia()
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return new Refusal(400, 'The body is not valid JSON.', { code: 'json_invalid' })
  }
  if (error instanceof SyntaxError && statusCode === 400)
    return new Refusal(400, 'The body is not valid JSON.', { code: 'json_invalid' })
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500)
    return new Refusal(statusCode, 'Bad request', { code: 'bad_request' })
  return null
}

export const unsupportedMedia = () =>
  new Refusal(415, 'Only JSON and, for uploads, multipart bodies are read.', { code: 'unsupported_media' })
