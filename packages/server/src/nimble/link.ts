/** The portal's end of one open link: questions and answers, pictures, and the watch over whether it still lives. */
import {
  laterQuestions,
  linkPingSeconds,
  linkPingsMissed,
  type NimbleMessage,
  nimbleMessage,
  type PortalMessage,
} from '@sightline/contract/edge'
import { decodeMedia, encodeMedia, FrameError, frameKinds, type MediaPart } from '@sightline/contract/frame'
import { Refusal } from '../refusal.ts'
import type { Dialled } from './dial.ts'

type Type = NimbleMessage['type']
type Of<T extends Type> = Extract<NimbleMessage, { type: T }>
/** A message of the portal, without the number that `ask` gives it. */
type Question = PortalMessage extends infer M ? (M extends { id: number } ? Omit<M, 'id'> : never) : never

/** What comes without having been asked for. */
export type LinkListener = {
  message(message: NimbleMessage): void
  /** An event frame. */
  records(frame: Uint8Array): void
  /** Portal clock minus edge clock. */
  clock(offsetMs: number, roundTripMs: number): void
  /** Something is wrong with what the nimble says; for the log. */
  odd(what: string): void
  closed(): void
}

export type LiveSink = {
  started(mime: string): void
  part(part: MediaPart, bytes: Buffer): void
  ended(cause: string | null): void
}

/** What becomes of the answers to one question. */
type Exchange = {
  hear(message: NimbleMessage): void
  take?(part: MediaPart, bytes: Buffer): void
  /** The link ends first. */
  fail(): void
}

/** What an answer may hold at most: a clip of a minute. */
const mostMediaBytes = 64 * 1024 * 1024
const answerMs = 10_000
/** All of a picture or clip, however steadily it comes: one that trickles keeps others waiting. */
const wholeAnswerMs = 60_000

export class Link {
  readonly #socket: Dialled['socket']
  readonly #listener: LinkListener
  #lastId = 0
  /** By the number of the question. */
  readonly #exchanges = new Map<number, Exchange>()
  #heardAt = performance.now()
  readonly #heartbeat: NodeJS.Timeout
  #isClosed = false
  /** Of the questions that not every version answers, those that this one does. */
  #answers: readonly string[] = []

