import { fieldErrors, issueId, type Op } from '@sightline/contract'
import type { FastifyRequest } from 'fastify'
import * as z from 'zod'
import { unsupportedMedia } from './failure.ts'
import { invalid, Refusal } from './refusal.ts'

/** One uploaded file, already in memory: the size limit is kept while reading. */
export type UploadedFile = { filename: string; contentType: string; bytes: Buffer }

/**
 * Reads what the caller sent to a row, and validates it. Throws 400 with the ids of what is wrong per field, 413 for
 * too much and 415 for another kind of body than the row takes.
 */
export async function readInput(row: Op, request: FastifyRequest): Promise<{ input: unknown; file?: UploadedFile }> {
  if (row.kind === 'upload') return readUpload(row, request)
  if (request.isMultipart()) throw unsupportedMedia()
  return { input: validate(row.input, sent(row, request)) }
}

function sent(row: Op, request: FastifyRequest): unknown {
  const params = request.params as Record<string, string>
  if (row.method === 'GET') return { ...params, ...single(request.query) }
  if (row.method !== 'DELETE') return request.body ?? {}
  // Clients send the parameters of a DELETE as the body, wrapped in `data`, or, behind proxies that drop it, as a query.
  return { ...typed(single(request.query)), ...unwrapped(request.body) }
}

/** A query in which every key stands once. */
function single(query: unknown): Record<string, string> {
  const entries = Object.entries(query as Record<string, string | string[]>)
  const repeated = entries.filter(([, value]) => Array.isArray(value)).map(([key]) => key)
  if (repeated.length > 0) throw invalid(Object.fromEntries(repeated.map((key) => [key, ['repeated']])))
  return Object.fromEntries(entries as [string, string][])
}

/** Flags of a DELETE in the query are text there and booleans in the row. */
const typed = (query: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(query).map(([key, value]) => [key, value === 'true' ? true : value === 'false' ? false : value]),
  )

function unwrapped(body: unknown): object {
  if (body === undefined || body === null) return {}
  if (typeof body !== 'object' || Array.isArray(body)) throw invalid({ body: ['type:object'] })
  const { data, ...others } = body as { data?: unknown }
  const isWrapped = typeof data === 'object' && data !== null && Object.keys(others).length === 0
  return isWrapped ? data : body
}

async function readUpload(row: Op, request: FastifyRequest): Promise<{ input: unknown; file: UploadedFile }> {
  if (!request.isMultipart()) throw unsupportedMedia()
  const { fields, file } = await readForm(request).catch((error) => {
    // The parser's own errors are plain ones: no boundary, an end in the middle. Those of the limits have a code.
    const isMalformed = error instanceof Error && !('code' in error)
    throw isMalformed ? new Refusal(400, 'Bad request', { code: 'bad_request', cause: error }) : error
  })
  const input = validate(row.input, fields)
  if (!file) throw invalid({ file: ['required'] })
  return { input, file }
}

async function readForm(request: FastifyRequest) {
  const fields: Record<string, string> = {}
  let file: UploadedFile | undefined
  for await (const part of request.parts()) {
    if (part.type === 'field') fields[part.fieldname] = String(part.value)
    else if (part.fieldname === 'file')
      file = { filename: part.filename, contentType: part.mimetype, bytes: await part.toBuffer() }
    else throw invalid({ [part.fieldname]: ['unknown_property'] })
  }
  return { fields, file }
}

function validate(schema: z.ZodType, value: unknown): unknown {
  refuseUnreadable(value)
  const parsed = z.safeParse(schema, value, { error: issueId })
  if (!parsed.success) throw invalid(fieldErrors(parsed.error))
  return parsed.data
}

/** Deeper than anything that the API takes; checks that call themselves would run out of stack much later. */
const mostLevels = 32

/**
 * Refuses what can be written in JSON but neither stored nor shown: text with U+0000 or half a surrogate pair, and
 * nesting without end.
 * @throws 400 for the first such field
 */
function refuseUnreadable(whole: unknown): void {
  const rest: [value: unknown, path: readonly string[]][] = [[whole, []]]
  const refuse = (path: readonly string[]) => invalid({ [path.join('.') || 'body']: ['invalid'] })
  for (let item = rest.pop(); item; item = rest.pop()) {
    const [value, path] = item
    if (typeof value === 'string' && !isReadable(value)) throw refuse(path)
    if (typeof value !== 'object' || value === null) continue
    if (path.length >= mostLevels) throw refuse(path.slice(0, 1))
    for (const [key, member] of Object.entries(value)) {
      if (!isReadable(key)) throw refuse(path)
      if (typeof member === 'string' || typeof member === 'object') rest.push([member, [...path, key]])
    }
  }
}

const isReadable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')
