/** What goes on between this nimble and a portal that has proven itself: records up, wishes down, pictures as asked for. */
import { zstdCompressSync } from 'node:zlib'
import {
  laterQuestions,
  linkBacklogBytes,
  linkUnacknowledged,
  type PortalMessage,
  type Scanned,
} from '@sightline/contract/edge'
import { compressEvents, encodeMedia, FrameError, type MediaPart } from '@sightline/contract/frame'
import type { Clock } from './clock.ts'
import type { PortalLink, PortalSession } from './conversation.ts'
import { type Engine, Failed, type LiveViewer } from './engine.ts'
import type { Journal, JournalFrame } from './journal.ts'
import type { LiveMode } from './live/live.ts'
import type { Log } from './log.ts'
import { exchangeParts } from './model/fetch.ts'
import { pause } from './pause.ts'

export type SessionParts = {
  link: PortalLink
  engine: Engine
  journal: Journal
  clock: Clock
  log: Log
  /** What `state` says beside the engine's own. */
  about: { engine_version: string; demo: boolean; capacity: number }
}

/** Stored pictures and clips go in parts of this size, so that records and answers find their way between them. */
const partBytes = 64 * 1024
const retryMs = 50

export function startSession({ link, engine, journal, clock, log, about }: SessionParts): PortalSession {
  const over = new AbortController()
  /** Ends what runs for a request: a discovery, a live picture. */
  const running = new Map<number, () => void>()
  const records = sendRecords(link, journal)
  const parts = exchangeParts(link)

  engine.offerModels(parts.fetch)
  const answers = [...laterQuestions]
  link.send({ type: 'state', applied_version: engine.appliedVersion(), ...engine.state(), ...about, answers })

  /** Runs a request; `fail` answers it when it cannot be done. */
  const answer = (work: () => Promise<void>, fail: (cause: string) => void) => {
    work().catch((error: unknown) => {
      if (over.signal.aborted) return
      if (!(error instanceof Failed)) log.error('A wish of the portal could not be fulfilled', error)
      fail(error instanceof Failed ? error.message : 'engine_fault')
    })
  }

  const handlers: { [T in PortalMessage['type']]?: (message: Extract<PortalMessage, { type: T }>) => void } = {
    ping({ at }) {
      const received = Date.now()
      link.send({ type: 'pong', at, received, sent: Date.now() })
    },
    clock: ({ offset_ms, round_trip_ms }) => clock.measured(offset_ms, round_trip_ms),
    ack: ({ seq }) => records.acknowledged(seq),
    nack: ({ seq, reason }) => records.refused(seq, reason),
    'config.put': ({ config }) => engine.apply(config),

    'discover.start': ({ id, seconds, range, interfaces }) => {
      const stop = new AbortController()
      running.set(id, () => stop.abort())
      const signal = AbortSignal.any([stop.signal, over.signal])
      const done = (scanned: Scanned, error: string | null) => {
        running.delete(id)
        link.send({ type: 'discover.done', id, scanned, error })
      }
      answer(
        async () => {
          const found = await engine.discover(
            { seconds, range, interfaces },
            (camera) => link.send({ type: 'discover.found', id, found: camera }),
            signal,
          )
          done(found, null)
        },
        (cause) => done({ interfaces: interfaces ?? [], range: range ?? null, ms: 0, unusable: [] }, cause),
      )
    },
    'discover.stop': ({ id }) => running.get(id)?.(),

    probe: ({ id, address, username, password }) =>
      answer(
        async () => {
          const probed = await engine.probe(
            { address, username, password },
            (finding) => link.send({ type: 'probe.finding', id, finding }),
            over.signal,
          )
          link.send({ type: 'probe.done', id, probed, cause: null })
        },
        (cause) => link.send({ type: 'probe.done', id, probed: null, cause }),
      ),

    'channel.do': ({ id, channel_id, action, force }) => {
      const done = (cause: string | null) => link.send({ type: 'channel.done', id, ok: cause === null, cause })
      answer(async () => {
        await engine.channelDo(channel_id, action, force)
        done(null)
      }, done)
    },

    'occupancy.set': ({ id, channel_id, occupancy }) => {
      const done = (before: number | null, cause: string | null) =>
        link.send({ type: 'occupancy.done', id, before, cause })
      answer(
        async () => done(await engine.setOccupancy(channel_id, occupancy), null),
        (cause) => done(null, cause),
      )
    },

    snapshot: ({ id, source_id }) =>
      answer(
        async () => {
          const { jpeg, at } = await engine.snapshot(source_id)
          await sendBytes(id, 'image/jpeg', jpeg, at)
        },
        (cause) => noBytes(id, cause),
      ),
    'media.get': ({ id, media_id }) =>
      answer(
        async () => {
          const { contentType, bytes, at } = await engine.media(media_id)
          await sendBytes(id, contentType, bytes, at)
        },
        (cause) => noBytes(id, cause),
      ),

    'live.start': ({ id, source_id, mode }) => {
      try {
        running.set(
          id,
          engine.live(
            source_id,
            mode,
            liveViewer(link, id, mode, () => running.delete(id)),
          ),
        )
      } catch (error) {
        if (!(error instanceof Failed)) log.error('A live picture could not be started', error)
        link.send({ type: 'live.ended', id, cause: error instanceof Failed ? error.message : 'engine_fault' })
      }
    },
    'model.none': ({ stream, cause }) => parts.none(stream, cause),
    'live.stop': ({ id }) => {
      running.get(id)?.()
      running.delete(id)
    },
  }

  const noBytes = (id: number, cause: string) =>
    link.send({ type: 'media', id, content_type: '', size: 0, at: Date.now(), cause })

  async function sendBytes(id: number, contentType: string, bytes: Uint8Array, at: number): Promise<void> {
    link.send({ type: 'media', id, content_type: contentType, size: bytes.length, at, cause: null })
    for (let from = 0; from < bytes.length; from += partBytes) {
      while (link.unsentBytes() > linkBacklogBytes / 2 && !over.signal.aborted) await pause(retryMs, over.signal)
      if (over.signal.aborted) return
      link.sendBytes(encodeMedia(id, 'bytes', bytes.subarray(from, from + partBytes)))
    }
  }

  return {
    bytes(frame) {
      try {
        parts.bytes(frame)
      } catch (error) {
        if (!(error instanceof FrameError)) throw error
        log.warn('The portal sent bytes that are not understood', error.message)
      }
    },
    message(message) {
      const handler = handlers[message.type] as ((message: PortalMessage) => void) | undefined
      if (handler) handler(message)
      else log.warn('The portal says this at the wrong time', message.type)
    },
    closed() {
      over.abort()
      engine.offerModels(null, parts.fetch)
      parts.closed()
      for (const stop of running.values()) stop()
      running.clear()
      records.stop()
    },
  }
}

