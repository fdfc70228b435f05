/**
 * Links that another portal holds. A call to an edge server goes to all portals over the wire, the one that holds the link
 * says that it took it, and hands on what comes back: answers, pictures, the live stream.
 */
import { randomUUID } from 'node:crypto'
import type { NimbleMessage, Overlay } from '@sightline/contract/edge'
import type { MediaPart } from '@sightline/contract/frame'
import { Refusal } from '../refusal.ts'
import type { Wire } from '../wire.ts'
import { type Link, type LiveSink, tooSlow, unreachable } from './link.ts'
import type { LiveMode } from './links.ts'

/** What one can ask of an edge server, over whichever portal. */
export type AnyLink = Pick<Link, 'ask' | 'fetch' | 'live'>
type Question = Parameters<Link['fetch']>[0]

/** A call and what belongs to it; `id` is the call's. */
export type LinkCall = { kind: 'link'; id: string } & (
  | { step: 'ask'; nimble: string; question: Question; last: NimbleMessage['type']; timeoutMs: number | undefined }
  | { step: 'fetch'; nimble: string; question: Question }
  | { step: 'live'; nimble: string; source: string; mode: LiveMode }
  /** By the one who called: nobody waits any more. */
  | { step: 'stop' }
  /** By the one who called, while it looks at a live stream. */
  | { step: 'still' }
  | Answer
)
type Answer =
  /** The link is here; also that it still is. */
  | { step: 'taken' }
  /** By the portal that has the lease of the edge server: it is not connected. */
  | { step: 'away' }
  | { step: 'heard'; message: NimbleMessage }
  | { step: 'done'; message: NimbleMessage }
  | { step: 'picture'; contentType: string; bytes: string; at: number }
  | { step: 'refused'; status: number; message: string; code: string | undefined }
  | { step: 'started'; mime: string }
  | { step: 'part'; part: MediaPart; bytes: string }
  | { step: 'overlay'; overlay: Overlay }
  | { step: 'ended'; cause: string | null }

/** Nobody has the link when nobody says so in this time. */
const takenMs = 2000
/** And in this time once one says that it has the lease and no link: the edge server may just have dialled another. */
const awayMs = 500
const beatMs = 4000
/** The other portal died. */
const silentMs = 12_000
const answerMs = 60_000
/** While so much waits for the other portals a live picture is left out, up to the next that stands alone. */
export const liveBacklogBytes = 4 * 1024 * 1024

/**
 * @param here the link to an edge server that this portal holds; `away` where it has the lease and the edge server is not
 *   connected @param onOverlay of a live stream from elsewhere
 */
