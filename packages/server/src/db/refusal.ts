import { invalid, Refusal } from '../refusal.ts'

/** What the driver throws for an answer of the server; others are errors of the connection. */
type ServerError = Error & { code?: string; constraint?: string }

const unavailable = (error: unknown) =>
  new Refusal(503, 'The database does not answer, try again later.', {
    code: 'database_unavailable',
    headers: { 'retry-after': '5' },
    cause: error,
  })

const connectionLost =
  /^(ECONNREFUSED|ECONNRESET|ENOENT|EPIPE|ETIMEDOUT)$|Connection terminated|timeout exceeded when trying to connect|not queryable|Client has encountered a connection error|driver has already been destroyed|Cannot use a pool after calling end/

/**
 * Makes a refusal of what can go wrong in the database without anybody's fault in the code; anything else comes back
 * as it is. A unique constraint named `table__field__message` becomes that field error.
 */
export function refusalOf(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof Refusal) return error
  const { code = '', constraint = '', message } = error as ServerError
  switch (true) {
    case code === '23505': {
      const [, field, id] = constraint.split('__')
      if (field && id) return invalid({ [field]: [id] })
      // Rules of the system itself: only two who do the same at the same moment can break them.
      return new Refusal(409, 'Somebody else did the same at this moment, try again.', {
        code: 'conflict',
        cause: error,
      })
    }
    case code === '23503':
      return new Refusal(409, 'Something else still needs it, or it was deleted in the meantime', {
        code: 'in_use',
        cause: error,
      })
    // disk full · out of memory
    case code === '53100':
    case code === '53200':
      return new Refusal(507, 'The disk of the database is full.', { code: 'disk_full', cause: error })
    // cancelled for time · lock not had · deadlock · serialization: all go away by themselves
    case ['57014', '55P03', '40P01', '40001'].includes(code):
    // connection exceptions · too many connections · shutdown, crash, starting up · read-only after a fail-over
    case /^(08|53300|57P0|25006)/.test(code):
    case connectionLost.test(code) || connectionLost.test(message):
      return unavailable(error)
    default:
      return error
  }
}

/** What the database itself answered, whether a refusal was made of it or not. */
export function serverAnswer(error: unknown): { code?: string; constraint?: string } {
  const answer = error instanceof Refusal ? error.cause : error
  return (answer ?? {}) as ServerError
}

/** Whether a refusal says that the database is away, and not that the data is wrong. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof Refusal && (error.status === 503 || error.status === 507)
