import type { Failure, OpId } from '@sightline/contract'

export type MessageType = 'success' | 'error' | 'warning' | 'info'
export type Message = { type: MessageType; text: string }
export type Pair = { done: string; failed: string }

/** The language's side of the client; `i18n/` implements it. */
export type Words = {
  pair: (op: OpId) => Pair
  /** Text of a refusal with a stable id, null when the catalogue does not know it. */
  refusal: (code: string, args?: Record<string, string | number>) => string | null
  /** Text of a field's message id, `greater_than:0` included. */
  field: (id: string) => string
  /** What an empty list says, null when it says nothing. */
  empty: (op: OpId) => Message | null
  timeout: () => string
  /** That what is read comes by itself, in so many seconds at the latest. */
  waits: (seconds: number) => string
}

/** Calls that open, read or end a session: the server writes `Unauthorized: detail`, people read what stands before the colon. */
const sessionCalls: readonly OpId[] = ['auth.login', 'auth.logout', 'user.info', 'user.sessions', 'user.sessionRevoke']

/** Calls to the authentication service: the server's text follows that call's own, after ':: '. */
const authUserCalls: readonly OpId[] = [
  'user.register',
  'user.list',
  'user.id',
  'user.update',
  'user.delete',
  'user.config',
  'user.configReplace',
  'user.configUpdate',
  'user.password',
]

/** What the server says: field errors first, then an error string, then a message. */
export function serverText(body: Failure, words: Words): string | null {
  const fields = Object.values(body.errors ?? {}).flat()
  if (fields.length > 0) return [...new Set(fields.map(words.field))].join(' · ')
  const known = body.error_code ? words.refusal(body.error_code, body.args) : null
  return known || body.error || body.message || null
}

/**
 * What a person reads about a failed call.
 * @param code HTTP status; 0 when no answer came, 408 when it took too long
 */
export function failureText(op: OpId, code: number, body: Failure | null, words: Words): string {
  const { failed } = words.pair(op)
  if (code === 408 || code === 504) return words.timeout()
  if (code === 401 && sessionCalls.includes(op) && body?.message) {
    const [head = body.message] = body.message.split(':')
    return head === 'Unauthorized' ? (words.refusal('unauthorized') ?? head) : head
  }
  const said = body && serverText(body, words)
  if (!said) return failed
  return authUserCalls.includes(op) ? `${failed}:: ${said}` : said
}
