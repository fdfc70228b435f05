import type { OpId } from '@sightline/contract'
import { defaultOrganizationId } from '@sightline/domain'
import type { FastifyRequest } from 'fastify'
import type { Db, Trx } from './db/database.ts'
import { newUid } from './uid.ts'

/** What a handler adds to the trace row of its call. */
export type Note = {
  /** Who did it, where the request itself does not say: at sign-in. */
  actor?: { tenantId: number; userId: number }
  object_kind?: string
  /** Public id. */
  object_id?: string
  object_name?: string
  /** Changed fields only; without them the row shows what was sent. */
  before?: Record<string, unknown>
  after?: Record<string, unknown>
  /** The handler wrote the row itself: what it did holds only with it. */
  isTraced?: boolean
}

export type Traced = { id: OpId; result: 'ok' | 'refused' | 'failed'; status: number; output?: unknown }

/** For the trace of a change: the fields that differ, as they were and as they are. */
export function changeOf<T extends object>(before: T, after: T): Required<Pick<Note, 'before' | 'after'>> {
  const fields = (Object.keys(after) as (keyof T & string)[]).filter(
    (field) => !bookkeeping.has(field) && JSON.stringify(before[field]) !== JSON.stringify(after[field]),
  )
  const of = (value: T) => Object.fromEntries(fields.map((field) => [field, value[field]]))
  return { before: of(before), after: of(after) }
}
const bookkeeping = new Set(['version', 'updated_at'])

/**
 * Writes the one row that a state change, a sign-in event or a refusal of authority leaves. Rows are only ever added.
 * Secrets are masked. An event of nobody known belongs to the default organization.
 */
export const writeTrace = (db: Db, request: FastifyRequest, entry: Traced) =>
  db.instance((trx) => insertTrace(trx, request, entry))

/** As `writeTrace`, in the transaction of what it tells about: without the row that is not done either. */
export async function insertTrace(trx: Trx, request: FastifyRequest, { id, result, status, output }: Traced) {
  const [feature = ''] = id.split('.')
  const { notes, caller, input } = request
  const actor = notes.actor ?? caller?.principal
  const sent = isRecord(input) ? input : {}
  const answered = isRecord(output) ? output : {}
  const tenantId = actor?.tenantId ?? (await defaultTenant(trx))
  await trx
    .insertInto('trace')
    .values({
      tenant_id: tenantId,
      uid: newUid(),
      code: id === 'auth.login' && result !== 'ok' ? 'auth.login_failed' : id,
      user_id: actor?.userId ?? null,
      session_uid: caller?.principal.sessionUid ?? null,
      request_id: request.id,
      object_kind: notes.object_kind ?? feature,
      object_uid: notes.object_id ?? text(answered[`${feature}_id`] ?? sent[`${feature}_id`]),
      object_name: notes.object_name ?? text(answered[`${feature}_name`] ?? answered.name),
      result,
      response_code: status,
      ip: request.ip,
      before: notes.before ? redacted(notes.before) : null,
      after: redacted(notes.after ?? sent),
    })
    .execute()
}

const defaultTenant = async (trx: Trx) =>
  (
    await trx
      .selectFrom('organization')
      .select('tenant_id')
      .where('uid', '=', defaultOrganizationId)
      .executeTakeFirstOrThrow()
  ).tenant_id

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const text = (value: unknown) => (typeof value === 'string' ? value : null)

const secret = /password|secret|token|csrf|license_key|private_key|^current$|^face_name$/i
const longestJson = 16_384

/** JSON with secrets masked; what is too long for a log is left out and said to be. */
export function redacted(value: Record<string, unknown>): string {
  const json = JSON.stringify(value, (key, item) => (secret.test(key) && item !== null && item !== '' ? '****' : item))
  return json.length > longestJson ? JSON.stringify({ left_out_bytes: json.length }) : json
}
