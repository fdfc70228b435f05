/** The typed client: one row of the contract yields the call, its query and mutation options and its keys. */
import type { Api, Call, Failure, Op, OpId, Page, Reply, Send } from '@sightline/contract'
import { awayHeader } from '@sightline/contract/away'
import table from '@sightline/contract/calls.json' with { type: 'json' }
import { type DataTag, mutationOptions, type QueryFunctionContext, queryOptions } from '@tanstack/react-query'
import { failureText, type Message, type Words } from './api-text.ts'

/** Requests that outlive this are given up with the time-out text. */
const timeoutMs = 60_000
/** With a large file; the server gives up after the same time. */
const largeFileMs = 15 * 60_000
/** A read that came too soon is asked again so often, if the server says when to and it is no longer than this. */
const retries = 3
const longestWaitSeconds = 60
/** By chance up to this later, so that a page's reads do not all come back at once. */
const spreadMs = 2000

export type Result<T> =
  | { status: true; data: T; message: Message | null; page: Page | null }
  | { status: false; data: null; message: Message; failure: CallFailed }

/** A call that did not do what was asked; `message` is the text for people. */
export class CallFailed extends Error {
  readonly op: OpId
  /** HTTP status, 0 when no answer came, 408 when it took too long. */
  readonly code: number
  /** The server's error body, null when it sent none. */
  readonly body: Failure | null
  readonly type: Message['type']
  /** It came too soon, and nothing was done: after so many milliseconds the server takes it. Null for any other failure. */
  readonly waitMs: number | null
  /** Set once it was shown, so that a screen and the cache do not both show it. */
  shown = false

  constructor(op: OpId, code: number, body: Failure | null, text: string, waitMs: number | null = null) {
    super(text)
    this.waitMs = waitMs
    this.op = op
    this.code = code
    this.body = body
    this.type = body?.message_type ?? 'error'
  }

  /** Field → message ids. */
  get errors(): Record<string, string[]> {
    return this.body?.errors ?? {}
  }
}

export type ClientEnv = {
  /** Origin and path, or path alone: `/api/v1`. */
  base: string
  csrf: () => string | null
  /** Nobody is at the page: what it reads by itself does not keep the session open. */
  isAway?: () => boolean
  words: Words
  /** A 401 came back: the session is over, if there was one. */
  onUnauthorized: (failure: CallFailed) => void
  /** When the portal says it answered, its `Date` header. */
  onTime?: (date: string | null) => void
  /** An answer had something to say: a notification. */
  onMessage: (message: Message) => void
  /** A read came too soon and is asked again by itself, at the latest after so many seconds. */
  onWait?: (seconds: number) => void
}

/** @property onProgress hears how much of the file is sent, 0…1; a large file may then take its time */
export type CallOptions = { signal?: AbortSignal; file?: Blob; onProgress?: (share: number) => void }

/** Fits `useQuery`, `useSuspenseQuery`, `ensureQueryData` and `setQueryData` alike. */
type Query<T> = {
  queryKey: DataTag<readonly unknown[], T, CallFailed>
  queryFn: (context: QueryFunctionContext) => Promise<T>
  meta: Partial<CallMeta>
}

type Calls<O extends Op> = {
  id: OpId
  /** Never throws but for an abort: the answer, or the failure with its text. */
  call: (input: Send<O>, options?: CallOptions) => Promise<Result<Reply<O>>>
  /** Key of its queries: of all without input, else of that one. */
  key: (input?: Send<O>) => readonly unknown[]
  query: (input: Send<O>) => Query<Reply<O>>
  /** `quiet` shows no message on success, `inline` shows no message on failure: the screen does. */
  mutation: (
    show?: Pick<CallMeta, 'quiet' | 'inline'>,
  ) => ReturnType<typeof mutationOptions<Reply<O>, CallFailed, Send<O>>>
}
export type CallMeta = { op: OpId; quiet?: boolean; inline?: boolean }
export type Client = { [F in keyof Api]: { [K in keyof Api[F]]: Api[F][K] extends Op ? Calls<Api[F][K]> : never } }

declare module '@tanstack/react-query' {
  interface Register {
    defaultError: CallFailed
    mutationMeta: Partial<CallMeta>
    queryMeta: Partial<CallMeta>
  }
}

/** Changes nothing, so that asking again does no harm. */
const isRead = (op: Call): boolean => op.method === 'GET' || op.reads === true

/** Milliseconds after which the server wants to be asked again (429); null when it does not say, or far too late. */
function askedToWait({ status, headers }: Response): number | null {
  const said = headers.get('retry-after')
  const seconds = said === null ? Number.NaN : Number(said)
  return status === 429 && seconds >= 0 && seconds <= longestWaitSeconds ? seconds * 1000 : null
}

/** @throws the reason of the signal when it is aborted meanwhile */
export const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })

const isAbort = (error: unknown) => error instanceof DOMException && error.name === 'AbortError'

/** Address of a GET: nothing for what is absent, lists as one comma-separated value. */
export function addressOf(base: string, op: Call, input: Record<string, unknown>): string {
  if (op.method !== 'GET') return base + op.path
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(input))
    if (value !== undefined && value !== null) query.set(name, Array.isArray(value) ? value.join(',') : String(value))
  return query.size > 0 ? `${base}${op.path}?${query}` : base + op.path
}

