/** A request refused with words. Thrown anywhere below a handler, mapped to the envelope by `mount.ts`. */
export class Refusal extends Error {
  readonly status: number
  /** Field → message ids. */
  readonly errors: Record<string, string[]> | undefined
  /** A stable id that screens translate, where the operation's own message is not enough. */
  readonly code: string | undefined
  readonly args: Record<string, string | number> | undefined
  readonly headers: Record<string, string> | undefined

  constructor(
    status: number,
    message: string,
    more: {
      errors?: Record<string, string[]>
      code?: string
      args?: Record<string, string | number>
      headers?: Record<string, string>
      cause?: unknown
    } = {},
  ) {
    super(message, { cause: more.cause })
    this.status = status
    this.errors = more.errors
    this.code = more.code
    this.args = more.args
    this.headers = more.headers
  }
}

/** What does not exist and what the caller cannot reach answer alike. */
export const notFound = () => new Refusal(404, 'Not found', { code: 'not_found' })
export const invalid = (errors: Record<string, string[]>) => new Refusal(400, 'Error in inputs', { errors })
export const stale = () => new Refusal(412, 'Changed by someone else in the meantime', { code: 'stale_version' })

/** Refuses a change that was made on an older state than the stored one. @throws 412 */
export function refuseStale(stored: { version: number }, sent: number | undefined): void {
  if (sent !== undefined && sent !== stored.version) throw stale()
}
/** Refuses what the caller's role allows in general but not here. */
export const forbidden = (code = 'forbidden') => new Refusal(403, 'Forbidden', { code })

/** Does something with each, one after the other and each by itself: what is refused to one is done for the rest. */
export async function eachByItself<Item, Outcome>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<Outcome>,
  refused: (item: Item, why: Refusal) => Outcome,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const item of items)
    outcomes.push(
      await work(item).catch((error: unknown) => {
        if (error instanceof Refusal) return refused(item, error)
        throw error
      }),
    )
  return outcomes
}
