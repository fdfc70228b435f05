import { fieldErrors, issueId, type Op } from '@sightline/contract'
import type { FastifyRequest } from 'fastify'
import * as z from 'zod'
import { unsupportedMedia } from './failure.ts'
import { invalid } from './refusal.ts'

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
  const fields: Record<string, string> = {}
  let file: UploadedFile | undefined
  for await (const part of request.parts()) {
    if (part.type === 'field') fields[part.fieldname] = String(part.value)
    else if (part.fieldname === 'file')
      file = { filename: part.filename, contentType: part.mimetype, bytes: await part.toBuffer() }
    else throw invalid({ [part.fieldname]: ['unknown_property'] })
  }
  const input = validate(row.input, fields)
  if (!file) throw invalid({ file: ['required'] })
  return { input, file }
}

function validate(schema: z.ZodType, value: unknown): unknown {
  const parsed = z.safeParse(schema, value, { error: issueId })
  if (!parsed.success) throw invalid(fieldErrors(parsed.error))
  return parsed.data
}