function bodyOf(op: Call, input: Record<string, unknown>, file?: Blob): { body?: BodyInit; type?: string } {
  if (op.method === 'GET') return {}
  if (op.kind !== 'upload') return { body: JSON.stringify(input), type: 'application/json' }
  const form = new FormData()
  for (const [name, value] of Object.entries(input)) form.set(name, String(value))
  if (file) form.set('file', file)
  return { body: form }
}

/** As `fetch`, which cannot tell how much is sent; for calls of our own alone. */
const sendWatched =
  (onProgress: (share: number) => void) =>
  (url: string, { method, headers, body, signal }: RequestInit): Promise<Response> =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest()
      request.open(method as string, url)
      for (const [name, value] of Object.entries(headers as Record<string, string>))
        request.setRequestHeader(name, value)
      request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0)
      request.onload = () => resolve(new Response(request.responseText, { status: request.status }))
      request.onerror = () => reject(new TypeError('the connection failed'))
      request.onabort = () => reject(new DOMException('The upload was given up.', 'AbortError'))
      signal?.addEventListener('abort', () => request.abort())
      request.send(body as FormData)
    })

type Envelope = {
  response_code: number
  response: unknown
  message?: string
  message_type?: Message['type']
  page?: Page
}

export function createClient(env: ClientEnv): Client {
  const call = async (
    id: OpId,
    op: Call,
    input: Record<string, unknown>,
    options: CallOptions = {},
    retriesLeft = isRead(op) ? retries : 0,
  ): Promise<Result<unknown>> => {
    const fail = (code: number, body: Failure | null, waitMs: number | null = null) => {
      const failure = new CallFailed(id, code, body, failureText(id, code, body, env.words), waitMs)
      if (code === 401) env.onUnauthorized(failure)
      return { status: false as const, data: null, message: { type: failure.type, text: failure.message }, failure }
    }
    const { body, type } = bodyOf(op, input, options.file)
    const timeout = AbortSignal.timeout(options.onProgress ? largeFileMs : timeoutMs)
    const send = options.onProgress ? sendWatched(options.onProgress) : fetch
    const csrf = env.csrf()
    let response: Response
    let answer: unknown
    try {
      response = await send(addressOf(env.base, op, input), {
        method: op.method,
        credentials: 'include',
        signal: options.signal ? AbortSignal.any([options.signal, timeout]) : timeout,
        headers: {
          accept: 'application/json',
          ...(type ? { 'content-type': type } : {}),
          ...(env.isAway?.() ? { [awayHeader]: '1' } : {}),
          ...(csrf && op.method !== 'GET' ? { 'x-csrf-token': csrf } : {}),
        },
        body,
      })
      env.onTime?.(response.headers.get('date'))
      answer = op.kind === 'file' && response.ok ? await response.blob() : await response.json()
    } catch (error) {
      if (isAbort(error)) throw error
      if (timeout.aborted) return fail(408, null)
      // No connection (code 0), or an answer that is not JSON: a proxy's page instead of the portal's.
      return fail(0, null)
    }
    if (answer instanceof Blob) return { status: true as const, data: answer, message: null, page: null }
    const waitMs = askedToWait(response)
    if (waitMs !== null && retriesLeft > 0) {
      env.onWait?.(Math.ceil((waitMs + spreadMs) / 1000))
      await pause(waitMs + spreadMs * Math.random(), options.signal)
      return call(id, op, input, options, retriesLeft - 1)
    }
    const code = response.status
    if (!response.ok || (answer as Envelope).response_code !== (op.status ?? 200))
      return fail(code, answer as Failure, waitMs)
    const { response: data, message, message_type, page } = answer as Envelope
    const said = message ? { type: message_type ?? 'success', text: message } : null
    const empty = Array.isArray(data) && data.length === 0 ? env.words.empty(id) : null
    return { status: true as const, data, message: said ?? empty, page: page ?? null }
  }

  const bind = (id: OpId, op: Call) => {
    const key = (input?: Record<string, unknown>) => (input === undefined ? id.split('.') : [...id.split('.'), input])
    const answered = <T>(result: Result<T>): Extract<Result<T>, { status: true }> => {
      if (!result.status) throw result.failure
      return result
    }
    return {
      id,
      key,
      call: (input: Record<string, unknown>, options?: CallOptions) => call(id, op, input, options),
      query: (input: Record<string, unknown>) =>
        queryOptions({
          queryKey: key(input),
          meta: { op: id },
          // Its abort signal is left alone on purpose: whoever takes it has the fetch cancelled when the last component
          // looking at it goes, and a loader that waits for the same query would fail with it.
          queryFn: async ({ client, queryKey }) => {
            const { data, message } = answered(await call(id, op, input))
            // Said once: polling the same list again does not repeat it.
            if (message && !client.getQueryState(queryKey)?.dataUpdateCount) env.onMessage(message)
            return data
          },
        }),
      mutation: (show: Pick<CallMeta, 'quiet' | 'inline'> = {}) =>
        mutationOptions({
          mutationKey: key(),
          meta: { op: id, ...show },
          mutationFn: async (input: Record<string, unknown>) => {
            const { data, message } = answered(await call(id, op, input))
            const done = message ?? { type: 'success' as const, text: env.words.pair(id).done }
            if (message || !show.quiet) env.onMessage(done)
            return data
          },
        }),
    }
  }

  const features = Object.entries(table as Record<string, Record<string, Call>>).map(([feature, rows]) => [
    feature,
    Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, bind(`${feature}.${name}` as OpId, row)])),
  ])
  return Object.fromEntries(features) as Client
}