export function createRemote(
  wire: Wire,
  here: (nimbleUid: string) => Link | 'away' | null,
  onOverlay: (nimbleUid: string, mode: LiveMode, overlay: Overlay) => void,
) {
  /** Calls of this portal. */
  const waiting = new Map<string, (answer: Answer) => void>()
  /** Calls that this portal serves. */
  const served = new Map<string, Served>()
  const send = (id: string, step: Steps) => wire.send({ kind: 'link', id, ...step } as LinkCall)

  wire.hear((message) => {
    if (message.kind !== 'link') return
    const { id } = message
    switch (message.step) {
      case 'ask':
      case 'fetch':
      case 'live': {
        const link = here(message.nimble)
        if (!link) return
        if (link === 'away') return send(id, { step: 'away' })
        send(id, { step: 'taken' })
        if (message.step === 'live') serveLive(id, link, message)
        else serveOnce(id, link, message)
        return
      }
      case 'stop':
        served.get(id)?.end()
        served.delete(id)
        return
      case 'still':
        served.get(id)?.still()
        return
      default:
        waiting.get(id)?.(message)
    }
  })

  function serveOnce(id: string, link: Link, call: Extract<LinkCall, { step: 'ask' | 'fetch' }>): void {
    const over = new AbortController()
    served.set(id, { end: () => over.abort(), still: () => undefined })
    const work =
      call.step === 'fetch'
        ? link.fetch(call.question).then(({ contentType, bytes, at }) => {
            send(id, { step: 'picture', contentType, bytes: bytes.toString('base64'), at })
          })
        : link
            .ask(call.question, call.last, {
              ...(call.timeoutMs !== undefined && { timeoutMs: call.timeoutMs }),
              signal: over.signal,
              hear: (message) => send(id, { step: 'heard', message }),
            })
            .then((message) => send(id, { step: 'done', message }))
    work
      .catch((error: unknown) => {
        const refusal = error instanceof Refusal ? error : unreachable()
        send(id, { step: 'refused', status: refusal.status, message: refusal.message, code: refusal.code })
      })
      .finally(() => served.delete(id))
  }

  function serveLive(id: string, link: Link, { source, mode, nimble }: Extract<LinkCall, { step: 'live' }>): void {
    const isBehind = () => wire.queuedBytes() > liveBacklogBytes
    let skipping = true
    const beat = setInterval(() => send(id, { step: 'taken' }), beatMs)
    const silence = setTimeout(() => served.get(id)?.end(), silentMs)
    const finish = () => {
      clearInterval(beat)
      clearTimeout(silence)
      served.delete(id)
    }
    // Before the link is asked: it may say at once that it cannot.
    let stop: () => void = () => undefined
    served.set(id, {
      end() {
        finish()
        stop()
      },
      still: () => void silence.refresh(),
      overlay(overlay) {
        if (!isBehind()) send(id, { step: 'overlay', overlay })
      },
      shows: { nimble, source },
    })
    stop = link.live(source, mode, {
      started: (mime) => send(id, { step: 'started', mime }),
      part(part, bytes) {
        // Small, and nothing after it can be decoded without it.
        if (part === 'init') skipping = true
        else if (isBehind()) skipping = true
        else if (part !== 'fragment') skipping = false
        if (part === 'init' || !skipping) send(id, { step: 'part', part, bytes: bytes.toString('base64') })
      },
      ended(cause) {
        finish()
        send(id, { step: 'ended', cause })
      },
    })
  }

  /** Begins a call; what comes goes to `hear` until `close`. `lost` when nobody takes it. */
  function begin(step: Steps, hear: (answer: Answer) => void, lost: () => void) {
    const id = randomUUID()
    const giveUp = () => {
      close()
      lost()
    }
    let timer: NodeJS.Timeout | null = setTimeout(giveUp, takenMs)
    const stopWaiting = () => {
      if (timer) clearTimeout(timer)
      timer = null
    }
    const close = () => {
      stopWaiting()
      waiting.delete(id)
    }
    waiting.set(id, (answer) => {
      if (answer.step === 'taken') stopWaiting()
      else if (answer.step === 'away' && timer) {
        clearTimeout(timer)
        timer = setTimeout(giveUp, awayMs)
      }
      hear(answer)
    })
    send(id, step)
    return { id, close }
  }

  const settled = <T>(
    step: Steps,
    timeoutMs: number,
    settle: (answer: Answer, resolve: (value: T) => void) => void,
    signal?: AbortSignal,
  ): Promise<T> =>
    new Promise((resolve, reject) => {
      const finish = (end: () => void) => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
        call.close()
        end()
      }
      const call = begin(
        step,
        (answer) => {
          if (answer.step === 'refused') {
            const { status, message, code } = answer
            finish(() => reject(new Refusal(status, message, code === undefined ? {} : { code })))
          } else settle(answer, (value) => finish(() => resolve(value)))
        },
        () => finish(() => reject(unreachable())),
      )
      // The portal that asks for us gives up first, with its own words.
      const timer = setTimeout(() => finish(() => reject(tooSlow())), timeoutMs + takenMs)
      const abort = () => send(call.id, { step: 'stop' })
      signal?.addEventListener('abort', abort)
      if (signal?.aborted) abort()
    })

  const to = (nimble: string): AnyLink => ({
    ask: (question, last, { timeoutMs, hear, signal } = {}) =>
      settled(
        { step: 'ask', nimble, question, last, timeoutMs },
        timeoutMs ?? answerMs,
        (answer, resolve) => {
          if (answer.step === 'heard') hear?.(answer.message)
          else if (answer.step === 'done') resolve(answer.message as never)
        },
        signal,
      ),
    fetch: (question) =>
      settled({ step: 'fetch', nimble, question }, answerMs, (answer, resolve) => {
        if (answer.step !== 'picture') return
        resolve({ contentType: answer.contentType, bytes: Buffer.from(answer.bytes, 'base64'), at: answer.at })
      }),
    live(source, mode, sink: LiveSink) {
      const end = (cause: string | null) => {
        close()
        sink.ended(cause)
      }
      const call = begin(
        { step: 'live', nimble, source, mode },
        (answer) => {
          silence.refresh()
          if (answer.step === 'started') sink.started(answer.mime)
          else if (answer.step === 'part') sink.part(answer.part, Buffer.from(answer.bytes, 'base64'))
          else if (answer.step === 'overlay') onOverlay(nimble, mode, answer.overlay)
          else if (answer.step === 'ended') end(answer.cause)
        },
        () => end('nimble_unreachable'),
      )
      const beat = setInterval(() => send(call.id, { step: 'still' }), beatMs)
      const silence = setTimeout(() => end('nimble_unreachable'), silentMs)
      const close = () => {
        clearInterval(beat)
        clearTimeout(silence)
        call.close()
      }
      return () => {
        close()
        send(call.id, { step: 'stop' })
      }
    },
  })

  return {
    to,
    /** What the edge server drew over its picture, for viewers at other portals. */
    overlay(nimbleUid: string, overlay: Overlay): void {
      for (const { shows, overlay: show } of served.values())
        if (shows?.nimble === nimbleUid && shows.source === overlay.source_id) show?.(overlay)
    },
    stop(): void {
      for (const { end } of [...served.values()]) end()
    },
  }
}

type Steps = LinkCall extends infer C ? (C extends LinkCall ? Omit<C, 'kind' | 'id'> : never) : never
/** @property shows what a live stream is of */
type Served = {
  end(): void
  still(): void
  shows?: { nimble: string; source: string }
  overlay?(overlay: Overlay): void
}
