import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { MultipartFile } from '@fastify/multipart'
import { fieldErrors, issueId, type Op } from '@sightline/contract'
import { allows, imageMaxBytes } from '@sightline/domain'
import type { FastifyRequest } from 'fastify'
import * as z from 'zod'
import { unsupportedMedia } from './failure.ts'
import { forbidden, invalid, Refusal } from './refusal.ts'

/** One uploaded file; the size limit was kept while reading. */
export type UploadedFile = { filename: string; contentType: string } & ({ bytes: Buffer } | FileOnDisk)
/** A large one, under a name of our own; whoever wants to keep it moves it away before the call is answered. */
export type FileOnDisk = { file: string; size: number; sha256: string }

/**
 * Reads what the caller sent to a row, and validates it. Throws 400 with the ids of what is wrong per field, 413 for
 * too much and 415 for another kind of body than the row takes.
 */
export async function readInput(
  row: Op,
  request: FastifyRequest,
  dataDir: string,
): Promise<{ input: unknown; file?: UploadedFile }> {
  if (row.kind === 'upload') return readUpload(row, request, dataDir)
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

async function readUpload(
  row: Op,
  request: FastifyRequest,
  dataDir: string,
): Promise<{ input: unknown; file: UploadedFile }> {
  if (!request.isMultipart()) throw unsupportedMedia()
  const { fields, file } = await readForm(row, request, dataDir).catch((error) => {
    // The parser's own errors are plain ones: no boundary, an end in the middle. Those of the limits have a code.
    const isMalformed = error instanceof Error && !('code' in error)
    throw isMalformed ? new Refusal(400, 'Bad request', { code: 'bad_request', cause: error }) : error
  })
  try {
    const input = validate(row.input, fields)
    if (!file) throw invalid({ file: ['required'] })
    return { input, file }
  } catch (error) {
    await dropUpload(file)
    throw error
  }
}

async function readForm(row: Op, request: FastifyRequest, dataDir: string) {
  const fields: Record<string, string> = {}
  let file: UploadedFile | undefined
  const largest = Math.max(imageMaxBytes - 1, ...Object.values(row.onDisk ?? {}).map(({ maxBytes }) => maxBytes))
  try {
    for await (const part of request.parts({ limits: { fileSize: largest } })) {
      if (part.type === 'field') fields[part.fieldname] = String(part.value)
      else if (part.fieldname !== 'file') throw invalid({ [part.fieldname]: ['unknown_property'] })
      else file = await readFile(row, request, part, fields.kind ?? '', dataDir)
    }
    return { fields, file }
  } catch (error) {
    await dropUpload(file)
    throw error
  }
}

async function readFile(
  row: Op,
  request: FastifyRequest,
  part: MultipartFile,
  kind: string,
  dataDir: string,
): Promise<UploadedFile> {
  const about = { filename: part.filename, contentType: part.mimetype }
  const large = Object.hasOwn(row.onDisk ?? {}, kind) ? row.onDisk?.[kind] : undefined
  if (!large) return { ...about, bytes: await inMemory(part.file, imageMaxBytes - 1) }
  if (!allows(large.access, request.caller?.principal.role ?? null)) throw forbidden()
  return { ...about, ...(await onDisk(part.file, dataDir)) }
}

async function inMemory(stream: Readable, most: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream) {
    size += chunk.length
    if (size > most) throw tooLarge('image_too_large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

async function onDisk(stream: MultipartFile['file'], dataDir: string): Promise<FileOnDisk> {
  const folder = join(dataDir, 'uploads')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, randomUUID())
  const hash = createHash('sha256')
  let size = 0
  try {
    await pipeline(
      stream,
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          size += chunk.length
          hash.update(chunk)
          yield chunk
        }
      },
      createWriteStream(file, { mode: 0o600, flush: true }),
    )
    if (stream.truncated) throw tooLarge('file_too_large')
    return { file, size, sha256: hash.digest('hex') }
  } catch (error) {
    await rm(file, { force: true })
    throw error
  }
}

const tooLarge = (id: string) =>
  new Refusal(413, 'The file is too large.', { code: 'too_large', errors: { file: [id] } })

/** Removes a large file that nobody took. */
export async function dropUpload(file: UploadedFile | undefined): Promise<void> {
  if (file && 'file' in file) await rm(file.file, { force: true })
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
