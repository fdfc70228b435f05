import type { LiveMessage } from '@sightline/contract'
import { blur } from '../media/store.ts'
import type { LiveListener, LiveMode } from '../nimble/store.ts'
import { Refusal } from '../refusal.ts'
import type { Socket } from '../sockets.ts'

/** First byte of a binary frame. */
export const liveBytes = { init: 1, fragment: 2, jpeg: 3 } as const

/** A viewer that has this much unsent is behind: it gets nothing more until the next picture that stands alone. */
export const viewerBacklogBytes = 2 * 1024 * 1024

/**
 * One browser's view of a source: what the edge server sends, passed on as the network takes it. A slow viewer loses
 * pictures, never slows the camera or another viewer.
 * @param channels public ids of those whose numbers may be shown; null: all
 * @param isFallback asked when a stream begins: whether it stands in for another
 */
export function viewer(
  socket: Pick<Socket<LiveMessage>, 'send' | 'sendBytes' | 'bufferedBytes' | 'close'>,
  mode: LiveMode,
  channels: ReadonlySet<string> | null = null,
  isFallback: () => boolean = () => false,
  now: () => Date = () => new Date(),
): LiveListener {
  let skipping = true
  let waitingSince: string | null = null

  const isBehind = () => socket.bufferedBytes() > viewerBacklogBytes
  const bytes = (what: number, payload: Buffer) => socket.sendBytes(Buffer.concat([Buffer.of(what), payload]))

  return {
    started: (mime) => socket.send({ type: 'started', mode, mime, is_fallback: isFallback() }),
    init(segment) {
      // Small, and nothing after it can be decoded without it: sent even to a viewer that is behind.
      bytes(liveBytes.init, segment)
      skipping = true
    },
    fragment(fragment, isKey) {
      if (isBehind()) skipping = true
      else if (isKey) skipping = false
      if (skipping) return
      waitingSince = null
      bytes(liveBytes.fragment, fragment)
    },
    jpeg(picture) {
      if (isBehind()) return
      waitingSince = null
      bytes(liveBytes.jpeg, picture)
    },
    overlay({ pts_ms, at, boxes, boxes_cause, levels }) {
      if (isBehind()) return
      const seen = channels
        ? Object.fromEntries(Object.entries(levels).filter(([channel]) => channels.has(channel)))
        : levels
      // A box is of the camera and does not say which channel counts it: who may not see all channels sees none.
      const drawn = channels ? { boxes: [] } : { boxes, ...(boxes_cause !== undefined && { boxes_cause }) }
      socket.send({ type: 'overlay', pts_ms, at, ...drawn, levels: seen })
    },
    waiting(cause) {
      waitingSince ??= now().toISOString()
      socket.send({ type: 'waiting', cause, since: waitingSince })
    },
    ended(cause) {
      socket.send({ type: 'ended', cause })
      socket.close(1000, 'ended')
    },
  }
}

/**
 * As `seen`, for somebody who may see pictures blurred only: no video, which is passed on as the camera sends it, and each
 * picture blurred. One picture at a time: those that come meanwhile are left out.
 * @param isBlurred asked for each picture, as a reason to see clearly ends in the middle of it
 */
export function blurring(seen: LiveListener, isBlurred: () => boolean): LiveListener {
  let isBusy = false
  return {
    ...seen,
    init(segment) {
      if (isBlurred()) seen.waiting('role_blurred')
      else seen.init(segment)
    },
    fragment(fragment, isKey) {
      if (isBlurred()) seen.waiting('role_blurred')
      else seen.fragment(fragment, isKey)
    },
    jpeg(picture) {
      if (!isBlurred()) return seen.jpeg(picture)
      if (isBusy) return
      isBusy = true
      blur(picture)
        .then(seen.jpeg, (error: unknown) => {
          // Where too many wait this picture is left out as well: the stream is as good as it was.
          if (!(error instanceof Refusal && error.code === 'busy')) seen.waiting('bad_stream')
        })
        .finally(() => {
          isBusy = false
        })
    },
  }
}