  constructor({ socket, pipe }: Dialled, listener: LinkListener) {
    this.#socket = socket
    this.#listener = listener
    this.#heartbeat = setInterval(() => this.#beat(), linkPingSeconds * 1000)
    socket.on('close', () => this.#ended())
    pipe.release((data) => this.#receive(data))
    if (socket.readyState !== socket.OPEN) this.#ended()
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  send(message: PortalMessage): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(JSON.stringify(message))
  }

  /** Answers a question of the nimble with bytes. */
  sendBytes(stream: number, bytes: Uint8Array): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(encodeMedia(stream, 'bytes', bytes))
  }

  ping(): void {
    this.send({ type: 'ping', at: Date.now() })
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason)
    setTimeout(() => this.#socket.terminate(), 1000).unref()
  }

  /**
   * Asks and waits for the answer of type `last`; other answers to the same question go to `hear`. An aborted discovery
   * is told to stop, and still answers.
   * @throws Refusal 409 when it is too old to know the question, 503 when the link ends, 504 when the answer takes too long
   */
  ask<T extends Type>(
    question: Question,
    last: T,
    options: { timeoutMs?: number; hear?: (message: NimbleMessage) => void; signal?: AbortSignal } = {},
  ): Promise<Of<T>> {
    const { timeoutMs = answerMs, hear, signal } = options
    if (isLater(question.type) && !this.#answers.includes(question.type)) return Promise.reject(tooOld())
    const id = this.#nextId()
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void) => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
        this.#exchanges.delete(id)
        finish()
      }
      const abort = () => this.send({ type: 'discover.stop', id })
      const timer = setTimeout(() => settle(() => reject(tooSlow())), timeoutMs)
      signal?.addEventListener('abort', abort)
      this.#begin(id, question, {
        hear: (message) => {
          if (message.type === last) settle(() => resolve(message as Of<T>))
          else hear?.(message)
        },
        fail: () => settle(() => reject(unreachable())),
      })
      if (signal?.aborted) abort()
    })
  }

  /** Asks for a picture or a clip. @throws Refusal as `ask`, and 502 with the cause when there is none */
  fetch(question: Question): Promise<{ contentType: string; bytes: Buffer; at: number }> {
    const id = this.#nextId()
    return new Promise((resolve, reject) => {
      let head: Of<'media'> | null = null
      const parts: Buffer[] = []
      let received = 0
      const settle = (finish: () => void) => {
        clearTimeout(timer)
        clearTimeout(whole)
        this.#exchanges.delete(id)
        finish()
      }
      const late = () => settle(() => reject(tooSlow()))
      const timer = setTimeout(late, answerMs)
      const whole = setTimeout(late, wholeAnswerMs)
      const advance = () => {
        if (received > mostMediaBytes || (head?.size ?? 0) > mostMediaBytes)
          return settle(() => reject(new Refusal(502, 'The picture is too large', { code: 'media_too_large' })))
        if (!head || received < head.size) return
        const { content_type, size, at } = head
        settle(() => resolve({ contentType: content_type, bytes: Buffer.concat(parts).subarray(0, size), at }))
      }
      this.#begin(id, question, {
        hear: (message) => {
          if (message.type !== 'media') return
          const { cause } = message
          if (cause !== null)
            return settle(() => reject(new Refusal(502, 'The edge server has no picture', { code: cause })))
          if (!head) timer.refresh()
          head ??= message
          advance()
        },
        take: (_, bytes) => {
          // A part with nothing in it is no progress.
          if (bytes.length === 0) return
          timer.refresh()
          parts.push(bytes)
          received += bytes.length
          advance()
        },
        fail: () => settle(() => reject(unreachable())),
      })
    })
  }

  /** Answers the function that ends it. After `ended` nothing more comes. */
  live(sourceId: string, mode: 'fmp4' | 'mjpeg', sink: LiveSink): () => void {
    const id = this.#nextId()
    const end = (cause: string | null) => {
      this.#exchanges.delete(id)
      sink.ended(cause)
    }
    this.#begin(
      id,
      { type: 'live.start', source_id: sourceId, mode },
      {
        hear: (message) => {
          if (message.type === 'live.started') sink.started(message.mime)
          else if (message.type === 'live.ended') end(message.cause)
        },
        take: sink.part,
        fail: () => end('nimble_unreachable'),
      },
    )
    return () => {
      this.#exchanges.delete(id)
      this.send({ type: 'live.stop', id })
    }
  }

  #begin(id: number, question: Question, exchange: Exchange) {
    this.#exchanges.set(id, exchange)
    if (this.#isClosed) exchange.fail()
    else this.send({ ...question, id } as PortalMessage)
  }

  #nextId(): number {
    // Also the number of a media stream, which has 32 bits.
    this.#lastId = (this.#lastId % 0xffff_ffff) + 1
    return this.#lastId
  }

  #beat() {
    if (performance.now() - this.#heardAt > linkPingsMissed * linkPingSeconds * 1000) this.#socket.terminate()
    else this.ping()
  }

  #ended() {
    if (this.#isClosed) return
    this.#isClosed = true
    clearInterval(this.#heartbeat)
    for (const exchange of [...this.#exchanges.values()]) exchange.fail()
    this.#listener.closed()
  }

  #receive(data: unknown) {
    // Any sign of life counts: on a slow line a pong waits behind pictures.
    this.#heardAt = performance.now()
    if (typeof data === 'string') return this.#receiveMessage(data)
    const bytes = data as Buffer
    if (bytes[0] === frameKinds.events) return this.#listener.records(bytes)
    try {
      const { stream, part, payload } = decodeMedia(bytes)
      this.#exchanges.get(stream)?.take?.(part, payload as Buffer)
    } catch (error) {
      if (!(error instanceof FrameError)) throw error
      this.#listener.odd(error.message)
    }
  }

  #receiveMessage(text: string) {
    const message = parse(text)
    if (message === null) return this.#listener.odd(`a message that is not understood, ${text.length} characters`)
    if (message.type === 'pong') return this.#clock(message)
    if ('id' in message && typeof message.id === 'number') return this.#exchanges.get(message.id)?.hear(message)
    if (message.type === 'state') this.#answers = message.answers
    this.#listener.message(message)
  }

  /** From the four times of a ping (as NTP, RFC 5905 section 8). */
  #clock({ at, received, sent }: Of<'pong'>) {
    const now = Date.now()
    const offsetMs = (at - received + (now - sent)) / 2
    const roundTripMs = now - at - (sent - received)
    this.send({ type: 'clock', offset_ms: offsetMs, round_trip_ms: roundTripMs })
    this.#listener.clock(offsetMs, roundTripMs)
  }
}

function parse(text: string): NimbleMessage | null {
  try {
    const parsed = nimbleMessage.safeParse(JSON.parse(text))
    return parsed.success ? parsed.data : null
  } catch {
    // Not JSON; the caller says so.
    return null
  }
}

const isLater = (type: string): boolean => (laterQuestions as readonly string[]).includes(type)

export const unreachable = () =>
  new Refusal(
    503,
    'Either nimble ingestion service restarting or recovering from connection issues, try again later.',
    { code: 'nimble_unreachable' },
  )
const tooOld = () =>
  new Refusal(409, 'The edge server runs an older version that cannot do this.', { code: 'nimble_too_old' })
export const tooSlow = () => new Refusal(504, 'The edge server did not answer in time.', { code: 'nimble_timeout' })