/**
 * Keeps at most `linkUnacknowledged` frames on the way, oldest records first. A newer session takes the records over before
 * this one ends: from then on it has no part in them.
 */
function sendRecords(link: PortalLink, journal: Journal) {
  let onTheWay: JournalFrame[] = []
  let retry: NodeJS.Timeout | null = null

  const isReplaced = () => journal.onAppended !== send
  const send = () => {
    retry = null
    if (isReplaced()) return
    while (onTheWay.length < linkUnacknowledged) {
      if (link.unsentBytes() > linkBacklogBytes) {
        retry ??= setTimeout(send, retryMs)
        return
      }
      const next = journal.next()
      if (!next) return
      onTheWay.push(next)
      link.sendBytes(compressEvents(next.frame, zstdCompressSync))
    }
  }
  journal.rewind()
  journal.onAppended = send
  send()

  return {
    acknowledged(seq: number) {
      if (isReplaced()) return
      onTheWay = onTheWay.filter((frame) => frame.lastSeq > seq)
      journal.ack(seq)
      send()
    },
    refused(seq: number, reason: string) {
      if (isReplaced()) return
      const frame = onTheWay.find(({ firstSeq }) => firstSeq === seq)
      if (frame) journal.quarantine(frame, reason)
      onTheWay = onTheWay.filter((other) => other !== frame)
      send()
    },
    stop() {
      if (retry) clearTimeout(retry)
      if (!isReplaced()) journal.onAppended = () => undefined
    },
  }
}

/** Passes a live picture on. While the network is behind, the camera leaves out all up to the next key frame. */
function liveViewer(link: PortalLink, id: number, mode: LiveMode, onEnded: () => void): LiveViewer {
  if (mode === 'mjpeg') link.send({ type: 'live.started', id, mime: 'image/jpeg' })
  const send = (part: MediaPart, bytes: Uint8Array) => link.sendBytes(encodeMedia(id, part, bytes))
  return {
    init(segment, mime) {
      link.send({ type: 'live.started', id, mime })
      send('init', segment)
    },
    fragment: (bytes, isKey) => send(isKey ? 'key' : 'fragment', bytes),
    jpeg: (bytes) => send('jpeg', bytes),
    ended(cause) {
      onEnded()
      link.send({ type: 'live.ended', id, cause })
    },
    buffered: link.unsentBytes,
  }
}
