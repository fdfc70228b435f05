import type { AccessRule } from '@sightline/domain'
import * as z from 'zod'

/** One line of the API. GET carries `input` in the query string, every other verb as a JSON body, DELETE included. */
export type Op = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: `/${string}`
  summary: string
  /** Who may call it; a row without one does not start (`mount.ts`). */
  access: AccessRule
  input: z.ZodType
  output: z.ZodType
  /** Success code; 200 unless given. Creates answer 201. */
  status?: 201
  /**
   * `upload`: multipart, one file, `input` holds the other fields.
   * `file`: answers bytes instead of the envelope. `socket`: a WebSocket, `output` is one message.
   */
  kind?: 'upload' | 'file' | 'socket'
  /** Of an upload: values of its field `kind`, which is then sent before the file, that go to the disk and not through memory. */
  onDisk?: Record<string, { maxBytes: number; access: AccessRule }>
  /** Changes nothing although its verb is not GET: leaves no trace row. */
  reads?: true
  /** Long answers are sent compressed. Not where an answer holds a secret: its length would tell it (BREACH). */
  compressed?: true
  /** Calls a minute of one person, or from one address while nobody is signed in, where that is less than the general limit. */
  perMinute?: number
}

/** What a caller needs of a row to call it. */
export type Call = Pick<Op, 'method' | 'path' | 'status' | 'kind' | 'reads'>

/** Keeps literal types of a row. */
export const op = <const O extends Op>(row: O): O => row

/** What a caller writes (before defaults and coercion), and what a handler receives (after). */
export type Send<O extends Op> = z.input<O['input']>
export type Receive<O extends Op> = z.output<O['input']>
export type Reply<O extends Op> = z.output<O['output']>

/** Position in a longer list; `total` is null above 10,000. */
export const page = z
  .object({
    limit: z.int(),
    offset: z.int(),
    total: z.int().nullable(),
    next_page_token: z.string().nullable(),
  })
  .meta({ id: 'Page' })
export type Page = z.infer<typeof page>

export const envelope = <T extends z.ZodType>(response: T) =>
  z.object({
    response_code: z.int(),
    response,
    message: z.string().optional(),
    message_type: z.enum(['success', 'error', 'warning', 'info']).optional(),
    page: page.optional(),
  })

/** Every refusal, whatever its cause. `errors` maps a field to message ids, translated by the reader. */
export const failure = z
  .object({
    response_code: z.int(),
    response: z.null().optional(),
    message: z.string(),
    message_type: z.enum(['success', 'error', 'warning', 'info']).optional(),
    errors: z.record(z.string(), z.array(z.string())).optional(),
    error: z.string().optional(),
    error_code: z.string().optional(),
    args: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
    request_id: z.string().optional(),
    retryable: z.boolean().optional(),
  })
  .meta({ id: 'Failure' })
export type Failure = z.infer<typeof failure>
