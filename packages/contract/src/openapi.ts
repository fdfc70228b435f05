import { permissions } from '@sightline/domain'
import * as z from 'zod'
import { api } from './index.ts'
import { envelope, failure, type Op } from './op.ts'

type Json = Record<string, unknown>

/**
 * The table of operations as an OpenAPI 3.1 document. Entities become components; a refinement, which JSON Schema cannot
 * say, is left to the answer's `errors`.
 */
export function openapi(apiBase = '/api/v1'): Json {
  const schemas: Json = {}
  const use = (schema: z.ZodType, io: 'input' | 'output'): Json => {
    const { json, defs } = jsonSchema(schema, io)
    Object.assign(schemas, defs)
    return json
  }
  const paths: Record<string, Json> = {
    '/openapi.json': {
      get: {
        operationId: 'root.openapi',
        tags: ['root'],
        summary: 'This document',
        'x-access': 'public',
        security: [],
        responses: {
          200: { description: 'OpenAPI 3.1', content: { 'application/json': { schema: { type: 'object' } } } },
        },
      },
    },
  }
  const failed = {
    description: 'Refused or failed',
    content: { 'application/json': { schema: use(failure, 'output') } },
  }
  for (const [feature, rows] of Object.entries(api))
    for (const [name, row] of Object.entries(rows as Record<string, Op>)) {
      const input = use(row.input, 'input')
      const path = paths[row.path] ?? {}
      paths[row.path] = path
      path[row.method.toLowerCase()] = {
        operationId: `${feature}.${name}`,
        tags: [feature],
        summary: row.summary,
        'x-access': row.access,
        'x-roles': row.access === 'public' ? [] : permissions[row.access],
        ...(row.access === 'public' ? { security: [] } : {}),
        ...request(row, input),
        responses: { ...success(row, use), ...refusals(row), default: failed },
      }
    }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sightline',
      version: '1',
      description:
        'Every answer is an envelope of response_code and response. Refusals carry a message and, per field, message ids. ' +
        'DELETE takes its parameters as a JSON body, as the same body wrapped in data, or as query parameters.',
    },
    servers: [{ url: apiBase }],
    security: [{ session: [], csrf: [] }],
    paths,
    components: {
      schemas,
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: '__Host-sightline' },
        csrf: {
          type: 'apiKey',
          in: 'header',
          name: 'X-CSRF-Token',
          description: 'csrf_token of GET /user/info or of the sign-in; on every method but GET',
        },
      },
    },
  }
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): { json: Json; defs: Json } {
  const whole = z.toJSONSchema(schema, { io, target: 'draft-2020-12', unrepresentable: 'any' }) as Json
  const { $schema: _, $defs: defs, ...json } = relink(whole, io) as Json
  const named = Object.entries((defs ?? {}) as Json).map(([id, value]) => [componentName(id, io), value])
  return { json, defs: Object.fromEntries(named) }
}

/** What is sent to an entity's schema and what it answers may differ, by defaults; so they are two components. */
const componentName = (id: string, io: 'input' | 'output') =>
  // The one schema without a name that refers to itself: any JSON value.
  id === '__schema0' ? 'Json' : io === 'input' ? `${id}Input` : id

/** `$defs` of each schema are lifted into the document's components, and lose the `id` that named them. */
function relink(value: unknown, io: 'input' | 'output'): unknown {
  if (Array.isArray(value)) return value.map((item) => relink(item, io))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, item]) => !(key === 'id' && typeof item === 'string'))
      .map(([key, item]) =>
        key === '$ref' && typeof item === 'string'
          ? [key, `#/components/schemas/${componentName(item.replace('#/$defs/', ''), io)}`]
          : [key, relink(item, io)],
      ),
  )
}

function request(row: Op, input: Json): Json {
  if (row.method === 'GET') return { parameters: parameters(input, row.path) }
  if (row.kind !== 'upload')
    return { requestBody: { required: row.method !== 'DELETE', content: { 'application/json': { schema: input } } } }
  const properties = { ...(input.properties as Json), file: { type: 'string', contentMediaType: 'image/*' } }
  const schema = { ...input, properties, required: [...((input.required as string[]) ?? []), 'file'] }
  return { requestBody: { required: true, content: { 'multipart/form-data': { schema } } } }
}

function parameters(input: Json, path: string): Json[] {
  const required = (input.required ?? []) as string[]
  return Object.entries((input.properties ?? {}) as Json).map(([name, schema]) => {
    const isInPath = path.includes(`{${name}}`)
    return { name, in: isInPath ? 'path' : 'query', required: isInPath || required.includes(name), schema }
  })
}

function success(row: Op, use: (schema: z.ZodType, io: 'input' | 'output') => Json): Json {
  if (row.kind === 'file') return { 200: { description: 'The bytes', content: { '*/*': {} } } }
  if (row.kind === 'socket')
    return { 101: { description: 'A WebSocket of text messages', 'x-message': use(row.output, 'output') } }
  const schema = use(envelope(row.output), 'output')
  return { [row.status ?? 200]: { description: row.summary, content: { 'application/json': { schema } } } }
}

/** The refusals that any call of this row may meet; bodies are as under `default`. */
function refusals(row: Op): Json {
  const isFor = (status: number, description: string) => [status, { description }] as const
  return Object.fromEntries([
    isFor(400, 'Input refused; errors has the fields'),
    ...(row.access === 'public' ? [] : [isFor(401, 'Nobody is signed in')]),
    ...(row.access === 'public' || row.access === 'viewer_and_above' ? [] : [isFor(403, 'The role does not allow it')]),
    isFor(404, 'Not there, or out of reach'),
    isFor(429, 'Too many calls; Retry-After says when'),
  ])
}
