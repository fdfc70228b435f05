/** The live picture of one source for any number of viewers: one stream from the nimble, taken up again when it ends. */
import type { Overlay } from '@sightline/contract/edge'
import type { MediaPart } from '@sightline/contract/frame'
import type { Link } from './link.ts'
import type { LiveListener, LiveMode } from './links.ts'

export type Feed = {
  /** Answers the function that ends it; with the last viewer the stream ends. */
  join(viewer: LiveListener): () => void
  overlay(overlay: Overlay): void
  /** For all viewers; nothing comes after it. */
  end(cause: string | null): void
}

const retryMs = 1000
/** A group of pictures beyond this is not kept: who joins then waits for the next key frame. */
const mostKeptBytes = 8 * 1024 * 1024

/** @param link the nimble's, null while it is not connected @param onEmpty the last viewer has gone */
export function createFeed(
  link: () => Pick<Link, 'live'> | null,
  sourceId: string,
  mode: LiveMode,
  onEmpty: () => void,
): Feed {
  const viewers = new Set<LiveListener>()
  let mime: string | null = null
  let init: Buffer | null = null
  /** Fragments since the latest key frame; in mode mjpeg the latest picture. */
  let recent: Buffer[] = []
  let recentBytes = 0
  let waitingFor: { cause: string | null } | null = null
  let stopStream: (() => void) | null = null
  let timer: NodeJS.Timeout | null = null

  const tellAll = (tell: (viewer: LiveListener) => void) => {
    for (const viewer of [...viewers]) tell(viewer)
  }
  const keep = (bytes: Buffer, isFirst: boolean) => {
    if (isFirst) recent = []
    else if (recent.length === 0) return
    recentBytes = isFirst ? bytes.length : recentBytes + bytes.length
    if (recentBytes > mostKeptBytes) recent = []
    else recent.push(bytes)
  }
  const take = (part: MediaPart, bytes: Buffer) => {
    waitingFor = null
    if (part === 'init') {
      init = bytes
      recent = []
      tellAll((viewer) => viewer.init(bytes))
    } else if (part === 'key' || part === 'fragment') {
      keep(bytes, part === 'key')
      tellAll((viewer) => viewer.fragment(bytes, part === 'key'))
    } else if (part === 'jpeg') {
      keep(bytes, true)
      tellAll((viewer) => viewer.jpeg(bytes))
    }
  }
  const wait = (cause: string | null) => {
    stopStream = null
    mime = null
    init = null
    recent = []
    waitingFor = { cause }
    tellAll((viewer) => viewer.waiting(cause))
    timer = setTimeout(start, retryMs)
  }
  const start = () => {
    timer = null
    const open = link()
    if (!open) {
      if (waitingFor?.cause !== 'nimble_unreachable') return wait('nimble_unreachable')
      timer = setTimeout(start, retryMs)
      return
    }
    stopStream = open.live(sourceId, mode, {
      started(type) {
        mime = type
        tellAll((viewer) => viewer.started(type))
      },
      part: take,
      ended: (cause) => {
        // The same reason again is no news.
        if (waitingFor && waitingFor.cause === cause && mime === null) timer = setTimeout(start, retryMs)
        else wait(cause)
      },
    })
  }
  const stop = () => {
    if (timer) clearTimeout(timer)
    timer = null
    stopStream?.()
    stopStream = null
  }

  return {
    join(viewer) {
      viewers.add(viewer)
      if (viewers.size === 1) start()
      else if (mime !== null) {
        viewer.started(mime)
        if (init) viewer.init(init)
        recent.forEach((bytes, index) => {
          if (mode === 'mjpeg') viewer.jpeg(bytes)
          else viewer.fragment(bytes, index === 0)
        })
      } else if (waitingFor) viewer.waiting(waitingFor.cause)
      return () => {
        if (!viewers.delete(viewer) || viewers.size > 0) return
        stop()
        onEmpty()
      }
    },
    overlay: (overlay) => tellAll((viewer) => viewer.overlay(overlay)),
    end(cause) {
      stop()
      const gone = [...viewers]
      viewers.clear()
      for (const viewer of gone) viewer.ended(cause)
      onEmpty()
    },
  }
}
